"""An agent's day at the MCP door, in which it calls every tool: whoever drives it sends back what a call answered."""

from collections.abc import Generator
from typing import Any

Calls = Generator[tuple[str, dict[str, Any]], dict[str, Any], None]

MESSAGES = [{"role": "user", "content": "We decided to ship on Tuesday.", "id": "m-1"}]
CHAT = {"session": "chat-1", "user": "mira"}
FUTURE = "2099-01-01T00:00:00Z"
OF_OTHERS = {"memory_verify"}  # tools for what others wrote: an agent that is alone has no use for them


def hub_day() -> Calls:
    yield "whoami", {}
    saved = yield (
        "memory_save",
        {"content": "Berth 7 is closed.", "key": "berth-7", "tags": ["berths"], "type": "event"},
    )
    berth = {"memory_id": saved["id"]}
    many = yield (
        "memory_save_many",
        {"memories": [{"content": "The crane is broken."}, {"content": "The tide is low."}]},
    )
    crane = {"target_id": many["memories"][0]["id"]}
    yield "memory_recall", {"query": "Which berths are closed?", "explain": True, "snippets": True}
    yield "memory_why_not", {"query": "tide", "memory_id": saved["id"]}
    yield "memory_context", {"query": "berths", "budget": 500}
    yield "memory_get", {"key": "berth-7"}
    yield "memory_update", berth | {"importance": 0.9, "summary": None, "version": 1}
    yield "memory_append", berth | {"text": "The crane comes on Friday."}
    yield "memory_tag", berth | {"add": ["cranes"], "remove": ["berths"]}
    yield "memory_expire", berth | {"expires_at": FUTURE}
    yield "memory_history", berth | {"limit": 2}
    yield "memory_revert", berth | {"to_version": 1}
    yield "memory_link", berth | crane | {"relation": "caused_by"}
    yield "memory_links", berth
    yield "memory_unlink", berth | crane | {"relation": "caused_by"}
    yield "memory_cite", berth | {"url": "https://chat.example.org/7", "quote": "The crane at 7 is broken."}
    yield "memory_sources", berth
    yield "memory_feedback", berth | {"rating": "wrong", "reason": "It is berth 8."}
    yield "memory_feedback", berth
    yield "memory_forget", {"key": "berth-7", "reason": "It was a dream."}
    yield "memory_list", {"forgotten": True}
    yield "memory_restore", berth
    yield "memory_supersede", {"memory_id": many["memories"][1]["id"], "by": many["memories"][0]["id"]}
    yield "memory_reinstate", {"memory_id": many["memories"][1]["id"]}
    yield "memory_timeline", {"key": "berth-7"}
    yield "memory_pin", berth
    held = yield "memory_append", berth | {"text": "It opens in May."}
    yield "proposal_list", {"state": "open"}
    yield "proposal_withdraw", {"proposal_id": held["proposal_id"]}
    first = yield "memory_save", {"content": "The harbour master listens on channel 12."}
    second = yield "memory_save", {"content": "The harbour master listens on channel 14."}
    assert [conflict["id"] for conflict in second["conflicts"]] == [first["id"]]
    (pair,) = (yield "pair_list", {"kind": "contradiction"})["pairs"]
    yield "pair_settle", {"pair_id": pair["id"], "decision": "supersede", "reason": "The channel has changed."}
    yield "file_write", {"path": "notes/berths.md", "content": "# Berths", "only_new": True}
    yield "file_append", {"path": "notes/berths.md", "text": "7: closed"}
    yield "file_read", {"path": "notes/berths.md", "at_version": 1}
    yield "file_rename", {"path": "notes/berths.md", "to": "notes/harbour.md"}
    yield "file_list", {"prefix": "notes/"}
    yield "file_delete", {"path": "notes/harbour.md"}
    yield "file_history", {"path": "notes/harbour.md"}
    yield "file_revert", {"path": "notes/harbour.md", "to_version": 2}
    yield "session_register", {"context": CHAT}
    yield "session_archive", {"context": CHAT, "messages": MESSAGES}
    yield "session_extract", {"context": CHAT}


def kv_day() -> Calls:
    yield "memory", {"command": "create", "key": "core", "content": "We write plainly."}


def group_day() -> Calls:
    yield "save_memory", {"key": "colour", "content": "The boats are blue."}
    yield "recall_memories", {"query": "boats"}
    yield "list_memories", {}
    yield "forget_memory", {"key": "colour"}


def scoped_day() -> Calls:
    mira = {"userId": "mira"}
    saved = yield "save", {"key": "colour", "value": "The boats are blue."} | mira
    assert (saved["scope"], saved["userId"]) == ("global", "mira")
    found = yield "recall", {"query": "boats"} | mira
    assert [memory["id"] for memory in found["memories"]] == [saved["id"]]
    yield "list", mira
    yield "get", {"key": "colour"} | mira
    yield "delete", {"id": saved["id"]} | mira


def team_day() -> Calls:
    yield "save_memory", {"type": "lesson", "content": "Paint the boats in May."}
    yield "search_memory", {"query": "boats"}


def graph_day() -> Calls:
    saved = yield "memory_save", {"content": "The boats are blue."}
    yield "memory_recall", {"query": "boats"}
    yield "memory_delete", {"memory_id": saved["memory_id"]}


def files_day() -> Calls:
    path = {"path": "/memories/boats.txt"}
    yield "create", path | {"file_text": "The boats are blue.\n"}
    yield "view", path
    yield "str_replace", path | {"old_str": "blue", "new_str": "green"}
    yield "insert", path | {"insert_line": 1, "insert_text": "All of them.\n"}
    yield "rename", {"old_path": path["path"], "new_path": "/memories/ships.txt"}
    yield "delete", {"path": "/memories/ships.txt"}


DAYS = {
    "kv": kv_day,
    "group": group_day,
    "scoped": scoped_day,
    "team": team_day,
    "graph": graph_day,
    "files": files_day,
}
