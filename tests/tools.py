"""Helpers that call a tool of a dialect, or of the hub, over HTTP, as an agent does."""

from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator

from memories.api.tools import OWN
from memories.tools import tool
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Verb


def post(token: str, place: str, arguments: Any, **context: str) -> Any:
    """Send `POST /api/v1/tools/{place}` in that context and return the response."""
    named = {f"X-Memory-{name.title()}": value for name, value in context.items() if value}
    headers = {"Authorization": f"Bearer {token}", **named}
    response = Client().post(f"/api/v1/tools/{place}", arguments, content_type="application/json", headers=headers)
    if response.status_code == 200:  # then it is as the tool says
        dialect, name = place.split("/")
        called = OWN[name] if dialect == "hub" else tool(dialect, name)
        Draft202012Validator(called.gives).validate(response.json())
    return response


def call_tool_api(token: str, place: str, arguments: Any, **context: str) -> tuple[int, dict[str, Any]]:
    """Call a tool and return the status and the body of the response."""
    response = post(token, place, arguments, **context)
    return response.status_code, response.json()


def call(actor: Actor, place: str, arguments: Any, *, verbs: tuple[Verb, ...] = tuple(Verb)) -> Any:
    """Call a tool without naming a context and return the response."""
    token = registry.issue_token(agent=Agent.objects.get(pk=actor.agent_id), verbs=verbs).text
    return post(token, place, arguments)


def result(actor: Actor, place: str, arguments: Any) -> Any:
    """Return the answer of a call that must succeed."""
    response = call(actor, place, arguments)
    assert response.status_code == 200, response.content
    return response.json()


def refusal(actor: Actor, place: str, arguments: Any, *, verbs: tuple[Verb, ...] = tuple(Verb)) -> tuple[int, str, str]:
    """Return status, code and sentence of a call that must be refused."""
    response = call(actor, place, arguments, verbs=verbs)
    assert response["Content-Type"] == "application/problem+json", response.content
    problem = response.json()
    return response.status_code, problem["code"], problem["detail"]
