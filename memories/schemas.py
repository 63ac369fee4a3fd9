"""What a call may say: one JSON schema, published to callers and checked at the door."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from memoryhub.errors import Invalid
from memoryhub.ids import as_uuid
from memoryhub.text import flaw

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


def flag(**more: Any) -> Schema:
    return {"type": "boolean", **more}


def moment(**more: Any) -> Schema:
    return {"type": "string", "format": "date-time", **more}


def identity(**more: Any) -> Schema:
    return {"type": "string", "format": "uuid", **more}


def listed(of: Schema, *, most: int | None = None, least: int = 0, **more: Any) -> Schema:
    bounds = ({"minItems": least} if least else {}) | ({"maxItems": most} if most is not None else {})
    return {"type": "array", "items": of, **bounds, **more}


def record(properties: Mapping[str, Schema], *, required: Sequence[str] = (), **more: Any) -> Schema:
    """An object of just these properties."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(properties), "additionalProperties": False, **needed, **more}


def whole_record(properties: Mapping[str, Schema], *, optional: Sequence[str] = (), **more: Any) -> Schema:
    """An object that always has all of these properties, but for the optional ones."""
    return record(properties, required=[name for name in properties if name not in optional], **more)


def anything(**more: Any) -> Schema:
    """A JSON object that is the caller's own."""
    return {"type": "object", "additionalProperties": True, **more}


def nullable(schema: Schema) -> Schema:
    if "null" in schema["type"]:
        return schema
    if "enum" in schema:
        schema = schema | {"enum": [*schema["enum"], None]}
    return schema | {"type": [schema["type"], "null"]}


def either(*schemas: Schema) -> Schema:
    """For answers: it is one of these."""
    return {"anyOf": list(schemas)}


def object_of(*schemas: Schema) -> Schema:
    """A tool's answer, which is an object of one of these shapes."""
    return {"type": "object", **either(*schemas)}


def spelled(schema: Schema, said: Sequence[str]) -> object:
    """What a query parameter says, as far as its text can be read as what the schema asks for."""
    kinds = schema["type"]
    if kinds == "array":
        return [spelled(schema["items"], [one]) for one in said]
    text = said[-1]
    if kinds == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kinds == "integer" and re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    if kinds == "number" and re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][-+]?[0-9]{1,2})?", text):
        return float(text)
    return text


def checked(schema: Schema, value: object, *, name: str = "body") -> Any:
    """The value as we work with it: ids and moments made, defaults filled in. Or an Invalid that names every field that
    is not right."""
    wrong: dict[str, str] = {}
    found = _checked(schema, value, "", wrong)
    if wrong:
        raise Invalid({place or name: sentence for place, sentence in wrong.items()})
    return found


def without_nulls(schema: Schema, said: object) -> object:
    """The same call without the properties it leaves open by null: that is how many models leave them out."""
    if isinstance(said, list) and "items" in schema:
        return [without_nulls(schema["items"], part) for part in said]
    if not isinstance(said, dict) or "properties" not in schema:
        return said
    properties = schema["properties"]
    left_open = {name for name, inner in properties.items() if "null" not in inner.get("type", ())}
    kept = {name: value for name, value in said.items() if value is not None or name not in left_open}
    return {name: without_nulls(properties.get(name, {}), value) for name, value in kept.items()}


def with_nulls(schema: Schema) -> Schema:
    """Says the same of a call from which those nulls are taken: what may be left out may be null."""
    if "items" in schema:
        return schema | {"items": with_nulls(schema["items"])}
    if "properties" not in schema:
        return schema
    needed = schema.get("required", ())
    inner = {name: with_nulls(found) for name, found in schema["properties"].items()}
    return schema | {
        "properties": {name: found if name in needed else nullable(found) for name, found in inner.items()}
    }


def _checked(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if value is None and "null" in kinds:
        return None
    kind = next((kind for kind in kinds if kind != "null"), None)
    if kind is None:
        return value
    return CHECKS[kind](schema, value, place, wrong)


def _string(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    if "enum" in schema:
        if value not in schema["enum"] or not isinstance(value, str):
            choices = ", ".join(str(choice) for choice in schema["enum"] if choice is not None)
            wrong[place] = f"This must be one of {choices}."
        return value
    if not isinstance(value, str):
        wrong[place] = "This must be text."
    elif schema.get("format") == "uuid":
        return _converted(as_uuid(value), "This must be an id.", place, wrong)
    elif schema.get("format") == "date-time":
        sentence = "This must be a date and time with its time zone, like 2030-01-31T12:00:00Z."
        return _converted(_moment(value), sentence, place, wrong)
    elif len(value) < schema.get("minLength", 0):
        wrong[place] = "This must not be empty."
    elif found := flaw(value, longest=schema.get("maxLength", UNBOUNDED)):
        wrong[place] = found
    return value


def _converted(found: object, sentence: str, place: str, wrong: dict[str, str]) -> Any:
    if found is None:
        wrong[place] = sentence
    return found


def _moment(value: str) -> datetime | None:
    """In UTC: Postgres does not know every offset that can be written."""
    try:
        found = parse_datetime(value)
        return found.astimezone(UTC) if found and found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _integer(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    least, most = schema.get("minimum", -UNBOUNDED), schema.get("maximum", UNBOUNDED)
    if isinstance(whole, bool) or not isinstance(whole, int) or not least <= whole <= most:
        wrong[place] = f"This must be a whole number from {least:,} to {most:,}."
    return whole


def _number(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    least, most = schema.get("minimum", -UNBOUNDED), schema.get("maximum", UNBOUNDED)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        wrong[place] = f"This must be a number from {float(least)} to {float(most)}."
    return value


def _boolean(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    if not isinstance(value, bool):
        wrong[place] = "This must be true or false."
    return value


def _array(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    if not isinstance(value, list):
        wrong[place] = "This must be a list."
        return value
    least, most = schema.get("minItems", 0), schema.get("maxItems", UNBOUNDED)
    if not least <= len(value) <= most:
        many = f"At most {most:,} at once." if len(value) > most else f"At least {least:,}."
        wrong[place] = many if value else "This must not be empty."
        return value
    inside = f"{place}." if place else ""
    return [_checked(schema["items"], item, f"{inside}{number}", wrong) for number, item in enumerate(value)]


def _object(schema: Schema, value: object, place: str, wrong: dict[str, str]) -> Any:
    if not isinstance(value, dict):
        wrong[place] = "This must be a JSON object."
        return value
    properties: Mapping[str, Schema] = schema.get("properties", {})
    inside = f"{place}." if place else ""
    for name in schema.get("required", ()):
        if name not in value:
            wrong[f"{inside}{name}"] = "This is needed."
    if schema.get("additionalProperties") is not False:
        return value
    for name in value:
        if name not in properties:
            wrong[f"{inside}{name}"] = "There is no such field."
    defaults = {name: inner["default"] for name, inner in properties.items() if "default" in inner}
    said = {
        name: _checked(inner, value[name], f"{inside}{name}", wrong)
        for name, inner in properties.items()
        if name in value
    }
    return defaults | said


CHECKS = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
}
