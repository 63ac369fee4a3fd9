"""Querysets of the registry: the words in which doors ask for organizations, teams and whoever belongs to them."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce

if TYPE_CHECKING:  # both import the models
    from teams.actor import Actor
    from teams.models import (  # noqa: F401 (named in annotations)
        Admission,
        Agent,
        Invitation,
        Membership,
        Person,
        Project,
        Session,
        Team,
        Token,
        Workspace,
    )

# A little less than a day and a week, so that a job which starts earlier than the last one leaves nobody out.
DIGEST_PERIODS = {"daily": timedelta(hours=20), "weekly": timedelta(days=6, hours=20)}

Row = TypeVar("Row", bound=models.Model)


class RegistryQuerySet(models.QuerySet[Row]):
    """Rows of a table that belongs to organizations."""

    def in_organization(self, organization: Any) -> Self:
        return self.filter(organization=organization)


class TeamRowQuerySet(RegistryQuerySet[Row]):
    """Rows that belong to one team."""

    def of_team(self, team_id: UUID) -> Self:
        return self.filter(team=team_id)


class TeamQuerySet(RegistryQuerySet["Team"]):
    def readable_by(self, actor: "Actor") -> Self:
        """Return the actor's team, and those above it whose memories the actor reads."""
        return self.filter(pk__in=actor.readable_team_ids)


class MembershipQuerySet(TeamRowQuerySet["Membership"]):
    def with_logins(self) -> Self:
        """Load the members' logins, in the order of their names."""
        return self.select_related("user").order_by("user__username")

    def digest_due(self, *, now: datetime) -> Self:
        """Return the memberships of active logins with an address whose last digest is old enough."""
        due = Q()
        for digest, period in DIGEST_PERIODS.items():
            due |= Q(Q(digest_sent_at=None) | Q(digest_sent_at__lte=now - period), digest=digest)
        return self.filter(due, user__is_active=True).exclude(user__email="")


class InvitationQuerySet(TeamRowQuerySet["Invitation"]):
    def open(self, *, now: datetime) -> Self:
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=now)


class AgentQuerySet(TeamRowQuerySet["Agent"]):
    pass


class ProjectQuerySet(TeamRowQuerySet["Project"]):
    pass


class WorkspaceQuerySet(RegistryQuerySet["Workspace"]):
    pass


class AdmissionQuerySet(RegistryQuerySet["Admission"]):
    def with_guests(self) -> Self:
        """Load who is admitted, with the teams of the agents."""
        return self.select_related("agent__team", "person")


class PersonQuerySet(RegistryQuerySet["Person"]):
    def with_handle(self, handle: str) -> Self:
        return self.filter(handle=handle)


class SessionQuerySet(RegistryQuerySet["Session"]):
    def readable_by(self, actor: "Actor") -> Self:
        """Return the sessions of agents whose own memories the actor reads."""
        return self.in_organization(actor.organization_id).filter(agent__in=actor.reads)

    def of_agent(self, actor: "Actor") -> Self:
        """Return the sessions of the agent that acts."""
        return self.in_organization(actor.organization_id).filter(agent=actor.agent_id)

    def with_context(self) -> Self:
        """Load the context that calls inherit from the session."""
        return self.select_related("project", "person", "workspace")


class TokenQuerySet(RegistryQuerySet["Token"]):
    def working(self, *, now: datetime) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)

    def not_used(self, *, since: datetime) -> Self:
        """Return the tokens neither used nor created since, longest unused first. Index: token_unused."""
        idle = self.alias(idle_since=Coalesce("last_used_at", "created_at")).filter(idle_since__lt=since)
        return idle.filter(revoked_at=None).order_by("idle_since")

    def of_team(self, team_id: UUID) -> Self:
        """Return the tokens of the team's agents."""
        return self.filter(agent__team=team_id)

    def naming_anybody(self) -> Self:
        """Return the tokens whose calls may name any person: see `Token.nameable`."""
        return self.filter(Q(any_person=True) | Q(person=None, persons=[]))

    def naming(self, person: "Person") -> Self:
        """Return the tokens that serve this person or list them."""
        return self.filter(Q(person=person) | Q(persons__contains=[person.handle]), organization=person.organization_id)
