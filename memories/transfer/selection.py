"""Selection of what an archive holds: the scope of an export, and which rows of each table belong to it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any, Self
from uuid import UUID

from django.utils import timezone

from teams import models as teams
from teams.actor import Actor


class ExportReach(IntEnum):
    """The extent of an export, which depends on who asks for it."""

    AGENT = 1  # memories and files
    OWNER = 2  # and what was asked
    OPERATOR = 3  # and who may come in


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The scope of an export: one team or, without one, a whole organization; of its memories those of some audiences,
    or all."""

    organization: teams.Organization
    team: teams.Team | None = None
    audiences: frozenset[UUID] | None = None
    restorable: frozenset[UUID] = frozenset()  # of these audiences and teams, what is gone too
    workspace_id: UUID | None = None
    separates: bool = False  # whether only that workspace is meant, or what is in none
    reach: ExportReach = ExportReach.OPERATOR
    now: datetime = field(default_factory=timezone.now)  # when it is seen: one moment for all tables

    @classmethod
    def of(cls, actor: Actor, *, team: teams.Team, reach: ExportReach) -> Self:
        """Select what the actor sees of the team, including deleted rows if the actor may restore them."""
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
        """Return the parameters of the statements below."""
        return {
            "organization": self.organization.pk,
            "team": self.team.pk if self.team else None,
            "audiences": None if self.audiences is None else sorted(self.audiences, key=str),
            "restorable": sorted(self.restorable, key=str),
            "workspace": self.workspace_id,
            "separates": self.separates,
            "now": self.now,
        }


OF_TEAM = "(%(team)s::uuid IS NULL OR team_id = %(team)s::uuid)"
IN_WORKSPACE = "(NOT %(separates)s OR workspace_id IS NOT DISTINCT FROM %(workspace)s::uuid)"
NO_ROWS = "false"
WHOLE_ORGANIZATION = "%(team)s::uuid IS NULL"
ANY_AUDIENCE = "%(audiences)s::uuid[] IS NULL"
MEMORY_ACTIVE = "forgotten_at IS NULL AND (expires_at IS NULL OR expires_at > %(now)s)"
MEMORY_VISIBLE = (
    "audience = ANY(%(audiences)s::uuid[]) AND status = 'active' "
    f"AND ({MEMORY_ACTIVE} OR audience = ANY(%(restorable)s::uuid[]))"
)
MEMORY_ROWS = f"{OF_TEAM} AND {IN_WORKSPACE} AND ({ANY_AUDIENCE} OR {MEMORY_VISIBLE})"
RECALL_ROWS = f"{OF_TEAM} AND {IN_WORKSPACE} AND ({ANY_AUDIENCE} OR audience = ANY(%(audiences)s::uuid[]))"
FILE_VISIBLE = "deleted_at IS NULL OR team_id = ANY(%(restorable)s::uuid[])"
FILE_ROWS = f"{OF_TEAM} AND {IN_WORKSPACE} AND ({ANY_AUDIENCE} OR {FILE_VISIBLE})"


def in_subquery(column: str, table: str, rule: str, *, among: str = "id") -> str:
    return f"{column} IN (SELECT {among} FROM {table} WHERE organization_id = %(organization)s AND {rule})"  # noqa: S608


def of_memory(column: str = "memory_id") -> str:
    return in_subquery(column, "memories_memory", MEMORY_ROWS)


# A version that was written for another audience stays with them.
OF_SEEN_MEMORY = in_subquery("(memory_id, audience)", "memories_memory", MEMORY_ROWS, among="id, audience")
REVISION_ROWS = f"({ANY_AUDIENCE} OR (status = 'active' AND {OF_SEEN_MEMORY}))"
