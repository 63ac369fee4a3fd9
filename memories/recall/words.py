"""Recall by words: which memories to weigh for the asked words, and the weight of each word."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any
from uuid import UUID

from memories.recall.weights import FULL_WORDS, IDENTIFIER_ALONE, IDENTIFIER_IN_SENTENCE
from memories.recall.word_stats import Term, Terms, rarity

MOST_MATCHES = 5_000  # rows that are ever weighed
WORD_CANDIDATES = 100
# Words so common that they would bring more rows to weigh are left to order what rarer ones bring.
ENOUGH_MATCHES = 300
MOST_TERMS = 40  # only the rarest terms of a long query are looked for
AS_MANY = 10_000  # memories, at least, among which the rarity of words is the same in every team
SIZES = (2, 4, 8, 16, MOST_TERMS)  # sizes of the sum of words: there is a statement for each
# Words that a standing rule begins with. It answers questions about its subject that have few of its words.
RULE_OPENINGS = (
    *("always", "please", "immer", "bitte", "toujours", "siempre", "sempre", "altijd", "alltid", "zawsze", "mereu"),
    *("daima", "всегда", "πάντα"),
)
NOWHERE: list[tuple[tuple[str, ...], float]] = [((), 0.0)]  # fills places that are left over


def list_worths(*, places: int) -> str:
    """Return the SQL columns with the worth of so many words in a row that has `search` and `size`. Each word is a
    column of its own: joining a table of words would take several times as long."""
    worths = (
        f"memory_word_worth(search, size, %(mean)s::float8,"
        f" %(lexeme_{place})s::tsquery, %(label_{place})s::tsquery, %(weight_{place})s::float8) AS worth_{place}"
        for place in range(places)
    )
    return ", ".join(worths) or "0 AS worth"


def sum_worths(*, places: int) -> str:
    """Return the SQL sum of those columns, in relation to a row that has all the words."""
    added = " + ".join(f"worth_{place}" for place in range(places))
    return f"{FULL_WORDS} / %(all)s::float8 * ({added})" if places else "0::float8"


def flag_worths(*, places: int) -> str:
    """Return the SQL of a whole number whose bits tell which of those columns have any worth."""
    flags = (f"((worth_{place} > 0)::integer::bigint << {place})" for place in range(places))
    return " | ".join(flags) or "0::bigint"


def flag_words(search: str, *, places: int) -> str:
    """Return the SQL of a whole number whose bits tell which of so many words a search column has."""
    flags = (f"(({search} @@ %(lexeme_{place})s::tsquery)::integer::bigint << {place})" for place in range(places))
    return " | ".join(flags) or "0::bigint"


def share_out_rarity(terms: Terms) -> list[float]:
    """Return the share of each word in the rarity of all of them. In a small team every word seems common, so the
    memories are counted as if they were many; words that occur nowhere count too, and identifiers count as their
    words."""
    memories = max(terms.memories, AS_MANY)
    weights = [rarity(term.memories, memories) if term.words else 0.0 for term in terms.terms[:MOST_TERMS]]
    whole = sum(weights)
    return [weight / whole for weight in weights] if whole else []


def find_coverage(shares: Sequence[float], present: int) -> float:
    """Return the share that the words with a bit in `present` have."""
    return sum(share for place, share in enumerate(shares) if present >> place & 1)


def bind_words(terms: Terms, audiences: Iterable[UUID]) -> dict[str, Any]:
    """Return the parameters of the statement that stand for the query's words."""
    asked = terms.terms[:MOST_TERMS]
    matching, fallback = build_queries(asked, audiences)
    identifiers = [term.lexeme for term in asked if term.is_identifier]
    parts = terms.literal or tuple(lexeme[1:] for lexeme in identifiers)
    return {
        "matching": matching,
        "fallback": fallback,
        "identifiers": [quote_lexeme(lexeme) for lexeme in identifiers],
        "literal": terms.literal[0].lower() if terms.literal else "",
        "contains_regex": contains_regex(parts),
        "standalone_regex": standalone_regex(terms.literal),
        "exact_bonus": IDENTIFIER_ALONE if terms.literal else IDENTIFIER_IN_SENTENCE,
        "mean": terms.mean_bytes,
        "all": sum(term.weight for term in asked if term.words and term.memories) or 1.0,
    } | _bind_places(asked)


def count_places(count: int) -> int:
    """Return the number of places in the smallest sum that holds so many words."""
    return next(size for size in SIZES if min(count, MOST_TERMS) <= size)


def _bind_places(terms: Sequence[Term]) -> dict[str, Any]:
    empty = count_places(len(terms)) - len(terms)
    parameters: dict[str, Any] = {}
    for place, (lexemes, weight) in enumerate([(term.lexemes, term.weight) for term in terms] + NOWHERE * empty):
        parameters |= {
            f"lexeme_{place}": match_any(lexemes),
            f"label_{place}": match_any(lexemes, label=":A"),
            f"weight_{place}": weight,
        }
    return parameters


def build_queries(terms: Sequence[Term], audiences: Iterable[UUID]) -> tuple[str, str | None]:
    """Return the query for the index: within these audiences, any of the rare words, or all words if even the rarest is
    common. And a fallback for when that finds nothing: the rarest of the common words, with any other."""
    inside = " | ".join(f"'@{audience}'" for audience in audiences)
    lexemes = [match_any(term.lexemes) for term in terms]
    if not inside or not terms:
        return "", None
    rare = select_rare(terms)
    common = lexemes[len(rare) :]
    if rare:
        fallback = f"({inside}) & {common[0]}" if common else None
        return f"({inside}) & ({' | '.join(lexemes[: len(rare)])})", fallback
    others = f" & ({' | '.join(lexemes[1:])})" if len(terms) > 2 else ""
    return f"({inside}) & {' & '.join(lexemes)}", f"({inside}) & {lexemes[0]}{others}"


def contains_regex(parts: Sequence[str]) -> str | None:
    """Return a regular expression that matches any of the parts, letter by letter, but not within a longer word."""
    return f"(?<![0-9a-z])(?:{'|'.join(map(_escape_regex, parts))})(?![0-9a-z])" if parts else None


def standalone_regex(parts: Sequence[str]) -> str | None:
    """Return a regular expression that matches the last of the parts on its own: not within a longer name either."""
    if not parts:
        return None
    return f"(?<![0-9a-z])(?<![0-9a-z][-.,_/:]){_escape_regex(parts[-1])}(?![-.,_/:]?[0-9a-z])"


def _escape_regex(part: str) -> str:
    return re.sub(r"([^0-9A-Za-z\x80-\U0010ffff])", r"\\\1", part)


def select_rare(terms: Sequence[Term]) -> list[Term]:
    """Return as many of the rarest terms as together bring no more rows than are enough."""
    rows = accumulate(term.memories for term in terms)
    return [term for term, total in zip(terms, rows, strict=True) if total <= ENOUGH_MATCHES]


def skips_common_words(terms: Terms) -> bool:
    """Return whether memories that have only the common ones of these words are not searched for."""
    asked = terms.terms[:MOST_TERMS]
    return len(select_rare(asked)) < len(asked)


def match_any(lexemes: Sequence[str], *, label: str = "") -> str:
    """Return the query for any of the lexemes; for none, one that matches nothing."""
    quoted = [f"{quote_lexeme(lexeme)}{label}" for lexeme in lexemes]
    return quoted[0] if len(quoted) == 1 else f"({' | '.join(quoted)})" if quoted else ""


def quote_lexeme(lexeme: str) -> str:
    """Return the lexeme quoted for a tsquery, whatever characters it has."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
