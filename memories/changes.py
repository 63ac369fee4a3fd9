"""What changed, who did it and when, as far as one who looks may know: the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Left

from memories import paging
from memories.models import Change, Revision
from memories.presence import Presence, presence
from teams.actor import Actor

LONGEST = 4_000  # characters of a text that is compared with the one before; longer ones have a page for it
WORDS = {
    Change.CREATED: "saved",
    Change.UPDATED: "changed",
    Change.APPENDED: "added to",
    Change.PINNED: "pinned",
    Change.UNPINNED: "unpinned",
    Change.TAGGED: "tagged",
    Change.EXPIRY: "set the expiry of",
    Change.VERIFIED: "checked",
    Change.FORGOTTEN: "forgot",
    Change.RESTORED: "restored",
    Change.REVERTED: "took back",
    Change.RENAMED: "renamed",
    Change.PURGED: "purged",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A change, ready to be told."""

    revision: Revision
    presence: Presence
    text: str  # what the memory said then
    before: str | None  # and before that, if they may know

    @property
    def words(self) -> str:
        return WORDS[Change(self.revision.change)]

    @property
    def shown(self) -> bool:
        return self.presence is not Presence.GONE

    @property
    def differs(self) -> bool:
        """Whether there is a difference that is short enough to be shown."""
        return self.before is not None and self.before != self.text and not self.long

    @property
    def long(self) -> bool:
        return max(len(self.text), len(self.before or "")) > LONGEST


@dataclass(frozen=True, slots=True)
class History:
    changes: list[Told]
    next: str | None


def changes(*, actor: Actor, limit: int, rule: Q | None = None, cursor: str | None = None) -> History:
    """Hopes for the index revision_newest, in each audience by itself."""
    audiences = sorted(actor.reads, key=str)
    rows = Revision.objects.filter(rule or Q(), organization=actor.organization_id, audience__in=audiences)
    if actor.workspaces_enabled:
        rows = rows.filter(memory__workspace=actor.workspace_id)
    parts = [Q(audience=audience) for audience in audiences]
    page = paging.page(
        rows,
        order="-created_at",
        limit=limit,
        cursor=cursor,
        parts=parts,
        read=lambda found: _read(found, audiences=audiences),
    )
    return History(_tell(actor, page.rows), page.next)


def tell(*, actor: Actor, revision_ids: Sequence[UUID]) -> list[Told]:
    """In that order; of those that are not for the actor no more than that they are there."""
    return _tell(actor, _with_texts(revision_ids, audiences=sorted(actor.reads, key=str)))


def _tell(actor: Actor, revisions: Sequence[Revision]) -> list[Told]:
    there = presence(actor=actor, memory_ids={revision.memory_id for revision in revisions})
    theirs = [
        there[revision.memory_id] if revision.audience in actor.reads else Presence.GONE for revision in revisions
    ]
    return [_told(revision, known) for revision, known in zip(revisions, theirs, strict=True)]


def _told(revision: Revision, there: Presence) -> Told:
    known = there is not Presence.GONE
    return Told(
        revision=revision,
        presence=there,
        text=revision.text if known else "",  # type: ignore[attr-defined]  # annotated by _read
        before=revision.before if known else None,  # type: ignore[attr-defined]
    )


def _read(found: "QuerySet[Revision]", *, audiences: Sequence[UUID]) -> list[Revision]:
    return _with_texts([pk for _, pk in found.values_list("created_at", "pk")], audiences=audiences)


def _with_texts(order: Sequence[UUID], *, audiences: Sequence[UUID]) -> list[Revision]:
    """In that order, with who made them and the text before: of each the beginning, for texts can be long."""
    earlier = Revision.objects.filter(
        organization=OuterRef("organization"),
        memory=OuterRef("memory"),
        version=OuterRef("version") - 1,
        audience__in=audiences,  # what was written for others stays with them
    )
    rows = Revision.objects.filter(pk__in=order).select_related("agent", "user", "token").defer("content", "metadata")
    beginning = Left("content", LONGEST + 1)
    told = rows.annotate(
        text=beginning, before=Subquery(earlier.values(beginning=beginning), output_field=TextField(null=True))
    )
    by_id = {revision.pk: revision for revision in told}
    return [by_id[pk] for pk in order]
