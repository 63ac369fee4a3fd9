"""Legal holds: placing and releasing them, and the lock between them and whatever destroys something.

Whoever destroys something takes the organization's lock shared, then asks `memories.rules.holds`. Placing a hold takes
it alone: it waits for what is being destroyed, and whatever comes later sees the hold.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from memories.models import KEY_LENGTH, LABEL_LENGTH, SUMMARY_LENGTH, LegalHold, Memory
from memories.rules.holds import match_held_memories
from memoryhub.errors import Conflict, Invalid, NotFound, UnderLegalHold
from memoryhub.locks import lock_names
from memoryhub.text import line_problem, normalize_text
from teams.models import Organization, Person, Session, Team

HELD_MESSAGE = "A legal hold keeps this memory: nothing of it can be removed until an operator releases the hold."
LENGTHS = {"category": LABEL_LENGTH, "key_prefix": KEY_LENGTH, "reason": SUMMARY_LENGTH}


def _lock_name(organization_id: UUID) -> str:
    return f"legal holds {organization_id}"


def lock_holds(organization_ids: Iterable[UUID]) -> None:
    """Let nobody place a hold in these organizations until the transaction ends."""
    if names := set(map(_lock_name, organization_ids)):
        lock_names(*names, shared=True)


def refuse_if_held(organization_id: UUID, *memory_ids: UUID) -> None:
    """Refuse to destroy anything of these memories if one of them is held, and let nobody hold them meanwhile."""
    lock_holds([organization_id])
    rows = Memory.objects.in_organization(organization_id).filter(pk__in=memory_ids)
    if rows.filter(match_held_memories()).exists():
        raise UnderLegalHold(HELD_MESSAGE)


@transaction.atomic
def place_hold(
    *,
    user: AbstractBaseUser,
    organization: Organization,
    team: Team | None = None,
    person: Person | None = None,
    category: str = "",
    key_prefix: str = "",
    reason: str,
    now: datetime | None = None,
) -> LegalHold:
    """Hold what matches all that is named; without any of it, the whole organization."""
    texts = _clean_texts(category=category, key_prefix=key_prefix, reason=reason)
    for name, row in (("team", team), ("person", person)):
        if row is not None and row.organization_id != organization.pk:
            raise Invalid({name: "This belongs to another organization."})
    lock_names(_lock_name(organization.pk))
    return LegalHold.objects.create(
        organization=organization,
        team=team,
        person=person,
        created_by_id=user.pk,
        created_at=now or timezone.now(),
        **texts,
    )


def _clean_texts(**texts: str) -> dict[str, Any]:
    """Keep the spaces of a key's beginning, which may be a part of it."""
    cleaned = {name: normalize_text(text) for name, text in texts.items()}
    cleaned |= {name: cleaned[name].strip() for name in ("category", "reason")}
    problems = {name: line_problem(text, longest=LENGTHS[name]) for name, text in cleaned.items()}
    if not cleaned["reason"]:
        problems["reason"] = "Say why: whoever releases the hold must know."
    if wrong := {name: problem for name, problem in problems.items() if problem}:
        raise Invalid(wrong)
    return cleaned


@transaction.atomic
def release_hold(*, user: AbstractBaseUser, hold_id: UUID, now: datetime | None = None) -> LegalHold:
    """End a hold. It stays on the list, with who released it."""
    hold = LegalHold.objects.filter(pk=hold_id).select_for_update().first()
    if hold is None:
        raise NotFound("There is no such legal hold.")
    if hold.released_at:
        raise Conflict("This legal hold was released already.")
    hold.released_at, hold.released_by_id = now or timezone.now(), user.pk
    hold.save(update_fields=["released_at", "released_by"])
    return hold


# For the pruning of `teams`, which knows nothing of holds: the condition under which a candidate is not held, by table.
# People whom a hold names are referred to by it.
_SESSION_HOLDS = """
NOT EXISTS (
    SELECT FROM memories_legalhold AS hold
    WHERE hold.organization_id = candidate.organization_id AND hold.released_at IS NULL
    AND hold.category = '' AND hold.key_prefix = ''
    AND (hold.person_id IS NULL OR hold.person_id = candidate.person_id)
    AND (hold.team_id IS NULL OR hold.team_id = (SELECT team_id FROM teams_agent WHERE id = candidate.agent_id))
)
"""
_PERSON_HOLDS = """
NOT EXISTS (
    SELECT FROM memories_legalhold AS hold
    WHERE hold.organization_id = candidate.organization_id AND hold.released_at IS NULL
    AND hold.category = '' AND hold.key_prefix = '' AND hold.team_id IS NULL
    AND (hold.person_id IS NULL OR hold.person_id = candidate.id)
)
"""
PRUNABLE_UNLESS_HELD: dict[type[Model], str] = {Session: _SESSION_HOLDS, Person: _PERSON_HOLDS}
