"""Registers organizations, teams, agents, people and sessions, and issues tokens. Repeating any of it does no harm."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memoryhub.errors import Conflict, Invalid, NotFound
from memoryhub.text import line_problem, normalize_text
from teams import rate_limits, tokens
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
MAX_TOKEN_PERSONS = 100  # handles that one token lists
# Longer than any request takes, and shorter than the shortest time after which unused rows are pruned.
USE_INTERVAL = timedelta(hours=12)


@transaction.atomic
def ensure_organization(*, slug: str, name: str = "") -> Organization:
    """Return the organization, created with its root team if it is missing."""
    refuse_odd_slug("organization", slug)
    organization, _ = Organization.objects.get_or_create(slug=slug, defaults={"name": name or title_from_slug(slug)})
    if not Team.objects.filter(organization=organization, parent=None).exists():
        Team.objects.create(organization=organization, slug=ROOT_SLUG, name=title_from_slug(ROOT_SLUG))
    return organization


@transaction.atomic
def ensure_team(
    *, organization: Organization, slug: str, parent: str = "", name: str = "", description: str = ""
) -> Team:
    """Return the team, created under its parent (by default the root) if it is missing."""
    refuse_odd_slug("team", slug)
    teams = Team.objects.filter(organization=organization)
    above = teams.filter(slug=parent).first() if parent else teams.get(parent=None)
    if above is None:
        raise NotFound(f"There is no team {parent!r} in {organization.slug}.")
    team, created = Team.objects.get_or_create(
        organization=organization,
        slug=slug,
        defaults={"parent": above, "name": name or title_from_slug(slug), "description": description},
    )
    if parent and not created and team.parent_id != above.pk:
        raise Conflict(f"Team {slug!r} already exists, under another parent.")
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
        raise Conflict(f"Agent {slug!r} already exists, as {agent.level}.")
    return agent


def issue_token(
    *,
    agent: Agent,
    verbs: Iterable[Verb] = tuple(Verb),
    expires_at: datetime | None = None,
    label: str = "",
    user: str = "",
    persons: Iterable[str] = (),
    any_person: bool = False,
    secret: tokens.Secret | None = None,
    now: datetime | None = None,
) -> tokens.Secret:
    """Issue a token to the agent. It serves the person `user` when a call names nobody. Calls may also name the listed
    people, or any person; by default only the person it serves, or any if it serves nobody. The returned secret is the
    only copy."""
    if problem := line_problem(label, longest=100):
        raise Invalid({"label": problem})
    chosen = [verb for verb in Verb if verb in set(verbs)]
    if not chosen:
        raise Invalid({"verbs": f"Name at least one of {', '.join(Verb)}."})
    if expires_at and expires_at <= (now or timezone.now()):
        raise Invalid({"expires_at": "This time is already past."})
    listed = clean_persons(persons, any_person=any_person)
    person = ensure_person(organization_id=agent.organization_id, handle=user) if user else None
    secret = secret or tokens.generate_token()
    Token.objects.create(
        organization_id=agent.organization_id,
        agent=agent,
        person=person,
        persons=listed,
        any_person=any_person,
        label=label,
        prefix=secret.prefix,
        digest=secret.digest,
        verbs=chosen,
        expires_at=expires_at,
    )
    return secret


def clean_persons(handles: Iterable[str], *, any_person: bool) -> list[str]:
    """Return the handles as a token stores them, each once."""
    listed = list(dict.fromkeys(filter(None, map(normalize_text, handles))))
    if any_person and listed:
        raise Invalid({"persons": "List people, or choose any person, not both."})
    if len(listed) > MAX_TOKEN_PERSONS:
        raise Invalid({"persons": f"At most {MAX_TOKEN_PERSONS} people, not {len(listed):,}."})
    for handle in listed:
        if problem := line_problem(handle, longest=HANDLE_LENGTH):
            raise Invalid({"persons": problem})
    return listed


def revoke_token(*, token: Token, now: datetime | None = None) -> None:
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now or timezone.now())


def ensure_person(*, organization_id: UUID, handle: str, name: str = "", token_id: UUID | None = None) -> Person:
    """Return the person, registered if they are new; the token's registrations are counted."""
    handle = normalize_text(handle)
    if problem := line_problem(handle, longest=HANDLE_LENGTH) or ("" if handle else "A person needs a handle."):
        raise Invalid({"user": problem})
    matches = Person.objects.filter(organization=organization_id, handle=handle)
    if person := note_use(matches.first()):
        return person
    rate_limits.count_registration(organization_id=organization_id, token_id=token_id, now=timezone.now())
    new = Person(organization_id=organization_id, handle=handle, name=name)
    Person.objects.bulk_create([new], ignore_conflicts=True)  # somebody else may be registering them at this moment
    return Person.objects.get(organization=organization_id, handle=handle)


Registered = TypeVar("Registered", Person, Session)


def note_use(row: Registered | None, *, now: datetime | None = None) -> Registered | None:
    """Note that the row is in use, so that it is not pruned during a request; return None if it was pruned just before.
    Most calls write nothing."""
    now = now or timezone.now()
    if row is None or row.last_used_at >= now - USE_INTERVAL:
        return row
    noted = type(row)._default_manager.filter(pk=row.pk).update(last_used_at=now)
    row.last_used_at = now
    return row if noted else None


def open_session(
    *,
    agent: Agent,
    name: str,
    project_id: UUID | None = None,
    person_id: UUID | None = None,
    workspace_id: UUID | None = None,
    channel_id: str = "",
    token_id: UUID | None = None,
) -> Session:
    """Return the agent's session of that name, registered if it is new, which is counted for the token. Each of
    project, person, workspace and channel is bound by the first call that names one."""
    if problem := line_problem(name, longest=200) or ("" if name else "A session needs an id."):
        raise Invalid({"session": problem})
    bindings = {"project": project_id, "person": person_id, "workspace": workspace_id, "channel_id": channel_id}
    defaults = {field if field == "channel_id" else f"{field}_id": value for field, value in bindings.items()}
    identity = {"organization_id": agent.organization_id, "agent": agent, "name": name}
    session, created = note_use(Session.objects.filter(**identity).first()), False
    if session is None:
        rate_limits.count_registration(organization_id=agent.organization_id, token_id=token_id, now=timezone.now())
        new = Session(**identity, **defaults)
        Session.objects.bulk_create([new], ignore_conflicts=True)  # somebody else may be registering it at this moment
        session = Session.objects.get(**identity)
        created = session.pk == new.pk
    if not created:
        for field, value in bindings.items():
            if value and not getattr(session, field if field == "channel_id" else f"{field}_id"):
                unbound = Session.objects.filter(pk=session.pk, **{field: "" if field == "channel_id" else None})
                unbound.update(**{field: value})
        session.refresh_from_db()
    return session


def refuse_odd_slug(field: str, slug: str) -> None:
    if len(slug) > 64 or not re.match(SLUG, slug) or slug != slug.strip():
        raise Invalid({field: f"{slug!r} must be up to 64 lower-case letters, digits, dots, dashes and underscores."})


def title_from_slug(slug: str) -> str:
    return slug.replace("-", " ").replace("_", " ").capitalize()
