"""The agents that ask over HTTP, one of each team with a token of its own, and their requests."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from benchmarks.harness import Texts
from benchmarks.hub import LIMIT, Hub

SESSION, USER = "bench", "mira"


@dataclass(frozen=True, slots=True)
class AgentRequest:
    token: str
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    context: Mapping[str, str] = field(default_factory=dict)

    @property
    def payload(self) -> bytes:
        return b"" if self.body is None else json.dumps(self.body).encode()

    @property
    def headers(self) -> dict[str, str]:
        said = {} if self.body is None else {"Content-Type": "application/json"}
        return {"Authorization": f"Bearer {self.token}", **said, **self.context}


class Agents:
    """One agent of each team, with a token and some memories to get. The token and a session were used before."""

    def __init__(self, hub: Hub) -> None:
        from memories.models import Memory
        from memories.operations import Draft, save_memory
        from teams import auth, operations
        from teams.call_context import CallContext
        from teams.models import Agent

        self.texts, self.random = Texts(seed=11), random.Random(11)
        self.tokens: list[str] = []
        self.memories: list[list[UUID]] = []
        self.teams = len(hub.actors)
        for actor in hub.actors:
            token = operations.issue_token(agent=Agent.objects.get(pk=actor.agent_id)).text
            known = auth.authenticate_agent(token=token, context=CallContext(session=SESSION, user=USER), register=True)
            save_memory(actor=known, draft=Draft(content=self.texts.text(), key="core"))
            some = Memory.objects.visible_to(actor).order_by("id").values_list("id", flat=True)
            self.tokens.append(token)
            self.memories.append(list(some[:1_000]))

    def request(self, endpoint: str) -> AgentRequest:
        team = self.random.randrange(self.teams)
        method, path, *body = ENDPOINTS[endpoint](self, team)
        return AgentRequest(self.tokens[team], method, path, *body, context=CONTEXTS.get(endpoint, {}))


Said = tuple[str, str] | tuple[str, str, dict[str, Any]]


def build_save(agents: Agents, team: int) -> Said:
    return "POST", "/api/v1/memories", {"content": agents.texts.text(), "tags": ["bench"]}


def build_get(agents: Agents, team: int) -> Said:
    return "GET", f"/api/v1/memories/{agents.random.choice(agents.memories[team])}"


def list_call(agents: Agents, team: int) -> Said:
    return "GET", "/api/v1/memories"


def recall(agents: Agents, team: int) -> Said:
    return "POST", "/api/v1/recall", {"query": agents.texts.text(2, 6), "limit": LIMIT}


def prompt(agents: Agents, team: int) -> Said:
    return "GET", f"/api/v1/context?{urlencode({'query': agents.texts.text(2, 6)})}"


ENDPOINTS: dict[str, Callable[[Agents, int], Said]] = {
    "save": build_save,
    "get": build_get,
    "list": list_call,
    "recall": recall,
    "context": prompt,
    "session": build_get,
}
CONTEXTS = {"session": {"X-Memory-Session": SESSION, "X-Memory-User": USER}}
