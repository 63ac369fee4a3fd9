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
NAME_ARGUMENTS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


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
        """Send a message and return the HTTP response; headers are named with underscores."""
        said = body if isinstance(body, bytes) else orjson.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client().post(self.place, said, content_type="application/json", headers=self.headers | named)

    @property
    def headers(self) -> dict[str, str]:
        context = {f"X-Memory-{name.title()}": value for name, value in self.context.items() if value}
        return {"Authorization": f"Bearer {self.token}", "MCP-Protocol-Version": self.revision, **context}

    def ask(self, method: str, /, **params: Any) -> Any:
        """Send a request as a client of the revision does and return the response."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        if self.revision != MODERN:
            return self.send(body)
        envelope = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params["_meta"] = envelope | params.get("_meta", {})
        named = {"Mcp_Name": params[NAME_ARGUMENTS[method]]} if method in NAME_ARGUMENTS else {}
        return self.send(body, Mcp_Method=method, **named)

    def result(self, method: str, /, **params: Any) -> Any:
        response = self.ask(method, **params)
        assert response.status_code == 200, response.content
        return response.json()["result"]

    def error(self, method: str, /, **params: Any) -> Any:
        return self.ask(method, **params).json()["error"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool, which must succeed, and return its structured content."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool, which must refuse, and return the text that a model reads."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        assert "structuredContent" not in result
        (block,) = result["content"]
        text: str = block["text"]
        return text
