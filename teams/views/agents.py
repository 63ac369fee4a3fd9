"""Agents and their tokens. Everybody in a team sees who works in it; its owners hold the keys."""

import json
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from memoryhub.forms import carried_out
from memoryhub.notices import notify
from memoryhub.reveals import conceal, reveal, revealed
from teams import ancestry, operations
from teams.forms import AgentForm, NewAgent, NewToken, levels
from teams.models import Admission, Agent, Level, Team, Token
from teams.place import CHOICES, Done, Place, action, in_team

TOKENS = 100  # of one agent, at most, on its page
USUAL = timedelta(days=90)  # until a token expires, unless another moment is chosen


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    working = Q(tokens__in=Token.objects.working(now=timezone.now()))
    agents = Agent.objects.filter(team=place.team.pk).order_by("slug")
    if place.owns:
        agents = agents.annotate(working=Count("tokens", filter=working), used_at=Max("tokens__last_used_at"))
    return render(request, "teams/agents.html", {"section": "agents", "agents": agents[:CHOICES], "most": CHOICES})


@in_team
def new(request: HttpRequest, place: Place) -> HttpResponse:
    operations.refuse_others(place.actor)
    form = NewAgent(request.POST or None, above=_above(place))
    agent = carried_out(form, partial(operations.agents.create, actor=place.actor))
    if agent:
        notify(request, f"{agent.slug} was added. It needs a token to work.")
        return redirect(place.to("agent", agent.pk))
    return render(request, "teams/agent_new.html", {"section": "agents", "form": form})


@in_team
def one(request: HttpRequest, place: Place, agent_id: UUID) -> HttpResponse:
    agent, above = operations.agents.one(actor=place.actor, agent_id=agent_id), _above(place)
    form = AgentForm(request.POST or None, above=above, initial={"name": agent.name, "level": agent.level})
    act = partial(operations.agents.change, actor=place.actor, agent_id=agent.pk)
    if carried_out(form, act):
        notify(request, f"{agent.slug} was saved.")
        return redirect(place.to("agent", agent.pk))
    shown = {"section": "agents", "agent": agent, "form": form, "reads": levels(above)[Level(agent.level)]}
    return render(request, "teams/agent.html", shown | _admitted(agent) | (_tokens(agent) if place.owns else {}))


@in_team
def new_token(request: HttpRequest, place: Place, agent_id: UUID) -> HttpResponse:
    operations.refuse_others(place.actor)
    agent = operations.agents.one(actor=place.actor, agent_id=agent_id)
    form = NewToken(request.POST or None, initial={"expires_at": timezone.now() + USUAL})
    act = partial(operations.agents.issue, actor=place.actor, agent_id=agent.pk)
    secret = carried_out(form, act)
    if secret:
        return reveal(request, secret=secret.text, at=place.to("token-shown", agent.pk))
    return render(request, "teams/token_new.html", {"section": "agents", "agent": agent, "form": form})


@in_team
def token_shown(request: HttpRequest, place: Place, agent_id: UUID) -> HttpResponse:
    operations.refuse_others(place.actor)
    agent = operations.agents.one(actor=place.actor, agent_id=agent_id)
    secret = revealed(request)
    shown = {"section": "agents", "agent": agent, "secret": secret} | _ready(request, secret)
    return conceal(request, render(request, "teams/token.html", shown))


@action
def revoke(request: HttpRequest, place: Place, token_id: UUID) -> Done:
    token = operations.agents.revoke(actor=place.actor, token_id=token_id)
    return Done(f"The token {token} does not work any more.", to=place.to("agent", token.agent_id))


def _ready(request: HttpRequest, secret: str) -> dict[str, str]:
    """What can be copied and works as it is."""
    here, bearer = request.build_absolute_uri("/"), f"Bearer {secret}"
    server = {"type": "http", "url": f"{here}mcp", "headers": {"Authorization": bearer}}
    return {
        "curl": f'curl {here}api/v1/me -H "Authorization: {bearer}"',
        "mcp": json.dumps({"mcpServers": {"memoryhub": server}}, indent=2),
    }


def _tokens(agent: Agent) -> dict[str, object]:
    """Those that work, and those that do not any more, newest first. Joined, all people would be read for a few."""
    working = Token.objects.working(now=timezone.now()).filter(agent=agent.pk).order_by("-created_at")
    ended = Token.objects.filter(agent=agent.pk).exclude(pk__in=working.values("pk")).order_by("-created_at")
    return {"tokens": working.prefetch_related("person")[:TOKENS], "ended": ended[:TOKENS]}


def _admitted(agent: Agent) -> dict[str, object]:
    return {"admissions": Admission.objects.filter(agent=agent.pk).select_related("project")[:CHOICES]}


def _above(place: Place) -> str:
    """The teams above, nearest first, by name."""
    above = ancestry.upward(place.team.pk)[1:]
    names = dict(Team.objects.filter(pk__in=above).values_list("pk", "name"))
    return ", ".join(names[team] for team in above)
