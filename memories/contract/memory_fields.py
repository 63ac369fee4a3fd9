"""The fields of a memory as callers send and get them: the schema of each, and an example."""

from typing import Any, NamedTuple

from memories.models import KEY_LENGTH, LABEL_LENGTH, SUMMARY_LENGTH, TAG_COUNT, MemoryFields, Type
from memoryhub.json_schema import (
    Schema,
    anything,
    flag,
    fraction,
    list_of,
    moment,
    nullable,
    one_of,
    text,
)

BOUNDS = frozenset({"description", "minLength", "maxLength", "maxItems"})  # limits apply to requests only

TAGS = list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT)


class PublicField(NamedTuple):
    schema: Schema  # schema in requests
    example: Any = None


# Null empties a field.
PUBLIC_FIELDS: dict[str, PublicField] = {
    "content": PublicField(
        text(shortest=1, description="What to remember: up to 50,000 bytes of UTF-8."),
        "Berth 7 is closed until the crane is repaired.",
    ),
    "key": PublicField(
        nullable(text(longest=KEY_LENGTH, description="A label. At most one active memory of an audience owns it.")),
        "berth-7",
    ),
    "summary": PublicField(
        nullable(
            text(
                longest=SUMMARY_LENGTH,
                description="A shorter form for prompts. It is dropped when the content changes.",
            )
        )
    ),
    "type": PublicField(one_of(Type), "event"),
    "category": PublicField(nullable(text(longest=LABEL_LENGTH)), "fact"),
    "tags": PublicField(nullable(TAGS), ["berths"]),
    "importance": PublicField(fraction(description="By default it depends on the type."), 0.5),
    "pinned": PublicField(flag(), False),
    "expires_at": PublicField(nullable(moment(description="When the memory expires. Must be in the future."))),
    "source": PublicField(
        nullable(text(longest=LABEL_LENGTH, description="manual, auto or a label of your own.")), "manual"
    ),
    "metadata": PublicField(nullable(anything(description="Any JSON object of up to 8 KiB.")), {}),
    "review_by": PublicField(nullable(moment(description="When somebody should check that it is still true."))),
    "valid_from": PublicField(nullable(moment(description="When it starts to hold. By default it has always held."))),
    "valid_until": PublicField(
        nullable(moment(description="When it ceases to hold. By default it holds indefinitely."))
    ),
}
SENT_FIELDS: dict[str, Schema] = {name: field.schema for name, field in PUBLIC_FIELDS.items()}
FIELD_EXAMPLES: dict[str, Any] = {name: field.example for name, field in PUBLIC_FIELDS.items()}


COLUMNS = {column.name: column for column in MemoryFields._meta.local_fields}


def _answer_schema(name: str, schema: Schema) -> Schema:
    """Return the schema of a field in answers: without bounds, and null only where its column can be empty."""
    plain = {key: value for key, value in schema.items() if key not in BOUNDS}
    if "items" in plain:
        plain["items"] = {key: value for key, value in plain["items"].items() if key not in BOUNDS}
    plain["type"] = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    may_be_empty = COLUMNS[name].null or (plain["type"] == "string" and COLUMNS[name].blank)
    return nullable(plain) if may_be_empty else plain


ANSWERED_FIELDS: dict[str, Schema] = {name: _answer_schema(name, schema) for name, schema in SENT_FIELDS.items()}
