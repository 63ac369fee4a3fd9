"""JSON that is read at the doors: nothing of it is dropped in silence."""

import pytest

from memoryhub.errors import Invalid
from memoryhub.json import NotJSON, loads
from tests.caller import Caller


@pytest.mark.parametrize("body", [b'{"a": [1, {"b": null}], "c": "\\u0022"}', b"[]", b'"x"'])
def test_what_is_json_is_read(body: bytes) -> None:
    assert loads(body) is not None


@pytest.mark.parametrize(
    "body", [b"", b"{", b"NaN", b'"\xff"', b'"\\ud800"', b"[" * 5_000, b"[" * 1_010 + b"]" * 1_010]
)
def test_what_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(NotJSON):
        loads(body)


@pytest.mark.parametrize("body", [b'{"a": 1, "a": 1}', b'[{"x": {"a": 1, "b": 2, "\\u0061": 3}}]'])
def test_a_name_that_is_said_twice_is_refused_by_name(body: bytes) -> None:
    with pytest.raises(Invalid) as refusal:
        loads(body)
    assert refusal.value.fields == {"a": "This is said twice."}


@pytest.mark.django_db
def test_a_body_that_says_a_name_twice_saves_nothing() -> None:
    caller = Caller()
    response = caller("POST", "memories", b'{"content": "Berth 7 is closed.", "content": "Berth 7 is open."}')
    problem = response.json()
    assert (response.status_code, problem["code"]) == (400, "invalid")
    assert problem["fields"] == {"content": "This is said twice."}
    assert caller("GET", "memories").json()["memories"] == []
