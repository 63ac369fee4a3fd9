"""Linked memories: a memory's neighbours as a list and as a small graph."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memories.models import Association, Memory, Relation
from memories.rules import access
from teams.actor import Actor

MAX_LINKS_PER_DIRECTION = 100  # read per direction, heaviest first
MAX_DRAWN_NEIGHBOURS = 12
WIDTH, HEIGHT = 640, 300
ARROW_TIP_OFFSETS = {"to-other": 20, "to-middle": 24}  # so that arrows end at the edge of a circle
RELATION_PHRASES = {  # for a link from this memory, and for one to it
    Relation.RELATED_TO: ("related to", "related to"),
    Relation.UPDATES: ("updates", "updated by"),
    Relation.CONTRADICTS: ("contradicts", "contradicted by"),
    Relation.CAUSED_BY: ("caused by", "cause of"),
    Relation.RESULT_OF: ("result of", "resulted in"),
    Relation.PART_OF: ("part of", "has the part"),
}


@dataclass(frozen=True, slots=True)
class Neighbour:
    memory: Memory
    link: Association
    outward: bool
    removable: bool  # by the actor

    @property
    def relation(self) -> str:
        return RELATION_PHRASES[Relation(self.link.relation)][0 if self.outward else 1]


def list_neighbours(*, actor: Actor, memory: Memory) -> list[Neighbour]:
    """Return the neighbours in both directions that `actor` may read, heaviest link first."""
    links = Association.objects.heaviest()
    out = [(link, link.target_id) for link in links.leaving(memory)[:MAX_LINKS_PER_DIRECTION]]
    into = [(link, link.origin_id) for link in links.reaching(memory)[:MAX_LINKS_PER_DIRECTION]]
    ends = {end for _, end in (*out, *into)}
    others = {other.pk: other for other in Memory.objects.visible_to(actor).defer("search").filter(pk__in=ends)}
    own = access.may_write(actor, memory.audience)
    neighbours = [Neighbour(others[end], link, True, own) for link, end in out if end in others]
    neighbours += [
        Neighbour(others[end], link, False, access.may_write(actor, others[end].audience))
        for link, end in into
        if end in others
    ]
    return sorted(neighbours, key=lambda neighbour: -neighbour.link.weight)


@dataclass(frozen=True, slots=True)
class DrawnNeighbour:
    """A neighbour's position in the graph, and the line to it."""

    neighbour: Neighbour
    x: int
    y: int
    side: str  # anchor of its label: "start", "middle" or "end"
    label_x: int
    label_y: int
    thickness: float


def lay_out_neighbours(neighbours: Sequence[Neighbour]) -> list[DrawnNeighbour]:
    """Place the neighbours around the centre, each memory once."""
    once = list({neighbour.memory.pk: neighbour for neighbour in reversed(neighbours)}.values())[::-1][
        :MAX_DRAWN_NEIGHBOURS
    ]
    return [_place_neighbour(neighbour, turn=place / len(once)) for place, neighbour in enumerate(once)]


def view_box(nodes: Sequence[DrawnNeighbour]) -> str:
    """Return the SVG view box, cut to the height in use."""
    heights = [HEIGHT // 2, *(node.y for node in nodes), *(node.label_y for node in nodes)]
    top, bottom = min(heights) - 26, max(heights) + 26
    return f"0 {top} {WIDTH} {bottom - top}"


def _place_neighbour(neighbour: Neighbour, *, turn: float) -> DrawnNeighbour:
    across, down = math.cos(2 * math.pi * turn), math.sin(2 * math.pi * turn)
    x, y = round(WIDTH / 2 + 150 * across), round(HEIGHT / 2 + 105 * down)
    side = "middle" if abs(across) < 0.2 else "start" if across > 0 else "end"
    offset = {"middle": 0, "start": 14, "end": -14}[side]
    label_y = y + 4 if side != "middle" else y + (22 if down > 0 else -14)
    return DrawnNeighbour(neighbour, x, y, side, x + offset, label_y, round(1 + 3 * neighbour.link.weight, 1))
