"""Selection: which of the hits that were found go into an answer."""

from dataclasses import replace

from memories.recall.adjustments import adjust_order
from memories.recall.confidence import LOOKED_AT, rate_hits
from memories.recall.hits import Hit, Recalled
from memories.recall.query import Question
from memories.recall.repetitions import fold_repetitions
from memories.recall.time_preference import prefer_period

SPARE = 2  # hits beyond the limit, to take the places of repetitions
SPARE_AGAIN = 50  # where those did not suffice


def list_wanted(limit: int) -> tuple[int, int]:
    """Return how many hits to look for: enough to know the best, and a few for the places of repetitions. And how many
    if there are more repetitions than that."""
    least = max(limit, LOOKED_AT)
    return least + SPARE, least + SPARE_AGAIN


def select_hits(recalled: Recalled, *, question: Question, limit: int, floor: float, fold: bool) -> Recalled:
    """Return the hits that are sure enough, without repetitions, up to the limit."""
    rated = rate_hits([(hit.scored, hit.relevance) for hit in recalled.hits], question)
    hits = [
        Hit(hit.memory, hit.relevance, hit.scored, reranked=hit.reranked, certainty=certainty)
        for hit, certainty in zip(recalled.hits, rated, strict=True)
    ]
    hits = adjust_order(prefer_period(hits, question.period))
    sure = [hit for hit in hits if hit.confidence >= floor]
    kept, folded = fold_repetitions(sure, limit=limit) if fold else (sure[:limit], 0)
    chosen = replace(recalled, hits=kept, folded=folded, floor=floor)
    if not floor:
        return chosen
    doubtful = [hit for hit in hits if hit.confidence < floor][:limit]
    more = recalled.total > len(hits)  # than were rated
    if not doubtful and more:
        return chosen
    return replace(chosen, total=len(sure), bounded=bool(sure) and more, doubtful=doubtful)
