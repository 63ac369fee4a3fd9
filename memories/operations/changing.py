"""Changing what is saved."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.utils import timezone

from memories import scopes
from memories.fields import UNSAID, Said, clean
from memories.models import CONTENT_BYTES, Change, Memory, Revision, Scope
from memories.operations.recording import require
from memories.operations.revising import locked, move, revise
from memories.operations.saving import audience_of
from memories.operations.seeing import Version
from memoryhub.errors import Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Verb


@transaction.atomic
def update(
    *,
    actor: Actor,
    memory_id: UUID,
    version: Version = None,
    key: str | Said = UNSAID,
    content: str | Said = UNSAID,
    summary: str | Said = UNSAID,
    type: str | Said = UNSAID,
    category: str | Said = UNSAID,
    tags: Sequence[str] | Said = UNSAID,
    importance: float | Said = UNSAID,
    pinned: bool | Said = UNSAID,
    expires_at: datetime | Said | None = UNSAID,
    source: str | Said = UNSAID,
    metadata: dict[str, Any] | Said = UNSAID,
    review_by: datetime | Said | None = UNSAID,
    now: datetime | None = None,
) -> Memory:
    """Overwrites the fields that are said. New content drops the summary of the former, unless it brings its own."""
    now = now or timezone.now()
    said = {
        "key": key,
        "content": content,
        "summary": summary,
        "type": type,
        "category": category,
        "tags": tags,
        "importance": importance,
        "pinned": pinned,
        "expires_at": expires_at,
        "source": source,
        "metadata": metadata,
        "review_by": review_by,
    }
    values = clean(said, now=now)
    if not values:
        raise Invalid({"memory": "Say what to change."})
    if "content" in values:
        values.setdefault("summary", "")
    if "key" in values:
        return move(actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values)
    change = _pinning(values["pinned"]) if values.keys() == {"pinned"} else Change.UPDATED
    return revise(actor=actor, memory_id=memory_id, change=change, version=version, now=now, values=values)


@transaction.atomic
def append(*, actor: Actor, memory_id: UUID, text: str, version: Version = None, now: datetime | None = None) -> Memory:
    """Adds to the content on a line of its own, whatever others add meanwhile. A summary goes: it tells nothing of the
    addition, which prompts would never show."""
    now = now or timezone.now()
    addition = clean({"content": text}, now=now)["content"]
    longer = Concat(F("content"), Value("\n" + addition))
    try:
        with transaction.atomic():
            return revise(
                actor=actor,
                memory_id=memory_id,
                change=Change.APPENDED,
                version=version,
                now=now,
                values={"content": longer, "summary": ""},
            )
    except Invalid as error:
        present = Memory.objects.writable_by(actor, now=now).get(pk=memory_id).content
        size = len(f"{present}\n{addition}".encode())
        sentence = f"At most {CONTENT_BYTES:,} bytes of UTF-8; with this addition it would be {size:,}."
        raise TooLarge({"content": sentence}) from error


@transaction.atomic
def pin(
    *, actor: Actor, memory_id: UUID, pinned: bool = True, version: Version = None, now: datetime | None = None
) -> Memory:
    values = clean({"pinned": pinned}, now=now or timezone.now())
    return revise(actor=actor, memory_id=memory_id, change=_pinning(pinned), version=version, now=now, values=values)


def _pinning(pinned: bool) -> Change:
    return Change.PINNED if pinned else Change.UNPINNED


@transaction.atomic
def tag(
    *,
    actor: Actor,
    memory_id: UUID,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    version: Version = None,
    now: datetime | None = None,
) -> Memory:
    if not add and not remove:
        raise Invalid({"add": "Say which tags to add or remove."})
    now = now or timezone.now()
    added = clean({"tags": add}, now=now)["tags"]
    dropped = {str(name).strip().lower() for name in remove}
    present = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    kept = [tag for tag in present.tags if tag not in dropped]
    values = clean({"tags": [*kept, *added]}, now=now)
    return revise(
        actor=actor, memory_id=memory_id, change=Change.TAGGED, version=present.version, now=now, values=values
    )


@transaction.atomic
def expire(
    *,
    actor: Actor,
    memory_id: UUID,
    expires_at: datetime | None,
    version: Version = None,
    now: datetime | None = None,
) -> Memory:
    """Lets it vanish at that moment; None lets it stay."""
    values = clean({"expires_at": expires_at}, now=now or timezone.now())
    return revise(actor=actor, memory_id=memory_id, change=Change.EXPIRY, version=version, now=now, values=values)


@transaction.atomic
def verify(
    *,
    actor: Actor,
    memory_id: UUID,
    review_by: datetime | None = None,
    version: Version = None,
    now: datetime | None = None,
) -> Memory:
    """Notes that it is still true, and when to look again."""
    now = now or timezone.now()
    values = clean({"review_by": review_by}, now=now) | {"verified_at": now, "verified_by": actor.name}
    return revise(actor=actor, memory_id=memory_id, change=Change.VERIFIED, version=version, now=now, values=values)


@transaction.atomic
def rescope(
    *,
    actor: Actor,
    memory_id: UUID,
    scope: str,
    audience: UUID | None = None,
    version: Version = None,
    now: datetime | None = None,
) -> Memory:
    """Gives it another audience, for which the actor may write as well: the one at work, unless it is said. The old one
    loses it, as if it forgot."""
    now = now or timezone.now()
    require(actor, Verb.FORGET)
    wanted = Scope(clean({"scope": scope}, now=now)["scope"])
    audience = audience or audience_of(actor=actor, scope=wanted)
    if audience not in actor.writes:
        raise NotFound(f"There is no such {wanted}.")
    present = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    if wanted is Scope.AGENT and audience != present.agent_id:
        raise Invalid({"scope": "Only its author's own memory can it become."})
    values = {"scope": wanted, scopes.AUDIENCE_COLUMN[wanted]: audience, "audience": audience}
    return move(actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values)


REVERTED = (
    *("key", "content", "summary", "type", "category", "tags", "importance", "pinned", "source", "metadata"),
    *("verified_at", "verified_by", "review_by"),
)


@transaction.atomic
def revert(
    *, actor: Actor, memory_id: UUID, to_version: int, version: Version = None, now: datetime | None = None
) -> Memory:
    """Makes a new version that says what an old one said. An expiry that has passed meanwhile does not come back."""
    now = now or timezone.now()
    present = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    # A version that was written for another audience stays with them.
    history = Revision.objects.filter(organization=actor.organization_id, memory=memory_id, audience=present.audience)
    old = history.filter(version=to_version).first()
    if old is None:
        raise NotFound(f"There is no version {to_version} of this memory.")
    values = {name: getattr(old, name) for name in REVERTED}
    if old.expires_at is None or old.expires_at > now:
        values["expires_at"] = old.expires_at
    return move(
        actor=actor, memory_id=memory_id, change=Change.REVERTED, version=present.version, now=now, values=values
    )
