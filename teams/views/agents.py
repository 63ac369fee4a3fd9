"""The pages of agents and their tokens. Every member sees the agents; only owners see and issue tokens."""

import json
from datetime import timedelta
from functools import partial
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from memoryhub.flash import notify
from memoryhub.forms import submit_form
from memoryhub.show_once import forget_secret, read_secret, redirect_to_secret
from teams import ancestry, operations
from teams.forms import AgentForm, NewAgent, NewToken, TokenPersons, describe_levels, naming_of
from teams.models import Admission, Agent, Level, Team, Token
from teams.team_page import MAX_CHOICES, ActionResult, TeamPage, in_team, team_action

MAX_TOKENS_SHOWN = 100  # of one agent, on its page
DEFAULT_TOKEN_LIFETIME = timedelta(days=90)  # unless another moment is chosen


@in_team
def list_agents(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    working = Q(tokens__in=Token.objects.working(now=timezone.now()))
    agents = Agent.objects.of_team(team_page.team.pk).order_by("slug")
    if team_page.owns:
        agents = agents.annotate(working=Count("tokens", filter=working), used_at=Max("tokens__last_used_at"))
    return render(
        request, "teams/agents.html", {"section": "agents", "agents": agents[:MAX_CHOICES], "most": MAX_CHOICES}
    )


@in_team
def add_agent(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    operations.require_owner(team_page.actor)
    form = NewAgent(request.POST or None, above=_names_of_teams_above(team_page))
    agent = submit_form(form, partial(operations.agents.create_agent, actor=team_page.actor))
    if agent:
        notify(request, f"{agent.slug} was added. It needs a token to work.")
        return redirect(team_page.url("agent", agent.pk))
    return render(request, "teams/agent_new.html", {"section": "agents", "form": form})


@in_team
def show_agent(request: HttpRequest, team_page: TeamPage, agent_id: UUID) -> HttpResponse:
    agent, above = (
        operations.agents.get_agent(actor=team_page.actor, agent_id=agent_id),
        _names_of_teams_above(team_page),
    )
    form = AgentForm(request.POST or None, above=above, initial={"name": agent.name, "level": agent.level})
    act = partial(operations.agents.change_agent, actor=team_page.actor, agent_id=agent.pk)
    if submit_form(form, act):
        notify(request, f"{agent.slug} was saved.")
        return redirect(team_page.url("agent", agent.pk))
    context = {"section": "agents", "agent": agent, "form": form, "reads": describe_levels(above)[Level(agent.level)]}
    context |= _admissions_context(agent) | (_tokens_context(agent) if team_page.owns else {})
    return render(request, "teams/agent.html", context)


@in_team
def add_token(request: HttpRequest, team_page: TeamPage, agent_id: UUID) -> HttpResponse:
    operations.require_owner(team_page.actor)
    agent = operations.agents.get_agent(actor=team_page.actor, agent_id=agent_id)
    form = NewToken(request.POST or None, initial={"expires_at": timezone.now() + DEFAULT_TOKEN_LIFETIME})
    act = partial(operations.agents.issue_agent_token, actor=team_page.actor, agent_id=agent.pk)
    secret = submit_form(form, act)
    if secret:
        return redirect_to_secret(request, secret=secret.text, at=team_page.url("token-shown", agent.pk))
    return render(request, "teams/token_new.html", {"section": "agents", "agent": agent, "form": form})


@in_team
def show_new_token(request: HttpRequest, team_page: TeamPage, agent_id: UUID) -> HttpResponse:
    operations.require_owner(team_page.actor)
    agent = operations.agents.get_agent(actor=team_page.actor, agent_id=agent_id)
    secret = read_secret(request)
    context = {"section": "agents", "agent": agent, "secret": secret} | _ready_to_copy(request, secret)
    return forget_secret(request, render(request, "teams/token.html", context))


@in_team
def edit_token_persons(request: HttpRequest, team_page: TeamPage, token_id: UUID) -> HttpResponse:
    """Change whom the calls of a token may name: by the form or, to undo a change, by the query string."""
    operations.require_owner(team_page.actor)
    token = operations.agents.get_token(actor=team_page.actor, token_id=token_id)
    data = request.POST if "naming" in request.POST else request.GET
    form = TokenPersons(data if request.method == "POST" else None, token=token)
    undo = f"{team_page.url('token-persons', token.pk)}?{_spell_persons(token)}"
    changed = submit_form(
        form, partial(operations.agents.change_token_persons, actor=team_page.actor, token_id=token.pk)
    )
    if changed:
        notify(request, f"The token {changed} may name {changed.naming}.", undo=undo)
        return redirect(team_page.url("agent", changed.agent_id))
    context = {"section": "agents", "agent": token.agent, "token": token, "form": form}
    return render(request, "teams/token_persons.html", context)


def _spell_persons(token: Token) -> str:
    """Return the form's values that leave the token as it is."""
    return urlencode({"naming": naming_of(token), "persons": "\n".join(token.persons)})


@team_action
def revoke_token_action(request: HttpRequest, team_page: TeamPage, token_id: UUID) -> ActionResult:
    token = operations.agents.revoke_agent_token(actor=team_page.actor, token_id=token_id)
    return ActionResult(f"The token {token} no longer works.", to=team_page.url("agent", token.agent_id))


def _ready_to_copy(request: HttpRequest, secret: str) -> dict[str, str]:
    """Return snippets that work as they are once copied."""
    here, bearer = request.build_absolute_uri("/"), f"Bearer {secret}"
    server = {"type": "http", "url": f"{here}mcp", "headers": {"Authorization": bearer}}
    return {
        "curl": f'curl {here}api/v1/me -H "Authorization: {bearer}"',
        "mcp": json.dumps({"mcpServers": {"memoryhub": server}}, indent=2),
    }


def _tokens_context(agent: Agent) -> dict[str, object]:
    """Return the working and the ended tokens, newest first. A join would read all people for a few tokens."""
    working = Token.objects.working(now=timezone.now()).filter(agent=agent.pk).order_by("-created_at")
    ended = Token.objects.filter(agent=agent.pk).exclude(pk__in=working.values("pk")).order_by("-created_at")
    return {"tokens": working.prefetch_related("person")[:MAX_TOKENS_SHOWN], "ended": ended[:MAX_TOKENS_SHOWN]}


def _admissions_context(agent: Agent) -> dict[str, object]:
    return {"admissions": Admission.objects.filter(agent=agent.pk).select_related("project")[:MAX_CHOICES]}


def _names_of_teams_above(team_page: TeamPage) -> str:
    """Return the names of the teams above, nearest first."""
    above = ancestry.with_teams_above(team_page.team.pk)[1:]
    names = dict(Team.objects.filter(pk__in=above).values_list("pk", "name"))
    return ", ".join(names[team] for team in above)
