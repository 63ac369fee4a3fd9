"""What one can do to a memory with one press of a button."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.exceptions import ValidationError
from django.forms import Field
from django.http import HttpRequest
from django.utils import timezone

from memories import operations, scopes
from memories.models import Memory
from memories.views.memory import seen
from memoryhub.errors import Invalid
from memoryhub.forms import MomentField, WordsField
from memoryhub.ids import as_uuid
from teams.place import Done, Place, action

LARGEST = 2**31 - 1  # that a version can be


def said(request: HttpRequest, name: str) -> str:
    """Buttons say it in their form; undoing, in the address."""
    return request.POST.get(name, request.GET.get(name, ""))


def number(request: HttpRequest, name: str) -> int | None:
    text = said(request, name)
    return int(text) if text.isdecimal() and len(text) <= 10 and int(text) <= LARGEST else None


def undoing(place: Place, changed: Memory) -> str:
    """Takes the change back that made this version, unless another one came after it."""
    before = urlencode({"to": changed.version - 1, "version": changed.version})
    return f"{place.to('memory-revert', changed.pk)}?{before}"


def unsaving(place: Place, saved: Memory) -> str:
    """Forgets what was just saved, unless somebody has changed it since."""
    return f"{place.to('memory-forget', saved.pk)}?version={saved.version}"


@action
def pin(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """`pinned` is 1 or 0; left out, it becomes what it is not."""
    wanted = said(request, "pinned")
    pinned = wanted == "1" if wanted else not seen(place.actor, memory_id).pinned
    operations.pin(actor=place.actor, memory_id=memory_id, pinned=pinned)
    undo = f"{place.to('memory-pin', memory_id)}?pinned={int(not pinned)}"
    return Done("Pinned." if pinned else "Unpinned.", undo)


@action
def forget(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    reason, version = said(request, "reason"), number(request, "version")
    operations.forget(actor=place.actor, memory_id=memory_id, reason=reason, version=version)
    return Done("Forgotten.", place.to("memory-restore", memory_id))


@action
def restore(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """What has expired counts as forgotten, whether or not it was swept."""
    mine = Memory.objects.filter(scopes.writable(place.actor), pk=memory_id)
    operations.sweep(rows=mine, now=timezone.now(), wait=True)
    restored = operations.restore(actor=place.actor, memory_id=memory_id)
    return Done("Restored.", unsaving(place, restored))


@action
def revert(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """Back `to` a version; with a `version`, only if that is still the latest one."""
    to, version = number(request, "to"), number(request, "version")
    if to is None:
        raise Invalid({"to": "Say which version to go back to."})
    changed = operations.revert(actor=place.actor, memory_id=memory_id, to_version=to, version=version)
    return Done(f"Version {to} is back.", undoing(place, changed))


@action
def tag(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    add, remove = _words(request, "add"), request.POST.getlist("remove")
    if not add and not remove:
        raise Invalid({"tags": "Write a tag first."})
    changed = operations.tag(actor=place.actor, memory_id=memory_id, add=add, remove=remove)
    return Done("Tags changed.", undoing(place, changed))


@action
def expire(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """At a moment, or after so many days; at no moment if neither is said."""
    expires_at = _after_days(request, "days") or _moment(request, "expires_at")
    changed = operations.expire(actor=place.actor, memory_id=memory_id, expires_at=expires_at)
    text = f"Expires on {expires_at:%Y-%m-%d at %H:%M} UTC." if expires_at else "It does not expire any more."
    return Done(text, undoing(place, changed))


@action
def verify(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """Still true; to be looked at again after so many days, if any are said."""
    review_by = _after_days(request, "days")
    checked = operations.verify(actor=place.actor, memory_id=memory_id, review_by=review_by)
    return Done("Verified.", undoing(place, checked))


def _after_days(request: HttpRequest, name: str) -> datetime | None:
    days = number(request, name)
    return timezone.now() + timedelta(days=min(days, 36_500)) if days else None


def _moment(request: HttpRequest, name: str) -> datetime | None:
    moment: datetime | None = _cleaned(MomentField(), request, name)
    return moment


def _words(request: HttpRequest, name: str) -> list[str]:
    words: list[str] = _cleaned(WordsField(), request, name)
    return words


def _cleaned(field: Field, request: HttpRequest, name: str) -> Any:
    try:
        return field.clean(said(request, name))
    except ValidationError as error:
        raise Invalid({name: " ".join(error.messages)}) from error


@action
def rescope(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """`audience` is a scope and whose it is, as in project:0190…"""
    memory = seen(place.actor, memory_id)
    scope, _, audience = said(request, "audience").partition(":")
    operations.rescope(
        actor=place.actor,
        memory_id=memory_id,
        scope=scope,
        audience=as_uuid(audience) or memory_id,
        version=number(request, "version"),
    )
    before = urlencode({"audience": f"{memory.scope}:{memory.audience}"})
    return Done("Scope changed.", f"{place.to('memory-rescope', memory_id)}?{before}")


@action
def purge(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    operations.purge(actor=place.actor, memory_id=memory_id)
    return Done("Purged for good.", to=place.to("memories"))
