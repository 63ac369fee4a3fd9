"""The answer of a recall: its hits, and what is to be known of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.models import Memory
from memories.recall.confidence import UNASKED, Confidence
from memories.recall.hybrid import Scored
from memories.recall.snippets import Snippet
from memories.text.time_words import Period


@dataclass(frozen=True, slots=True)
class TimePreference:
    """The period that the question names, and the factor of a memory's nearness to it."""

    period: Period
    factor: float


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    relevance: float  # 0 to 1; 1 where nothing was asked
    scored: Scored | None = None
    matched: Sequence[str] = ()  # the asked words it has, if an explanation was wanted
    snippet: Snippet | None = None  # if it was wanted
    reranked: float | None = None  # the reranker's score, whatever its scale
    certainty: Confidence = UNASKED
    time: TimePreference | None = None  # if the question has words of time

    @property
    def time_factor(self) -> float:
        return self.time.factor if self.time else 1.0

    @property
    def confidence(self) -> float:
        """How sure it is that this answers, from 0 to 1."""
        return self.certainty.value


@dataclass(frozen=True, slots=True)
class Recalled:
    hits: list[Hit]
    total: int
    bounded: bool  # there may be more than the total
    note: str = ""  # what was not as asked
    floor: float = 0.0  # the confidence that the hits needed
    doubtful: Sequence[Hit] = ()  # below the floor, best first
    folded: int = 0  # hits that say the same as a better one, and were left out for that
