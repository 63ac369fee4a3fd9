"""The requests by which a check tries to read: through every door once, and for each memory or file that is probed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from memories.leakcheck.expected_access import PlainRow, Subject

QUERY_LENGTH = 200  # characters of a memory that it is searched by
MCP_HEADERS = {"MCP-Protocol-Version": "2025-11-25"}


@dataclass(frozen=True, kw_only=True)
class DoorRequest:
    """One request, and how strictly its answer is judged."""

    door: str
    path: str
    method: str = "GET"
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    shows_past: bool = False  # what was forgotten, and versions that were written for others, may be listed there
    names_only: bool = False  # an id alone gives nothing away there
    answers_by_id: bool = False  # 200 if the memory may be read, else 404

    @property
    def content(self) -> bytes:
        return b"" if self.body is None else json.dumps(self.body).encode()


def build_lists(subject: Subject) -> Iterator[DoorRequest]:
    """Yield the requests for everything that a reader may list."""
    if subject.user_id is not None:
        yield from _build_page_lists(subject)
        return
    for query in ("", "&order=importance", "&order=updated_at"):
        yield DoorRequest(door="REST list", path=f"/api/v1/memories?limit=200{query}")
    yield DoorRequest(door="REST files", path="/api/v1/files?limit=200")
    yield DoorRequest(door="REST recalls", path="/api/v1/recalls?limit=50", shows_past=True, names_only=True)
    yield DoorRequest(door="REST proposals", path="/api/v1/proposals?limit=50")
    yield DoorRequest(door="REST anchors", path="/api/v1/anchors?limit=200")
    yield DoorRequest(door="REST pairs", path="/api/v1/pairs?limit=50")
    yield DoorRequest(door="REST export", path="/api/v1/export", shows_past=True)
    yield _call_mcp("MCP list", "memory_list", limit=200)
    yield _call_mcp("MCP files", "file_list")
    yield _ask_mcp("MCP resources", "resources/list")
    yield _call_dialect("scoped/list", limit=50)
    yield _call_dialect("group/list_memories")
    yield _call_dialect("graph/memory_recall", mode="recent", max_results=50)
    yield _call_dialect("files/view", path="/memories")


def _build_page_lists(subject: Subject) -> Iterator[DoorRequest]:
    base = f"/t/{subject.organization}/{subject.team}"
    pages = ("", "memories/", "core/", "core/read/", "activity/", "activity/recalls/", "activity/questions/")
    for name in (*pages, "review/", "files/", "conversations/", "memories/batches/", "tree/"):
        yield DoorRequest(door=f"page {name or 'home'}", path=f"{base}/{name}", shows_past=True)
    yield DoorRequest(door="page export", path=f"{base}/export/archive.zip", shows_past=True)
    yield DoorRequest(
        door="REST review", path=f"/api/v1/teams/{subject.organization}/{subject.team}/review", shows_past=True
    )


def build_memory_probes(subject: Subject, row: PlainRow) -> Iterator[DoorRequest]:
    """Yield the requests that would show this memory to the reader, if it may be read."""
    query = " ".join(row["content"].split())[:QUERY_LENGTH]
    if subject.user_id is not None:
        base = f"/t/{subject.organization}/{subject.team}"
        for name in ("", "history/"):
            yield DoorRequest(door="page memory", path=f"{base}/memories/{row['id']}/{name}", shows_past=True)
        yield DoorRequest(door="page recall", path=f"{base}/recall/?q={quote(query)}", shows_past=True)
        yield DoorRequest(door="page search", path=f"{base}/palette/?q={quote(query)}", shows_past=True)
        yield DoorRequest(door="page list", path=f"{base}/memories/?q={quote(query)}", shows_past=True)
        return
    for part in ("", "/history", "/associations", "/assets", "/sources"):
        yield DoorRequest(door=f"REST get{part}", path=f"/api/v1/memories/{row['id']}{part}", answers_by_id=True)
    for mode in ("hybrid", "keyword", "semantic"):
        body = {"query": query, "limit": 50, "mode": mode}
        yield DoorRequest(door=f"REST recall {mode}", path="/api/v1/recall", method="POST", body=body)
    body = {"query": query, "memory_id": str(row["id"])}
    yield DoorRequest(
        door="REST why-not",
        path="/api/v1/recall/why-not",
        method="POST",
        body=body,
        answers_by_id=True,
        names_only=True,
    )
    yield DoorRequest(door="REST context", path=f"/api/v1/context?budget=20000&query={quote(query)}")
    if row["key"]:
        key, scope = quote(row["key"], safe=""), row["scope"]
        yield DoorRequest(door="REST key", path=f"/api/v1/keys/{key}?scope={scope}")
        yield DoorRequest(door="REST timeline", path=f"/api/v1/timeline/{key}?scope={scope}")
        yield _call_mcp("MCP memory_timeline", "memory_timeline", key=row["key"], scope=scope)
    for tool in ("memory_get", "memory_history", "memory_links", "memory_sources"):
        yield _call_mcp(f"MCP {tool}", tool, memory_id=str(row["id"]))
    yield _call_mcp("MCP recall", "memory_recall", query=query, limit=50)
    yield _call_mcp("MCP context", "memory_context", query=query, budget=9_000)
    yield _ask_mcp("MCP prompt", "prompts/get", name="team_context", arguments={"query": query, "budget": "9000"})
    yield _call_dialect("scoped/get", id=str(row["id"]))
    yield _call_dialect("kv/memory", command="view", key=str(row["id"]))
    yield _call_dialect("kv/memory", command="search", query=query)
    yield _call_dialect("group/recall_memories", query=query, limit=50)
    yield _call_dialect("team/search_memory", query=query, limit=50)
    yield _call_dialect("graph/memory_recall", query=query, max_results=50)


def build_file_probes(subject: Subject, row: PlainRow) -> Iterator[DoorRequest]:
    path = quote(row["path"])
    if subject.user_id is not None:
        base = f"/t/{subject.organization}/{subject.team}"
        addresses: Sequence[str] = (f"files/{path}", f"file/history/{path}", f"file/download/{path}")
        if row["path"].startswith("conversations/"):
            addresses = (*addresses, path)
        for address in addresses:
            yield DoorRequest(door="page file", path=f"{base}/{address}", shows_past=True)
        return
    yield DoorRequest(door="REST file", path=f"/api/v1/files/{path}")
    yield DoorRequest(door="REST file", path=f"/api/v1/files/{path}?version=1", shows_past=True)
    yield DoorRequest(door="REST file history", path=f"/api/v1/file-history/{path}", shows_past=True)
    yield _call_mcp("MCP file_read", "file_read", path=row["path"])
    yield _call_dialect("files/view", path=f"/memories/{row['path']}")


def _call_mcp(door: str, tool: str, **arguments: Any) -> DoorRequest:
    return _ask_mcp(door, "tools/call", name=tool, arguments=arguments)


def _ask_mcp(door: str, method: str, **params: Any) -> DoorRequest:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return DoorRequest(door=door, path="/mcp", method="POST", body=body, headers=MCP_HEADERS)


def _call_dialect(place: str, **arguments: Any) -> DoorRequest:
    return DoorRequest(door=f"tool {place}", path=f"/api/v1/tools/{place}", method="POST", body=arguments)
