"""Texts are composed as Unicode has it, in a time that grows with their length alone."""

import pytest

from memoryhub.text import MOST_MARKS, normalize_text
from tests.effort import cpu_seconds


@pytest.mark.parametrize(
    ("text", "normalized"),
    [(" e\u0301te\u0301 ", "été"), ("plain", "plain"), ("a\u0323\u0302", "\u1ead"), ("\ufb01", "\ufb01")],
)
def test_letters_and_their_marks_become_one(text: str, normalized: str) -> None:
    assert normalize_text(text) == normalized


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u05b0\u0591", "\u0f71\u0f72"])
def test_twice_as_many_marks_take_no_longer_than_twice(marks: str) -> None:
    once = cpu_seconds(lambda: normalize_text("a" + marks * 6_000))
    assert cpu_seconds(lambda: normalize_text("a" + marks * 12_000)) < 3 * once


def test_letters_with_dozens_of_marks_stay_as_they_are() -> None:
    many = "e" + "\u0301" * (MOST_MARKS + 1)
    assert normalize_text(many) == many
    assert normalize_text(many[:-1]) == "é" + "\u0301" * (MOST_MARKS - 1)
