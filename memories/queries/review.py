"""The review queue: everything that waits for a person's decision, what has waited longest first.

Another kind of item is a subclass of `ReviewKind`, an entry in `REVIEW_KINDS`, and a template of that name.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Q, QuerySet

from memories.models import Feedback, Memory, Pair, PairKind, Proposal, ProposalCause, Source
from memories.queries.paging import after_row, make_cursor, read_cursor
from teams.actor import Actor

MOST_COUNTED = 99  # a longer queue is only said to be longer
QUEUE_NAME = "review"


class ReviewKind(ABC):
    """A kind of thing that people decide about: where it is stored, and since when each waits."""

    name: ClassVar[str]  # in addresses, answers and template names
    label: ClassVar[str]
    since: ClassVar[str]  # the field that says since when a row waits

    @abstractmethod
    def select(self, actor: Actor, *, now: datetime) -> QuerySet[Any]:
        """Return the rows that wait for this person's decision."""

    @abstractmethod
    def load(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Load what a page shows of each row."""


class ProposalKind(ReviewKind):
    """New memories and changes that a policy held, or that their author asked to have checked."""

    name, label, since = "proposals", "Proposals", "created_at"
    condition = ~Q(cause=ProposalCause.SCREENING)

    def select(self, actor: Actor, *, now: datetime) -> QuerySet[Any]:
        return Proposal.objects.decidable_by(actor).filter(self.condition)

    def load(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return Proposal.objects.filter(pk__in=rows.values("pk")).with_memories()


class ScreenedKind(ProposalKind):
    """Writes that screening held."""

    name, label = "screened", "Screened"
    condition = Q(cause=ProposalCause.SCREENING)


class ContradictionKind(ReviewKind):
    """Two memories that cannot both hold. Index: pair_newest."""

    name, label, since = "contradictions", "Contradictions", "created_at"
    kinds: ClassVar[tuple[str, ...]] = (PairKind.CONTRADICTION,)

    def select(self, actor: Actor, *, now: datetime) -> QuerySet[Any]:
        if actor.agent_id:
            return Pair.objects.none()
        return Pair.objects.settleable_by(actor).open().of_kind(*self.kinds)

    def load(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        loaded = Pair.objects.filter(pk__in=rows.values("pk")).with_memories()
        return loaded.defer("older__search", "newer__search")


class DuplicateKind(ContradictionKind):
    """Two memories that say the same, or nearly."""

    name, label = "duplicates", "Duplicates"
    kinds = (PairKind.DUPLICATE, PairKind.NEAR_DUPLICATE)


class ReportKind(ReviewKind):
    """Memories that readers called wrong or outdated. Index: feedback_reports."""

    name, label, since = "reports", "Reported", "created_at"

    def select(self, actor: Actor, *, now: datetime) -> QuerySet[Any]:
        return Feedback.objects.none() if actor.agent_id else Feedback.objects.reported_to(actor, now=now)

    def load(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        loaded = Feedback.objects.filter(pk__in=rows.values("pk"))
        return loaded.select_related("memory__agent", "memory__user", "memory__project").defer("memory__search")


class AnchorKind(ReviewKind):
    """Memories whose anchor a check found changed or gone. Index: source_failed."""

    name, label, since = "anchors", "Anchors", "failed_at"

    def select(self, actor: Actor, *, now: datetime) -> QuerySet[Any]:
        return Source.anchors.none() if actor.agent_id else Source.anchors.decidable_by(actor, now=now)

    def load(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        loaded = Source.objects.filter(pk__in=rows.values("pk"))
        return loaded.select_related("memory__agent", "memory__user", "memory__project").defer("memory__search")


class DueKind(ReviewKind):
    """Memories whose review date has passed. Index: memory_due."""

    name, label, since = "due", "Due for review", "review_by"

    def select(self, actor: Actor, *, now: datetime) -> QuerySet[Any]:
        if actor.agent_id:
            return Memory.objects.none()
        return Memory.objects.writable_by(actor, now=now).holding(now).filter(review_by__lte=now)

    def load(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return (
            Memory.objects.filter(pk__in=rows.values("pk")).select_related("agent", "user", "project").defer("search")
        )


_KINDS = (ProposalKind(), ScreenedKind(), ContradictionKind(), DuplicateKind(), ReportKind(), AnchorKind(), DueKind())
REVIEW_KINDS: Mapping[str, ReviewKind] = {kind.name: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to decide about."""

    kind: str
    row: Any
    since: datetime

    @property
    def place(self) -> tuple[datetime, UUID]:
        return self.since, self.row.pk


@dataclass(frozen=True, slots=True)
class ReviewPage:
    items: Sequence[ReviewItem]
    next: str | None


def list_review_items(
    *, actor: Actor, now: datetime, kinds: Collection[str] = (), limit: int, cursor: str | None = None
) -> ReviewPage:
    """Return a page of the queue: of these kinds, or of all."""
    after = read_cursor(QUEUE_NAME, cursor) if cursor else None
    firsts = [
        _read_first(kind, actor, now=now, limit=limit + 1, after=after)
        for name, kind in REVIEW_KINDS.items()
        if not kinds or name in kinds
    ]
    items = list(islice(merge(*firsts, key=lambda item: item.place), limit + 1))
    if len(items) <= limit:
        return ReviewPage(items, None)
    last = items[limit - 1]
    return ReviewPage(items[:limit], make_cursor(QUEUE_NAME, last.since, last.row.pk))


def _read_first(
    kind: ReviewKind, actor: Actor, *, now: datetime, limit: int, after: tuple[Any, UUID] | None
) -> list[ReviewItem]:
    rows = kind.select(actor, now=now)
    if after:
        rows = rows.filter(after_row(rows.model, kind.since, *after))
    found = kind.load(rows.order_by(kind.since, "id")[:limit]).order_by(kind.since, "id")
    return [ReviewItem(kind.name, row, getattr(row, kind.since)) for row in found]


def count_review_items(*, actor: Actor, now: datetime) -> int:
    """Return how many items wait for this person; past `MOST_COUNTED`, one more."""
    parts = [kind.select(actor, now=now).order_by().values("pk")[: MOST_COUNTED + 1] for kind in REVIEW_KINDS.values()]
    return min(parts[0].union(*parts[1:], all=True).count(), MOST_COUNTED + 1)


def count_by_kind(*, actor: Actor, now: datetime) -> dict[str, int]:
    """Return how many items of each kind wait for this person; past `MOST_COUNTED`, one more."""
    return {
        name: kind.select(actor, now=now).order_by()[: MOST_COUNTED + 1].count() for name, kind in REVIEW_KINDS.items()
    }
