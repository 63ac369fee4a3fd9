"""Who is asking, in which context: one frozen value per request, made by `teams.auth` and read by every rule."""

from dataclasses import dataclass
from uuid import UUID

from teams.models import Verb


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """`reads`, `writes` and `owns` hold the ids of the audiences that this actor reaches: teams, projects, agents
    and people. A memory has exactly one audience, so who may do what is a question of membership in a set."""

    organization_id: UUID
    team_id: UUID
    name: str
    verbs: frozenset[Verb]
    reads: frozenset[UUID]
    writes: frozenset[UUID]
    owns: frozenset[UUID] = frozenset()
    readable_team_ids: tuple[UUID, ...]  # its own first, then upwards
    agent_id: UUID | None = None
    token_id: UUID | None = None  # by which an agent came in
    user_id: int | None = None
    person_id: UUID | None = None
    project_id: UUID | None = None
    session_id: UUID | None = None
    workspace_id: UUID | None = None
    workspaces_enabled: bool = False
    channel_id: str = ""
    operates: bool = False  # whoever runs the hub, at its own pages

    @property
    def caller(self) -> str:
        """Tells callers apart where a request may be repeated."""
        return f"agent:{self.agent_id}" if self.agent_id else f"user:{self.user_id}"

    def may(self, verb: Verb) -> bool:
        return verb in self.verbs
