"""The log of recalls and the usage counts: noted during the recall, written about a second later in the background.

What a process has not written when it is killed is lost: the recalls of its last second or two.
"""

import logging
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import orjson
from django.db import DatabaseError, IntegrityError, connection, transaction

from memories.models import Memory, RecallLog
from memories.screening.findings import redact
from memories.screening.secrets import find_secrets
from memoryhub import background
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import array_literal, prepared_cursor
from teams.actor import Actor

log = logging.getLogger(__name__)
WITHIN = 1.0  # seconds until a recall is in the ledger
AT_ONCE = 500
KEPT = 10_000  # queued recalls while the database does not answer; beyond that the oldest are dropped


@dataclass(frozen=True, slots=True)
class QueuedRecall:
    """A recall that is to be logged, with all that is known of it at once."""

    values: dict[str, Any]
    memories: Sequence[Memory]


_queue: deque[QueuedRecall] = deque(maxlen=KEPT)


def queue_entry(
    *,
    actor: Actor,
    query: str,
    mode: str,
    filters: dict[str, Any],
    memories: Sequence[Memory],
    total: int,
    took: float,
    now: datetime,
    floor: float = 0.0,
    confidence: float | None = None,
) -> None:
    values = {
        "organization_id": actor.organization_id,
        "team_id": actor.team_id,
        "audience": find_context_audience(actor),
        "workspace_id": actor.workspace_id,
        "agent_id": actor.agent_id,
        "user_id": actor.user_id,
        "token_id": actor.token_id,
        "session_id": actor.session_id,
        "query": query,
        "mode": mode,
        "filters": filters,
        "total_found": total,
        "floor": floor or None,
        "confidence": confidence,
        "took_ms": round(took * 1_000, 2),
        "created_at": now,
    }
    _queue.append(QueuedRecall(values, memories))
    background.run_soon("ledger", flush, within=WITHIN)


def find_context_audience(actor: Actor) -> UUID | None:
    """Return the audience in whose context was asked; None for a person who is not known yet, so that nobody else is
    told."""
    return None if actor.unknown_person else actor.person_id or actor.project_id or actor.team_id


def flush() -> None:
    """Write what was noted; keep it for the next time if the database does not answer."""
    while _queue:
        taken = _take_entries()
        try:
            _write(taken)
        except IntegrityError:  # somebody whom a note names is gone: the others' stay
            _write_each(taken)
        except DatabaseError:
            _queue.extendleft(reversed(taken))
            background.retry_later("ledger", flush, within=WITHIN * 5)
            raise


def _take_entries() -> list[QueuedRecall]:
    """Take some notes off the queue. Other threads may do so at the same time, where there is no background thread."""
    taken: list[QueuedRecall] = []
    with suppress(IndexError):
        while len(taken) < AT_ONCE:
            taken.append(_queue.popleft())
    return taken


def _write_each(entries: Sequence[QueuedRecall]) -> None:
    for one in entries:
        try:
            _write([one])
        except IntegrityError:
            log.warning("A recall was not noted: whoever asked is gone.")


# Index: the primary key. In the order of the ids, so that two processes never wait for each other in a circle.
USED = """
INSERT INTO memories_usage AS usage (organization_id, memory_id, audience, access_count, last_accessed_at)
SELECT * FROM unnest(%(organizations)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[], %(counts)s::integer[],
    %(moments)s::timestamptz[])
ON CONFLICT (organization_id, memory_id) DO UPDATE
SET access_count = usage.access_count + excluded.access_count, audience = excluded.audience,
    last_accessed_at = greatest(usage.last_accessed_at, excluded.last_accessed_at)
"""


def _redact_secrets(query: str) -> str:
    return redact(query, find_secrets(query))


@cache
def _build_log_statement() -> str:
    """Return the statement that writes the log: all rows as one JSON array."""
    types = {str(field.column): field.db_type(connection) for field in RecallLog._meta.concrete_fields}
    definitions = ", ".join(f"{column} {kind}" for column, kind in types.items())
    columns, table = ", ".join(types), RecallLog._meta.db_table
    return (
        f"INSERT INTO {table} ({columns})"
        f" SELECT {columns} FROM jsonb_to_recordset(%(rows)s::jsonb) AS row ({definitions})"
    )


def _build_log_row(entry: QueuedRecall) -> dict[str, Any]:
    return entry.values | {
        "id": uuid7(),
        "query": _redact_secrets(entry.values["query"]),
        "memory_ids": [memory.pk for memory in entry.memories],
        "versions": [memory.version for memory in entry.memories],
    }


@transaction.atomic
def _write(entries: Sequence[QueuedRecall]) -> None:
    counts: Counter[tuple[UUID, UUID]] = Counter()
    audiences: dict[tuple[UUID, UUID], UUID] = {}
    moments: dict[tuple[UUID, UUID], datetime] = {}
    for one in entries:
        now = one.values["created_at"]
        for memory in one.memories:
            used = (memory.organization_id, memory.pk)
            counts[used] += 1
            audiences[used] = memory.audience
            moments[used] = max(now, moments.get(used, now))
    ordered = sorted(counts, key=lambda used: (used[0].int, used[1].int))
    with prepared_cursor() as cursor:
        cursor.execute(_build_log_statement(), {"rows": orjson.dumps(list(map(_build_log_row, entries))).decode()})
        cursor.execute(
            USED,
            {
                "organizations": array_literal(organization for organization, _ in ordered),
                "memories": array_literal(memory for _, memory in ordered),
                "audiences": array_literal(audiences[used] for used in ordered),
                "counts": array_literal(counts[used] for used in ordered),
                "moments": array_literal(moments[used] for used in ordered),
            },
        )
