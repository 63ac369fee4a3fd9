"""JSON that is read at the doors: nothing of it is dropped in silence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.errors import Invalid
from memoryhub.prepared_statements import prepared_cursor
from memoryhub.strict_json import NotJSON, load_json
from tests.caller import Caller
from tests.effort import cpu_seconds


@pytest.mark.parametrize("body", [b'{"a": [1, {"b": null}], "c": "\\u0022"}', b"[]", b'"x"'])
def test_what_is_json_is_read(body: bytes) -> None:
    assert load_json(body) is not None


@pytest.mark.parametrize(
    "body", [b"", b"{", b"NaN", b'"\xff"', b'"\\ud800"', b"[" * 5_000, b"[" * 1_010 + b"]" * 1_010]
)
def test_what_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(NotJSON):
        load_json(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1, "a": 1}',
        b'[{"x": {"a": 1, "b": 2, "\\u0061": 3}}]',
        b'{"a": "\\":", "a"\t:": "}',
        b'{"a" :[{"b": 1}], "a":1}',
    ],
)
def test_a_name_that_is_said_twice_is_refused_by_name(body: bytes) -> None:
    with pytest.raises(Invalid) as refusal:
        load_json(body)
    assert refusal.value.fields == {"a": "This name occurs twice."}


def test_a_refusal_lists_ten_repeated_names_at_most() -> None:
    with pytest.raises(Invalid) as refusal:
        load_json(b"{%s}" % b",".join(b'"%d":1' % (number // 2) for number in range(100)))
    assert list(refusal.value.fields) == [str(number) for number in range(10)]


# Signs that mean something in JSON, so that names end as its texts and texts look like its names.
TRICKY = st.text('\\":, \n{}a', max_size=4)


@given(st.dictionaries(TRICKY, TRICKY, min_size=1))
def test_of_any_names_only_repeated_ones_are_refused(row: dict[str, str]) -> None:
    body = json.dumps(row)
    again = f"[{body}, {{{json.dumps(next(iter(row)))}: 1, {body[1:]}]"
    assert load_json(body.encode()) == row
    with pytest.raises(Invalid):
        load_json(again.encode())


def refuse(amount: int, name: str) -> None:
    names = (name.replace("#", str(number // 2)) for number in range(amount))
    body = f"{{{','.join(f'{json.dumps(each)}:1' for each in names)}}}".encode()
    with pytest.raises(Invalid):
        load_json(body)


@pytest.mark.parametrize("name", ["#", "a"])
def test_repeated_names_take_time_by_their_number(name: str) -> None:
    once = cpu_seconds(lambda: refuse(10_000, name))
    assert cpu_seconds(lambda: refuse(20_000, name)) < 4 * once


@pytest.mark.django_db
def test_a_body_that_says_a_name_twice_saves_nothing() -> None:
    caller = Caller()
    response = caller("POST", "memories", b'{"content": "Berth 7 is closed.", "content": "Berth 7 is open."}')
    problem = response.json()
    assert (response.status_code, problem["code"]) == (400, "invalid")
    assert problem["fields"] == {"content": "This name occurs twice."}
    assert caller("GET", "memories").json()["memories"] == []


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["7", "1.5", "1e400"])
def test_stored_json_is_read_however_large_its_numbers(number: str) -> None:
    with prepared_cursor() as cursor:
        cursor.execute("SELECT %(json)s::text::jsonb", {"json": f'{{"a": [{number}, null]}}'})
        assert cursor.fetchone() == ({"a": [json.loads(number) if "e" not in number else 10**400, None]},)
