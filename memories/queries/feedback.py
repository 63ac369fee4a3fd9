"""Reads of feedback: how a memory was rated, and the reports that wait for a decision."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from memories.models import Feedback, Memory, Rating
from memories.queries.lookup import find_memory
from teams.actor import Actor

NO_REPORTS = "Nobody has reported this memory, or somebody has decided about that."
MOST_REPORTS = 20  # of a memory that a page or an answer names


@dataclass(frozen=True, slots=True)
class FeedbackSummary:
    """The number of ratings of each kind of the text as it is, and what the caller itself has said."""

    memory: Memory
    counts: Mapping[str, int]
    own: Feedback | None


def summarize_feedback(*, actor: Actor, memory_id: UUID) -> FeedbackSummary:
    return summarize_ratings(actor, find_memory(actor=actor, memory_id=memory_id))


def summarize_ratings(actor: Actor, memory: Memory) -> FeedbackSummary:
    """Return the ratings of a memory that the actor may see."""
    present = Feedback.objects.of_memory(memory).about_present_text()
    counted = dict(present.filter(settled_at=None).order_by().values_list("rating").annotate(Count("pk")))
    counts = {rating.value: counted.get(rating.value, 0) for rating in Rating}
    return FeedbackSummary(memory, counts, present.by_actor(actor).first())


def list_own_ratings(*, actor: Actor, memory_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return what the actor has said about these memories, as their texts are."""
    rows = Feedback.objects.by_actor(actor).of_memories(actor.organization_id, memory_ids).about_present_text()
    return dict(rows.values_list("memory_id", "rating"))


def list_reports(firsts: Sequence[Feedback]) -> dict[UUID, list[Feedback]]:
    """Return the open reports of the memories that these ones are about, the first ones first, by the id of the one
    that stands for them."""
    if not firsts:
        return {}
    said = Feedback.objects.of_memories(firsts[0].organization_id, [first.memory_id for first in firsts])
    rows = said.open_reports().about_present_text().with_authors().order_by("created_at", "pk")
    reports: dict[UUID, list[Feedback]] = defaultdict(list)
    for row in rows[: MOST_REPORTS * len(firsts)]:
        reports[row.memory_id].append(row)
    return {first.pk: reports[first.memory_id] for first in firsts}
