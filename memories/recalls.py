"""What was asked and what came back, as far as one who looks may know: the ledger, read."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q

from memories import paging
from memories.context import CORE_KEY
from memories.models import Memory, RecallLog, Revision
from memories.presence import Presence, presence
from memoryhub.prepared import prepared_cursor
from teams.actor import Actor
from teams.models import Agent

TELLING = ("agent", "user", "token", "session")
LOOKED_AT = 200  # recalls of an agent on one day
TOLD = 200  # memories that it was given then


class Version(NamedTuple):
    """A memory as it was at one time."""

    memory_id: UUID
    version: int


@dataclass(frozen=True, slots=True)
class Given:
    """A memory in the version that somebody got."""

    memory_id: UUID
    version: int
    key: str
    text: str
    type: str
    presence: Presence


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was asked once, and what came back."""

    log: RecallLog
    given: list[Given]

    @property
    def hidden(self) -> int:
        """How many came back of which one may not know."""
        return len(self.log.memory_ids) - len(self.given)


@dataclass(frozen=True, slots=True)
class Ledger:
    recalls: list[Recalled]
    next: str | None


def recalls(*, actor: Actor, limit: int, rule: Q | None = None, cursor: str | None = None) -> Ledger:
    """The team's, the newest first. Hopes for the indexes recall_newest and recall_by_agent."""
    rows = RecallLog.objects.filter(rule or Q(), organization=actor.organization_id, team=actor.team_id)
    page = paging.page(rows.select_related(*TELLING), order="-created_at", limit=limit, cursor=cursor)
    return Ledger(tell(actor=actor, logs=page.rows), page.next)


def tell(*, actor: Actor, logs: Sequence[RecallLog]) -> list[Recalled]:
    known = given(actor=actor, versions={version for log in logs for version in versions_of(log)})
    return [Recalled(log, [known[one] for one in versions_of(log) if one in known]) for log in logs]


def versions_of(log: RecallLog) -> list[Version]:
    return [Version(*pair) for pair in zip(log.memory_ids, log.versions, strict=True)]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What an agent was given on one day."""

    given: list[Given]
    hidden: int
    recalls: int
    more: bool  # than were looked at
    core: Revision | None  # as it stood when the day ended


def knowledge(*, actor: Actor, agent: Agent, since: datetime, until: datetime) -> Knowledge:
    """The latest first."""
    rows = RecallLog.objects.filter(
        organization=actor.organization_id,
        team=actor.team_id,
        agent=agent,
        created_at__gte=since,
        created_at__lt=until,
    )
    logs = list(rows.order_by("-created_at")[: LOOKED_AT + 1])
    looked_at = logs[:LOOKED_AT]
    versions = list(dict.fromkeys(version for log in looked_at for version in versions_of(log)))
    known = given(actor=actor, versions=versions[:TOLD])
    told = [known[version] for version in versions[:TOLD] if version in known]
    return Knowledge(
        given=told,
        hidden=len(versions[:TOLD]) - len(told),
        recalls=len(looked_at),
        more=len(logs) > LOOKED_AT or len(versions) > TOLD,
        core=_core(actor, until=until),
    )


def _core(actor: Actor, *, until: datetime) -> Revision | None:
    """The version of today's core memory that stood at that moment."""
    core = Memory.objects.visible_to(actor).filter(audience=actor.team_id, key=CORE_KEY, owns_key=True)
    history = Revision.objects.filter(
        organization=actor.organization_id, memory__in=core.values("pk"), audience=actor.team_id, created_at__lt=until
    )
    then = history.select_related("agent", "user").order_by("-version").first()
    return then if then and then.forgotten_at is None else None


# Hopes for the index memory_has_each_version_once.
GIVEN = """
SELECT revision.memory_id, revision.version, key, left(coalesce(nullif(summary, ''), content), 300), type
FROM unnest(%(memories)s::uuid[], %(versions)s::integer[]) AS given (memory_id, version)
JOIN memories_revision AS revision ON revision.organization_id = %(organization)s::uuid
    AND revision.memory_id = given.memory_id AND revision.version = given.version
WHERE revision.audience = ANY(%(audiences)s::uuid[])
"""


def given(*, actor: Actor, versions: Collection[Version]) -> dict[Version, Given]:
    """Those of which the actor may know, as they were then."""
    there = presence(actor=actor, memory_ids={version.memory_id for version in versions})
    told = [version for version in versions if there[version.memory_id] is not Presence.GONE]
    rows = _texts(actor=actor, versions=told)
    return {
        Version(memory, version): Given(memory, version, key, text, type_, there[memory])
        for memory, version, key, text, type_ in rows
    }


def _texts(*, actor: Actor, versions: Iterable[Version]) -> list[tuple[Any, ...]]:
    memories, numbers = [version.memory_id for version in versions], [version.version for version in versions]
    values: dict[str, Any] = {"organization": actor.organization_id, "audiences": list(actor.reads)}
    with prepared_cursor() as cursor:
        cursor.execute(GIVEN, values | {"memories": memories, "versions": numbers})
        return list(cursor.fetchall())
