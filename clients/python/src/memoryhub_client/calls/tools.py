"""Tools for models."""

from collections.abc import Mapping
from typing import Any

from memoryhub_client.calls.call import Call, got, posted, spelled
from memoryhub_client.calls.saying import Format
from memoryhub_client.shapes import JSON


def tools(dialect: str = "graph", *, format: Format = "openai") -> Call[list[JSON]]:
    """Definitions to hand to a model."""
    return got("tools", lambda answer: list(answer["tools"]), dialect=dialect, format=format)


def call_tool(dialect: str, name: str, arguments: Mapping[str, Any]) -> Call[JSON]:
    """Runs a tool with what the model said, and answers its result."""
    address = f"tools/{spelled(dialect, within='')}/{spelled(name, within='')}"
    return posted(address, dict, dict(arguments))
