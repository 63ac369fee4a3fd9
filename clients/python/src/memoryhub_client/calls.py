"""Every request of the API as a value: built here, once, and sent by the client of either kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack
from urllib.parse import quote
from uuid import UUID, uuid4

from memoryhub_client.shapes import (
    JSON,
    Archive,
    Association,
    Context,
    Extraction,
    File,
    FileVersion,
    Me,
    Memory,
    Page,
    Recalled,
    Session,
    Shape,
    Source,
    Verdict,
    Version,
    shaped,
)

Answer = TypeVar("Answer")
Id = str | UUID
Scope = Literal["team", "global", "project", "agent"]
Mode = Literal["hybrid", "keyword", "semantic", "recent", "important", "typed"]
Format = Literal["openai", "anthropic", "mcp"]


class Fields(TypedDict, total=False):
    """What a memory says beside its content. None empties a field."""

    key: str | None
    summary: str | None
    type: str
    category: str | None
    tags: Sequence[str] | None
    importance: float
    pinned: bool
    expires_at: datetime | None
    source: str | None
    metadata: JSON | None
    review_by: datetime | None


class Draft(Fields, total=False):
    scope: Scope
    dedupe: Literal["update", "create", "refuse"]


class WholeDraft(Draft, total=False):
    content: str


class Changes(Fields, total=False):
    content: str


class Filters(TypedDict, total=False):
    type: str
    category: str
    tags: Sequence[str]
    any_tags: Sequence[str]
    scope: Scope
    project_id: Id
    agent_id: Id
    person_id: Id
    session_id: Id
    channel_id: str
    source: str
    pinned: bool
    created_after: datetime
    created_before: datetime
    updated_after: datetime
    updated_before: datetime
    min_importance: float
    max_importance: float


class ListFilters(Filters, total=False):
    text: str
    forgotten: bool
    expires_after: datetime
    expires_before: datetime
    order: Literal["-created_at", "created_at", "-updated_at", "updated_at", "-importance", "importance"]
    limit: int
    cursor: str


class Question(Filters, total=False):
    mode: Mode
    limit: int
    sort_by: Literal["recent", "importance", "most_accessed"]
    explain: bool
    snippets: bool


class Message(TypedDict, total=False):
    role: str
    content: str
    name: str
    at: datetime
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Call(Generic[Answer]):
    method: str
    path: str
    read: Callable[[Any], Answer]  # what the JSON of the answer means
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def repeatable(self) -> bool:
        """Whether sending it twice does it once."""
        return self.method == "GET" or IDEMPOTENCY in self.headers or self.path in READS

    def at(self, cursor: str) -> "Call[Answer]":
        return replace(self, params={**self.params, "cursor": cursor})


IDEMPOTENCY = "Idempotency-Key"
READS = ("recall", "recall/why-not")  # by POST


def me() -> Call[Me]:
    """Who the token is, and in which context."""
    return _get("me", Me)


def save(content: str, *, version: int | None = None, **fields: Unpack[Draft]) -> Call[Memory]:
    """Saves a memory. A key that lives already gets a new version; with `version`, only if it is at that one."""
    return _post("memories", Memory, {"content": content, **fields}, version=version)


def save_many(memories: Sequence[WholeDraft]) -> Call[list[Memory]]:
    """Saves up to 500, all or none, and answers in the same order."""
    return _post("memories/batch", _many("memories", Memory), {"memories": list(memories)})


def get(memory_id: Id) -> Call[Memory]:
    return _get(f"memories/{memory_id}", Memory)


def get_key(key: str, *, scope: Scope = "team") -> Call[Memory]:
    """The memory that owns the key."""
    return _get(f"keys/{_path(key)}", Memory, scope=scope)


def change(memory_id: Id, *, version: int | None = None, **changes: Unpack[Changes]) -> Call[Memory]:
    """Overwrites the fields that are said; None empties one."""
    return _call("PATCH", f"memories/{memory_id}", Memory, json=_plain(changes), headers=_seen(version))


def append(memory_id: Id, text: str, *, version: int | None = None) -> Call[Memory]:
    """Adds a line to the content, whatever others add meanwhile."""
    return _post(f"memories/{memory_id}/append", Memory, {"text": text}, version=version)


def verify(memory_id: Id, *, review_by: datetime | None = None) -> Call[Memory]:
    """Notes that it is still true, and when to look again."""
    return _post(f"memories/{memory_id}/verify", Memory, {"review_by": review_by})


def forget(memory_id: Id, *, reason: str | None = None, version: int | None = None) -> Call[Memory]:
    """Gone from every read; it can be restored."""
    return _call("DELETE", f"memories/{memory_id}", Memory, params=_said(reason=reason), headers=_seen(version))


def forget_key(
    key: str, *, scope: Scope = "team", reason: str | None = None, version: int | None = None
) -> Call[Memory]:
    params = _said(scope=scope, reason=reason)
    return _call("DELETE", f"keys/{_path(key)}", Memory, params=params, headers=_seen(version))


def restore(memory_id: Id) -> Call[Memory]:
    return _post(f"memories/{memory_id}/restore", Memory)


def revert(memory_id: Id, to_version: int, *, version: int | None = None) -> Call[Memory]:
    """A new version that says what the old one said."""
    return _post(f"memories/{memory_id}/revert", Memory, {"to_version": to_version}, version=version)


def memories(**filters: Unpack[ListFilters]) -> Call[Page[Memory]]:
    """What the token may see and the filters leave; `limit` is the size of a page."""
    return _get("memories", _page("memories", Memory), **filters)


def history(memory_id: Id) -> Call[Page[Version]]:
    """Every version, the newest first."""
    return _get(f"memories/{memory_id}/history", _page("versions", Version))


def recall(query: str | None = None, **question: Unpack[Question]) -> Call[Recalled]:
    """The memories that answer best, best first."""
    return _call("POST", "recall", Recalled, json=_plain({**_said(query=query), **question}))


def why_not(memory_id: Id, query: str, **question: Unpack[Question]) -> Call[Verdict]:
    """Which rule keeps a memory from an answer, or where it stands in it."""
    said = {"memory_id": memory_id, "query": query, **question}
    return _call("POST", "recall/why-not", Verdict, json=_plain(said))


def context(
    query: str | None = None, *, budget: int | None = None, sections: Sequence[str] | None = None
) -> Call[Context]:
    """What an agent should read before it thinks, within a budget of tokens."""
    return _get("context", Context, query=query, budget=budget, sections=sections)


def associate(memory_id: Id, target_id: Id, *, relation: str = "related_to", weight: float = 0.5) -> Call[Association]:
    said = {"target_id": target_id, "relation": relation, "weight": weight}
    return _post(f"memories/{memory_id}/associations", Association, said)


def associations(memory_id: Id) -> Call[Page[Association]]:
    return _get(f"memories/{memory_id}/associations", _page("associations", Association))


def cite(
    memory_id: Id,
    *,
    session: str | None = None,
    message_id: str | None = None,
    url: str | None = None,
    quote: str | None = None,
) -> Call[Source]:
    """Where it came from."""
    said = _said(session=session, message_id=message_id, url=url, quote=quote)
    return _post(f"memories/{memory_id}/sources", Source, said)


def sources(memory_id: Id) -> Call[Page[Source]]:
    return _get(f"memories/{memory_id}/sources", _page("sources", Source))


def files(
    *, prefix: str | None = None, text: str | None = None, deleted: bool | None = None, limit: int | None = None
) -> Call[Page[File]]:
    """The team's files by path, without their content."""
    return _get("files", _page("files", File), prefix=prefix, text=text, deleted=deleted, limit=limit)


def read_file(path: str, *, version: int | None = None) -> Call[File]:
    return _get(f"files/{_path(path)}", File, version=version)


def write_file(path: str, content: str, *, version: int | None = None, only_new: bool = False) -> Call[File]:
    """Makes it, or overwrites all of it; with `version` only that one, with `only_new` none."""
    headers = {**_seen(version), **({"If-None-Match": "*"} if only_new else {})}
    return _call("PUT", f"files/{_path(path)}", File, json={"content": content}, headers=headers)


def append_file(path: str, text: str) -> Call[File]:
    return _post(f"files/{_path(path)}", File, {"text": text})


def rename_file(path: str, to: str, *, version: int | None = None) -> Call[File]:
    return _call("PATCH", f"files/{_path(path)}", File, json={"path": to}, headers=_seen(version))


def delete_file(path: str, *, version: int | None = None) -> Call[File]:
    return _call("DELETE", f"files/{_path(path)}", File, headers=_seen(version))


def file_history(path: str) -> Call[Page[FileVersion]]:
    return _get(f"file-history/{_path(path)}", _page("versions", FileVersion))


def revert_file(path: str, to_version: int) -> Call[File]:
    """A deleted file comes back by it, too."""
    return _post(f"file-history/{_path(path)}", File, {"to_version": to_version})


def register_session(
    name: str,
    *,
    project: str | None = None,
    user: str | None = None,
    workspace: str | None = None,
    channel: str | None = None,
) -> Call[Session]:
    """Binds a session to these; calls that name it inherit them."""
    said = _said(project=project, user=user, workspace=workspace, channel=channel)
    return _call("PUT", f"sessions/{_path(name)}", Session, json=said)


def archive_session(
    name: str, messages: Sequence[Message], *, title: str | None = None, summary: str | None = None
) -> Call[Archive]:
    """Keeps a conversation as a file and as a memory that recall finds."""
    said = {"messages": list(messages), **_said(name=title, summary=summary)}
    return _post(f"sessions/{_path(name)}/archive", Archive, said)


def extract(
    name: str, messages: Sequence[Message] | None = None, *, scope: Scope = "team", hold: bool | None = None
) -> Call[Extraction]:
    """Saves what is worth remembering of a conversation; of its newest archive, unless messages are said."""
    return _post(f"sessions/{_path(name)}/extract", Extraction, _said(messages=messages, scope=scope, hold=hold))


def tools(dialect: str = "graph", *, format: Format = "openai") -> Call[list[JSON]]:
    """Definitions to hand to a model."""
    return _get("tools", lambda said: list(said["tools"]), dialect=dialect, format=format)


def call_tool(dialect: str, name: str, arguments: Mapping[str, Any]) -> Call[JSON]:
    """Runs a tool with what the model said, and answers its result."""
    return _post(f"tools/{_path(dialect)}/{_path(name)}", dict, dict(arguments))


def _call(method: str, path: str, answer: Any, **parts: Any) -> Call[Any]:
    read = (lambda said: shaped(answer, said)) if hasattr(answer, "__dataclass_fields__") else answer
    return Call(method=method, path=path, read=read, **parts)


def _get(path: str, answer: Any, **params: Any) -> Call[Any]:
    return _call("GET", path, answer, params=_plain(_said(**params)))


def _post(path: str, answer: Any, said: Mapping[str, Any] | None = None, *, version: int | None = None) -> Call[Any]:
    """With a key of its own, so that it is done once however often it has to be sent."""
    headers = {**_seen(version), IDEMPOTENCY: uuid4().hex}
    return _call("POST", path, answer, json=None if said is None else _plain(said), headers=headers)


def _said(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _seen(version: int | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": f'"{version}"'}


def _path(name: str) -> str:
    return quote(name, safe="/")


def _plain(value: Any) -> Any:
    """As JSON and query strings hold it."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return str(value) if isinstance(value, UUID) else value


def _page(name: str, kind: type[Shape]) -> Callable[[Any], Page[Shape]]:
    return lambda said: Page([shaped(kind, item) for item in said[name]], said["next"])


def _many(name: str, kind: type[Shape]) -> Callable[[Any], list[Shape]]:
    return lambda said: [shaped(kind, item) for item in said[name]]
