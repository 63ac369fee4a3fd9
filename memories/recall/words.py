"""By words: which memories to weigh for the asked words, and how much each tells."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any
from uuid import UUID

from memories.recall.statistics import Term, Terms

MOST = 5_000  # rows that are ever weighed
CANDIDATES = 100
ENOUGH = 300  # rows to weigh; words so common that they would bring more are left to order what rarer ones bring
TERMS = 40  # of a long query, the rarest
FULL = 2.0  # words count double what a row with all of them once would get, so that half of them already tell
K1, FLAT = 0.9, 0.6  # how soon repetition stops telling, and how much of a row's length does not matter
ABOVE_ALL, AMONG_WORDS = 10.0, 0.05  # what an identifier adds, asked for alone or in a sentence

# What the asked words are worth in a row, as BM25 has it: rarity x a frequency that saturates, less in longer rows.
# Postgres' rank of one word grows with its count c as the sum of 1/1 + 1/4 + 1/9 + … + 1/c², over pi²/6; that tells the
# count, without unpacking the row's words. Words of the key and the tags count half as much again. Each word is a term
# of its own in the sum: a row of a table for each would take several times as long.
WORTH = f"""
CASE WHEN {{row}}.search @@ %(lexeme_{{number}})s::tsquery THEN
    %(weight_{{number}})s::float8 * CASE WHEN {{row}}.search @@ %(label_{{number}})s::tsquery THEN 1.5 ELSE 1 END
    / (1 + {K1} * ({FLAT} + {1 - FLAT:.1f} * {{row}}.size / %(mean)s::float8)
        / (0.6079271 / (1 - least(0.99,
            ts_rank(ARRAY[1, 1, 1, 1]::real[], {{row}}.search, %(lexeme_{{number}})s::tsquery)
        )) - 0.5))
ELSE 0 END
"""
SIZES = (2, 4, 8, 16, TERMS)  # of sums: a statement for each
NOWHERE = [("", 0.0)]  # in places that are left over


def score(row: str, *, places: int) -> str:
    """The sum for so many words of a row that has `search` and `size`."""
    worth = " + ".join(WORTH.format(row=row, number=number) for number in range(places))
    return f"{FULL} / %(all)s::float8 * ({worth})"


# Hopes for the index memory_search, where an audience is a lexeme too.
BY_WORDS = f"""
matched AS MATERIALIZED (
    SELECT id, search, opening, {{text}} AS text, octet_length(content) AS size FROM memories_memory
    WHERE search @@ %(matching)s::tsquery AND {{visible}}
    LIMIT {MOST}
), matching AS MATERIALIZED (
    SELECT * FROM matched {{wider}}
), weighed AS MATERIALIZED (
    SELECT id, opening, text, {{score}} AS words, {{exact}} AS exact FROM matching
), by_words AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY words + %(lift)s::float8 * exact::integer DESC) AS words_rank FROM weighed
    ORDER BY words_rank LIMIT {CANDIDATES}
)
"""
WIDER = f"""
UNION ALL (
    SELECT id, search, opening, {{text}}, octet_length(content) FROM memories_memory
    WHERE search @@ %(wider)s::tsquery AND {{visible}} AND NOT EXISTS (SELECT FROM matched)
    LIMIT {ENOUGH}
)
"""
EXACT = "search @@ ANY(%(exact)s::tsquery[])"  # has an asked identifier
NOT_BY_WORDS = """
matching AS (SELECT NULL::uuid AS id WHERE false),
by_words AS (
    SELECT NULL::uuid AS id, NULL::text AS opening, NULL::text AS text, NULL::float8 AS words, NULL::boolean AS exact,
        NULL::bigint AS words_rank
    WHERE false
)
"""


def bound(terms: Terms, audiences: Iterable[UUID]) -> dict[str, Any]:
    """The parameters that the statements above name."""
    asked = terms.terms[:TERMS]
    narrow, wider = queries(asked, audiences)
    identifiers = [term.lexeme for term in asked if term.is_identifier]
    parts = terms.literal or tuple(lexeme[1:] for lexeme in identifiers)
    return {
        "matching": narrow,
        "wider": wider,
        "exact": [quoted(lexeme) for lexeme in identifiers],
        "part": terms.literal[0].lower() if terms.literal else "",
        "held": held(parts),
        "standing": standing(terms.literal),
        "lift": ABOVE_ALL if terms.literal else AMONG_WORDS,
        "mean": terms.mean_bytes,
        "all": sum(term.weight for term in asked if term.words and term.memories) or 1.0,
    } | _places(asked)


def places(count: int) -> int:
    """How many the sum has that holds so many words."""
    return next(size for size in SIZES if min(count, TERMS) <= size)


def _places(asked: Sequence[Term]) -> dict[str, Any]:
    empty = places(len(asked)) - len(asked)
    found: dict[str, Any] = {}
    for number, (lexeme, weight) in enumerate(
        [*((quoted(term.lexeme), term.weight) for term in asked), *NOWHERE * empty]
    ):
        found |= {f"lexeme_{number}": lexeme, f"label_{number}": lexeme and f"{lexeme}:A", f"weight_{number}": weight}
    return found


def queries(terms: Sequence[Term], audiences: Iterable[UUID]) -> tuple[str, str | None]:
    """What the index is asked: in these audiences, any of the rare words, or all words where even the rarest is common.
    And something wider, for when nothing has that: the rarest of the common words, with any other."""
    inside = " | ".join(f"'@{audience}'" for audience in audiences)
    lexemes = [quoted(term.lexeme) for term in terms]
    if not inside or not terms:
        return "", None
    few = rare(terms)
    common = lexemes[len(few) :]
    if few:
        wider = f"({inside}) & {common[0]}" if common else None
        return f"({inside}) & ({' | '.join(lexemes[: len(few)])})", wider
    others = f" & ({' | '.join(lexemes[1:])})" if len(terms) > 2 else ""
    return f"({inside}) & {' & '.join(lexemes)}", f"({inside}) & {lexemes[0]}{others}"


def held(parts: Sequence[str]) -> str | None:
    """The pattern of what has one of the parts in it, letter by letter, and not within a longer word."""
    return f"(?<![0-9a-z])(?:{'|'.join(map(_escaped, parts))})(?![0-9a-z])" if parts else None


def standing(parts: Sequence[str]) -> str | None:
    """The pattern of what has the last of the parts standing for itself: not within a longer name either."""
    if not parts:
        return None
    return f"(?<![0-9a-z])(?<![0-9a-z][-.,_/:]){_escaped(parts[-1])}(?![-.,_/:]?[0-9a-z])"


def _escaped(part: str) -> str:
    return re.sub(r"([^0-9A-Za-z\x80-\U0010ffff])", r"\\\1", part)


def rare(terms: Sequence[Term]) -> list[Term]:
    """As many of the rarest as bring no more rows than enough."""
    rows = accumulate(term.memories for term in terms)
    return [term for term, total in zip(terms, rows, strict=True) if total <= ENOUGH]


def leaves_out(terms: Terms) -> bool:
    """Whether memories that have only common words of these are not looked for."""
    asked = terms.terms[:TERMS]
    return len(rare(asked)) < len(asked)


def quoted(lexeme: str) -> str:
    """The lexeme as a query of itself, whatever characters it has."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
