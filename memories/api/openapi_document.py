"""The OpenAPI document, made ready for generators of clients: shared schemas and enums have names of their own."""

from collections.abc import Iterator
from typing import Any

from memories.contract import inputs
from memories.contract.output_schemas import PLACE_EXAMPLES
from memories.models import (
    FAILED_STATES,
    AnchorState,
    Change,
    PairDecision,
    PairKind,
    PairState,
    ProposalCause,
    ProposalState,
    ProposedOperation,
    Provenance,
    Rating,
    Relation,
    Scope,
    Status,
    Type,
)
from memories.operations import Dedupe
from memories.prompts.context import SectionName
from memories.queries.presence import Presence
from memories.queries.review import REVIEW_KINDS
from memories.recall import SORTS, Mode
from memories.rules.screening_settings import ScreeningAction
from memories.screening.findings import FindingGroup
from memories.tools import Format
from memoryhub.json_schema import Schema
from teams.models import Verb

ENUMS = {
    tuple(str(choice) for choice in choices): name
    for name, choices in {
        **{
            enum.__name__: enum
            for enum in (Type, Scope, Status, Provenance, Rating, Relation, Change, Dedupe, Mode, Presence, Verb)
        },
        **{
            enum.__name__: enum
            for enum in (PairDecision, PairKind, PairState, ProposalCause, ProposalState, ProposedOperation)
        },
        **{enum.__name__: enum for enum in (AnchorState, FindingGroup, ScreeningAction)},
        "FailedAnchorState": FAILED_STATES,
        "Order": inputs.ORDERS,
        "SortBy": SORTS,
        "ReviewKind": REVIEW_KINDS,
        "ContextSectionName": SectionName,
        "ToolFormat": Format,
    }.items()
}


def name_components(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Move each schema that has a title, and each shared enum, to the document's components, and refer to it there; add
    an example of every path parameter."""
    schemas: dict[str, Schema] = result.setdefault("components", {}).setdefault("schemas", {})
    result["paths"] = _refer(result["paths"], schemas)
    for operation in _operations(result):
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                parameter["example"] = PLACE_EXAMPLES[parameter["name"]]
        if body := operation.get("requestBody"):
            (content,) = body["content"].values()
            name = content["schema"].get("$ref", "").rpartition("/")[2]
            body["required"] = "required" in schemas.get(name, content["schema"])
    return result


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for operations in document["paths"].values():
        yield from operations.values()


def _refer(part: Any, schemas: dict[str, Schema]) -> Any:
    """Return the part with references in place of the schemas that have names."""
    if isinstance(part, list):
        return [_refer(one, schemas) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("enum"), list):
        return _refer_to_enum(part, schemas)
    inner = {key: _refer(value, schemas) for key, value in part.items()}
    if part.get("type") not in ("object", ["object", "null"]) or not isinstance(part.get("title"), str):
        return inner
    inner["properties"] = {name: _describe_default(schema) for name, schema in inner["properties"].items()}
    reference = _add_component(part["title"], inner | {"type": "object"}, schemas)
    return reference if part["type"] == "object" else _or_null(reference)


def _refer_to_enum(schema: Schema, schemas: dict[str, Schema]) -> Schema:
    choices = [choice for choice in schema["enum"] if choice is not None]
    name = ENUMS.get(tuple(choices))
    if name is None:
        return schema
    reference = _add_component(name, {"type": "string", "enum": choices}, schemas)
    more = {key: value for key, value in schema.items() if key not in ("type", "enum")}
    return (_or_null(reference) if None in schema["enum"] else reference) | more


def _or_null(reference: Schema) -> Schema:
    return {"anyOf": [reference, {"type": "null"}]}


def _describe_default(schema: Schema) -> Schema:
    """Return the schema with its default told in words: generators take a property with a default for one that is
    always there, and make callers send it."""
    if "default" not in schema:
        return schema
    sentence = f"Default: `{schema['default']}`."
    kept = {key: value for key, value in schema.items() if key != "default"}
    return kept | {"description": " ".join(filter(None, (schema.get("description"), sentence)))}


def _add_component(name: str, schema: Schema, schemas: dict[str, Schema]) -> Schema:
    if schemas.setdefault(name, schema) != schema:
        raise AssertionError(f"Two schemas have the title {name!r}.")
    return {"$ref": f"#/components/schemas/{name}"}
