"""The hub's own tools, resources and prompts, as a model meets them."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from jsonschema import Draft202012Validator

from memories.mcp.servers import HUB, SERVERS
from memories.models import FileVersion, Memory, Revision
from memories.tools import DIALECTS
from memoryhub.json_schema import STORABLE
from teams.models import Token, Verb
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import MODERN, Messenger
from tests.stories import DAYS, FUTURE, OF_OTHERS, Calls, hub_day

pytestmark = pytest.mark.django_db
DESTROYING = {"memory_expire", "memory_forget", "memory_unlink", "file_delete"}


def call_day(messenger: Messenger, day: Calls) -> dict[str, Any]:
    """Make the calls of a day and return the answer of each tool."""
    answers: dict[str, Any] = {}
    try:
        name, arguments = next(day)
        while True:
            answers[name] = messenger.call(name, **arguments)
            name, arguments = day.send(answers[name])
    except StopIteration:
        return answers


def test_every_tool_answers_as_it_says_and_names_its_token(messenger: Messenger) -> None:
    answers = call_day(messenger, hub_day())
    assert set(answers) == set(HUB.tools) - OF_OTHERS
    for definition in [one for one in HUB.definitions if one["name"] not in OF_OTHERS]:
        Draft202012Validator(definition["outputSchema"]).validate(answers[definition["name"]])
    token = Token.objects.get().pk
    assert set(Revision.objects.values_list("token", flat=True)) == {token}
    assert set(FileVersion.objects.values_list("token", flat=True)) == {token}


def test_another_agent_verifies_and_is_answered_as_the_tool_says(messenger: Messenger) -> None:
    saved = messenger.call("memory_save", content="Berth 7 is closed.")
    colleague = Messenger(factories.agent(messenger.agent.team))
    verified = colleague.call("memory_verify", memory_id=saved["id"], review_by=FUTURE)
    (definition,) = [one for one in HUB.definitions if one["name"] == "memory_verify"]
    Draft202012Validator(definition["outputSchema"]).validate(verified)
    assert verified["verified_by"] == colleague.agent.slug


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_tool_of_a_dialect_answers_as_it_says(dialect: str) -> None:
    messenger = Messenger(place=f"/mcp/{dialect}")
    answers = call_day(messenger, DAYS[dialect]())
    listed = messenger.result("tools/list")["tools"]
    assert set(answers) == {tool["name"] for tool in listed} == {tool.name for tool in DIALECTS[dialect]}
    for definition in listed:
        Draft202012Validator(definition["outputSchema"]).validate(answers[definition["name"]])


def test_definitions_are_short_and_say_what_a_tool_does() -> None:
    for server in SERVERS.values():
        for tool in server.definitions:
            for shape in (tool["inputSchema"], tool["outputSchema"]):
                Draft202012Validator.check_schema(shape)
                assert shape["type"] == "object"
            assert tool["title"] == tool["annotations"]["title"]
            assert STORABLE not in json.dumps(tool)
            hints = tool["annotations"]
            assert hints["openWorldHint"] is False
            assert ("destructiveHint" in hints) == (not hints["readOnlyHint"])
    assert {tool["name"] for tool in HUB.definitions if tool["annotations"].get("destructiveHint")} == DESTROYING
    inputs = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in HUB.definitions]
    assert len(json.dumps(inputs)) < 40_000  # about 10,000 tokens in a model's window


def test_the_text_says_what_the_structure_says(messenger: Messenger) -> None:
    result = messenger.result("tools/call", name="memory_save", arguments={"content": "Berth 7 is closed."})
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert "summary" not in result["structuredContent"]  # which is empty
    files = Messenger(messenger.agent, place="/mcp/files")
    made = files.result("tools/call", name="create", arguments={"path": "/memories/a", "file_text": "A"})
    assert made["content"][0]["text"] == made["structuredContent"]["content"]


def test_metadata_stays_as_it_came(messenger: Messenger) -> None:
    saved = messenger.call("memory_save", content="x", metadata={"a": None, "b": {"c": None}})
    assert saved["metadata"] == {"a": None, "b": {"c": None}}


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("memory_save", {}, "content: This is needed."),
        ("memory_save", {"content": "x", "colour": "red"}, "colour: There is no such field."),
        ("memory_save", {"content": "x", "type": "rumour"}, "type: This must be one of fact"),
        ("memory_save", {"content": "é" * 30_000}, "content: At most 50,000 bytes"),
        ("memory_save_many", {"memories": [{"content": "x"}, {"content": "\0"}]}, "memories.1.content"),
        ("memory_get", {}, "Send either the memory_id or the key."),
        ("memory_get", {"memory_id": "7"}, "memory_id: This must be an id."),
        ("memory_forget", {"key": "nothing"}, "There is no memory with the key 'nothing'"),
        ("memory_recall", {"mode": "typed"}, "type"),
        ("memory_tag", {"memory_id": "01a8c2f1-0a2b-7c3d-8e4f-102938475610"}, "Say which tags"),
        ("memory_pin", {"memory_id": "01a8c2f1-0a2b-7c3d-8e4f-102938475610"}, "There is no such memory."),
        ("file_read", {"path": "../secret"}, "path"),
        (
            "session_archive",
            {"messages": [{"role": "user", "content": "x"}]},
            "context.session: Name the conversation",
        ),
    ],
)
def test_a_model_is_told_what_is_wrong(messenger: Messenger, tool: str, arguments: Any, sentence: str) -> None:
    assert sentence in messenger.refusal(tool, **arguments)
    assert not Memory.objects.exists()


def test_whoever_was_too_late_reads_what_stands_there_now(messenger: Messenger) -> None:
    saved = messenger.call("memory_save", content="Berth 7 is closed.")
    messenger.call("memory_update", memory_id=saved["id"], content="Berth 7 is open.")
    sentence = messenger.refusal("memory_update", memory_id=saved["id"], content="Berth 7 is gone.", version=1)
    assert sentence == "You saw version 1; it is now version 2. Version 2 says:\nBerth 7 is open."


def test_a_token_without_a_verb_is_told_no(messenger: Messenger) -> None:
    saved = messenger.call("memory_save", content="Berth 7 is closed.")
    writer = Messenger(messenger.agent, verbs=(Verb.WRITE,))
    assert set(writer.call("memory_pin", memory_id=saved["id"])) == {"id", "version", "status"}
    assert writer.call("whoami")["verbs"] == ["write"]
    reader = Messenger(messenger.agent, verbs=(Verb.READ,))
    for blind, tool, arguments in (
        (writer, "memory_recall", {"query": "berth"}),
        (writer, "memory_forget", {"memory_id": saved["id"]}),
        (reader, "memory_save", {"content": "x"}),
        (reader, "session_register", {"context": {"session": "s"}}),
    ):
        assert "may not" in blind.refusal(tool, **arguments), tool
    for method, params in (
        ("resources/list", {}),
        ("resources/read", {"uri": "memory://a/b"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "team_context"}, "argument": {}}),
    ):
        assert "error" in writer.ask(method, **params).json(), method


# Trying again

SAVED = {"name": "memory_save", "arguments": {"content": "Berth 7 is closed."}}
WRITTEN = {
    "": SAVED,
    "graph": SAVED,
    "kv": {"name": "memory", "arguments": {"command": "create", "key": "k", "content": "x"}},
}


def call_with_key(messenger: Messenger, key: object, by: str, said: dict[str, Any]) -> Any:
    """Return the result of a call with an idempotency key in its header or its `_meta`."""
    meta = {"_meta": {"memoryhub/idempotency-key": key}} if by == "meta" else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": said | meta}
    return messenger.send(body, **({} if meta else {"Idempotency_Key": key})).json()["result"]


@pytest.mark.parametrize("by", ["header", "meta"])
@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_call_that_is_repeated_with_its_key_is_done_once(messenger: Messenger, dialect: str, by: str) -> None:
    messenger.place = f"/mcp/{dialect}".rstrip("/")
    said = WRITTEN[dialect]
    first, again = (call_with_key(messenger, "k-1", by, said) for _ in range(2))
    assert first == again
    assert not first.get("isError"), first
    assert Revision.objects.count() == 1
    assert call_with_key(messenger, "k-2", by, said).get("isError", False) == (
        dialect == "kv"
    )  # done again: there is one by now


def test_a_key_is_of_one_call_in_one_context(messenger: Messenger) -> None:
    call_with_key(messenger, "k", "header", SAVED)
    others = [
        Messenger(messenger.agent, token=messenger.token, context={"user": "mira"}),
        Messenger(messenger.agent, token=messenger.token, place="/mcp/graph"),
    ]
    for sender, request in (
        (messenger, SAVED | {"arguments": {"content": "Berth 7 is open."}}),
        (messenger, SAVED | {"name": "file_append", "arguments": {"path": "a", "text": "x"}}),
        *((other, SAVED) for other in others),
    ):
        refused = call_with_key(sender, "k", "meta", request)
        assert (refused["isError"], "used for another request" in refused["content"][0]["text"]) == (True, True)
    rest = Caller(messenger.agent, token=messenger.token)
    assert rest("POST", "memories", SAVED["arguments"], Idempotency_Key="k").status_code == 422
    assert Revision.objects.count() == 1


@pytest.mark.parametrize("key", ["", "two words", "ü", "k" * 256, "k\n", 7, ["k"]])
def test_an_odd_key_is_refused_in_words(messenger: Messenger, key: object) -> None:
    refused = call_with_key(messenger, key, "meta", SAVED)
    assert refused["content"][0]["text"].startswith("idempotency_key: This must be up to 255 visible ASCII characters")
    assert not Memory.objects.exists()


def test_a_read_is_asked_anew_and_a_refusal_leaves_the_key_free(messenger: Messenger) -> None:
    asked = {"name": "memory_list", "arguments": {}}
    assert call_with_key(messenger, "k", "header", asked)["structuredContent"]["memories"] == []
    assert call_with_key(messenger, "k", "header", SAVED | {"arguments": {}})["isError"]
    assert not call_with_key(messenger, "k", "header", SAVED).get("isError")
    assert len(call_with_key(messenger, "k", "header", asked)["structuredContent"]["memories"]) == 1


def test_one_key_for_a_batch_counts_for_each_of_its_calls(messenger: Messenger) -> None:
    said = [SAVED | {"arguments": {"content": f"Berth {number} is closed."}} for number in (7, 8)]
    batch = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params} for n, params in enumerate(said)]
    messenger.revision = "2025-03-26"
    first, again = (messenger.send(batch, Idempotency_Key="k").json() for _ in range(2))
    assert first == again
    assert Revision.objects.count() == 2


# Resources


def test_a_file_is_found_by_the_address_that_the_list_gives(messenger: Messenger) -> None:
    paths = ["notes/berths.md", "ü and 100%.txt", "a?b#c.csv", "plain"]
    for path in paths:
        messenger.call("file_write", path=path, content=f"This is {path}.")
    listed = [row for row in messenger.result("resources/list")["resources"] if row["name"] in paths]
    for row in listed:
        (content,) = messenger.result("resources/read", uri=row["uri"])["contents"]
        assert (content["uri"], content["text"]) == (row["uri"], f"This is {row['name']}.")
    media = {row["name"]: row["mimeType"] for row in listed}
    assert media == dict(zip(paths, ["text/markdown", "text/plain", "text/csv", "text/plain"], strict=True))


def test_resources_come_page_by_page(messenger: Messenger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.mcp.resources.PAGE", 2)
    for number in range(5):
        messenger.call("file_write", path=f"{number}.md", content="x")
    names, params = [], dict[str, str]()
    while True:
        page = messenger.result("resources/list", **params)
        names += [row["name"] for row in page["resources"]]
        if "nextCursor" not in page:
            break
        params = {"cursor": page["nextCursor"]}
    assert names == ["recent", "0.md", "1.md", "2.md", "3.md", "4.md"]


def test_blocks_are_the_teams_own(messenger: Messenger) -> None:
    messenger.call("memory_save", key="core", content="We write plainly.")
    slug = messenger.agent.team.slug
    texts = {
        name: messenger.result("resources/read", uri=f"memory://{slug}/blocks/{name}")["contents"][0]["text"]
        for name in ("core", "recent")
    }
    assert texts["core"].startswith("--- TEAM CORE MEMORY ---\nWe write plainly.")
    assert "We write plainly." in texts["recent"]


@pytest.mark.parametrize(
    "uri",
    ["memory://{team}/nothing", "memory://other/core", "memory://{team}/a/b", "memory://{team}/", "memory://[", "x",
     "https://{team}/core", "memory://{team}/core?a", "memory://{team}/files/../core", "memory://{team}/blocks/x"],
)  # fmt: skip
@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
def test_what_is_not_there_is_not_found(messenger: Messenger, uri: str, revision: str) -> None:
    messenger.call("memory_save", key="core", content="We write plainly.")
    factories.memory(factories.actor(factories.agent(factories.team(slug="other"))), key="core")
    messenger.revision = revision
    asked = uri.format(team=messenger.agent.team.slug)
    error = messenger.error("resources/read", uri=asked)
    assert error["code"] == (-32602 if revision == MODERN else -32002)
    assert error["data"] == {"uri": asked}


def test_a_key_with_a_slash_is_one_name(messenger: Messenger) -> None:
    messenger.call("memory_save", key="notes/berth 7", content="Closed.")
    uri = f"memory://{messenger.agent.team.slug}/notes%2Fberth%207"
    assert messenger.result("resources/read", uri=uri)["contents"][0]["text"] == "Closed."


def test_what_expired_is_no_resource(messenger: Messenger) -> None:
    messenger.call("memory_save", key="berth", content="Closed.", expires_at=timezone.now() + timedelta(hours=1))
    Memory.objects.update(expires_at=timezone.now())
    assert messenger.error("resources/read", uri=f"memory://{messenger.agent.team.slug}/berth")["code"] == -32002


# Completions


@pytest.mark.parametrize(
    ("uri", "name", "begun", "values"),
    [
        ("memory://{team}/{key}", "key", "be", ["berth-7", "berth-8"]),
        ("memory://{team}/{key}", "key", "%", []),
        ("memory://{team}/{key}", "colour", "", []),
        ("memory://{team}/files/{+path}", "path", "notes/", ["notes/a.md"]),
        ("memory://{team}/{key}", "team", "", ["docks"]),
    ],
)
def test_names_are_completed(uri: str, name: str, begun: str, values: list[str]) -> None:
    messenger = Messenger(factories.agent(factories.team(slug="docks")))
    factories.memory(factories.actor(), key="berth-of-others")
    for key in ("berth-8", "berth-7", "crane"):
        messenger.call("memory_save", key=key, content="x")
    messenger.call("file_write", path="notes/a.md", content="x")
    ref = {"type": "ref/resource", "uri": uri}
    found = messenger.result("completion/complete", ref=ref, argument={"name": name, "value": begun})
    assert found["completion"] == {"values": values, "hasMore": False}


def test_prompts_complete_their_sections(messenger: Messenger) -> None:
    ref = {"type": "ref/prompt", "name": "team_context"}
    found = messenger.result("completion/complete", ref=ref, argument={"name": "sections", "value": "re"})
    assert found["completion"]["values"] == ["recent", "relevant"]


def test_the_prompt_is_the_teams_context(messenger: Messenger) -> None:
    empty = messenger.result("prompts/get", name="team_context", arguments={"query": ""})
    assert empty["messages"][0]["content"]["text"] == "The team has not saved anything yet."
    messenger.call("memory_save", key="core", content="We write plainly.")
    messenger.call("memory_save", content="Berth 7 is closed.", pinned=True)
    asked = {"sections": "core, pinned", "budget": "500"}
    text = messenger.result("prompts/get", name="team_context", arguments=asked)["messages"][0]["content"]["text"]
    assert text == messenger.call("memory_context", sections=["core", "pinned"], budget=500)["text"]
