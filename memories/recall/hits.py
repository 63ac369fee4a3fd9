"""The answer of a recall: its hits, and what is to be known of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.models import Memory
from memories.recall.confidence import UNASKED, Confidence
from memories.recall.hybrid import Scored
from memories.recall.snippets import Snippet


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    relevance: float  # 0 to 1; 1 where nothing was asked
    scored: Scored | None = None
    matched: Sequence[str] = ()  # the asked words it has, if an explanation was wanted
    snippet: Snippet | None = None  # if it was wanted
    reranked: float | None = None  # the reranker's score, whatever its scale
    certainty: Confidence = UNASKED

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
