"""By words: which memories to weigh for the asked words, and how much each tells."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import QuerySet

from memories.models import Memory, MemoryQuerySet
from memories.recall.statistics import Term

MOST = 5_000  # rows that are ever weighed
ENOUGH = 1_000  # rows to weigh; words so common that they would bring more are left to order what rarer ones bring
TERMS = 40  # of a long query, the rarest


def matching(*, visible: MemoryQuerySet, audiences: Iterable[UUID], terms: Sequence[Term]) -> QuerySet[Memory]:
    """The visible memories worth weighing. Hopes for the index memory_search, where an audience is a lexeme too."""
    inside = " | ".join(f"'@{audience}'" for audience in sorted(audiences, key=str))
    chosen = f"({inside}) & ({words(terms)})"
    return visible.extra(where=["search @@ %s::tsquery"], params=[chosen])[:MOST]


def words(terms: Sequence[Term]) -> str:
    """Any of the rare words; where even the rarest is common, all of them."""
    if terms[0].memories > ENOUGH:
        return " & ".join(quoted(term.lexeme) for term in terms)
    return " | ".join(quoted(term.lexeme) for term in rare(terms))


def rare(terms: Sequence[Term]) -> list[Term]:
    """As many of the rarest as bring no more rows than enough."""
    chosen: list[Term] = []
    for term in terms:
        if chosen and sum(taken.memories for taken in chosen) + term.memories > ENOUGH:
            break
        chosen.append(term)
    return chosen


def quoted(lexeme: str) -> str:
    """The lexeme as a query of itself, whatever characters it has."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
