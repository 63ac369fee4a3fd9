"""Buttons on a memory's page: pin, forget, restore, reinstate, revert, tag, expire, verify, rescope and purge."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.exceptions import ValidationError
from django.forms import Field
from django.http import HttpRequest
from django.utils import timezone

from memories import operations
from memories.forms import parse_version
from memories.models import Memory
from memories.queries.lookup import find_memory_or_forgotten
from memoryhub.errors import Invalid
from memoryhub.flash import notify
from memoryhub.forms import MomentField, WordsField
from memoryhub.ids import parse_uuid
from teams.team_page import ActionResult, TeamPage, team_action


def read_param(request: HttpRequest, name: str) -> str:
    """Read a parameter from the form that a button sends, or from the query string of an undo link."""
    return request.POST.get(name, request.GET.get(name, ""))


def read_number(request: HttpRequest, name: str) -> int | None:
    return parse_version(read_param(request, name))


def undo_change_url(team_page: TeamPage, changed: Memory) -> str:
    """Return the address that undoes the change which made this version, unless another one followed."""
    before = urlencode({"to": changed.version - 1, "version": changed.version})
    return f"{team_page.url('memory-revert', changed.pk)}?{before}"


def undo_save_url(team_page: TeamPage, saved: Memory) -> str:
    """Return the address that forgets what was just saved, unless somebody has changed it since."""
    return f"{team_page.url('memory-forget', saved.pk)}?version={saved.version}"


def notify_saved(request: HttpRequest, team_page: TeamPage, saved: Memory) -> None:
    """Say that the memory was saved, and offer to take that back, unless it was there before."""
    if saved.duplicate:
        notify(request, "This is saved already.")
    else:
        notify(request, "Saved.", undo=undo_save_url(team_page, saved))


@team_action
def pin_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Set `pinned` to 1 or 0; without a value, toggle it."""
    value = read_param(request, "pinned")
    pinned = value == "1" if value else not find_memory_or_forgotten(actor=team_page.actor, memory_id=memory_id).pinned
    operations.pin_memory(actor=team_page.actor, memory_id=memory_id, pinned=pinned)
    undo = f"{team_page.url('memory-pin', memory_id)}?pinned={int(not pinned)}"
    return ActionResult("Pinned." if pinned else "Unpinned.", undo)


@team_action
def forget_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    reason, version = read_param(request, "reason"), read_number(request, "version")
    operations.forget_memory(actor=team_page.actor, memory_id=memory_id, reason=reason, version=version)
    return ActionResult("Forgotten.", team_page.url("memory-restore", memory_id))


@team_action
def restore_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Restore a memory. An expired one counts as forgotten, whether or not it was swept."""
    rows = Memory.objects.visible_or_restorable_by(team_page.actor).filter(pk=memory_id)
    operations.sweep_expired(rows=rows, now=timezone.now(), wait=True)
    restored = operations.restore_memory(actor=team_page.actor, memory_id=memory_id)
    return ActionResult("Restored.", undo_save_url(team_page, restored))


@team_action
def reinstate_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Let a replaced memory hold again."""
    operations.reinstate_memory(actor=team_page.actor, memory_id=memory_id)
    return ActionResult("It holds again.", to=team_page.url("memory", memory_id))


@team_action
def revert_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Go back `to` a version; with a `version`, only if that is still the latest one."""
    to, version = read_number(request, "to"), read_number(request, "version")
    if to is None:
        raise Invalid({"to": "Say which version to go back to."})
    changed = operations.revert_memory(actor=team_page.actor, memory_id=memory_id, to_version=to, version=version)
    return ActionResult(f"Version {to} is back.", undo_change_url(team_page, changed))


@team_action
def tag_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    add, remove = _read_words(request, "add"), request.POST.getlist("remove")
    if not add and not remove:
        raise Invalid({"tags": "Write a tag first."})
    changed = operations.tag_memory(actor=team_page.actor, memory_id=memory_id, add=add, remove=remove)
    return ActionResult("Tags changed.", undo_change_url(team_page, changed))


@team_action
def expire_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Set the expiry to a moment or to a number of days from now; remove it if neither is given."""
    expires_at = _after_days(request, "days") or _read_moment(request, "expires_at")
    changed = operations.set_expiry(actor=team_page.actor, memory_id=memory_id, expires_at=expires_at)
    text = f"Expires on {expires_at:%Y-%m-%d at %H:%M} UTC." if expires_at else "It does not expire any more."
    return ActionResult(text, undo_change_url(team_page, changed))


@team_action
def verify_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Confirm that a memory is still true, to be reviewed again after a number of days, if given."""
    review_by = _after_days(request, "days")
    checked = operations.verify_memory(actor=team_page.actor, memory_id=memory_id, review_by=review_by)
    return ActionResult("Verified.", undo_change_url(team_page, checked))


def _after_days(request: HttpRequest, name: str) -> datetime | None:
    days = read_number(request, name)
    return timezone.now() + timedelta(days=min(days, 36_500)) if days else None


def _read_moment(request: HttpRequest, name: str) -> datetime | None:
    moment: datetime | None = _clean_param(MomentField(), request, name)
    return moment


def _read_words(request: HttpRequest, name: str) -> list[str]:
    words: list[str] = _clean_param(WordsField(), request, name)
    return words


def _clean_param(field: Field, request: HttpRequest, name: str) -> Any:
    try:
        return field.clean(read_param(request, name))
    except ValidationError as error:
        raise Invalid({name: " ".join(error.messages)}) from error


@team_action
def rescope_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Move a memory to an `audience`, given as scope and id: project:0190…"""
    memory = find_memory_or_forgotten(actor=team_page.actor, memory_id=memory_id)
    scope, _, audience = read_param(request, "audience").partition(":")
    operations.change_scope(
        actor=team_page.actor,
        memory_id=memory_id,
        scope=scope,
        audience=parse_uuid(audience) or memory_id,
        version=read_number(request, "version"),
    )
    before = urlencode({"audience": f"{memory.scope}:{memory.audience}"})
    return ActionResult("Scope changed.", f"{team_page.url('memory-rescope', memory_id)}?{before}")


@team_action
def purge_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    operations.purge_memory(actor=team_page.actor, memory_id=memory_id)
    return ActionResult("Purged for good.", to=team_page.url("memories"))
