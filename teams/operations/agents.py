"""Changes that owners make to a team's agents and their tokens."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.utils import timezone

from memoryhub.errors import Conflict, Invalid, NotFound
from memoryhub.text import line_problem, normalize_text
from teams import ancestry, tokens
from teams.actor import Actor
from teams.models import Agent, Level, Membership, Team, Token, Verb
from teams.operations.ownership import require_owner
from teams.operations.register import clean_persons, issue_token, refuse_odd_slug, revoke_token


def create_agent(*, actor: Actor, slug: str, name: str = "", level: Level = Level.MEMBER) -> Agent:
    require_owner(actor)
    refuse_odd_slug("slug", slug)
    defaults = {"name": _clean_agent_name(name), "level": level}
    _refuse_level_beyond_owner(actor, level)
    agent, created = Agent.objects.get_or_create(
        organization_id=actor.organization_id, team_id=actor.team_id, slug=slug, defaults=defaults
    )
    if not created:
        raise Invalid({"slug": "The team already has an agent of this name."})
    return agent


def change_agent(*, actor: Actor, agent_id: UUID, name: str, level: Level) -> Agent:
    require_owner(actor)
    agent = get_agent(actor=actor, agent_id=agent_id)
    if agent.level != level:
        _refuse_level_beyond_owner(actor, level)
    Agent.objects.filter(pk=agent.pk).update(name=_clean_agent_name(name), level=level)
    agent.refresh_from_db()
    return agent


def issue_agent_token(
    *,
    actor: Actor,
    agent_id: UUID,
    verbs: Iterable[Verb] = tuple(Verb),
    expires_at: datetime | None = None,
    label: str = "",
    user: str = "",
    persons: Iterable[str] = (),
    any_person: bool = False,
    now: datetime | None = None,
) -> tokens.Secret:
    """Issue a token to one of the team's agents. The returned secret is the only copy."""
    require_owner(actor)
    agent = get_agent(actor=actor, agent_id=agent_id)
    _refuse_level_beyond_owner(actor, Level(agent.level))
    return issue_token(
        agent=agent,
        verbs=verbs,
        expires_at=expires_at,
        label=normalize_text(label),
        user=normalize_text(user),
        persons=persons,
        any_person=any_person,
        now=now,
    )


@transaction.atomic
def change_token_persons(
    *, actor: Actor, token_id: UUID, persons: Iterable[str] = (), any_person: bool = False
) -> Token:
    """Set whom the calls of a token may name besides the person it serves. The log says who changed it."""
    require_owner(actor)
    listed = clean_persons(persons, any_person=any_person)
    token = get_token(actor=actor, token_id=token_id)
    if token.revoked_at:
        raise Conflict("This token was revoked and cannot be changed.")
    if not (any_person or listed or token.person_id):
        raise Invalid({"persons": "It serves nobody: list the people that it may name, or choose any person."})
    before, token.persons, token.any_person = token.naming, listed, any_person
    token.save(update_fields=["persons", "any_person"])
    _log_change(actor, token, f"May name {token.naming}; before: {before}.")
    return token


def _log_change(actor: Actor, token: Token, sentence: str) -> None:
    if actor.user_id:
        LogEntry.objects.log_actions(actor.user_id, [token], CHANGE, sentence, single_object=True)


def revoke_agent_token(*, actor: Actor, token_id: UUID, now: datetime | None = None) -> Token:
    """Revoke a token for good: it never works again."""
    require_owner(actor)
    token = get_token(actor=actor, token_id=token_id)
    revoke_token(token=token, now=now or timezone.now())
    return token


def get_token(*, actor: Actor, token_id: UUID) -> Token:
    """Return one of the tokens of the team's agents."""
    tokens_with_agents = Token.objects.select_related("agent", "person")
    token = tokens_with_agents.filter(pk=token_id, agent__team=actor.team_id).first()
    if token is None:
        raise NotFound("There is no such token in this team.")
    return token


def get_agent(*, actor: Actor, agent_id: UUID) -> Agent:
    """Return one of the team's agents."""
    agent = Agent.objects.filter(pk=agent_id, team=actor.team_id).first()
    if agent is None:
        raise NotFound("There is no such agent in this team.")
    return agent


def _refuse_level_beyond_owner(actor: Actor, level: Level) -> None:
    """Refuse to appoint a director or executive, who reads the teams above, or to issue a token to one, unless the
    owner is a member of all of these."""
    if level == Level.MEMBER or actor.operates:
        return
    above = ancestry.with_teams_above(actor.team_id)
    own_teams = Membership.objects.filter(user=actor.user_id, team__in=above).values("team")
    missing = Team.objects.filter(pk__in=above).exclude(pk__in=own_teams).order_by("name").first()
    if missing:
        raise Invalid({"level": f"It would read {missing.name}, where you are not a member. Ask an owner there."})


def _clean_agent_name(name: str) -> str:
    name = normalize_text(name)
    if problem := line_problem(name, longest=200):
        raise Invalid({"name": problem})
    return name
