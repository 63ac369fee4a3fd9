"""Activity of a team: who changed which memory and when, newest first, limited to what the actor may read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Left

from memories.models import Change, Revision
from memories.queries import paging
from memories.queries.presence import Presence, find_presence
from memories.rules import access
from memories.text.diff import DiffBudget, DiffPart, diff_texts
from teams.actor import Actor

MAX_INLINE_DIFF_LENGTH = 4_000  # characters; longer texts are compared on a page of their own
CHANGE_VERBS = {
    Change.CREATED: "saved",
    Change.UPDATED: "changed",
    Change.APPENDED: "appended to",
    Change.PINNED: "pinned",
    Change.UNPINNED: "unpinned",
    Change.TAGGED: "tagged",
    Change.EXPIRY: "set the expiry of",
    Change.VERIFIED: "verified",
    Change.FORGOTTEN: "forgot",
    Change.RESTORED: "restored",
    Change.PROPOSED: "proposed",
    Change.APPROVED: "approved",
    Change.REJECTED: "rejected",
    Change.REOPENED: "reopened",
    Change.SUPERSEDED: "replaced",
    Change.REVERTED: "reverted",
    Change.RENAMED: "renamed",
    Change.PURGED: "purged",
}


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """A revision with what a page needs to describe it."""

    revision: Revision
    presence: Presence
    text: str  # of this version
    before: str | None  # text of the version before, if the actor may read it
    budget: DiffBudget = field(default_factory=DiffBudget, compare=False, repr=False)

    @property
    def verb(self) -> str:
        return CHANGE_VERBS[Change(self.revision.change)]

    @property
    def is_visible(self) -> bool:
        return self.presence is not Presence.GONE

    @property
    def differs(self) -> bool:
        """Say if the text changed and the difference is short enough to be shown inline."""
        return self.before is not None and self.before != self.text and not self.long

    @property
    def parts(self) -> list[DiffPart]:
        return diff_texts(self.before or "", self.text, budget=self.budget)

    @property
    def long(self) -> bool:
        return max(len(self.text), len(self.before or "")) > MAX_INLINE_DIFF_LENGTH


@dataclass(frozen=True, slots=True)
class ActivityPage:
    changes: list[ChangeEntry]
    next: str | None


def list_changes(*, actor: Actor, limit: int, rule: Q | None = None, cursor: str | None = None) -> ActivityPage:
    """Return a page of the revisions that `actor` may read, newest first.

    Index: revision_newest, once per audience.
    """
    audiences = access.list_readable_audiences(actor)
    parts = [Q(audience=audience) for audience in audiences]
    page = paging.fetch_page(
        Revision.objects.visible_to(actor).filter(rule or Q()),
        order="-created_at",
        limit=limit,
        cursor=cursor,
        parts=parts,
        read=lambda rows: _read_revision_page(rows, audiences=audiences),
    )
    return ActivityPage(_describe_changes(actor, page.rows), page.next)


def describe_revisions(*, actor: Actor, revision_ids: Sequence[UUID]) -> list[ChangeEntry]:
    """Describe these revisions in the given order; those the actor may not read stay without text."""
    audiences = access.list_readable_audiences(actor)
    return _describe_changes(actor, _load_revisions_with_texts(revision_ids, audiences=audiences))


def _describe_changes(actor: Actor, revisions: Sequence[Revision]) -> list[ChangeEntry]:
    found = find_presence(actor=actor, memory_ids={revision.memory_id for revision in revisions})
    presences = [
        found[revision.memory_id] if access.may_read(actor, revision.audience) else Presence.GONE
        for revision in revisions
    ]
    budget = DiffBudget()
    return [_build_change_entry(*pair, budget) for pair in zip(revisions, presences, strict=True)]


def _build_change_entry(revision: Revision, presence: Presence, budget: DiffBudget) -> ChangeEntry:
    readable = presence is not Presence.GONE
    return ChangeEntry(
        revision=revision,
        presence=presence,
        text=revision.text if readable else "",  # type: ignore[attr-defined]  # annotated when loaded
        before=revision.before if readable else None,  # type: ignore[attr-defined]
        budget=budget,
    )


def _read_revision_page(rows: "QuerySet[Revision]", *, audiences: Sequence[UUID]) -> list[Revision]:
    return _load_revisions_with_texts([pk for _, pk in rows.values_list("created_at", "pk")], audiences=audiences)


def _load_revisions_with_texts(order: Sequence[UUID], *, audiences: Sequence[UUID]) -> list[Revision]:
    """Load revisions in this order, with their authors and the beginnings of their text and of the text before."""
    earlier = Revision.objects.written_for(audiences).filter(
        organization=OuterRef("organization"), memory=OuterRef("memory"), version=OuterRef("version") - 1
    )
    rows = Revision.objects.filter(pk__in=order).with_callers().defer("content", "metadata")
    beginning = Left("content", MAX_INLINE_DIFF_LENGTH + 1)
    annotated = rows.annotate(
        text=beginning, before=Subquery(earlier.values(beginning=beginning), output_field=TextField(null=True))
    )
    by_id = {revision.pk: revision for revision in annotated}
    return [by_id[pk] for pk in order]
