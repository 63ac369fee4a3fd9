"""Idempotency: a request repeated with its key gets the first answer again and writes nothing."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memories.models import Answer
from memories.rules.fields import clean_fields
from memoryhub.errors import IdempotencyKeyReused, Invalid
from memoryhub.ids import uuid7
from teams.actor import Actor

IDEMPOTENCY_WINDOW = timedelta(hours=24)

# Takes the key: new, or left over from longer ago than it is kept. A second caller waits here for the first one's
# transaction to end, and then takes nothing.
CLAIM_KEY = """
INSERT INTO memories_answer (id, organization_id, caller, key, fingerprint, answer, memory_ids, created_at)
VALUES (%(id)s, %(organization)s, %(caller)s, %(key)s, %(fingerprint)s, NULL, '{}', %(now)s)
ON CONFLICT (organization_id, caller, key) DO UPDATE
SET id = excluded.id, fingerprint = excluded.fingerprint, answer = NULL, memory_ids = '{}', created_at = %(now)s
WHERE memories_answer.created_at <= %(oldest)s
RETURNING id
"""


@dataclass(frozen=True, slots=True)
class IdempotentResult:
    """A JSON answer, and the memories whose text it contains (a purge must find them)."""

    answer: Any
    memory_ids: tuple[UUID, ...] = ()


def _fingerprint(actor: Actor, request: bytes) -> str:
    """Return a hash of the request, its context and the actor's rights.

    With other rights it is another request: whoever may no longer see something does not get it in the first answer.
    """
    context = (actor.project_id, actor.person_id, actor.session_id, actor.workspace_id, actor.channel_id)
    rights = (actor.team_id, sorted(actor.reads), sorted(actor.writes), sorted(actor.verbs))
    return hashlib.sha256(repr((context, rights)).encode() + b"\n" + request).hexdigest()


@transaction.atomic
def run_once(
    *, actor: Actor, key: str, request: bytes, act: Callable[[], IdempotentResult], now: datetime | None = None
) -> Any:
    """Return the answer of `act`, which runs at most once a day for this caller and key. A failure frees the key."""
    now = now or timezone.now()
    slot, fingerprint = _build_slot(actor, key, now=now), _fingerprint(actor, request)
    with connection.cursor() as cursor:
        cursor.execute(
            CLAIM_KEY,
            {**slot, "id": uuid7(), "fingerprint": fingerprint, "now": now, "oldest": now - IDEMPOTENCY_WINDOW},
        )
        taken = cursor.fetchone()
    if taken:
        result = act()
        Answer.objects.filter(pk=taken[0]).update(answer=result.answer, memory_ids=list(result.memory_ids))
        return result.answer
    return _replay_answer(Answer.objects.get(**slot), fingerprint)


def find_earlier_answer(*, actor: Actor, key: str, request: bytes, now: datetime | None = None) -> Any:
    """Return the answer that `run_once` stored, or None. Does not wait for a request that is still running."""
    now = now or timezone.now()
    kept = Answer.objects.made_after(now - IDEMPOTENCY_WINDOW)
    first = kept.filter(**_build_slot(actor, key, now=now)).first()
    return _replay_answer(first, _fingerprint(actor, request)) if first else None


def _build_slot(actor: Actor, key: str, *, now: datetime) -> dict[str, Any]:
    cleaned = clean_fields({"idempotency_key": key}, now=now)["idempotency_key"]
    if not cleaned:
        raise Invalid({"idempotency_key": "This is empty."})
    return {"organization": actor.organization_id, "caller": actor.caller, "key": cleaned}


def _replay_answer(first: Answer, fingerprint: str) -> Any:
    if first.fingerprint != fingerprint:
        raise IdempotencyKeyReused("This idempotency key was used for another request within the last 24 hours.")
    return first.answer
