"""How a query is read: its tokens, the weight of its words, and the queries that are made of them."""

import re
from uuid import UUID

import pytest
from django.utils import timezone

from memories.recall import tokens, weights, words
from memories.recall.word_stats import Term, Terms, Within, rarity, terms
from teams.actor import Actor
from tests import factories

AUDIENCE = UUID(int=7)
INSIDE = f"('@{AUDIENCE}')"


def term(lexeme: str, memories: int = 1) -> Term:
    return Term(lexeme, memories, 1.0, () if lexeme.startswith("=") else (lexeme,))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "words", "identifiers"),
    [
        ("the harbours", [("the", ()), ("harbours", ("harbour",))], []),
        ("Harbour.", [("harbour", ("harbour",))], []),
        ("ADR-016", [("adr", ("adr",)), ("016", ("016",))], ["=adr-016"]),
        ("市場港", [("市場港", ()), ("市場", ("~市場",)), ("場港", ("~場港",))], []),
        ("Häfen", [("häfen", ("hafen",))], []),
    ],
)
def test_tokens_are_read_as_the_index_has_them(
    query: str, words: list[tuple[str, tuple[str, ...]]], identifiers: list[str]
) -> None:
    for _ in range(2):  # from the database, then as remembered
        read = tokens.read_tokens(query)
        assert sorted(pair for token in read for pair in token.words) == sorted(words)
        assert [name for token in read for name in token.identifiers] == identifiers


@pytest.mark.parametrize(
    ("query", "likely", "literal"),
    [
        ("where is the harbour", False, ()),
        ("ADR-016?", True, ("ADR-016", "ADR-016?")),
        ('"two words"', False, ("two words", '"two words"')),
        ("%", True, ("%",)),
        ("x" * 1_001, True, ()),
    ],
)
def test_a_query_may_stand_in_a_memory_as_it_is(query: str, likely: bool, literal: tuple[str, ...]) -> None:
    assert tokens.literal(query, likely=likely) == literal


def test_a_word_is_worth_more_the_rarer_it_is() -> None:
    weights = [rarity(count, 1_000) for count in (1, 10, 100, 1_000)]
    assert weights == sorted(weights, reverse=True)
    assert all(weight > 0 for weight in weights)
    assert rarity(0, 1_000) == rarity(1, 1_000)
    assert rarity(5, 0) == rarity(1, 1)


def test_words_are_counted_in_what_the_actor_sees(writer: Actor) -> None:
    for content in ("harbour one", "harbour two", "lighthouse"):
        factories.memory(writer, content)
    audiences = [writer.team_id]
    read = terms(query="the lighthouse harbour", within=Within.of(writer), audiences=audiences, now=timezone.now())
    assert [(found.lexeme, found.memories) for found in read.terms] == [("lighthous", 1), ("harbour", 2)]
    assert (read.memories, read.whole, read.literal) == (3, True, ())
    assert read.weights["lighthouse"] > read.weights["harbour"]


def test_rare_words_are_looked_for_one_by_one_and_common_ones_together() -> None:
    rare, common, commoner = term("rare"), term("common", 400), term("commoner", 500)
    assert words.build_queries([rare, term("other")], [AUDIENCE]) == (f"{INSIDE} & ('rare' | 'other')", None)
    assert words.build_queries([rare, common], [AUDIENCE]) == (f"{INSIDE} & ('rare')", f"{INSIDE} & 'common'")
    assert words.build_queries([common, commoner], [AUDIENCE]) == (
        f"{INSIDE} & 'common' & 'commoner'",
        f"{INSIDE} & 'common'",
    )
    assert words.build_queries([], [AUDIENCE]) == words.build_queries([rare], []) == ("", None)


def test_common_words_are_known_to_be_skipped() -> None:
    assert words.skips_common_words(Terms((term("rare"), term("common", 400)), 1_000, 50.0))
    assert not words.skips_common_words(Terms((term("rare"),), 1_000, 50.0))


@pytest.mark.parametrize(("count", "places"), [(1, 2), (2, 2), (3, 4), (16, 16), (17, 40), (400, 40)])
def test_a_sum_has_a_place_for_each_word_and_few_sizes(count: int, places: int) -> None:
    assert words.count_places(count) == places
    bound = words.bind_words(Terms(tuple(term(f"w{n}") for n in range(count)), 9, 50.0), [AUDIENCE])
    columns = f"{words.list_worths(places=places)} {words.sum_worths(places=places)}"
    named = set(re.findall(r"%\((\w+)\)s", columns))
    assert named <= bound.keys()
    assert sum(bool(bound[f"lexeme_{place}"]) for place in range(places)) == min(count, words.MOST_TERMS)


def test_an_identifier_alone_stands_above_all_others() -> None:
    alone = words.bind_words(Terms((term("=adr-016"),), 9, 50.0, literal=("ADR-016",)), [AUDIENCE])
    among = words.bind_words(Terms((term("=adr-016"), term("where")), 9, 50.0), [AUDIENCE])
    assert (alone["exact_bonus"], among["exact_bonus"]) == (weights.IDENTIFIER_ALONE, weights.IDENTIFIER_IN_SENTENCE)
    assert alone["identifiers"] == among["identifiers"] == ["'=adr-016'"]


@pytest.mark.parametrize(
    ("text", "contains", "standalone"),
    [("see adr-016.", True, True), ("adr-0161", False, False), ("x-adr-016", True, False), ("adr-016/b", True, False)],
)
def test_regular_expressions_find_parts_letter_by_letter(text: str, contains: bool, standalone: bool) -> None:
    found = words.contains_regex(["adr-016"]), words.standalone_regex(["adr-016"])
    assert found[0]
    assert found[1]
    assert (bool(re.search(found[0], text)), bool(re.search(found[1], text))) == (contains, standalone)
    assert words.contains_regex([]) is words.standalone_regex([]) is None
