"""Requests about tool definitions and tool calls."""

from collections.abc import Mapping
from typing import Any

from memoryhub_client.calls.call import Call, build_get, build_post, quote_path
from memoryhub_client.calls.inputs import Format
from memoryhub_client.shapes import JSON


def tools(dialect: str = "graph", *, format: Format = "openai") -> Call[list[JSON]]:
    """Return the tool definitions to hand to a model."""
    return build_get("tools", lambda answer: list(answer["tools"]), dialect=dialect, format=format)


def call_tool(dialect: str, name: str, arguments: Mapping[str, Any]) -> Call[JSON]:
    """Run a tool with the arguments the model gave, and return its result."""
    address = f"tools/{quote_path(dialect, within='')}/{quote_path(name, within='')}"
    return build_post(address, dict, dict(arguments))
