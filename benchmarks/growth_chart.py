"""A table and a chart, with both axes logarithmic, of how recall slows down as memories grow.

    python -m benchmarks.growth_chart [FIGURES] [--teams 50] [--clients 1] [--svg docs/growth.svg]

FIGURES is what `python -m benchmarks.speed --json FIGURES` wrote. Without it hybrid recall and its peers are measured
here, as speed does, at 1,000, 10,000, 100,000 and 1,000,000 memories.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from benchmarks import speed
from benchmarks.harness import say
from benchmarks.hub import MODES

SERIES_NAMES = {speed.HYBRID: "MemoryHub hybrid"}
HIDDEN = (speed.PAIRED, speed.BARE)  # measured on questions of their own, for their ratio
SIZES = [1_000, 10_000, 100_000, 1_000_000]
WIDTH, HEIGHT = 800, 470
LEFT, RIGHT, TOP, BOTTOM = 80, 590, 80, 400  # of the plot; the legend stands to its right
AXIS_STEPS = (1, 2, 5)  # ticks of each power of ten

# Both palettes keep a contrast of at least 3 to their background; ours is the strongest.
STYLE = """
  svg { --back: #ffffff; --ink: #1f2328; --faint: #d8dee4;
    --c0: #0550ae; --c1: #bc4c00; --c2: #1a7f37; --c3: #8250df; --c4: #a40e26; }
  @media (prefers-color-scheme: dark) {
    svg { --back: #0d1117; --ink: #e6edf3; --faint: #30363d;
      --c0: #79c0ff; --c1: #ffa657; --c2: #7ee787; --c3: #d2a8ff; --c4: #ff7b72; } }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .title { font-size: 17px; font-weight: 600; }
  .back { fill: var(--back); }
  .grid { stroke: var(--faint); stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
  .first .line { stroke-width: 3.5; }
  .p95 { stroke-dasharray: 6 4; }
  .dot { stroke: var(--back); stroke-width: 1.5; }
  .note { font-size: 11px; opacity: 0.8; }
"""


@dataclass(frozen=True, slots=True)
class ChartSeries:
    name: str
    points: Sequence[tuple[int, float, float]]  # size, p50, p95
    hits: Sequence[float]  # found of ten, at each size

    @property
    def hits_text(self) -> str:
        least, most = (f"{hits:.1f}".removesuffix(".0") for hits in (min(self.hits), max(self.hits)))
        return f"finds {least} of 10" if least == most else f"finds {least} to {most} of 10"


def main() -> None:
    arguments = parse_growth_options()
    measured = read_figures(arguments.figures) if arguments.figures else run_speed_benchmark(arguments)
    chosen = [row for row in measured if (row.teams, row.clients) == (arguments.teams, arguments.clients)]
    if not chosen:
        raise SystemExit(f"No figures for {arguments.teams} teams and {arguments.clients} clients.")
    lines = series(chosen)
    for text in table(lines):
        say(text)
    arguments.svg.parent.mkdir(parents=True, exist_ok=True)
    arguments.svg.write_text(chart(lines, about=about(arguments.teams, arguments.clients)))
    say(f"\nDrawn in {arguments.svg}")


def parse_growth_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="?", type=Path)
    parser.add_argument("--teams", type=int, default=50)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--svg", type=Path, default=Path("docs/growth.svg"))
    return parser.parse_args()


def read_figures(path: Path) -> list[speed.RecallTiming]:
    whole: dict[str, Any] = json.loads(path.read_text())
    return [speed.RecallTiming(**row) for row in whole["measured"]]


def run_speed_benchmark(arguments: argparse.Namespace) -> list[speed.RecallTiming]:
    cases = [(arguments.teams, SIZES)]
    return speed.run_speed(speed.Plan(cases, [arguments.clients], [speed.HYBRID], queries=400, peer_sizes=SIZES[:-1]))


def series(measured: Sequence[speed.RecallTiming]) -> list[ChartSeries]:
    """Return the series: hybrid recall first, then whatever was asked the same questions."""
    kinds = dict.fromkeys(row.kind for row in measured if row.kind not in (*MODES, *HIDDEN))
    made = []
    for kind in (speed.HYBRID, *kinds):
        rows = sorted((row for row in measured if row.kind == kind), key=lambda row: row.size)
        points = [(row.size, row.p50, row.p95) for row in rows]
        made.append(ChartSeries(SERIES_NAMES.get(kind, kind), points, [row.hits for row in rows]))
    return made


def about(teams: int, clients: int) -> str:
    return f"{teams:,} teams, {clients} client{'s' if clients > 1 else ''}"


def table(lines: Sequence[ChartSeries]) -> Iterator[str]:
    """Yield the lines of a table for a README: p50 / p95 in milliseconds, and how many of ten were found."""
    yield f"| memories | {' | '.join(line.name for line in lines)} |"
    yield "|---|" + "---|" * len(lines)
    for size in sorted({size for line in lines for size, _, _ in line.points}):
        yield f"| {size:,} | {' | '.join(chart_cell(line, size) for line in lines)} |"


def chart_cell(line: ChartSeries, size: int) -> str:
    for (at, p50, p95), hits in zip(line.points, line.hits, strict=True):
        if at == size:
            return f"{p50:.1f} / {p95:.1f} ({hits:.1f})"
    return "–"


class Scale:
    """A logarithmic axis: values from low to high stand between two places."""

    def __init__(self, values: Sequence[float], start: float, end: float, steps: Sequence[int]) -> None:
        decades = range(math.floor(math.log10(min(values))) - 1, math.ceil(math.log10(max(values))) + 1)
        steps_of_all = [step * 10.0**decade for decade in decades for step in steps]
        low = max(tick for tick in steps_of_all if tick <= min(values))
        high = min(tick for tick in [*steps_of_all, 10 * steps_of_all[-1]] if tick >= max(values))
        self.ticks = [tick for tick in steps_of_all if low <= tick <= high]
        self.low, self.start = math.log10(low), start
        self.slope = (end - start) / ((math.log10(high) - self.low) or 1)

    def __call__(self, value: float) -> float:
        return round(self.start + (math.log10(value) - self.low) * self.slope, 1)


def chart(lines: Sequence[ChartSeries], *, about: str) -> str:
    points = [point for line in lines for point in line.points]
    x = Scale([size for size, _, _ in points], LEFT + 20, RIGHT - 20, (1,))
    y = Scale([time for _, *times in points for time in times], BOTTOM, TOP, AXIS_STEPS)
    parts = [
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        f'<text class="title" x="{LEFT}" y="32">How long a recall takes as memories grow</text>',
        f'<text x="{LEFT}" y="54">{escape(about)}; solid: median (p50), dashed: 95th percentile (p95)</text>',
        *axes(x, y),
        *(part for number, line in enumerate(lines) for part in draw_line(number, line, x, y)),
        *legend(lines),
    ]
    inside = "\n  ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="Recall latency against the number of memories">\n'
        f"  <style>{STYLE}  </style>\n  {inside}\n</svg>\n"
    )


def axes(x: Scale, y: Scale) -> Iterator[str]:
    for tick in y.ticks:
        yield f'<path class="grid" d="M{LEFT} {y(tick)}H{RIGHT}"/>'
        yield f'<text x="{LEFT - 10}" y="{y(tick) + 4}" text-anchor="end">{tick:,g}</text>'
    for tick in x.ticks:
        yield f'<path class="grid" d="M{x(tick)} {TOP}V{BOTTOM}"/>'
        yield f'<text x="{x(tick)}" y="{BOTTOM + 22}" text-anchor="middle">{tick:,.0f}</text>'
    yield f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 50}" text-anchor="middle">memories in all</text>'
    middle = (TOP + BOTTOM) / 2
    yield f'<text x="24" y="{middle}" text-anchor="middle" transform="rotate(-90 24 {middle})">milliseconds</text>'


def draw_line(number: int, line: ChartSeries, x: Scale, y: Scale) -> Iterator[str]:
    colour = f"var(--c{number % 5})"
    yield f'<g class="{"first" if number == 0 else "other"}">'
    for name, column in (("p95", 2), ("p50", 1)):
        places = [(x(point[0]), y(point[column])) for point in line.points]
        path = "L".join(f"{across} {down}" for across, down in places)
        yield f'<path class="line {name}" style="stroke: {colour}" d="M{path}"/>'
        for across, down in places:
            yield f'<circle class="dot" style="fill: {colour}" cx="{across}" cy="{down}" r="4.5"/>'
    yield "</g>"


def legend(lines: Sequence[ChartSeries]) -> Iterator[str]:
    """Yield the legend in the order of the lines: slowest to quickest at the largest size that all have."""
    shared = set.intersection(*({size for size, _, _ in line.points} for line in lines))
    at = max(shared, default=0)
    heights = [next((p50 for size, p50, _ in line.points if size == at), line.points[-1][1]) for line in lines]
    order = sorted(range(len(lines)), key=lambda number: -heights[number])
    for row, number in enumerate(order):
        down = TOP + 20 + 40 * row
        yield f'<g class="{"first" if number == 0 else "other"}">'
        yield f'<path class="line" style="stroke: var(--c{number % 5})" d="M{RIGHT + 24} {down}h28"/></g>'
        yield f'<text x="{RIGHT + 62}" y="{down + 4}">{escape(lines[number].name)}</text>'
        yield f'<text class="note" x="{RIGHT + 62}" y="{down + 19}">{lines[number].hits_text}</text>'


if __name__ == "__main__":
    main()
