"""One schema checks what a call says, and names whatever is not right."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import jsonschema
import pytest

from memoryhub.errors import Invalid
from memoryhub.json_schema import (
    Schema,
    flag,
    fraction,
    identity,
    list_of,
    moment,
    nullable,
    one_of,
    record,
    text,
    whole,
    with_nulls,
    without_nulls,
)
from memoryhub.validation import validate_input

ID = "0198c0de-0000-7000-8000-000000000001"
BAD: list[tuple[Schema, Any, str]] = [
    (text(), 1, "This must be text."),
    (text(), None, "This must be text."),
    (text(), "a\0b", "NUL characters cannot be stored."),
    (text(shortest=1), "", "This must not be empty."),
    (text(longest=3), "abcd", "At most 3 characters; these are 4."),
    (one_of("ab"), "c", "This must be one of a, b."),
    (nullable(one_of("ab")), 7, "This must be one of a, b."),
    (whole(least=1, most=5), 6, "This must be a whole number from 1 to 5."),
    (whole(least=1, most=5), True, "This must be a whole number from 1 to 5."),
    (fraction(), 1.1, "This must be a number from 0.0 to 1.0."),
    (flag(), "true", "This must be true or false."),
    (identity(), "x", "This must be an id."),
    (moment(), "2030-01-31T12:00:00", "This must be a date and time with its time zone, like 2030-01-31T12:00:00Z."),
    (list_of(text()), "x", "This must be a list."),
    (list_of(text(), least=1), [], "This must not be empty."),
    (list_of(text(), least=2), ["x"], "At least 2."),
    (list_of(text(), most=1), ["x", "y"], "At most 1 at once."),
    (record({}), [], "This must be a JSON object."),
]


@pytest.mark.parametrize(("schema", "value", "sentence"), BAD)
def test_what_is_not_right_gets_a_sentence(schema: Schema, value: Any, sentence: str) -> None:
    with pytest.raises(Invalid) as refusal:
        validate_input(record({"field": schema}), {"field": value})
    assert refusal.value.fields == {"field": sentence}


def test_every_field_that_is_not_right_is_named() -> None:
    schema = record({"a": text(), "rows": list_of(record({"b": flag()}, required=["b"]))}, required=["a"])
    with pytest.raises(Invalid) as refusal:
        validate_input(schema, {"rows": [{"b": True}, {"c": 1}]})
    assert set(refusal.value.fields) == {"a", "rows.1.b", "rows.1.c"}


def test_values_come_as_we_work_with_them() -> None:
    schema = record({"id": identity(), "at": nullable(moment()), "limit": whole(least=1, most=9, default=5)})
    noon = datetime(2030, 1, 31, 12, tzinfo=UTC)
    assert validate_input(schema, {"id": ID, "at": "2030-01-31T12:00:00Z"}) == {"id": UUID(ID), "at": noon, "limit": 5}
    assert validate_input(schema, {"at": None, "limit": 2.0}) == {"at": None, "limit": 2}


def test_what_may_be_left_out_may_be_null_where_it_is_published() -> None:
    link = record({"to": identity(), "weight": fraction()}, required=["to"])
    call = record({"kind": one_of("ab"), "links": list_of(link)}, required=["links"])
    said = {"kind": None, "links": [{"to": ID, "weight": None}]}
    jsonschema.validate(said, with_nulls(call))
    jsonschema.validate(without_nulls(call, said), call)
    for wrong in ({"links": None}, {"links": [{"to": None}]}, {"links": [], "unknown": None}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, with_nulls(call))
        with pytest.raises(Invalid):
            validate_input(call, without_nulls(call, wrong))
