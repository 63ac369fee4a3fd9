"""Changes to a saved memory: update, append, pin, tag, expiry, verification, scope, revert."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.utils import timezone

from memories.models import CONTENT_BYTES, Change, Feedback, Memory, ProposedOperation, Revision, Scope
from memories.operations.propose import NeedsApproval, proposable
from memories.operations.revise import change_key_or_audience, lock_memory, revise
from memories.operations.save import MemoryChanges, resolve_audience
from memories.operations.screen import Hold, screen_addition, screen_values
from memories.rules import access
from memories.rules.access import require_verb
from memories.rules.fields import MEMORY_FIELDS, clean_fields
from memories.rules.preconditions import VersionCheck
from memories.rules.trust import find_least_trusted, lower_provenance, provenance_of_caller, resolve_provenance
from memoryhub.errors import Forbidden, Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Verb


@proposable(ProposedOperation.UPDATE)
@transaction.atomic
def update_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    version: VersionCheck = None,
    now: datetime | None = None,
    provenance: str | None = None,
    **changes: Unpack[MemoryChanges],
) -> Memory:
    """Overwrite the fields that are set. New content clears the summary, unless it brings its own. With a
    `provenance`, the text is less trusted than its caller."""
    now = now or timezone.now()
    values = clean_fields(changes, now=now)
    if not values and provenance is None:
        raise Invalid({"memory": "Say what to change."})
    if "content" in values:
        values.setdefault("summary", "")
    if provenance is not None:
        declared = resolve_provenance(actor, provenance)
        values["provenance"] = declared if "content" in values else lower_provenance(declared)
    if "key" in values:
        return change_key_or_audience(
            actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values
        )
    change = _pin_change(values["pinned"]) if values.keys() == {"pinned"} else Change.UPDATED
    return revise(actor=actor, memory_id=memory_id, change=change, version=version, now=now, values=values)


@proposable(ProposedOperation.APPEND)
@transaction.atomic
def append_to_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    text: str,
    provenance: str | None = None,
    version: VersionCheck = None,
    now: datetime | None = None,
) -> Memory:
    """Add a line to the content, whatever others add meanwhile.

    Clears the summary: prompts show it instead of the content, and it says nothing of the addition.
    """
    now = now or timezone.now()
    longer, origin = append_text(text, now=now), resolve_provenance(actor, provenance)
    try:
        with transaction.atomic():
            memory = revise(
                actor=actor,
                memory_id=memory_id,
                change=Change.APPENDED,
                version=version,
                now=now,
                values={"content": longer, "summary": "", "provenance": lower_provenance(origin)},
            )
    except Invalid as error:
        present = Memory.objects.writable_by(actor, now=now).get(pk=memory_id).content
        size = len(f"{present}\n{text}".encode())
        sentence = f"At most {CONTENT_BYTES:,} bytes of UTF-8; with this addition it would be {size:,}."
        raise TooLarge({"content": sentence}) from error
    if hold := screen_addition(actor, memory.content, added=text, origin=origin):
        raise NeedsApproval(memory, hold.reason, cause=hold.cause, findings=hold.findings)
    return memory


def append_text(text: str, *, now: datetime) -> Concat:
    """Return the content with the text on a line of its own, whatever it is by then."""
    addition = clean_fields({"content": text}, now=now)["content"]
    return Concat(F("content"), Value("\n" + addition))


@proposable(ProposedOperation.PIN)
@transaction.atomic
def pin_memory(
    *, actor: Actor, memory_id: UUID, pinned: bool = True, version: VersionCheck = None, now: datetime | None = None
) -> Memory:
    values = clean_fields({"pinned": pinned}, now=now or timezone.now())
    return revise(actor=actor, memory_id=memory_id, change=_pin_change(pinned), version=version, now=now, values=values)


def _pin_change(pinned: bool) -> Change:
    return Change.PINNED if pinned else Change.UNPINNED


@proposable(ProposedOperation.TAG)
@transaction.atomic
def tag_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    version: VersionCheck = None,
    now: datetime | None = None,
) -> Memory:
    if not add and not remove:
        raise Invalid({"add": "Say which tags to add or remove."})
    now = now or timezone.now()
    added = clean_fields({"tags": add}, now=now)["tags"]
    dropped = {str(name).strip().lower() for name in remove}
    present = lock_memory(actor=actor, memory_id=memory_id, version=version, now=now)
    kept = [tag for tag in present.tags if tag not in dropped]
    values = clean_fields({"tags": [*kept, *added]}, now=now)
    return revise(
        actor=actor, memory_id=memory_id, change=Change.TAGGED, version=present.version, now=now, values=values
    )


@proposable(ProposedOperation.EXPIRE)
@transaction.atomic
def set_expiry(
    *,
    actor: Actor,
    memory_id: UUID,
    expires_at: datetime | None,
    version: VersionCheck = None,
    now: datetime | None = None,
) -> Memory:
    """Set the moment at which the memory expires; None removes it."""
    values = clean_fields({"expires_at": expires_at}, now=now or timezone.now())
    return revise(actor=actor, memory_id=memory_id, change=Change.EXPIRY, version=version, now=now, values=values)


@transaction.atomic
def verify_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    review_by: datetime | None = None,
    version: VersionCheck = None,
    now: datetime | None = None,
) -> Memory:
    """Record that the memory is still true, and when to review it. An agent cannot verify what it wrote itself."""
    now = now or timezone.now()
    values = clean_fields({"review_by": review_by}, now=now) | {"verified_at": now, "verified_by": actor.name}
    verified = revise(actor=actor, memory_id=memory_id, change=Change.VERIFIED, version=version, now=now, values=values)
    if actor.agent_id and _has_written(actor.agent_id, verified):
        raise Forbidden("An agent cannot verify what it has written itself: another agent or a person has to.")
    return verified


TEXT_CHANGES = (Change.CREATED, Change.UPDATED, Change.APPENDED, Change.REVERTED)


def _has_written(agent_id: UUID, memory: Memory) -> bool:
    """Return whether the agent made any version of the text, even one that others have changed since: what is left of
    its words cannot be told."""
    history = Revision.objects.of_every_audience(memory.organization_id, [memory.pk])
    return memory.agent_id == agent_id or history.filter(agent=agent_id, change__in=TEXT_CHANGES).exists()


@transaction.atomic
def change_scope(
    *,
    actor: Actor,
    memory_id: UUID,
    scope: str,
    audience: UUID | None = None,
    version: VersionCheck = None,
    now: datetime | None = None,
) -> Memory:
    """Move the memory to another audience that the actor may write for, by default the one of its context.

    The old audience loses it, so this needs the verb forget, too.
    """
    now = now or timezone.now()
    require_verb(actor, Verb.WRITE, Verb.FORGET)
    wanted = Scope(clean_fields({"scope": scope}, now=now)["scope"])
    audience = audience or resolve_audience(actor=actor, scope=wanted)
    if not access.may_write(actor, audience):
        raise NotFound(f"There is no such {wanted}.")
    present = lock_memory(actor=actor, memory_id=memory_id, version=version, now=now)
    if wanted is Scope.AGENT and audience != present.agent_id:
        raise Invalid({"scope": "It can only become a memory of the agent that wrote it."})
    values = {"scope": wanted, access.AUDIENCE_COLUMN[wanted]: audience, "audience": audience}
    Feedback.objects.of_memory(present).update(audience=audience)
    return change_key_or_audience(
        actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values
    )


REVERTED_FIELDS = (
    *(name for name in MEMORY_FIELDS if name != "expires_at"),
    *("verified_at", "verified_by", "provenance"),
)


@proposable(ProposedOperation.REVERT)
@transaction.atomic
def revert_memory(
    *, actor: Actor, memory_id: UUID, to_version: int, version: VersionCheck = None, now: datetime | None = None
) -> Memory:
    """Make a new version with the values of an old one. An expiry that has passed is not restored."""
    now = now or timezone.now()
    present = lock_memory(actor=actor, memory_id=memory_id, version=version, now=now)
    old = Revision.objects.of_memory(present).filter(version=to_version).first()
    if old is None:
        raise NotFound(f"There is no version {to_version} of this memory.")
    values, hold = _screen_old_version(actor, {name: getattr(old, name) for name in REVERTED_FIELDS})
    if old.expires_at is None or old.expires_at > now:
        values["expires_at"] = old.expires_at
    reverted = change_key_or_audience(
        actor=actor, memory_id=memory_id, change=Change.REVERTED, version=present.version, now=now, values=values
    )
    if hold:
        raise NeedsApproval(reverted, hold.reason, cause=hold.cause, findings=hold.findings)
    return reverted


def _screen_old_version(actor: Actor, values: dict[str, Any]) -> tuple[dict[str, Any], Hold | None]:
    """Screen a version that may be older than the settings are. An agent does not vouch for the words of others."""
    own = provenance_of_caller(actor)
    origin = find_least_trusted(own, values["provenance"]) if actor.agent_id else own
    screened = screen_values(actor, values, provenance=origin)
    return screened.values, screened.hold
