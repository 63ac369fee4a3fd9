"""The recall log, read: what was asked and what came back, limited to what the reader may know."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q

from memories.models import Memory, RecallLog, Revision
from memories.queries import paging
from memories.queries.presence import Presence, find_presence
from memories.rules import access
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor
from teams.models import Agent

MAX_RECALLS_OF_DAY = 200  # recalls of an agent on one day
MAX_MEMORIES_OF_DAY = 200  # memories that it was given then


class MemoryVersion(NamedTuple):
    """A memory at one of its versions."""

    memory_id: UUID
    version: int


@dataclass(frozen=True, slots=True)
class GivenMemory:
    """A memory in the version that a recall returned."""

    memory_id: UUID
    version: int
    key: str
    text: str
    type: str
    presence: Presence


@dataclass(frozen=True, slots=True)
class RecallEntry:
    """A past recall, and the memories that it returned."""

    log: RecallLog
    given: list[GivenMemory]

    @property
    def hidden(self) -> int:
        """The number of returned memories that the reader may not know of."""
        return len(self.log.memory_ids) - len(self.given)


@dataclass(frozen=True, slots=True)
class RecallLogPage:
    recalls: list[RecallEntry]
    next: str | None


def list_recalls(*, actor: Actor, limit: int, rule: Q | None = None, cursor: str | None = None) -> RecallLogPage:
    """Return a page of the team's recalls that were asked in contexts which the actor may read, newest first. Indexes:
    recall_of_audience and recall_by_agent, once per audience."""
    rows = RecallLog.objects.visible_to(actor).of_team(actor.team_id).filter(rule or Q())
    page = paging.fetch_page(
        rows.with_callers(),
        order="-created_at",
        limit=limit,
        cursor=cursor,
        parts=[Q(audience=audience) for audience in access.list_readable_audiences(actor)],
    )
    return RecallLogPage(describe_recalls(actor=actor, logs=page.rows), page.next)


def describe_recalls(*, actor: Actor, logs: Sequence[RecallLog]) -> list[RecallEntry]:
    known = load_given_memories(actor=actor, versions={version for log in logs for version in given_versions(log)})
    return [RecallEntry(log, [known[one] for one in given_versions(log) if one in known]) for log in logs]


def given_versions(log: RecallLog) -> list[MemoryVersion]:
    return [MemoryVersion(*pair) for pair in zip(log.memory_ids, log.versions, strict=True)]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The memories that an agent was given on one day."""

    given: list[GivenMemory]
    hidden: int
    recalls: int
    more: bool  # than were looked at
    core: Revision | None  # as it stood when the day ended


def load_knowledge(*, actor: Actor, agent: Agent, since: datetime, until: datetime) -> Knowledge:
    """Return what the agent was given in that time, latest first."""
    rows = RecallLog.objects.visible_to(actor).of_team(actor.team_id).filter(agent=agent).between(since, until)
    logs = list(rows.order_by("-created_at")[: MAX_RECALLS_OF_DAY + 1])
    recalls = logs[:MAX_RECALLS_OF_DAY]
    all_versions = list(dict.fromkeys(version for log in recalls for version in given_versions(log)))
    versions = all_versions[:MAX_MEMORIES_OF_DAY]
    readable = load_given_memories(actor=actor, versions=versions)
    return Knowledge(
        given=[readable[version] for version in versions if version in readable],
        hidden=len(versions) - len(readable),
        recalls=len(recalls),
        more=len(logs) > len(recalls) or len(all_versions) > len(versions),
        core=_core_revision(actor, until=until),
    )


def _core_revision(actor: Actor, *, until: datetime) -> Revision | None:
    """Return the version that the present core memory had at that moment."""
    core = Memory.objects.visible_to(actor).core_of(actor.team_id)
    history = Revision.objects.visible_to(actor).written_for([actor.team_id])
    history = history.filter(memory__in=core.values("pk"), created_at__lt=until)
    then = history.with_authors().latest_first().first()
    return then if then and then.forgotten_at is None else None


# Index: memory_has_each_version_once.
GIVEN_TEXTS_SQL = """
SELECT revision.memory_id, revision.version, key, left(coalesce(nullif(summary, ''), content), 300), type
FROM unnest(%(memories)s::uuid[], %(versions)s::integer[]) AS given (memory_id, version)
JOIN memories_revision AS revision ON revision.organization_id = %(organization)s::uuid
    AND revision.memory_id = given.memory_id AND revision.version = given.version
WHERE revision.audience = ANY(%(audiences)s::uuid[])
"""


def load_given_memories(*, actor: Actor, versions: Collection[MemoryVersion]) -> dict[MemoryVersion, GivenMemory]:
    """Return the versions of which the actor may know, as they were then."""
    presences = find_presence(actor=actor, memory_ids={version.memory_id for version in versions})
    readable = [version for version in versions if presences[version.memory_id] is not Presence.GONE]
    rows = _fetch_given_texts(actor=actor, versions=readable)
    return {
        MemoryVersion(memory, version): GivenMemory(memory, version, key, text, type_, presences[memory])
        for memory, version, key, text, type_ in rows
    }


def _fetch_given_texts(*, actor: Actor, versions: Iterable[MemoryVersion]) -> list[tuple[Any, ...]]:
    memories, numbers = [version.memory_id for version in versions], [version.version for version in versions]
    values: dict[str, Any] = {"organization": actor.organization_id, "audiences": access.list_readable_audiences(actor)}
    with prepared_cursor() as cursor:
        cursor.execute(GIVEN_TEXTS_SQL, values | {"memories": memories, "versions": numbers})
        return list(cursor.fetchall())
