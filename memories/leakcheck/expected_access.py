"""Computes who may read what in plain Python from plain rows, without the rules and querysets that the doors use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from teams.models import Admission, Agent, Membership, Person, Project, Team

PlainRow = Mapping[str, Any]
UPWARD_LEVELS = ("director", "executive")
OWNER_COLUMNS = {"team": "team_id", "project": "project_id", "agent": "agent_id", "global": "person_id"}
MEMORY_COLUMNS_READ = (
    *("id", "organization_id", "scope", "team_id", "project_id", "agent_id", "person_id", "user_id"),
    *("workspace_id", "status", "forgotten_at", "expires_at", "content", "key"),
)
FILE_COLUMNS_READ = ("id", "organization_id", "team_id", "workspace_id", "deleted_at", "content", "path")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A token or a login in one context, with the ids of the owners whose rows it may read."""

    name: str
    organization_id: UUID
    organization: str
    team: str
    owners: frozenset[UUID]
    file_teams: frozenset[UUID]
    separates_workspaces: bool
    workspace_id: UUID | None = None
    agent_id: UUID | None = None
    user_id: int | None = None
    headers: Mapping[str, str]

    def reads_row_of(self, owner: UUID | None, row: PlainRow) -> bool:
        if row["organization_id"] != self.organization_id or owner is None:
            return False
        in_workspace = not self.separates_workspaces or row["workspace_id"] == self.workspace_id
        return in_workspace and owner in self.owners

    def may_read_memory(self, row: PlainRow, *, now: datetime) -> bool:
        if row["forgotten_at"] or (row["expires_at"] and row["expires_at"] <= now):
            return False
        return self.reads_row_of(get_owner(row), row) and (row["status"] == "active" or self._proposed(row))

    def may_read_file(self, row: PlainRow) -> bool:
        in_workspace = not self.separates_workspaces or row["workspace_id"] == self.workspace_id
        same = row["organization_id"] == self.organization_id and row["team_id"] in self.file_teams
        return same and in_workspace and row["deleted_at"] is None

    def _proposed(self, row: PlainRow) -> bool:
        """Return whether it is the subject's own proposal."""
        if row["status"] != "proposed":
            return False
        if self.agent_id:
            return bool(row["agent_id"] == self.agent_id)
        return bool(row["agent_id"] is None and row["user_id"] == self.user_id)


def get_owner(row: PlainRow) -> UUID | None:
    """Return the id of the team, project, agent or person that a memory belongs to."""
    owner: UUID | None = row[OWNER_COLUMNS[row["scope"]]]
    return owner


def list_agent_owners(agent: PlainRow, *, person_id: UUID | None, project_id: UUID | None) -> frozenset[UUID]:
    """Return the owners whose memories an agent reads in a context that names this person and this project."""
    named = {owner for owner in (person_id, project_id) if owner}
    return frozenset({agent["id"], *list_agent_teams(agent), *named})


def list_agent_teams(agent: PlainRow) -> frozenset[UUID]:
    """Return the agent's team; of those who read upwards, all teams above it too."""
    teams = {agent["team_id"]}
    if agent["level"] in UPWARD_LEVELS:
        parents = dict(Team.objects.filter(organization=agent["organization_id"]).values_list("pk", "parent_id"))
        above = parents.get(agent["team_id"])
        while above and above not in teams:
            teams.add(above)
            above = parents.get(above)
    return frozenset(teams)


def list_agent_projects(agent: PlainRow) -> list[PlainRow]:
    """Return the projects that the agent may work in: its team's, and those that admitted it."""
    admitting = set(Admission.objects.filter(agent=agent["id"]).values_list("project_id", flat=True))
    projects = Project.objects.filter(organization=agent["organization_id"]).values("id", "slug", "team_id")
    return [row for row in projects if row["team_id"] == agent["team_id"] or row["id"] in admitting]


def list_login_owners(user_id: int, organization_id: UUID) -> tuple[frozenset[UUID], frozenset[UUID]]:
    """Return the owners whose memories a login reads, and the teams whose files."""
    roles = dict(Membership.objects.filter(user=user_id, organization=organization_id).values_list("team_id", "role"))
    people = set(Person.objects.filter(user=user_id, organization=organization_id).values_list("pk", flat=True))
    admitting = set(Admission.objects.filter(person__in=people).values_list("project_id", flat=True))
    projects = {
        pk
        for pk, team in Project.objects.filter(organization=organization_id).values_list("pk", "team_id")
        if team in roles or pk in admitting
    }
    owned = [team for team, role in roles.items() if role == "owner"]
    agents = set(Agent.objects.filter(team__in=owned).values_list("pk", flat=True))
    return frozenset({*roles, *people, *projects, *agents}), frozenset(roles)


def unite_rows(rows: Iterable[PlainRow]) -> dict[UUID, PlainRow]:
    return {row["id"]: row for row in rows}
