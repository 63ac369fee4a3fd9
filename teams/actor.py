"""The actor: who is calling, in which context. One frozen value per request, built by `teams.rights`, read by every
rule."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from teams.models import Verb


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """A caller with its rights. `reads`, `writes` and `owns` hold the ids of the audiences that it reaches: teams,
    projects, agents and people. A memory has exactly one audience, so a right is membership in a set."""

    organization_id: UUID
    team_id: UUID
    name: str
    team_language: str = ""  # of texts that could be in any language
    verbs: frozenset[Verb]
    reads: frozenset[UUID]
    writes: frozenset[UUID]
    owns: frozenset[UUID] = frozenset()
    readable_team_ids: tuple[UUID, ...]  # its own first, then upwards
    agent_id: UUID | None = None
    token_id: UUID | None = None  # the token that an agent authenticated with
    user_id: int | None = None
    person_id: UUID | None = None
    project_id: UUID | None = None
    session_id: UUID | None = None
    workspace_id: UUID | None = None
    workspaces_enabled: bool = False
    channel_id: str = ""
    operates: bool = False  # an operator of the hub, in the admin
    unknown_person: bool = False  # the call names a person who is not registered yet
    unregistered: bool = False  # the call names people or sessions that a write must register first
    level: str = ""  # of an agent
    policy: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)  # of its team, as it is stored
    confirms: bool = False  # that what screening asks about is meant
    persons: tuple[str, ...] | None = None  # handles that its calls may name as the user; None: any

    @property
    def caller(self) -> str:
        """Identify the caller whose request may be a repetition."""
        return f"agent:{self.agent_id}" if self.agent_id else f"user:{self.user_id}"

    def may(self, verb: Verb) -> bool:
        return verb in self.verbs
