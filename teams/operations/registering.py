"""Who there is, as commands and calls register it. Each can be repeated without harm."""

import re
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memoryhub.errors import Conflict, Invalid, NotFound
from memoryhub.text import line_flaw, tidy
from teams import tokens
from teams.models import (
    HANDLE_LENGTH,
    SLUG,
    Agent,
    Level,
    Organization,
    Person,
    Session,
    Team,
    Token,
    Verb,
)

ROOT_SLUG = "executive"


@transaction.atomic
def ensure_organization(*, slug: str, name: str = "") -> Organization:
    """The organization, with its root team."""
    refuse_odd_slug("organization", slug)
    organization, _ = Organization.objects.get_or_create(slug=slug, defaults={"name": name or titled(slug)})
    if not Team.objects.filter(organization=organization, parent=None).exists():
        Team.objects.create(organization=organization, slug=ROOT_SLUG, name=titled(ROOT_SLUG))
    return organization


@transaction.atomic
def ensure_team(
    *, organization: Organization, slug: str, parent: str = "", name: str = "", description: str = ""
) -> Team:
    """The team, made under its parent (the root, unless another is named) if it is missing."""
    refuse_odd_slug("team", slug)
    teams = Team.objects.filter(organization=organization)
    above = teams.filter(slug=parent).first() if parent else teams.get(parent=None)
    if above is None:
        raise NotFound(f"There is no team {parent!r} in {organization.slug}.")
    team, created = Team.objects.get_or_create(
        organization=organization,
        slug=slug,
        defaults={"parent": above, "name": name or titled(slug), "description": description},
    )
    if parent and not created and team.parent_id != above.pk:
        raise Conflict(f"Team {slug!r} exists already, under another parent.")
    return team


def ensure_agent(*, team: Team, slug: str, level: Level | None = None, name: str = "") -> Agent:
    refuse_odd_slug("agent", slug)
    agent, _ = Agent.objects.get_or_create(
        organization_id=team.organization_id,
        team=team,
        slug=slug,
        defaults={"level": level or Level.MEMBER, "name": name},
    )
    if level and agent.level != level:
        raise Conflict(f"Agent {slug!r} exists already, as {agent.level}.")
    return agent


def issue_token(
    *,
    agent: Agent,
    verbs: Iterable[Verb] = tuple(Verb),
    expires_at: datetime | None = None,
    label: str = "",
    user: str = "",
    secret: tokens.Secret | None = None,
    now: datetime | None = None,
) -> tokens.Secret:
    """A new token for the agent, for that person where a call names nobody. What is returned is the only copy."""
    if found := line_flaw(label, longest=100):
        raise Invalid({"label": found})
    chosen = [verb for verb in Verb if verb in set(verbs)]
    if not chosen:
        raise Invalid({"verbs": f"Name at least one of {', '.join(Verb)}."})
    if expires_at and expires_at <= (now or timezone.now()):
        raise Invalid({"expires_at": "This moment has passed already."})
    person = ensure_person(organization_id=agent.organization_id, handle=user) if user else None
    secret = secret or tokens.generate()
    Token.objects.create(
        organization_id=agent.organization_id,
        agent=agent,
        person=person,
        label=label,
        prefix=secret.prefix,
        digest=secret.digest,
        verbs=chosen,
        expires_at=expires_at,
    )
    return secret


def revoke_token(*, token: Token, now: datetime | None = None) -> None:
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now or timezone.now())


def ensure_person(*, organization_id: UUID, handle: str, name: str = "") -> Person:
    handle = tidy(handle)
    if found := line_flaw(handle, longest=HANDLE_LENGTH) or ("" if handle else "A person needs a handle."):
        raise Invalid({"user": found})
    person, _ = Person.objects.get_or_create(organization_id=organization_id, handle=handle, defaults={"name": name})
    return person


def open_session(
    *,
    agent: Agent,
    name: str,
    project_id: UUID | None = None,
    person_id: UUID | None = None,
    workspace_id: UUID | None = None,
    channel_id: str = "",
) -> Session:
    """The agent's session of that name, bound to what the first call to mention it says of each."""
    if found := line_flaw(name, longest=200) or ("" if name else "A session needs an id."):
        raise Invalid({"session": found})
    said = {"project": project_id, "person": person_id, "workspace": workspace_id, "channel_id": channel_id}
    defaults = {field if field == "channel_id" else f"{field}_id": value for field, value in said.items()}
    session, created = Session.objects.get_or_create(
        organization_id=agent.organization_id, agent=agent, name=name, defaults=defaults
    )
    if not created:
        for field, value in said.items():
            if value and not getattr(session, field if field == "channel_id" else f"{field}_id"):
                unbound = Session.objects.filter(pk=session.pk, **{field: "" if field == "channel_id" else None})
                unbound.update(**{field: value})
        session.refresh_from_db()
    return session


def refuse_odd_slug(field: str, slug: str) -> None:
    if len(slug) > 64 or not re.match(SLUG, slug) or slug != slug.strip():
        raise Invalid({field: f"{slug!r} must be up to 64 lower-case letters, digits, dots, dashes and underscores."})


def titled(slug: str) -> str:
    return slug.replace("-", " ").replace("_", " ").capitalize()
