"""Bar charts, laid out here so that a template only has to draw them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

STEP, WIDTH, HEIGHT = 10, 7, 56  # of a bar, in units of the drawing
LEAST = 1.5  # so that one of a thousand can still be seen


@dataclass(frozen=True, slots=True)
class Bar:
    day: date
    count: int
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    bars: list[Bar]
    most: int
    total: int

    @property
    def width(self) -> int:
        return len(self.bars) * STEP

    @classmethod
    def of(cls, counts: Sequence[tuple[date, int]]) -> "Chart":
        most = max((count for _, count in counts), default=0)
        heights = [max(LEAST, round(HEIGHT * count / most, 1)) if count else 0.0 for _, count in counts]
        bars = [
            Bar(day, count, place * STEP, round(HEIGHT - height, 1), height)
            for place, ((day, count), height) in enumerate(zip(counts, heights, strict=True))
        ]
        return cls(bars, most, sum(count for _, count in counts))
