"""Once: a request that is repeated with its idempotency key is answered as the first time and writes nothing."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memories.fields import clean
from memories.models import Answer
from memoryhub.errors import Invalid, Reused
from memoryhub.ids import uuid7
from teams.actor import Actor

KEPT_FOR = timedelta(hours=24)

# Takes the key: new, or left over from longer ago than it is kept. A second caller waits here for the first one's
# transaction to end, and then takes nothing.
TAKE = """
INSERT INTO memories_answer (id, organization_id, caller, key, fingerprint, answer, memory_ids, created_at)
VALUES (%(id)s, %(organization)s, %(caller)s, %(key)s, %(fingerprint)s, NULL, '{}', %(now)s)
ON CONFLICT (organization_id, caller, key) DO UPDATE
SET id = excluded.id, fingerprint = excluded.fingerprint, answer = NULL, memory_ids = '{}', created_at = %(now)s
WHERE memories_answer.created_at <= %(oldest)s
RETURNING id
"""


@dataclass(frozen=True, slots=True)
class Result:
    """A JSON answer, and the memories whose words are in it (a purge must find them)."""

    answer: Any
    memory_ids: tuple[UUID, ...] = ()


def _fingerprint(actor: Actor, request: bytes) -> str:
    """The same words in another context, with other verbs or from another place are another request: whoever has lost
    sight of something since does not see it again in the first answer."""
    context = (actor.project_id, actor.person_id, actor.session_id, actor.workspace_id, actor.channel_id)
    rights = (actor.team_id, sorted(actor.reads), sorted(actor.writes), sorted(actor.verbs))
    return hashlib.sha256(repr((context, rights)).encode() + b"\n" + request).hexdigest()


@transaction.atomic
def once(*, actor: Actor, key: str, request: bytes, act: Callable[[], Result], now: datetime | None = None) -> Any:
    """The answer of `act`, which runs at most once a day for this caller and key. A failure leaves the key free."""
    now = now or timezone.now()
    slot, fingerprint = _slot(actor, key, now=now), _fingerprint(actor, request)
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {**slot, "id": uuid7(), "fingerprint": fingerprint, "now": now, "oldest": now - KEPT_FOR})
        taken = cursor.fetchone()
    if taken:
        result = act()
        Answer.objects.filter(pk=taken[0]).update(answer=result.answer, memory_ids=list(result.memory_ids))
        return result.answer
    return _told(Answer.objects.get(**slot), fingerprint)


def answered(*, actor: Actor, key: str, request: bytes, now: datetime | None = None) -> Any:
    """What `once` answered already; None if it did not. Waits for nobody who is at it."""
    now = now or timezone.now()
    kept = Answer.objects.filter(**_slot(actor, key, now=now), created_at__gt=now - KEPT_FOR)
    first = kept.first()
    return _told(first, _fingerprint(actor, request)) if first else None


def _slot(actor: Actor, key: str, *, now: datetime) -> dict[str, Any]:
    cleaned = clean({"idempotency_key": key}, now=now)["idempotency_key"]
    if not cleaned:
        raise Invalid({"idempotency_key": "This is empty."})
    return {"organization": actor.organization_id, "caller": actor.caller, "key": cleaned}


def _told(first: Answer, fingerprint: str) -> Any:
    if first.fingerprint != fingerprint:
        raise Reused("This idempotency key was used for another request within the last 24 hours.")
    return first.answer
