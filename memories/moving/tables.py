"""What an archive carries: which tables, in which order, and which of their rows."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from functools import cached_property
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Model
from django.utils import timezone

from memories import models as memories
from memories.models import batches, embeddings, ledgers, statistics
from teams import models as teams
from teams.actor import Actor


class Reach(IntEnum):
    """How much whoever asks may carry away."""

    AGENT = 1  # memories and files
    OWNER = 2  # and what was asked
    OPERATOR = 3  # and who may come in


@dataclass(frozen=True, kw_only=True)
class Selection:
    """One team or, without one, a whole organization; of its memories those of some audiences, or all."""

    organization: teams.Organization
    team: teams.Team | None = None
    audiences: frozenset[UUID] | None = None
    restorable: frozenset[UUID] = frozenset()  # of these audiences and teams, what is gone too
    workspace_id: UUID | None = None
    separates: bool = False  # whether only that workspace is meant, or what is in none
    reach: Reach = Reach.OPERATOR
    now: datetime = field(default_factory=timezone.now)  # when it is seen: one moment for all tables

    @classmethod
    def of(cls, actor: Actor, *, team: teams.Team, reach: Reach) -> Self:
        """What of the team the actor sees; what is gone, if the actor may bring it back."""
        may_restore = actor.may(teams.Verb.READ) and actor.may(teams.Verb.WRITE)
        return cls(
            organization=team.organization,
            team=team,
            audiences=actor.reads,
            restorable=actor.writes if may_restore else frozenset(),
            workspace_id=actor.workspace_id,
            separates=actor.workspaces_enabled,
            reach=reach,
        )

    @property
    def values(self) -> dict[str, Any]:
        """For the statements below."""
        return {
            "organization": self.organization.pk,
            "team": self.team.pk if self.team else None,
            "audiences": None if self.audiences is None else sorted(self.audiences, key=str),
            "restorable": sorted(self.restorable, key=str),
            "workspace": self.workspace_id,
            "separates": self.separates,
            "now": self.now,
        }


@dataclass(frozen=True)
class Table:
    """`own` says which rows belong to a selection. Rows that others refer to come along, if the table is shared."""

    model: type[Model]
    own: str
    shared: bool = False
    reach: Reach = Reach.AGENT
    key: str = "id"

    @property
    def name(self) -> str:
        return str(self.model._meta.db_table)

    @property
    def of_organization(self) -> str:
        return "id" if self.model is teams.Organization else "organization_id"

    @property
    def unique(self) -> str:
        return "id" if self.key == "id" else f"organization_id, {self.key}"

    @cached_property
    def fields(self) -> dict[str, "models.Field[Any, Any]"]:
        """By column; what Postgres derives it derives again."""
        concrete = self.model._meta.concrete_fields
        return {field.attname: field for field in concrete if not isinstance(field, models.GeneratedField)}

    @cached_property
    def logins(self) -> set[str]:
        """Columns that name a login, which has another number in each hub."""
        return {column for column, field in self.fields.items() if _target(field) == settings.AUTH_USER_MODEL}

    def links_to(self, other: "Table") -> list[str]:
        return [column for column, field in self.fields.items() if _target(field) == other.model._meta.label]


def _target(field: "models.Field[Any, Any]") -> str:
    return str(field.related_model._meta.label) if field.is_relation and field.related_model else ""


OF_TEAM = "(%(team)s::uuid IS NULL OR team_id = %(team)s::uuid)"
IN_WORKSPACE = "(NOT %(separates)s OR workspace_id IS NOT DISTINCT FROM %(workspace)s::uuid)"
NONE = "false"
ALL = "%(team)s::uuid IS NULL"
EVERYBODYS = "%(audiences)s::uuid[] IS NULL"
LIVING = "forgotten_at IS NULL AND (expires_at IS NULL OR expires_at > %(now)s)"
SEEN = f"audience = ANY(%(audiences)s::uuid[]) AND ({LIVING} OR audience = ANY(%(restorable)s::uuid[]))"
MEMORY = f"{OF_TEAM} AND {IN_WORKSPACE} AND ({EVERYBODYS} OR {SEEN})"
KEPT = "deleted_at IS NULL OR team_id = ANY(%(restorable)s::uuid[])"
FILE = f"{OF_TEAM} AND {IN_WORKSPACE} AND ({EVERYBODYS} OR {KEPT})"


def _of(column: str, table: str, rule: str, *, among: str = "id") -> str:
    return f"{column} IN (SELECT {among} FROM {table} WHERE organization_id = %(organization)s AND {rule})"  # noqa: S608


def _of_memory(column: str = "memory_id") -> str:
    return _of(column, "memories_memory", MEMORY)


# A version that was written for another audience stays with them.
REVISION = f"({EVERYBODYS} OR {_of('(memory_id, audience)', 'memories_memory', MEMORY, among='id, audience')})"

# Whatever refers to another table's rows stands after it.
TABLES = (
    Table(teams.Organization, "true", shared=True),
    Table(teams.Workspace, ALL, shared=True),
    Table(teams.Team, "(%(team)s::uuid IS NULL OR id = %(team)s::uuid)", shared=True),
    Table(teams.Person, ALL, shared=True),
    Table(teams.Membership, OF_TEAM, reach=Reach.OPERATOR),
    Table(teams.Invitation, OF_TEAM, reach=Reach.OPERATOR),
    Table(teams.Agent, OF_TEAM, shared=True),
    Table(teams.Token, _of("agent_id", "teams_agent", OF_TEAM), reach=Reach.OPERATOR),
    Table(teams.Project, OF_TEAM, shared=True),
    Table(teams.Admission, _of("project_id", "teams_project", OF_TEAM), reach=Reach.OPERATOR),
    Table(teams.Session, ALL, shared=True),
    Table(memories.Memory, MEMORY),
    Table(memories.Revision, f"{_of_memory()} AND {REVISION}"),
    Table(memories.Association, f"{_of_memory('origin_id')} AND {_of_memory('target_id')}"),
    Table(memories.Asset, f"removed_at IS NULL AND {_of_memory()}"),
    Table(memories.Source, f"removed_at IS NULL AND {_of_memory()}"),
    Table(ledgers.Usage, _of_memory(), key="memory_id"),
    Table(memories.TeamFile, FILE),
    Table(memories.FileVersion, _of("file_id", "memories_teamfile", FILE)),
    Table(memories.RecallLog, OF_TEAM, reach=Reach.OWNER),
    Table(memories.SettledQuestion, f"{OF_TEAM} AND (memory_id IS NULL OR {_of_memory()})", reach=Reach.OWNER),
)

# What is made anew from the rest, or means nothing elsewhere.
LEFT: tuple[type[Model], ...] = (
    teams.Attempts,
    teams.Pace,
    embeddings.Embedding,
    batches.Batch,
    embeddings.EmbeddingModel,
    embeddings.Unembedded,
    ledgers.Answer,
    ledgers.Day,
    ledgers.Growth,
    statistics.Vocabulary,
    statistics.Lexeme,
)
