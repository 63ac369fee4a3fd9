"""Dialects: the tools of other memory systems, each a module of pure translation. To add one, write a module and add a
line here."""

from memories.tools import files, graph, group, kv, scoped, team
from memories.tools.tool import Arguments, Format, Result, Tool
from memoryhub.errors import NotFound

__all__ = ["DIALECTS", "Arguments", "Format", "Result", "Tool", "tool", "tools"]

DIALECTS: dict[str, tuple[Tool, ...]] = {
    "kv": kv.TOOLS,
    "group": group.TOOLS,
    "scoped": scoped.TOOLS,
    "team": team.TOOLS,
    "graph": graph.TOOLS,
    "files": files.TOOLS,
}


def tools(dialect: str) -> tuple[Tool, ...]:
    if dialect not in DIALECTS:
        raise NotFound(f"There is no dialect {dialect!r}; there are {', '.join(DIALECTS)}.")
    return DIALECTS[dialect]


def tool(dialect: str, name: str) -> Tool:
    found = next((tool for tool in tools(dialect) if tool.name == name), None)
    if found is None:
        raise NotFound(f"Dialect {dialect} has no tool {name!r}; it has {', '.join(t.name for t in tools(dialect))}.")
    return found
