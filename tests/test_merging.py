"""What becomes of a text that two people changed at once."""

import time

from hypothesis import given
from hypothesis import strategies as st

from memories import merging

BASE = "The crane comes on Friday.\nBerth 4 is closed.\nCall the pilot.\n"
texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map("\n".join)


def test_changes_of_different_lines_are_joined() -> None:
    theirs = BASE.replace("Friday", "Monday")
    yours = BASE + "Bring the keys.\n"
    merged = merging.of_text(base=BASE, theirs=theirs, yours=yours)
    assert merged.together == theirs + "Bring the keys.\n"
    assert not merged.conflict


def test_changes_of_the_same_line_are_a_conflict_in_which_yours_stays() -> None:
    theirs, yours = BASE.replace("Friday", "Monday"), BASE.replace("Friday", "Sunday")
    merged = merging.of_text(base=BASE, theirs=theirs, yours=yours + "Bring the keys.\n")
    assert merged.conflict
    assert merged.together == yours + "Bring the keys.\n"


def test_the_same_change_twice_is_made_once() -> None:
    changed = BASE.replace("Friday", "Monday")
    merged = merging.of_text(base=BASE, theirs=changed + "x\n", yours=changed.replace("4", "5") + "x\n")
    assert merged.together == changed.replace("4", "5") + "x\n"


def test_two_different_additions_in_one_place_are_a_conflict() -> None:
    assert merging.of_text(base=BASE, theirs=BASE + "one\n", yours=BASE + "two\n").conflict


def test_lines_without_an_end_do_not_run_into_each_other() -> None:
    merged = merging.of_text(base="a\nb\nc", theirs="a\nb\nc\nd", yours="z\nb\nc")
    assert merged.together == "z\nb\nc\nd"


@given(texts, texts)
def test_where_only_one_changed_something_the_change_is_taken(base: str, changed: str) -> None:
    for merged in (
        merging.of_text(base=base, theirs=changed, yours=base),
        merging.of_text(base=base, theirs=base, yours=changed),
        merging.of_text(base=base, theirs=changed, yours=changed),
    ):
        assert (merged.together, merged.conflict) == (changed, False)


@given(texts, texts, texts)
def test_without_a_conflict_it_does_not_matter_who_was_first(base: str, one: str, other: str) -> None:
    merged = merging.of_text(base=base, theirs=one, yours=other)
    turned = merging.of_text(base=base, theirs=other, yours=one)
    assert merged.conflict == turned.conflict
    if not merged.conflict:
        assert merged.together == turned.together


def test_tags_of_both_are_there_and_those_that_either_took_away_are_not() -> None:
    merged = merging.of_tags(base=["a", "b", "c"], theirs=["a", "b", "x"], yours=["b", "c", "y"])
    assert merged.together == ["b", "x", "y"]


def test_a_value_belongs_to_whoever_changed_it() -> None:
    assert merging.of_value(base=1, theirs=2, yours=1).together == 2
    assert merging.of_value(base=1, theirs=1, yours=3).together == 3
    both = merging.of_value(base=1, theirs=2, yours=3)
    assert (both.together, both.conflict) == (3, True)
    assert merging.of_value(base=1, theirs=2, yours=2).same


def test_the_longest_texts_are_merged_without_a_pause() -> None:
    before = time.process_time()
    merging.of_text(base="x\n" * 25_000, theirs="y\n" * 25_000, yours="z\n" * 25_000)
    merging.of_text(base="x\n" * 25_000, theirs="x\ny\n" * 12_500, yours="y\nx\n" * 12_500)
    assert time.process_time() - before < 5
