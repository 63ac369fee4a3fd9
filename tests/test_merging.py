"""Tests of merging a text that two people changed at once."""

import time

from hypothesis import given
from hypothesis import strategies as st

from memories.text import merge as text_merge
from tests.effort import cpu_seconds

BASE = "The crane comes on Friday.\nBerth 4 is closed.\nCall the pilot.\n"
texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map("\n".join)


def test_changes_of_different_lines_are_joined() -> None:
    theirs = BASE.replace("Friday", "Monday")
    yours = BASE + "Bring the keys.\n"
    merged = text_merge.merge_text(base=BASE, theirs=theirs, yours=yours)
    assert merged.together == theirs + "Bring the keys.\n"
    assert not merged.conflict


def test_changes_of_the_same_line_are_a_conflict_in_which_yours_stays() -> None:
    theirs, yours = BASE.replace("Friday", "Monday"), BASE.replace("Friday", "Sunday")
    merged = text_merge.merge_text(base=BASE, theirs=theirs, yours=yours + "Bring the keys.\n")
    assert merged.conflict
    assert merged.together == yours + "Bring the keys.\n"


def test_the_same_change_twice_is_made_once() -> None:
    changed = BASE.replace("Friday", "Monday")
    merged = text_merge.merge_text(base=BASE, theirs=changed + "x\n", yours=changed.replace("4", "5") + "x\n")
    assert merged.together == changed.replace("4", "5") + "x\n"


def test_two_different_additions_in_one_place_are_a_conflict() -> None:
    assert text_merge.merge_text(base=BASE, theirs=BASE + "one\n", yours=BASE + "two\n").conflict


def test_lines_without_an_end_do_not_run_into_each_other() -> None:
    merged = text_merge.merge_text(base="a\nb\nc", theirs="a\nb\nc\nd", yours="z\nb\nc")
    assert merged.together == "z\nb\nc\nd"


@given(texts, texts)
def test_where_only_one_changed_something_the_change_is_taken(base: str, changed: str) -> None:
    for merged in (
        text_merge.merge_text(base=base, theirs=changed, yours=base),
        text_merge.merge_text(base=base, theirs=base, yours=changed),
        text_merge.merge_text(base=base, theirs=changed, yours=changed),
    ):
        assert (merged.together, merged.conflict) == (changed, False)


@given(texts, texts, texts)
def test_without_a_conflict_it_does_not_matter_who_was_first(base: str, one: str, other: str) -> None:
    merged = text_merge.merge_text(base=base, theirs=one, yours=other)
    turned = text_merge.merge_text(base=base, theirs=other, yours=one)
    assert merged.conflict == turned.conflict
    if not merged.conflict:
        assert merged.together == turned.together


def test_tags_of_both_are_there_and_those_that_either_took_away_are_not() -> None:
    merged = text_merge.merge_tags(base=["a", "b", "c"], theirs=["a", "b", "x"], yours=["b", "c", "y"])
    assert merged.together == ["b", "x", "y"]


def test_a_value_belongs_to_whoever_changed_it() -> None:
    assert text_merge.merge_value(base=1, theirs=2, yours=1).together == 2
    assert text_merge.merge_value(base=1, theirs=1, yours=3).together == 3
    both = text_merge.merge_value(base=1, theirs=2, yours=3)
    assert (both.together, both.conflict) == (3, True)
    assert text_merge.merge_value(base=1, theirs=2, yours=2).same


def test_the_longest_texts_are_merged_without_a_pause() -> None:
    before = time.process_time()
    text_merge.merge_text(base="x\n" * 25_000, theirs="y\n" * 25_000, yours="z\n" * 25_000)
    text_merge.merge_text(base="x\n" * 25_000, theirs="x\ny\n" * 12_500, yours="y\nx\n" * 12_500)
    assert time.process_time() - before < 5


def every_fourth(place: int, mark: str, *, lines: int) -> str:
    return "".join(f"{number}{mark if number % 4 == place else ''}\n" for number in range(lines))


def test_many_changes_that_touch_take_time_by_their_number() -> None:
    def merge(lines: int) -> None:
        base = every_fourth(0, "", lines=lines)
        theirs, yours = every_fourth(1, "t", lines=lines), every_fourth(2, "y", lines=lines)
        assert text_merge.merge_text(base=base, theirs=theirs, yours=yours).yours == yours

    assert cpu_seconds(lambda: merge(40_000)) < 4 * cpu_seconds(lambda: merge(20_000))
