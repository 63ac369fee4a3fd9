"""JSON schemas of calls: each is published to callers, and `memoryhub.validation` checks what they send."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Schema = dict[str, Any]

STORABLE = "^[^\\u0000]*$"  # what Postgres cannot hold is not in the schema either
UNBOUNDED = 10**9


def text(*, longest: int = UNBOUNDED, shortest: int = 0, **more: Any) -> Schema:
    bounds = {"minLength": shortest} if shortest else {}
    bounds |= {"maxLength": longest} if longest < UNBOUNDED else {}
    return {"type": "string", "pattern": STORABLE, **bounds, **more}


def one_of(choices: Iterable[str], **more: Any) -> Schema:
    return {"type": "string", "enum": [str(choice) for choice in choices], **more}


def whole(*, least: int, most: int, **more: Any) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, **more}


def fraction(**more: Any) -> Schema:
    return {"type": "number", "minimum": 0, "maximum": 1, **more}


def fraction_or(word: str, **more: Any) -> Schema:
    """Return the schema of a number from 0 to 1, or this word."""
    return {
        "type": ["number", "string"],
        "minimum": 0,
        "maximum": 1,
        "pattern": f"^{word}$",
        "maxLength": len(word),
        **more,
    }


def flag(**more: Any) -> Schema:
    return {"type": "boolean", **more}


def moment(**more: Any) -> Schema:
    return {"type": "string", "format": "date-time", **more}


def identity(**more: Any) -> Schema:
    return {"type": "string", "format": "uuid", **more}


def list_of(of: Schema, *, most: int | None = None, least: int = 0, **more: Any) -> Schema:
    bounds = ({"minItems": least} if least else {}) | ({"maxItems": most} if most is not None else {})
    return {"type": "array", "items": of, **bounds, **more}


def record(properties: Mapping[str, Schema], *, required: Sequence[str] = (), **more: Any) -> Schema:
    """Return the schema of an object with these properties and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(properties), "additionalProperties": False, **needed, **more}


def whole_record(properties: Mapping[str, Schema], *, optional: Sequence[str] = (), **more: Any) -> Schema:
    """Return the schema of an object that always has all of these properties, except the optional ones."""
    return record(properties, required=[name for name in properties if name not in optional], **more)


def anything(**more: Any) -> Schema:
    """Return the schema of a JSON object with any properties, which the caller chooses."""
    return {"type": "object", "additionalProperties": True, **more}


def nullable(schema: Schema) -> Schema:
    if "null" in schema["type"]:
        return schema
    if "enum" in schema:
        schema = schema | {"enum": [*schema["enum"], None]}
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return schema | {"type": [*kinds, "null"]}


def common_record(*records: Schema, **more: Any) -> Schema:
    """Return the schema of an object that matches one of these records. It has the properties of all of them, and only
    those that each of them requires are required, so that it is one type for generated clients."""
    properties = {name: schema for one in records for name, schema in one["properties"].items()}
    needed = [name for name in properties if all(name in one.get("required", ()) for one in records)]
    return record(properties, required=needed, **more)


def parse_strings(schema: Schema, values: Sequence[str]) -> object:
    """Convert the text of a query parameter to the type that the schema asks for; return it as it is if that fails."""
    kinds = schema["type"]
    if kinds == "array":
        return [parse_strings(schema["items"], [one]) for one in values]
    text = values[-1]
    if kinds == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kinds == "integer" and re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    if "number" in kinds and re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][-+]?[0-9]{1,2})?", text):
        return float(text)
    return text


def without_nulls(schema: Schema, arguments: object) -> object:
    """Return the call without properties that are null but may not be: many models leave properties out that way."""
    if isinstance(arguments, list) and "items" in schema:
        return [without_nulls(schema["items"], part) for part in arguments]
    if not isinstance(arguments, dict) or "properties" not in schema:
        return arguments
    properties = schema["properties"]
    left_open = {name for name, inner in properties.items() if "null" not in inner.get("type", ())}
    kept = {name: value for name, value in arguments.items() if value is not None or name not in left_open}
    return {name: without_nulls(properties.get(name, {}), value) for name, value in kept.items()}


def with_nulls(schema: Schema) -> Schema:
    """Return the schema of the same call before `without_nulls`: every optional property may also be null."""
    if "items" in schema:
        return schema | {"items": with_nulls(schema["items"])}
    if "properties" not in schema:
        return schema
    needed = schema.get("required", ())
    inner = {name: with_nulls(found) for name, found in schema["properties"].items()}
    return schema | {
        "properties": {name: found if name in needed else nullable(found) for name, found in inner.items()}
    }
