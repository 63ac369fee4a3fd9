"""Every way to change a memory or a file that is named by its id, key or path, and whom it must obey. A new endpoint
that writes is among them by itself; a new tool adds one line below."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.test import Client

from memories.models import Scope
from teams.models import Verb
from tests import factories
from tests.belongings import Belongings, call, places_of
from tests.cast import AGENTS, WHO_CHANGES, WHO_SEES, Member
from tests.doors import headers, messenger
from tests.test_api_schema import ENDPOINTS
from tests.tools import call_tool_api

OF_OPS = frozenset({"writer", "teammate", "bystander", "director"})  # the team's agents in the workspace blue
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Whose:
    """The names of those in the cast who see and change the belongings of one audience."""

    sees: frozenset[str]
    changes: frozenset[str]
    by_key_of_team: frozenset[str]  # through doors that know nothing but what the caller's own team shares
    files: frozenset[str] = OF_OPS  # of the team in which it was written


def of_scope(scope: Scope) -> Whose:
    shared = OF_OPS if scope is Scope.TEAM else NOBODY
    return Whose(frozenset(WHO_SEES[scope]) & set(AGENTS), frozenset(WHO_CHANGES[scope]) & set(AGENTS), shared)


WHOSE = {scope.value: of_scope(scope) for scope in Scope} | {
    "above": Whose(sees=frozenset({"director"}), changes=NOBODY, by_key_of_team=NOBODY, files=NOBODY)
}


class Answered(NamedTuple):
    status: int
    text: str


Act = Callable[[Member, Belongings, tuple[Verb, ...]], Answered]
Rule = Callable[[Whose], frozenset[str]]


@dataclass(frozen=True)
class Write:
    act: Act
    obeys: Rule  # whom it must do it for
    others: tuple[int, ...] = (404,)  # what the rest may be told, unless they see it
    seeing: tuple[int, ...] = ()  # and those who see it, if that is something else
    forgotten: bool = False  # is done to what was forgotten
    replaced: bool = False  # is done to what was replaced by another
    settled: bool = False  # is done to a pair that the writer has settled
    rated: bool = False  # is done to what the caller has rated
    of_files: bool = False  # which are the team's, whatever the scope of memories

    def allowed_statuses(self, whose: Whose, name: str) -> tuple[int, ...]:
        """Return the statuses that are right for somebody whom the write must not obey."""
        return self.seeing if self.seeing and name in whose.sees else self.others


def _by_id(act: Act) -> Write:
    return Write(act, lambda whose: whose.changes, seeing=(403,))


def _by_others(act: Act) -> Write:
    """Return a write for those who may change the memory, but for the agent that wrote it."""
    return Write(act, lambda whose: whose.changes - {"writer"}, seeing=(403,))


def _of_owners(act: Act) -> Write:
    """Return a write for owners. No agent owns a team, so none may do it; those who see the memory are told so."""
    return Write(act, lambda whose: NOBODY, seeing=(403,))


def _by_proposer(act: Act) -> Write:
    """Return a write for the agent that made a proposal. To all others, it is not there."""
    return Write(act, lambda whose: whose.changes & {"writer"})


def _reinstating(act: Act) -> Write:
    return Write(act, lambda whose: whose.changes, seeing=(403,), replaced=True)


def _by_sight(act: Act, *others: int) -> Write:
    """Return a write that links something of the caller's own to whatever the caller sees."""
    return Write(act, lambda whose: whose.sees, others or (404,))


def _in_context(act: Act, *others: int) -> Write:
    """Return a write by a key in a scope: the caller's own project, person, team or agent."""
    return Write(act, lambda whose: whose.changes, others or (404,))


def _of_team(act: Act, *others: int) -> Write:
    return Write(act, lambda whose: whose.by_key_of_team, others or (404,))


def _of_files(act: Act, *others: int) -> Write:
    return Write(act, lambda whose: whose.files, others or (404,), of_files=True)


def _making(act: Act, *others: int) -> Write:
    """Return a write that leaves what exists alone, whoever calls."""
    return Write(act, lambda whose: NOBODY, others)


# REST


def _endpoint(endpoint: str, **mine: Callable[[Member], str]) -> Act:
    """Return a call of an endpoint that names all of their belongings, but for the parameters in which the caller names
    something of its own."""

    def act(member: Member, theirs: Belongings, verbs: tuple[Verb, ...]) -> Answered:
        names = theirs.places | {"scope": theirs.memory.scope} | {place: made(member) for place, made in mine.items()}
        response = call(headers(member, *verbs), endpoint, ENDPOINTS[endpoint], names)
        return Answered(response.status_code, response.content.decode())

    return act


def _own(member: Member) -> str:
    return str(factories.memory(member.actor(), "My own drawer.").pk)


LINKS = "post memories/<uuid:memory_id>/associations"
RULES: Mapping[str, Callable[[Act], Write]] = {
    "put keys/<path:key>": lambda act: _in_context(
        act, 201, 400
    ),  # makes its own, unless the context has no such scope
    "delete keys/<path:key>": _in_context,
    "post memories/<uuid:memory_id>/restore": lambda act: Write(act, lambda whose: whose.changes, forgotten=True),
    "post memories/<uuid:memory_id>/purge": _of_owners,
    "post memories/<uuid:memory_id>/verify": _by_others,
    # Where the context has no such scope, that is told before anything is looked at.
    "post memories/<uuid:memory_id>/move": lambda act: Write(act, lambda whose: whose.changes, (404, 400), (403, 400)),
    "post memories/<uuid:memory_id>/reinstate": _reinstating,
    "delete proposals/<uuid:proposal_id>": _by_proposer,
    "post memories/<uuid:memory_id>/feedback": lambda act: _by_sight(act),
    "delete memories/<uuid:memory_id>/feedback": lambda act: Write(act, lambda whose: whose.sees, rated=True),
    "post pairs/<uuid:pair_id>/reopen": lambda act: Write(
        act, lambda whose: whose.changes & {"writer"}, seeing=(403,), settled=True
    ),
    "put files/<path:path>": lambda act: _of_files(act, 201),
}


def _rule(endpoint: str) -> Callable[[Act], Write]:
    of_memories = "memory_id" in endpoint or "pair_id" in endpoint
    return RULES.get(endpoint, _by_id if of_memories else _of_files)


def _writes(endpoint: str) -> bool:
    """Return whether an endpoint writes: only writes can answer that they came too late."""
    places = set() if " tools/" in endpoint else places_of(endpoint, ENDPOINTS[endpoint])
    return 409 in ENDPOINTS[endpoint].status and bool(places & {"memory_id", "pair_id", "key", "path", "proposal_id"})


REST = {endpoint: _rule(endpoint)(_endpoint(endpoint)) for endpoint in ENDPOINTS if _writes(endpoint)}
REST[f"{LINKS} as target"] = _by_sight(
    lambda member, theirs, verbs: _endpoint(LINKS, memory_id=_own, target_id=lambda _: theirs.places["memory_id"])(
        member, theirs, verbs
    )
)


def _replace_by_link(member: Member, theirs: Belongings, verbs: tuple[Verb, ...]) -> Answered:
    body = {"target_id": theirs.places["memory_id"], "relation": "updates", "supersede": True}
    response = Client().post(
        f"/api/v1/memories/{theirs.places['by']}/associations",
        body,
        content_type="application/json",
        headers=headers(member, *verbs),
    )
    return Answered(response.status_code, response.content.decode())


REST[f"{LINKS} that replaces"] = _by_id(_replace_by_link)


def _report_anchor(member: Member, theirs: Belongings, verbs: tuple[Verb, ...]) -> Answered:
    """Report that an anchor is gone. Anchors that the caller may not report about are skipped."""
    body = {"anchors": [{"id": theirs.places["source_id"], "present": None}]}
    response = Client().post(
        "/api/v1/anchors/report", body, content_type="application/json", headers=headers(member, *verbs)
    )
    skipped = response.status_code == 200 and response.json()["skipped"]
    return Answered(404 if skipped else response.status_code, response.content.decode())


REST["post anchors/report"] = Write(_report_anchor, lambda whose: whose.changes)


# The dialects' tools

Arguments = Callable[[Belongings], dict[str, Any]]


def _tool(place: str, arguments: Arguments) -> Act:
    def act(member: Member, theirs: Belongings, verbs: tuple[Verb, ...]) -> Answered:
        context = {name: getattr(member.context, name) for name in ("project", "user", "workspace")}
        status, answer = call_tool_api(member.token(*verbs), place, arguments(theirs), **context)
        undone = answer.get("removed") is False or answer.get("forgotten") is False
        return Answered(404 if undone else status, str(answer))

    return act


def _kv(command: str, **said: str) -> Arguments:
    return lambda theirs: {"command": command, "key": theirs.memory.key, "content": "x", **said}


def _path(theirs: Belongings) -> str:
    return f"/memories/{theirs.file.path}"


def _key(theirs: Belongings) -> dict[str, Any]:
    return {"key": theirs.memory.key}


def _key_and_scope(theirs: Belongings) -> dict[str, Any]:
    return _key(theirs) | {"scope": theirs.memory.scope}


def _id(theirs: Belongings) -> dict[str, Any]:
    return {"id": str(theirs.memory.pk)}


def _scoped_save(act: Act) -> Write:
    """Return a write of a tool that knows no memories of teams."""
    return Write(act, lambda whose: NOBODY if whose.by_key_of_team else whose.changes, (200, 400))


def _replacing_target(theirs: Belongings) -> dict[str, Any]:
    link = {"target_id": str(theirs.memory.pk), "relation_type": "updates", "supersede": True}
    return {"content": "x", "associations": [link]}


DIALECTS: dict[str, Write] = {
    "kv/memory create": _making(_tool("kv/memory", _kv("create")), 200, 409),
    "kv/memory update": _of_team(_tool("kv/memory", _kv("update"))),
    "kv/memory append": _of_team(_tool("kv/memory", _kv("update", mode="append"))),
    "kv/memory by id": _of_team(
        _tool("kv/memory", lambda theirs: _kv("update", key=str(theirs.memory.pk))(theirs)),
    ),
    "group/save_memory": _of_team(_tool("group/save_memory", lambda theirs: _key(theirs) | {"content": "x"}), 200),
    "group/forget_memory": _of_team(_tool("group/forget_memory", _key)),
    "group/forget_memory by id": _of_team(
        _tool("group/forget_memory", lambda theirs: {"key": str(theirs.memory.pk)}),
    ),
    "scoped/save": _scoped_save(_tool("scoped/save", lambda theirs: _key_and_scope(theirs) | {"value": "x"})),
    "scoped/delete": _by_id(_tool("scoped/delete", _id)),
    "scoped/delete by key": _in_context(_tool("scoped/delete", _key_and_scope)),
    "team/save_memory": _making(_tool("team/save_memory", lambda theirs: {"type": "fact", "content": "x"}), 200),
    "graph/memory_save": _by_sight(
        _tool(
            "graph/memory_save",
            lambda theirs: {"content": "x", "associations": [{"target_id": str(theirs.memory.pk)}]},
        ),
        400,
    ),
    "graph/memory_save that replaces": Write(  # what it saves is the team's
        _tool("graph/memory_save", _replacing_target),
        lambda whose: whose.by_key_of_team,
        others=(400,),
        seeing=(400, 403),
    ),
    "graph/memory_delete": _by_id(_tool("graph/memory_delete", lambda theirs: {"memory_id": str(theirs.memory.pk)})),
    "files/create": Write(
        _tool("files/create", lambda theirs: {"path": _path(theirs), "file_text": "x"}),
        lambda whose: NOBODY,
        (200, 409),
        of_files=True,
    ),
    "files/str_replace": _of_files(
        _tool("files/str_replace", lambda theirs: {"path": _path(theirs), "old_str": "pager", "new_str": "x"})
    ),
    "files/insert": _of_files(
        _tool("files/insert", lambda theirs: {"path": _path(theirs), "insert_line": 0, "insert_text": "x"})
    ),
    "files/delete": _of_files(_tool("files/delete", lambda theirs: {"path": _path(theirs)})),
    "files/rename": _of_files(
        _tool("files/rename", lambda theirs: {"old_path": _path(theirs), "new_path": "/memories/moved.md"})
    ),
    "files/rename of a folder": _of_files(
        _tool(
            "files/rename",
            lambda theirs: {"old_path": _path(theirs).rpartition("/")[0], "new_path": "/memories/moved"},
        )
    ),
}


# The hub's tools by MCP

REFUSALS = {"There is no": 404, "You may read": 403, "This token may not": 403, "An agent cannot": 403}


def _mcp(name: str, arguments: Arguments) -> Act:
    def act(member: Member, theirs: Belongings, verbs: tuple[Verb, ...]) -> Answered:
        result = messenger(member, *verbs).result("tools/call", name=name, arguments=arguments(theirs))
        text = result["content"][0]["text"]
        told = next((status for start, status in REFUSALS.items() if text.startswith(start)), 400)
        return Answered(told if result.get("isError") else 200, text)

    return act


def _memory(**said: object) -> Arguments:
    return lambda theirs: {"memory_id": str(theirs.memory.pk), **said}


def _target(**said: object) -> Arguments:
    return lambda theirs: _memory(target_id=str(theirs.link.target_id), **said)(theirs)


def _replacing(theirs: Belongings) -> dict[str, Any]:
    ends = {"memory_id": theirs.places["by"], "target_id": theirs.places["memory_id"]}
    return ends | {"relation": "updates", "supersede": True}


def _file(**said: object) -> Arguments:
    return lambda theirs: {"path": theirs.file.path, **said}


def _save_body(theirs: Belongings) -> dict[str, Any]:
    return _key_and_scope(theirs) | {"content": "x"}


def _link_by_mcp(member: Member, theirs: Belongings, verbs: tuple[Verb, ...]) -> Answered:
    said = {"memory_id": _own(member), "target_id": str(theirs.memory.pk)}
    return _mcp("memory_link", lambda _: said)(member, theirs, verbs)


HUB: dict[str, Write] = {
    "memory_save": _in_context(_mcp("memory_save", _save_body), 200, 400),
    "memory_save_many": _in_context(
        _mcp("memory_save_many", lambda theirs: {"memories": [_save_body(theirs)]}), 200, 400
    ),
    "memory_update": _by_id(_mcp("memory_update", _memory(content="x"))),
    "memory_append": _by_id(_mcp("memory_append", _memory(text="x"))),
    "memory_pin": _by_id(_mcp("memory_pin", _memory())),
    "memory_tag": _by_id(_mcp("memory_tag", _memory(add=["x"]))),
    "memory_expire": _by_id(_mcp("memory_expire", _memory(expires_at=None))),
    "memory_verify": _by_others(_mcp("memory_verify", _memory())),
    "memory_forget": _by_id(_mcp("memory_forget", _memory())),
    "memory_forget by key": _in_context(_mcp("memory_forget", _key_and_scope)),
    "memory_restore": Write(_mcp("memory_restore", _memory()), lambda whose: whose.changes, forgotten=True),
    "memory_revert": _by_id(_mcp("memory_revert", _memory(to_version=1))),
    "memory_link": _by_id(_mcp("memory_link", _target(weight=0.8))),
    "memory_link as target": _by_sight(_link_by_mcp),
    "memory_link that replaces": _by_id(_mcp("memory_link", _replacing)),
    "memory_supersede": _by_id(_mcp("memory_supersede", lambda theirs: _memory(by=theirs.places["by"])(theirs))),
    "memory_reinstate": _reinstating(_mcp("memory_reinstate", _memory())),
    "proposal_withdraw": _by_proposer(
        _mcp("proposal_withdraw", lambda theirs: {"proposal_id": theirs.places["proposal_id"]})
    ),
    "memory_unlink": _by_id(_mcp("memory_unlink", _target())),
    "pair_settle": _by_id(
        _mcp("pair_settle", lambda theirs: {"pair_id": str(theirs.pair.pk), "decision": "not-duplicate"})
    ),
    "memory_feedback": _by_sight(_mcp("memory_feedback", _memory(rating="wrong"))),
    "memory_feedback that withdraws": Write(_mcp("memory_feedback", _memory()), lambda whose: whose.sees, rated=True),
    "memory_cite": _by_id(_mcp("memory_cite", _memory(quote="x"))),
    "file_write": _of_files(_mcp("file_write", _file(content="x")), 200),
    "file_append": _of_files(_mcp("file_append", _file(text="x"))),
    "file_rename": _of_files(_mcp("file_rename", _file(to="moved.md"))),
    "file_delete": _of_files(_mcp("file_delete", _file())),
    "file_revert": _of_files(_mcp("file_revert", _file(to_version=1))),
}
# Of the caller's own conversations alone, which no id names.
OF_SESSIONS = {"session_register", "session_archive", "session_extract"}

WRITES = REST | DIALECTS | HUB
