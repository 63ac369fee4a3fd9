"""A team's agents and their tokens, as its owners change them."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memoryhub.errors import Invalid, NotFound
from memoryhub.text import line_flaw, tidy
from teams import ancestry, tokens
from teams.actor import Actor
from teams.models import Agent, Level, Membership, Team, Token, Verb
from teams.operations.owning import refuse_others
from teams.operations.registering import issue_token, refuse_odd_slug, revoke_token


def create(*, actor: Actor, slug: str, name: str = "", level: Level = Level.MEMBER) -> Agent:
    refuse_others(actor)
    refuse_odd_slug("slug", slug)
    said = {"name": _name(name), "level": level}
    _refuse_reading_more_than_oneself(actor, level)
    agent, created = Agent.objects.get_or_create(
        organization_id=actor.organization_id, team_id=actor.team_id, slug=slug, defaults=said
    )
    if not created:
        raise Invalid({"slug": "There is an agent of this name in the team already."})
    return agent


def change(*, actor: Actor, agent_id: UUID, name: str, level: Level) -> Agent:
    refuse_others(actor)
    agent = one(actor=actor, agent_id=agent_id)
    if agent.level != level:
        _refuse_reading_more_than_oneself(actor, level)
    Agent.objects.filter(pk=agent.pk).update(name=_name(name), level=level)
    agent.refresh_from_db()
    return agent


def issue(
    *,
    actor: Actor,
    agent_id: UUID,
    verbs: Iterable[Verb] = tuple(Verb),
    expires_at: datetime | None = None,
    label: str = "",
    user: str = "",
    now: datetime | None = None,
) -> tokens.Secret:
    """A new token for one of the team's agents. What is returned is the only copy."""
    refuse_others(actor)
    agent = one(actor=actor, agent_id=agent_id)
    _refuse_reading_more_than_oneself(actor, Level(agent.level))
    return issue_token(agent=agent, verbs=verbs, expires_at=expires_at, label=tidy(label), user=tidy(user), now=now)


def revoke(*, actor: Actor, token_id: UUID, now: datetime | None = None) -> Token:
    """For good: a token that was revoked never works again."""
    refuse_others(actor)
    token = Token.objects.select_related("agent").filter(pk=token_id, agent__team=actor.team_id).first()
    if token is None:
        raise NotFound("There is no such token in this team.")
    revoke_token(token=token, now=now or timezone.now())
    return token


def one(*, actor: Actor, agent_id: UUID) -> Agent:
    """One of the team's agents."""
    agent = Agent.objects.filter(pk=agent_id, team=actor.team_id).first()
    if agent is None:
        raise NotFound("There is no such agent in this team.")
    return agent


def _refuse_reading_more_than_oneself(actor: Actor, level: Level) -> None:
    """Directors and executives read the teams above; only somebody who is in all of these may appoint one, or hold a
    token of one."""
    if level == Level.MEMBER or actor.operates:
        return
    above = ancestry.upward(actor.team_id)
    mine = Membership.objects.filter(user=actor.user_id, team__in=above).values("team")
    missing = Team.objects.filter(pk__in=above).exclude(pk__in=mine).order_by("name").first()
    if missing:
        raise Invalid({"level": f"It would read {missing.name}, where you are not a member. Ask an owner there."})


def _name(name: str) -> str:
    name = tidy(name)
    if found := line_flaw(name, longest=200):
        raise Invalid({"name": found})
    return name
