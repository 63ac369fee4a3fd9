"""An agent at the REST door: says what it wants in a word, and gets the response."""

from dataclasses import dataclass, field
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator

from memories.api.openapi import PROBLEM
from teams import operations as registry
from teams.models import Agent, Verb
from tests import factories


@dataclass
class Caller:
    agent: Agent = field(default_factory=factories.agent)
    verbs: tuple[Verb, ...] = tuple(Verb)
    context: dict[str, str] = field(default_factory=dict)
    token: str = ""

    def __post_init__(self) -> None:
        self.token = self.token or registry.issue_token(agent=self.agent, verbs=self.verbs).text

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Headers by their names with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named |= {f"X-Memory-{name.title()}": value for name, value in self.context.items()}
        said = {"data": body, "content_type": "application/json"} if body is not None else {}
        response = Client().generic(method, f"/api/v1/{path}", **_encode_data(said), headers=self.headers | named)
        as_published(method, response)
        return response

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def with_verbs(self, *verbs: Verb) -> "Caller":
        return Caller(self.agent, verbs, self.context)

    def save(self, content: str = "Berth 7 is closed.", **said: Any) -> dict[str, Any]:
        response = self("POST", "memories", {"content": content, **said})
        assert response.status_code in (200, 201), response.content
        saved: dict[str, Any] = response.json()
        return saved


def etag(row: dict[str, Any]) -> str:
    """Of a memory or a file as it was answered."""
    return f'"{row["version"]}-{row["id"][-12:]}"'


def as_published(method: str, response: Any) -> None:
    """Every answer in every test is as the OpenAPI document has it."""
    view = getattr(response.resolver_match.func, "cls", None)
    published = getattr(getattr(view, method.lower(), None), "published", None)
    if published is None:
        return
    assert response.status_code in (*published.status, 304), response.content
    assert ("Location" in response) == (response.status_code == 201)
    if response.status_code >= 400:
        Draft202012Validator(PROBLEM).validate(response.json())
    elif response.get("Content-Type") == "application/json":
        Draft202012Validator(published.response).validate(response.json())


def _encode_data(said: dict[str, Any]) -> dict[str, Any]:
    client = Client()
    return said and said | {"data": client._encode_json(said["data"], said["content_type"])}  # type: ignore[attr-defined]
