"""A memory's neighbours: what it is linked to and by what, as a list and as a small picture."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memories.models import Association, Memory, Relation
from teams.actor import Actor

LINKS = 100  # looked at each way, the weightiest first
DRAWN = 12
WIDTH, HEIGHT = 640, 300
TIPS = {"to-other": 20, "to-middle": 24}  # of arrows, so that they end at the edge of a circle
SAID = {  # of a link from this memory, and of one to it
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
    removable: bool  # by whoever looks

    @property
    def relation(self) -> str:
        return SAID[Relation(self.link.relation)][0 if self.outward else 1]


def neighbours(*, actor: Actor, memory: Memory) -> list[Neighbour]:
    """Both ways, the weightiest first; only what the actor sees."""
    rows = Association.objects.filter(organization=memory.organization_id).order_by("-weight", "-created_at")
    out = [(link, link.target_id) for link in rows.filter(origin=memory.pk)[:LINKS]]
    into = [(link, link.origin_id) for link in rows.filter(target=memory.pk)[:LINKS]]
    ends = {end for _, end in (*out, *into)}
    others = {other.pk: other for other in Memory.objects.visible_to(actor).defer("search").filter(pk__in=ends)}
    mine = actor.writes
    found = [Neighbour(others[end], link, True, memory.audience in mine) for link, end in out if end in others]
    found += [Neighbour(others[end], link, False, others[end].audience in mine) for link, end in into if end in others]
    return sorted(found, key=lambda neighbour: -neighbour.link.weight)


@dataclass(frozen=True, slots=True)
class Node:
    """A neighbour where it is drawn, and the line to it."""

    neighbour: Neighbour
    x: int
    y: int
    side: str  # where its name begins: "start", "middle" or "end"
    label_x: int
    label_y: int
    thickness: float


def drawn(found: Sequence[Neighbour]) -> list[Node]:
    """Around the middle, each memory once."""
    once = list({neighbour.memory.pk: neighbour for neighbour in reversed(found)}.values())[::-1][:DRAWN]
    return [_node(neighbour, turn=place / len(once)) for place, neighbour in enumerate(once)]


def frame(nodes: Sequence[Node]) -> str:
    """What of the drawing's height is used, as a view box."""
    heights = [HEIGHT // 2, *(node.y for node in nodes), *(node.label_y for node in nodes)]
    top, bottom = min(heights) - 26, max(heights) + 26
    return f"0 {top} {WIDTH} {bottom - top}"


def _node(neighbour: Neighbour, *, turn: float) -> Node:
    across, down = math.cos(2 * math.pi * turn), math.sin(2 * math.pi * turn)
    x, y = round(WIDTH / 2 + 150 * across), round(HEIGHT / 2 + 105 * down)
    side = "middle" if abs(across) < 0.2 else "start" if across > 0 else "end"
    offset = {"middle": 0, "start": 14, "end": -14}[side]
    label_y = y + 4 if side != "middle" else y + (22 if down > 0 else -14)
    return Node(neighbour, x, y, side, x + offset, label_y, round(1 + 3 * neighbour.link.weight, 1))
