"""What changed between two texts."""

import time

from hypothesis import given
from hypothesis import strategies as st

from memories.diffs import Part, diff, shortened
from memories.templatetags import texts


def test_only_the_words_that_changed_are_shown_as_changed() -> None:
    assert diff("The crane comes on Friday.", "The crane comes on Monday.") == [
        Part("same", "The crane comes on "),
        Part("removed", "Friday"),
        Part("added", "Monday"),
        Part("same", "."),
    ]


def test_a_new_line_does_not_touch_the_others() -> None:
    assert diff("one\ntwo\n", "one\nand\ntwo\n") == [
        Part("same", "one\n"),
        Part("added", "and\n"),
        Part("same", "two\n"),
    ]


@given(st.text(max_size=80), st.text(max_size=80))
def test_both_texts_can_be_read_from_what_changed(old: str, new: str) -> None:
    parts = diff(old, new)
    assert "".join(part.text for part in parts if part.kind != "added") == old
    assert "".join(part.text for part in parts if part.kind != "removed") == new


def test_what_texts_say_is_escaped() -> None:
    assert texts.diff("<b>", "<i>") == "&lt;<del>b</del><ins>i</ins>&gt;"


def test_the_longest_texts_are_compared_without_a_pause() -> None:
    old, new = ("a b " * 12_500, "b a " * 12_500)
    before = time.process_time()
    diff(old, new)
    diff("x\n" * 25_000, "y\n" * 25_000)
    assert time.process_time() - before < 5


def test_of_what_stayed_a_few_lines_are_shown_and_the_rest_is_counted() -> None:
    lines = [f"{number}\n" for number in range(2_000)]
    changed = [*lines[:1_000], "new\n", *lines[1_000:]]
    assert shortened(diff("".join(lines), "".join(changed))) == [
        Part("skipped", "997"),
        Part("same", "997\n998\n999\n"),
        Part("added", "new\n"),
        Part("same", "1000\n1001\n1002\n"),
        Part("skipped", "997"),
    ]
    assert shortened(diff("a\nb\n", "a\nc\n"))[0] == Part("same", "a\n")
    assert shortened([]) == []


def test_texts_that_repeat_themselves_are_compared_without_a_pause() -> None:
    before = time.process_time()
    diff("x\n" * 25_000, "x\ny\n" * 12_500)
    diff("a b " * 4_900, "b a c " * 3_200)
    diff("x\n" * 1_000, "x\ny\n" * 500)
    assert time.process_time() - before < 5


def test_a_word_in_a_long_text_is_still_found() -> None:
    text = "the quick brown fox jumps over the lazy dog and then, it sleeps. " * 280
    parts = diff(f"{text}friday {text}", f"{text}monday {text}")
    assert [(part.kind, part.text) for part in parts if part.kind != "same"] == [
        ("removed", "friday"),
        ("added", "monday"),
    ]
