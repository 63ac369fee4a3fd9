"""Tests of the differences between two texts."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.templatetags import texts
from memories.text.diff import DiffBudget, DiffPart, diff_texts, shorten_diff_parts
from tests.effort import cpu_seconds


def test_only_the_words_that_changed_are_shown_as_changed() -> None:
    assert diff_texts("The crane comes on Friday.", "The crane comes on Monday.") == [
        DiffPart("same", "The crane comes on "),
        DiffPart("removed", "Friday"),
        DiffPart("added", "Monday"),
        DiffPart("same", "."),
    ]


def test_a_new_line_does_not_touch_the_others() -> None:
    assert diff_texts("one\ntwo\n", "one\nand\ntwo\n") == [
        DiffPart("same", "one\n"),
        DiffPart("added", "and\n"),
        DiffPart("same", "two\n"),
    ]


@given(st.text(max_size=80), st.text(max_size=80))
def test_both_texts_can_be_read_from_what_changed(old: str, new: str) -> None:
    parts = diff_texts(old, new)
    assert "".join(part.text for part in parts if part.kind != "added") == old
    assert "".join(part.text for part in parts if part.kind != "removed") == new


def test_what_texts_say_is_escaped() -> None:
    assert texts.diff_html("<b>", "<i>") == "&lt;<del>b</del><ins>i</ins>&gt;"


def test_the_longest_texts_are_compared_without_a_pause() -> None:
    old, new = ("a b " * 12_500, "b a " * 12_500)
    before = time.process_time()
    diff_texts(old, new)
    diff_texts("x\n" * 25_000, "y\n" * 25_000)
    assert time.process_time() - before < 5


def test_of_what_stayed_a_few_lines_are_shown_and_the_rest_is_counted() -> None:
    lines = [f"{number}\n" for number in range(2_000)]
    changed = [*lines[:1_000], "new\n", *lines[1_000:]]
    assert shorten_diff_parts(diff_texts("".join(lines), "".join(changed))) == [
        DiffPart("skipped", "997"),
        DiffPart("same", "997\n998\n999\n"),
        DiffPart("added", "new\n"),
        DiffPart("same", "1000\n1001\n1002\n"),
        DiffPart("skipped", "997"),
    ]
    assert shorten_diff_parts(diff_texts("a\nb\n", "a\nc\n"))[0] == DiffPart("same", "a\n")
    assert shorten_diff_parts([]) == []


def test_texts_that_repeat_themselves_are_compared_without_a_pause() -> None:
    before = time.process_time()
    diff_texts("x\n" * 25_000, "x\ny\n" * 12_500)
    diff_texts("a b " * 4_900, "b a c " * 3_200)
    diff_texts("x\n" * 1_000, "x\ny\n" * 500)
    assert time.process_time() - before < 5


def test_a_word_in_a_long_text_is_still_found() -> None:
    text = "the quick brown fox jumps over the lazy dog and then, it sleeps. " * 280
    parts = diff_texts(f"{text}friday {text}", f"{text}monday {text}")
    assert [(part.kind, part.text) for part in parts if part.kind != "same"] == [
        ("removed", "friday"),
        ("added", "monday"),
    ]


def number_table(top: int, *, seed: int) -> str:
    chance = random.Random(seed)
    rows = (",".join(str(chance.randrange(top)) for _ in range(10)) for _ in range(20_000 // (10 * len(str(top)))))
    return "\n".join(rows)


@pytest.mark.parametrize("top", [10, 100, 1_000])
def test_tables_of_numbers_take_no_longer_than_their_budget(top: int) -> None:
    old, new = number_table(top, seed=1), number_table(top, seed=2)
    small = cpu_seconds(lambda: diff_texts(old, new, budget=DiffBudget(50_000)))
    assert cpu_seconds(lambda: diff_texts(old, new)) < 40 * small  # twenty times the steps


class CountingBudget(DiffBudget):
    taken = 0

    def spend(self, steps: int) -> bool:
        fits = super().spend(steps)
        self.taken += steps if fits else 0
        return fits


def test_what_one_page_shows_shares_one_budget() -> None:
    budget = CountingBudget(50_000)
    for seed in range(20):
        diff_texts(number_table(100, seed=seed), number_table(100, seed=seed + 1), budget=budget)
    assert 0 < budget.taken <= 50_000
    parts = diff_texts("one\ntwo\n", "one\n2\n", budget=DiffBudget(0))
    assert parts == [
        DiffPart("same", "one\n"),
        DiffPart("removed", "two"),
        DiffPart("added", "2"),
        DiffPart("same", "\n"),
    ]
