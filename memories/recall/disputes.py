"""Disputes: of hits that contradict each other, the one that has held since last comes first."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memories.models import Memory, Pair, PairKind
from memories.recall.hits import Hit


def order_disputed(hits: Sequence[Hit], *, at: datetime) -> list[Hit]:
    """Return the hits in their order, but for those that contradict each other: they share their places anew, the one
    that began to hold last before that moment first. The relevance of each place stays with it."""
    disputed = {hit.memory.pk: place for place, hit in enumerate(hits) if hit.memory.disputed}
    ordered = list(hits)
    if len(disputed) < 2:
        return ordered
    for group in _group_opponents(hits[next(iter(disputed.values()))].memory.organization_id, disputed):
        places = sorted(disputed[memory_id] for memory_id in group)
        best = sorted((hits[place] for place in places), key=lambda hit: _rank_start(hit.memory, at), reverse=True)
        for place, hit in zip(places, best, strict=True):
            ordered[place] = replace(hit, relevance=hits[place].relevance)
    return ordered


def _rank_start(memory: Memory, at: datetime) -> tuple[bool, datetime]:
    start = memory.valid_from or memory.created_at
    return start <= at, start


def _group_opponents(organization_id: UUID, memory_ids: Iterable[UUID]) -> list[set[UUID]]:
    """Return the groups of memories that contradict each other, directly or not. Index: pair_dispute_older."""
    among = list(memory_ids)
    pairs = Pair.objects.in_organization(organization_id).open().of_kind(PairKind.CONTRADICTION)
    groups: list[set[UUID]] = []
    for older, newer in pairs.filter(older__in=among, newer__in=among).values_list("older", "newer"):
        joined = [group for group in groups if group & {older, newer}]
        groups = [group for group in groups if group not in joined]
        groups.append({older, newer}.union(*joined))
    return groups
