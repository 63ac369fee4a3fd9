"""An agent at the MCP door: says what it wants in a word, and gets the answer."""

from dataclasses import dataclass, field
from typing import Any

import orjson
from django.test import Client

from teams import operations as registry
from teams.models import Agent, Verb
from tests import factories

MODERN = "2026-07-28"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass
class Messenger:
    agent: Agent = field(default_factory=factories.agent)
    verbs: tuple[Verb, ...] = tuple(Verb)
    place: str = "/mcp"
    revision: str = "2025-11-25"
    context: dict[str, str] = field(default_factory=dict)
    token: str = ""

    def __post_init__(self) -> None:
        self.token = self.token or registry.issue_token(agent=self.agent, verbs=self.verbs).text

    def send(self, body: Any, **headers: str) -> Any:
        """The HTTP response to whatever is sent, with headers by their names with underscores."""
        said = body if isinstance(body, bytes) else orjson.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client().post(self.place, said, content_type="application/json", headers=self.headers | named)

    @property
    def headers(self) -> dict[str, str]:
        context = {f"X-Memory-{name.title()}": value for name, value in self.context.items() if value}
        return {"Authorization": f"Bearer {self.token}", "MCP-Protocol-Version": self.revision, **context}

    def ask(self, method: str, /, **params: Any) -> Any:
        """The response to a request, as a client of the revision sends it."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        if self.revision != MODERN:
            return self.send(body)
        envelope = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params["_meta"] = envelope | params.get("_meta", {})
        named = {"Mcp_Name": params[NAMED[method]]} if method in NAMED else {}
        return self.send(body, Mcp_Method=method, **named)

    def result(self, method: str, /, **params: Any) -> Any:
        response = self.ask(method, **params)
        assert response.status_code == 200, response.content
        return response.json()["result"]

    def error(self, method: str, /, **params: Any) -> Any:
        return self.ask(method, **params).json()["error"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """What a tool answers that does what it is told."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """What a model reads when a tool does not."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        assert "structuredContent" not in result
        (block,) = result["content"]
        text: str = block["text"]
        return text
