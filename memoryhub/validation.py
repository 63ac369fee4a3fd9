"""Validation of what callers send: each published schema is compiled to a pydantic validator, once."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, SchemaValidator, ValidationError, core_schema

from memoryhub.errors import Invalid
from memoryhub.ids import parse_uuid
from memoryhub.json_schema import UNBOUNDED, Schema
from memoryhub.text import text_problem

MOST_COMPILED = 1_000  # nearly all are constants; those that are made for one call must not pile up
NOT_A_TIME = "This must be a date and time with its time zone, like 2030-01-31T12:00:00Z."
SENTENCES: Mapping[str, str] = {
    "missing": "This is needed.",
    "extra_forbidden": "There is no such field.",
    "dict_type": "This must be a JSON object.",
    "list_type": "This must be a list.",
}

_compiled: dict[int, tuple[Schema, SchemaValidator]] = {}  # by the schema's identity, which holding it keeps unique


def validate_input(schema: Schema, value: object, *, name: str = "body") -> Any:
    """Return the value with ids and times parsed and defaults filled in, or raise an Invalid that names every invalid
    field."""
    try:
        return _get_validator(schema).validate_python(value)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise Invalid({_name_field(detail) or name: _explain(detail) for detail in details}) from None


def _get_validator(schema: Schema) -> SchemaValidator:
    compiled = _compiled.get(id(schema))
    if compiled is None:
        if len(_compiled) >= MOST_COMPILED:
            _compiled.clear()
        compiled = _compiled[id(schema)] = schema, SchemaValidator(_compile(schema))
    return compiled[1]


def _name_field(detail: ErrorDetails) -> str:
    return ".".join(str(part) for part in detail["loc"])


def _explain(detail: ErrorDetails) -> str:
    """Return our sentence for an error; those that `_compile` gave sentences say them themselves."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "too_short":
        return "This must not be empty." if not context["actual_length"] else f"At least {context['min_length']:,}."
    if kind == "too_long":
        return f"At most {context['max_length']:,} at once."
    return SENTENCES.get(kind) or detail["msg"]


def _compile(schema: Schema) -> CoreSchema:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    named = [kind for kind in kinds if kind != "null"]
    if not named:
        return core_schema.any_schema()
    compiled = COMPILERS[named[0]](schema) if len(named) == 1 else _compile_fraction_or(schema)
    return core_schema.nullable_schema(compiled) if "null" in kinds else compiled


def _compile_string(schema: Schema) -> CoreSchema:
    if "enum" in schema:
        choices = [choice for choice in schema["enum"] if choice is not None]
        return _saying(f"This must be one of {', '.join(choices)}.", core_schema.literal_schema(choices))
    if schema.get("format") == "uuid":
        return _parsing(parse_uuid, "This must be an id.")
    if schema.get("format") == "date-time":
        return _parsing(_parse_moment, NOT_A_TIME)
    return core_schema.no_info_plain_validator_function(
        _text_check(schema.get("minLength", 0), schema.get("maxLength", UNBOUNDED))
    )


def _text_check(shortest: int, longest: int) -> Callable[[Any], str]:
    def check_text(value: Any) -> str:
        if not isinstance(value, str):
            raise PydanticCustomError("text", "This must be text.")
        if len(value) < shortest:
            raise PydanticCustomError("text", "This must not be empty.")
        if problem := text_problem(value, longest=longest):
            raise _custom_error(problem)
        return value

    return check_text


def _parsing(parse: Callable[[str], UUID | datetime | None], sentence: str) -> CoreSchema:
    def parse_text(value: Any) -> UUID | datetime:
        if not isinstance(value, str):
            raise PydanticCustomError("text", "This must be text.")
        parsed = parse(value)
        if parsed is None:
            raise _custom_error(sentence)
        return parsed

    return core_schema.no_info_plain_validator_function(parse_text)


def _parse_moment(value: str) -> datetime | None:
    """Parse a time and convert it to UTC: Postgres does not know every offset that can be written."""
    try:
        moment = parse_datetime(value)
        return moment.astimezone(UTC) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _compile_integer(schema: Schema) -> CoreSchema:
    least, most = schema.get("minimum", -UNBOUNDED), schema.get("maximum", UNBOUNDED)
    number = core_schema.int_schema(strict=True, ge=least, le=most)
    whole = core_schema.no_info_before_validator_function(_drop_zero_fraction, number)
    return _saying(f"This must be a whole number from {least:,} to {most:,}.", whole)


def _drop_zero_fraction(value: Any) -> Any:
    """Return 2 for 2.0, which is the same number in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _compile_number(schema: Schema) -> CoreSchema:
    least, most = schema.get("minimum", -UNBOUNDED), schema.get("maximum", UNBOUNDED)
    number = core_schema.float_schema(strict=True, ge=least, le=most, allow_inf_nan=False)
    return _saying(f"This must be a number from {float(least)} to {float(most)}.", number)


def _compile_fraction_or(schema: Schema) -> CoreSchema:
    """Compile the schema of a number or one word, the only one with two types."""
    word, least, most = schema["pattern"][1:-1], schema["minimum"], schema["maximum"]
    number = core_schema.float_schema(strict=True, ge=least, le=most, allow_inf_nan=False)
    either = core_schema.union_schema([number, core_schema.literal_schema([word])])
    return _saying(f"This must be a number from {float(least)} to {float(most)}, or {word}.", either)


def _compile_boolean(schema: Schema) -> CoreSchema:
    return _saying("This must be true or false.", core_schema.bool_schema(strict=True))


def _compile_array(schema: Schema) -> CoreSchema:
    return core_schema.list_schema(
        _compile(schema["items"]), strict=True, min_length=schema.get("minItems"), max_length=schema.get("maxItems")
    )


def _compile_object(schema: Schema) -> CoreSchema:
    if schema.get("additionalProperties") is not False:
        return _saying("This must be a JSON object.", core_schema.is_instance_schema(dict))
    fields = {
        name: core_schema.typed_dict_field(_compile_property(inner), required=name in schema.get("required", ()))
        for name, inner in schema["properties"].items()
    }
    return core_schema.typed_dict_schema(fields, extra_behavior="forbid", strict=True)


def _compile_property(schema: Schema) -> CoreSchema:
    compiled = _compile(schema)
    if "default" not in schema:
        return compiled
    return core_schema.with_default_schema(compiled, default=schema["default"])


def _saying(sentence: str, schema: CoreSchema) -> CoreSchema:
    """Return the schema with our own sentence for whatever is wrong."""
    return core_schema.custom_error_schema(schema, "sentence", custom_error_message=sentence)


def _custom_error(sentence: str) -> PydanticCustomError:
    return PydanticCustomError("sentence", "{sentence}", {"sentence": sentence})


COMPILERS: Mapping[str, Callable[[Schema], CoreSchema]] = {
    "string": _compile_string,
    "integer": _compile_integer,
    "number": _compile_number,
    "boolean": _compile_boolean,
    "array": _compile_array,
    "object": _compile_object,
}
