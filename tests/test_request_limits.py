"""Tests of the bounds of what one request can cause: bytes, messages, what a refusal names, the work of a minute."""

from typing import Any
from unittest.mock import ANY

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections
from django.utils import timezone
from pytest_django import Settings

from memories.contract import cost
from memories.mcp import endpoint
from memories.operations import BATCH_BYTES, Draft, save_each, save_memories
from memories.queries import paging
from memories.transfer import downloads
from memoryhub.errors import LONGEST_MESSAGE, MOST_FIELDS, Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import Messenger

pytestmark = pytest.mark.django_db
BATCHING = "2025-03-26"
LARGE = [{"content": "x" * 40_000}] * 27  # more than a batch may hold
SPOKEN = [{"role": "user", "content": "We decided to ship on Tuesday."}]


@pytest.fixture
def batch_messenger() -> Messenger:
    return Messenger(revision=BATCHING)


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock, so that no minute ends between two requests."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)


def message(identity: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}


# Batches of memories


@pytest.mark.parametrize("each", [False, True])
def test_a_batch_of_too_many_bytes_says_its_size(caller: Caller, each: bool) -> None:
    refused = caller("POST", "memories/batch", {"memories": LARGE, "each": each})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert "1,080,000" in refused.json()["fields"]["memories"]
    assert caller("GET", "memories").json()["memories"] == []


def test_the_tool_that_saves_many_has_the_same_bound(batch_messenger: Messenger, caller: Caller) -> None:
    assert "1,080,000" in batch_messenger.refusal("memory_save_many", memories=LARGE)
    assert caller("POST", "tools/hub/memory_save_many", {"memories": LARGE}).status_code == 413


@pytest.mark.parametrize("save", [save_memories, save_each])
def test_a_batch_may_have_just_as_many_bytes(writer: Actor, save: Any) -> None:
    parts = [Draft(content="x" * 32_768)] * (BATCH_BYTES // 32_768)
    with pytest.raises(TooLarge):
        save(actor=writer, drafts=[*parts, Draft(content="x")])
    assert len(save(actor=writer, drafts=parts)) == len(parts)


# Conversations


def test_a_conversation_that_is_too_long_is_not_read(caller: Caller, batch_messenger: Messenger) -> None:
    messages = [{"role": "user", "content": "x" * 40_000}] * 27
    refused = caller("POST", "sessions/chat/extract", {"messages": messages})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert "1,080,000" in refused.json()["fields"]["messages"]
    assert "1,080,000" in batch_messenger.refusal("session_extract", messages=messages, context={"session": "chat"})


# Pages of lists


def test_a_page_ends_where_its_texts_are_long(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.contract.use_cases.memories.PAGE_TEXT_LENGTH", 1_000)
    saved = [caller.save(f"{number} {'x' * 600}")["id"] for number in range(5)]
    found, cursor, sizes = [], "", []
    while cursor is not None:
        after = f"&cursor={cursor}" if cursor else ""
        page = caller("GET", f"memories?limit=200&order=created_at{after}").json()
        cursor = page["next"]
        sizes.append(len(page["memories"]))
        found += [memory["id"] for memory in page["memories"]]
    assert (found, sizes) == (saved, [2, 2, 1])


def test_versions_end_where_their_texts_are_long(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.contract.use_cases.memories.PAGE_TEXT_LENGTH", 1_000)
    memory = caller.save("x" * 600)
    for number in range(2):
        caller("PATCH", f"memories/{memory['id']}", {"content": f"{number} {'x' * 600}"})
    page = caller("GET", f"memories/{memory['id']}/history").json()
    assert ([version["version"] for version in page["versions"]], bool(page["next"])) == ([3, 2], True)


def test_proposals_end_where_their_texts_are_long(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.contract.use_cases.proposals.PAGE_TEXT_LENGTH", 1_000)
    memory = caller.save(pinned=True)
    for number in range(3):
        caller("PATCH", f"memories/{memory['id']}", {"content": f"{number} {'x' * 600}"})
    page = caller("GET", "proposals").json()
    assert (len(page["proposals"]), bool(page["next"])) == (2, True)
    assert len(caller("GET", f"proposals?cursor={page['next']}").json()["proposals"]) == 1


def test_a_timeline_ends_where_its_texts_are_long(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.queries.lookup.PAGE_TEXT_LENGTH", 1_000)
    for number in range(3):
        caller.save(f"{number} {'x' * 600}", key="port", dedupe="create")
    assert len(caller("GET", "timeline/port").json()["memories"]) == 2


def test_one_long_text_is_a_page_of_its_own(writer: Actor) -> None:
    memory = factories.memory(writer, "x" * 50)
    factories.memory(writer, "y")
    rows = type(memory).objects.all()
    first = paging.fetch_page(rows, order="created_at", limit=9, length=10)
    assert ([row.pk for row in first.rows], bool(first.next)) == ([memory.pk], True)


# Refusals


def test_a_refusal_names_the_first_fields_and_counts_the_rest() -> None:
    refusal = Invalid({f"f{number}": "There is no such field." for number in range(5_000)})
    assert list(refusal.fields) == [f"f{number}" for number in range(MOST_FIELDS)]
    assert refusal.message.endswith("f19: There is no such field. And 4,980 more.")
    assert "more" not in Invalid(dict.fromkeys(map(str, range(MOST_FIELDS)), "No.")).message


def test_a_refusal_does_not_send_back_all_that_came() -> None:
    assert len(NotFound("x" * 1_000_000).message) == LONGEST_MESSAGE
    (name,) = Invalid({"x" * 1_000_000: "There is no such field."}).fields
    assert len(name) == 200


UNKNOWN_FIELDS = {"content": "x", **{f"f{number}": number for number in range(3_000)}}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("memories", UNKNOWN_FIELDS),
        ("memories/batch", {"memories": [{}] * 500}),
        ("recall", UNKNOWN_FIELDS),
        ("tools/hub/memory_save", UNKNOWN_FIELDS),
        ("tools/kv/memory", UNKNOWN_FIELDS),
        ("tools/scoped/save", UNKNOWN_FIELDS),
        ("tools/graph/memory_save", UNKNOWN_FIELDS),
        ("sessions/chat/archive", {"messages": [{"role": "!", "content": "x"}] * 3_000}),
    ],
)
def test_every_door_refuses_in_few_words(caller: Caller, path: str, body: dict[str, Any]) -> None:
    refused = caller("POST", path, body)
    assert refused.status_code == 400
    problem = refused.json()
    assert (len(problem["fields"]), problem["more_fields"] > 400) == (MOST_FIELDS, True)
    assert f"And {problem['more_fields']:,} more." in problem["detail"]
    assert len(refused.content) < 10_000


def test_unknown_parameters_are_refused_in_few_words(caller: Caller) -> None:
    refused = caller("GET", "memories?" + "&".join(f"f{number}=1" for number in range(900)))
    assert (refused.status_code, len(refused.json()["fields"])) == (400, MOST_FIELDS)


def test_tools_and_prompts_refuse_in_few_words(batch_messenger: Messenger) -> None:
    text = batch_messenger.refusal("memory_save", **UNKNOWN_FIELDS)
    assert ("And 2,980 more." in text, len(text) < 5_000) == (True, True)
    error = batch_messenger.error(
        "prompts/get", name="team_context", arguments={f"f{number}": 1 for number in range(3_000)}
    )
    assert ("And 2,980 more." in error["message"], len(error["message"]) < 5_000) == (True, True)


@pytest.mark.parametrize("method", ["x" * 1_000_000, "tools/call"])
def test_unknown_names_are_not_sent_back_whole(batch_messenger: Messenger, method: str) -> None:
    assert len(batch_messenger.ask(method, name="y" * 1_000_000).content) < 20_000


# Batches of messages


def test_a_batch_has_ten_messages_at_most(batch_messenger: Messenger) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert len(batch_messenger.send([ping] * endpoint.BATCH).json()) == endpoint.BATCH == 10
    assert batch_messenger.send([ping] * 11).status_code == 400


def test_a_batch_ends_where_its_answers_are_long(batch_messenger: Messenger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "BATCH_ANSWER_BYTES", 2_000)
    batch_messenger.call("memory_save", content="x" * 3_000, key="long")
    reads = [message(number, "memory_get", key="long") for number in range(3)]
    answers = batch_messenger.send([*reads, {"jsonrpc": "2.0", "method": "notifications/initialized"}]).json()
    assert ["result" in answer for answer in answers] == [True, False, False]
    assert answers[1] == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": endpoint.TOO_LONG}}


def test_what_does_not_fit_into_a_batch_is_not_done(
    batch_messenger: Messenger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "BATCH_ANSWER_BYTES", 1)
    batch_messenger.send([message(1, "whoami"), message(2, "memory_save", content="Never.", key="never")])
    assert "memories" in batch_messenger.call("memory_list")
    assert batch_messenger.call("memory_list")["memories"] == []


# The work of a minute


@pytest.mark.usefixtures("minute")
def test_each_message_of_a_batch_counts(batch_messenger: Messenger, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 4
    answers = batch_messenger.send([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(6)]).json()
    assert [answer.get("error", {}).get("code") for answer in answers] == [None] * 4 + [-32029] * 2
    assert answers[-1]["error"]["data"] == {"retry_after": ANY}
    assert 1 <= answers[-1]["error"]["data"]["retry_after"] <= 60


@pytest.mark.usefixtures("minute")
def test_a_message_that_has_to_wait_is_told_for_how_long(batch_messenger: Messenger, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 30
    for status in (200, 429):
        response = batch_messenger.ask(
            "tools/call", name="session_extract", arguments={"messages": SPOKEN, "context": {"session": "c"}}
        )
        assert response.status_code == status
    error = response.json()["error"]
    assert (error["code"], str(error["data"]["retry_after"])) == (-32029, response["Retry-After"])
    assert response.json()["id"] == 1


@pytest.mark.usefixtures("minute")
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "memories/batch", {"memories": [{"content": f"Berth {number}"} for number in range(60)]}),
        ("POST", "memories/batch", {"memories": [{"content": "x" * 40_000}] * 3}),
        ("POST", "tools/hub/memory_save_many", {"memories": [{"content": f"{number}"} for number in range(60)]}),
        ("POST", "sessions/chat/extract", {"messages": SPOKEN}),
        ("GET", "export", None),
    ],
)
def test_heavy_work_weighs_more(caller: Caller, settings: Settings, method: str, path: str, body: Any) -> None:
    settings.REQUESTS_PER_MINUTE = 6
    first = caller(method, path, body)
    if first.streaming:
        assert b"".join(first.streaming_content)
    assert first.status_code == 200
    assert caller("GET", "me").status_code == 429


@pytest.mark.usefixtures("minute")
def test_a_folder_weighs_as_much_as_its_files(caller: Caller, settings: Settings) -> None:
    content = {"path": "/memories/notes/a.txt", "file_text": "x" * 500_001}
    assert caller("POST", "tools/files/create", content).status_code == 200
    settings.REQUESTS_PER_MINUTE = 8
    moved = caller("POST", "tools/files/rename", {"old_path": "/memories/notes", "new_path": "/memories/people"})
    assert moved.status_code == 200
    assert caller("POST", "tools/files/delete", {"path": "/memories/people"}).status_code == 429
    assert caller("GET", "me").status_code == 200


@pytest.mark.usefixtures("minute")
def test_what_is_refused_leaves_the_minute_to_smaller_work(caller: Caller, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 6
    assert caller("GET", "me").status_code == 200
    batch = {"memories": [{"content": f"Berth {number}"} for number in range(60)]}
    assert caller("POST", "memories/batch", batch).status_code == 429
    assert [caller("GET", "me").status_code for _ in range(5)] == [200] * 4 + [429]


@pytest.mark.usefixtures("minute")
def test_ten_memories_weigh_as_much_as_one(caller: Caller, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 3
    batch = {"memories": [{"content": f"Berth {number}"} for number in range(10)]}
    assert [caller("POST", "memories/batch", batch).status_code for _ in range(3)] == [200] * 3


@pytest.mark.parametrize(("messages", "weight"), [(0, 19), (499, 19), (10_000, 39)])
def test_many_messages_weigh_more(messages: int, weight: int) -> None:
    assert cost.weigh_extraction({"messages": SPOKEN * messages}) == weight
    assert cost.weigh_extraction({}) == 19


# Exports


def test_a_token_has_one_export_at_a_time(caller: Caller) -> None:
    caller.save()
    under_way = caller("GET", "export")
    refused = caller("GET", "export")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert "in progress" in refused.json()["detail"]
    assert int(refused["Retry-After"]) > 0
    other = Caller()("GET", "export")
    assert other.status_code == 200
    for response in (under_way, other):
        assert b"".join(response.streaming_content).startswith(b"PK")
    assert hang_up(caller("GET", "export")) == 200


@pytest.mark.django_db(transaction=True)
def test_an_export_that_breaks_off_ends_its_turn(caller: Caller) -> None:
    caller.save()
    begun = caller("GET", "export")
    next(iter(begun.streaming_content))
    hang_up(begun)
    unread = caller("GET", "export")
    hang_up(unread)
    assert hang_up(caller("GET", "export")) == 200


def test_a_hub_makes_few_exports_at_once() -> None:
    under_way = [Caller()("GET", "export") for _ in range(downloads.MAX_EXPORTS)]
    last = Caller()
    assert last("GET", "export").status_code == 429
    for response in under_way:
        hang_up(response)
    assert hang_up(last("GET", "export")) == 200


def test_an_export_that_is_too_large_is_left_to_operators(caller: Caller, settings: Settings) -> None:
    caller.save()
    settings.EXPORT_MAX_ROWS = 2
    refused = caller("GET", "export")
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert "manage.py export" in refused.json()["detail"]
    settings.EXPORT_MAX_ROWS = 0
    assert hang_up(caller("GET", "export")) == 200


def test_an_owner_has_one_export_at_a_time(team: Team, settings: Settings) -> None:
    owner = factories.log_in_member(team, Role.OWNER, "olga")
    address = "/t/acme/ops/export/archive.zip"
    under_way = owner.get(address)
    assert owner.get(address).status_code == 429
    hang_up(under_way)
    settings.EXPORT_MAX_ROWS = 1
    assert owner.get(address).status_code == 413


def hang_up(response: Any) -> int:
    """Close an answer as the server does when its reader has gone, but for the test's own connection."""
    request_finished.disconnect(close_old_connections)
    response.close()
    request_finished.connect(close_old_connections)
    status: int = response.status_code
    return status


# Completions


@pytest.mark.parametrize(
    "params",
    [
        {"argument": {"name": "key", "value": "a\0b"}},
        {"argument": {"name": "key", "value": None}},
        {"argument": {"name": ["key"], "value": "a"}},
        {"argument": {"value": "a"}},
        {"argument": {"name": "key", "value": "x" * 100_000}},
        {"context": {"arguments": "ops"}},
        {"context": {"arguments": ["team"]}},
        {"context": {"arguments": {"team": "a\0b"}}},
        {"context": {"arguments": {"team": 7}}},
        {"ref": {"type": "ref/resource", "uri": ["x"]}},
    ],
)
def test_a_completion_that_makes_no_sense_is_refused(batch_messenger: Messenger, params: dict[str, Any]) -> None:
    whole = {
        "ref": {"type": "ref/resource", "uri": "memory://{team}/{key}"},
        "argument": {"name": "key", "value": "b"},
    }
    assert batch_messenger.error("completion/complete", **(whole | params))["code"] == -32602


def test_other_arguments_of_a_completion_may_be_anything(batch_messenger: Messenger) -> None:
    batch_messenger.call("memory_save", content="Closed.", key="berth-7")
    found = batch_messenger.result(
        "completion/complete",
        ref={"type": "ref/resource", "uri": "memory://{team}/{key}"},
        argument={"name": "key", "value": "ber", "more": 7},
        context={"arguments": {"key": ["x"], "more": None}},
    )
    assert found["completion"]["values"] == ["berth-7"]
