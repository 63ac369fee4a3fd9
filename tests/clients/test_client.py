"""The client's calls, its errors, its patience and its pages."""

from datetime import UTC, datetime, timedelta
from inspect import signature
from itertools import islice
from pathlib import Path

import httpx
import pytest
from memoryhub_client import (
    AsyncMemoryHub,
    Conflict,
    Forbidden,
    Invalid,
    MemoryHub,
    MemoryHubError,
    NotFound,
    RateLimited,
    Retries,
    Unauthenticated,
    Unavailable,
    Unreachable,
    calls,
    configuration,
)
from memoryhub_client.changes import ChangeFeed
from memoryhub_client.configuration import Configuration
from pytest_django import Settings

from memories.models import Memory as Row
from memories.models import TeamFile
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Verb
from tests.clients.inside import URL, Wire

LOST = httpx.ReadError("The line went dead.")


def test_a_memory_lives_its_life(client: MemoryHub) -> None:
    until = datetime.now(UTC) + timedelta(days=1)
    saved = client.save("Berth 7 is closed.", key="berth-7", type="event", tags=["Berths"], expires_at=until)
    assert (saved.version, saved.tags, saved.expires_at) == (1, ["berths"], until)
    assert client.get(saved.id).content == client.get_key("berth-7").content == "Berth 7 is closed."
    assert client.change(saved.id, importance=0.9, expires_at=None, version=1).expires_at is None
    assert client.append(saved.id, "The crane comes on Friday.").content.endswith("Friday.")
    assert client.recall("which berths are closed?").memories[0].id == saved.id
    assert [version.change for version in client.history(saved.id)] == ["appended", "updated", "created"]
    assert client.revert(saved.id, 1).content == "Berth 7 is closed."
    assert client.forget(saved.id, reason="It is open.").version == 5
    assert [gone.forget_reason for gone in client.memories(forgotten=True)] == ["It is open."]
    assert client.restore(saved.id).key == "berth-7"
    assert client.forget_key("berth-7").id == saved.id


def test_the_rest_of_the_api_is_there(client: MemoryHub) -> None:
    first, second = client.save_many(
        [{"content": "We write plainly.", "key": "core"}, {"content": "Ships on Tuesday."}]
    )
    assert "We write plainly." in client.context("writing", budget=500).text
    assert client.associate(second.id, first.id, relation="caused_by").weight == 0.5
    assert [link.target_id for link in client.associations(second.id)] == [first.id]
    assert client.cite(first.id, url="https://example.org/1").memory_id == first.id
    assert [source.url for source in client.sources(first.id)] == ["https://example.org/1"]
    with pytest.raises(Forbidden, match="written itself"):
        client.verify(first.id)
    assert "words" in client.why_not(second.id, "Zürich").reason or client.why_not(second.id, "Zürich").rank
    assert client.register_session("chat/1", user="mira").user == "mira"
    said: list[calls.Message] = [{"role": "user", "content": "We decided to ship on Friday."}]
    assert client.archive_session("chat/1", said).memory.category == "conversation"
    assert [memory.type for memory in client.extract("chat/1").saved] == ["decision"]
    assert client.me().verbs == ["forget", "read", "write"]


def test_files_are_read_and_written(client: MemoryHub) -> None:
    assert client.write_file("notes/a b.md", "one", only_new=True).version == 1
    with pytest.raises(Conflict):
        client.write_file("notes/a b.md", "two", only_new=True)
    assert client.append_file("notes/a b.md", "two").content == "one\ntwo"
    assert client.rename_file("notes/a b.md", "notes/c.md", version=2).path == "notes/c.md"
    assert [file.path for file in client.files(prefix="notes/")] == ["notes/c.md"]
    assert client.read_file("notes/c.md", version=1).content == "one"
    assert client.delete_file("notes/c.md").version == 4
    assert client.revert_file("notes/c.md", 1).content == "one"
    assert [version.version for version in client.file_history("notes/c.md")] == [5, 4, 3, 2, 1]
    assert TeamFile.objects.get().path == "notes/c.md"


def test_tools_are_defined_and_run(client: MemoryHub) -> None:
    assert {tool["function"]["name"] for tool in client.tools("graph")} > {"memory_save"}
    assert client.tools("kv", format="anthropic")[0]["name"] == "memory"
    client.call_tool("kv", "memory", {"command": "create", "key": "core", "content": "We write plainly."})
    assert client.call_tool("kv", "memory", {"command": "view", "key": "core"})["content"] == "We write plainly."


def test_both_clients_can_do_the_same() -> None:
    public = {name for name in vars(MemoryHub) if not name.startswith("_")}
    assert public == {name for name in vars(AsyncMemoryHub) if not name.startswith("_")}
    for name in public - {"send", "pages", "run", "close"}:
        assert signature(getattr(MemoryHub, name)).parameters == signature(getattr(AsyncMemoryHub, name)).parameters


def test_pages_are_asked_for_when_they_are_needed(client: MemoryHub, wire: Wire) -> None:
    client.save_many([{"content": f"Memory {number}."} for number in range(25)])
    wire.requests.clear()
    assert len({memory.id for memory in client.memories(limit=10)}) == 25
    assert len(wire.requests) == 3
    assert len(list(islice(client.memories(limit=10), 10))) == 10
    assert len(wire.requests) == 4


@pytest.mark.parametrize(
    "trouble",
    [LOST, httpx.ReadTimeout("slow"), httpx.ConnectError("refused"), httpx.Response(503, headers={"Retry-After": "0"})],
    ids=lambda trouble: type(trouble).__name__,
)
def test_a_save_that_is_sent_again_is_done_once(client: MemoryHub, wire: Wire, trouble: object) -> None:
    wire.trouble = [trouble, trouble]
    saved = client.save("Once.", key="once")
    assert (saved.version, Row.objects.count(), len(wire.requests)) == (1, 1, 3)
    assert len({request.headers["Idempotency-Key"] for request in wire.requests}) == 1


def test_the_same_text_is_saved_once_unless_a_copy_is_asked_for(client: MemoryHub) -> None:
    first = client.save("Same.")
    assert client.save("Same.").id == first.id
    assert client.save("Same.", dedupe="create").id != first.id


def test_what_would_be_done_twice_is_not_sent_again(client: MemoryHub, wire: Wire) -> None:
    saved = client.save("A thing.")
    wire.trouble = [LOST]
    with pytest.raises(Unreachable, match="The line went dead"):
        client.change(saved.id, importance=0.9)
    assert client.get(saved.id).version == 2
    wire.trouble = [httpx.ConnectError("refused"), httpx.Response(503)]
    assert client.change(saved.id, importance=0.1).version == 3


def test_it_gives_up_in_the_end(client: MemoryHub, wire: Wire) -> None:
    wire.trouble = [httpx.Response(503, text="<html>Maintenance</html>")] * 9
    with pytest.raises(Unavailable, match="answered 503"):
        client.me()
    assert len(wire.requests) == 1 + Retries().most


def test_it_waits_as_long_as_the_server_says(client: MemoryHub, wire: Wire, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 1
    client.me()
    client.retries = Retries(longest=0)
    with pytest.raises(RateLimited) as refused:
        client.me()
    assert refused.value.code == "too_many_requests"
    assert refused.value.retry_after
    assert 0 < refused.value.retry_after <= 60


def test_patience_grows_and_has_an_end() -> None:
    patience, call = Retries(most=9, first=1, longest=20), calls.me()
    waits = [patience.wait(call, LOST, tried) or 0 for tried in range(1, 10)]
    assert all(
        0.5 * least <= wait <= least for wait, least in zip(waits, [1, 2, 4, 8, 16, 20, 20, 20, 20], strict=True)
    )
    assert patience.wait(call, LOST, 10) is None
    assert patience.wait(call, httpx.Response(429, headers={"Retry-After": "7"}), 1) == 7
    assert patience.wait(call, httpx.Response(500), 1) is None


def test_refusals_are_exceptions(client: MemoryHub, writer: Actor) -> None:
    with pytest.raises(Invalid) as invalid:
        client.save("x", importance=7, type="secret")
    assert set(invalid.value.fields) == {"importance", "type"}
    assert (invalid.value.status, invalid.value.code) == (400, "invalid")
    with pytest.raises(NotFound):
        client.get_key("nowhere")
    with pytest.raises(Unauthenticated), MemoryHub(URL, "mh_wrong", transport=Wire()) as stranger:
        stranger.me()


def test_a_conflict_says_what_stands_there_now(client: MemoryHub) -> None:
    saved = client.save("First.", key="k")
    client.change(saved.id, content="Second.", version=1)
    for late in (
        lambda: client.change(saved.id, content="Third.", version=1),
        lambda: client.forget(saved.id, version=1),
    ):
        with pytest.raises(Conflict) as conflict:
            late()
        assert (conflict.value.content, conflict.value.version) == ("Second.", 2)


def test_what_is_no_hub_is_told(client: MemoryHub, wire: Wire) -> None:
    wire.trouble = [httpx.Response(200, text="<html>Welcome!</html>"), httpx.Response(200, json=[1])]
    for _ in range(2):
        with pytest.raises(MemoryHubError, match="did not answer as a MemoryHub does"):
            client.me()


def test_the_context_travels_with_the_calls(client: MemoryHub) -> None:
    mira = client.with_context(user="mira/ü", session="chat 1")
    saved = mira.save("Mira likes tea.", scope="global")
    assert saved.person_id
    assert saved.person_id == mira.me().person_id
    assert client.me().person_id is None
    assert client.with_context(session="chat 1").me().person_id == saved.person_id
    with pytest.raises(NotFound):
        client.get(saved.id)


def test_the_client_returns_the_receipt_of_a_token_that_may_not_read(writer: Actor) -> None:
    token = registry.issue_token(agent=Agent.objects.get(pk=writer.agent_id), verbs=(Verb.WRITE,)).text
    with MemoryHub(URL, token, transport=Wire()) as writing:
        saved = writing.save("Hidden.", key="k")
    assert (saved.key, saved.version, saved.content) == ("k", 1, "")


def test_tail_tells_each_change_once(client: MemoryHub) -> None:
    old = client.save("Before.")
    first = client.save_many([{"content": f"New {number}."} for number in range(3)])
    start = client.tail(interval=0, forgotten=True, since=first[0].updated_at)
    assert [next(start).id for _ in range(3)] == [memory.id for memory in first]
    client.change(old.id, pinned=True)
    client.forget(first[1].id, reason="done")
    changed, gone = next(start), next(start)
    assert (changed.id, changed.version, changed.forgotten_at) == (old.id, 2, None)
    assert (gone.id, gone.forget_reason) == (first[1].id, "done")


def test_tail_begins_with_what_changes_from_now_on(client: MemoryHub) -> None:
    client.save("Before.")
    following = ChangeFeed(since=None, forgotten=False, filters={"tags": ["ops"]})
    assert client.run(following.poll()) == []
    client.save("Of no interest.")
    after = client.save("After.", tags=["ops"])
    assert [memory.id for memory in client.run(following.poll())] == [after.id]
    assert client.run(following.poll()) == []


def test_tail_does_not_ask_for_what_it_told_once_the_overlap_has_passed(client: MemoryHub, wire: Wire) -> None:
    now = [0.0]
    following = ChangeFeed(since=None, forgotten=True, filters={}, clock=lambda: now[0])
    client.run(following.poll())
    saved = client.save_many([{"content": f"New {number}."} for number in range(3)])
    assert {memory.id for memory in client.run(following.poll())} == {memory.id for memory in saved}
    for now[0] in (5.0, 14.9, 15.0):
        assert client.run(following.poll()) == []
    assert following.reported == {}
    wire.requests.clear()
    assert client.run(following.poll()) == []
    later = client.change(saved[0].id, pinned=True)
    assert [memory.version for memory in client.run(following.poll())] == [later.version]
    asked = {request.url.params["updated_after"] for request in wire.requests if request.method == "GET"}
    assert len(asked) == 1
    assert saved[0].updated_at
    assert datetime.fromisoformat(asked.pop()) > saved[0].updated_at


def test_tail_tells_late_what_was_written_late(client: MemoryHub) -> None:
    first, second = client.save("First."), client.save("Second.")
    following = ChangeFeed(since=None, forgotten=False, filters={})
    client.run(following.poll())
    Row.objects.filter(pk=first.id).update(version=2, updated_at=first.updated_at)  # as if it was committed only now
    assert [memory.id for memory in client.run(following.poll())] == [first.id]
    assert second.updated_at
    assert following.since
    assert following.since < second.updated_at


def test_tail_waits_for_a_hub_that_went_away(client: MemoryHub, wire: Wire) -> None:
    told: list[MemoryHubError] = []
    client.retries = Retries(most=0)
    following = ChangeFeed(since=None, forgotten=False, filters={}, interval=2, on_trouble=told.append)
    wire.trouble = [LOST]
    with pytest.raises(Unreachable):
        client.run(following.poll())
    client.run(following.poll())
    saved = client.save("Meanwhile.")
    pauses = []
    for trouble in (LOST, httpx.Response(503), httpx.Response(429), *[LOST] * 5):
        wire.trouble = [trouble]
        assert client.run(following.poll()) == []
        pauses.append(following.pause)
    assert pauses == [4, 8, 16, 32, 60, 60, 60, 60]
    assert len(told) == 1
    assert [memory.id for memory in client.run(following.poll())] == [saved.id]
    assert following.pause == 2


def test_it_knows_where_the_hub_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYHUB_CONFIG", str(tmp_path / "deep" / "config.json"))
    for name in (configuration.URL, configuration.TOKEN):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MemoryHubError, match="No hub is configured"):
        MemoryHub()
    path = configuration.save_configuration(Configuration("http://hub", "mh_kept"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert configuration.load_configuration() == Configuration("http://hub", "mh_kept")
    with pytest.raises(MemoryHubError, match="No token for http://other"):
        configuration.load_configuration(url="http://other")
    monkeypatch.setenv(configuration.TOKEN, "mh_env")
    assert configuration.load_configuration(url="http://other/") == Configuration("http://other", "mh_env")
    assert configuration.load_configuration(token="mh_said") == Configuration("http://hub", "mh_said")
    path.write_text("{broken")
    with pytest.raises(MemoryHubError, match="cannot be read"):
        configuration.load_configuration()
