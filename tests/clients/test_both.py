"""The same stories through the plain and the asynchronous client, its tools and its stores, over real connections."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from inspect import isgenerator
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from memoryhub_client import (
    AsyncMemoryHub,
    Conflict,
    Forbidden,
    Invalid,
    MemoryHub,
    MemoryHubError,
    NotFound,
    Retries,
    Unauthenticated,
    Unreachable,
    calls,
)
from memoryhub_client.anchors import hash_place
from memoryhub_client.anthropic import AsyncMemoryTool, MemoryTool
from memoryhub_client.langgraph import MemoryHubStore
from memoryhub_client.shapes import Anchor

from tests.clients.live import Live

Story = Callable[[Any, Path], Awaitable[None]]

ITERATORS = (
    "tail",
    "memories",
    "history",
    "associations",
    "sources",
    "anchors",
    "assets",
    "files",
    "file_history",
    "recalls",
    "proposals",
)


class Awaited:
    """Something plain, as if it were asynchronous: so that a story is told once."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.plain, name)
        if name in ITERATORS:
            return lambda *args, **kwargs: _later(found(*args, **kwargs))
        if name == "with_context":
            return lambda **context: Awaited(found(**context))
        return _make_async(found)


async def _later(items: Iterator[Any]) -> AsyncIterator[Any]:
    assert isgenerator(items)
    for item in items:
        yield item


def _make_async(act: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    async def later(*args: Any, **kwargs: Any) -> Any:
        return act(*args, **kwargs)

    return later


async def every(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]


async def first(items: AsyncIterator[Any], wanted: int) -> list[Any]:
    found = []
    async for item in items:
        found.append(item)
        if len(found) == wanted:
            break
    return found


async def a_memory_lives(hub: Any, folder: Path) -> None:
    saved = await hub.save("Berth 7 is closed.", key="berth-7", type="event", tags=["Berths"])
    assert (saved.version, saved.tags) == (1, ["berths"])
    assert (await hub.get(saved.id)).content == (await hub.get_key("berth-7")).content
    assert (await hub.change(saved.id, importance=0.9, version=1)).importance == 0.9
    assert (await hub.append(saved.id, "The crane comes.")).content.endswith("\nThe crane comes.")
    with pytest.raises(Forbidden, match="written itself"):
        await hub.verify(saved.id)
    assert not (await hub.pin(saved.id, False)).pinned
    assert (await hub.tag(saved.id, ["New"], remove=["berths"])).tags == ["new"]
    assert (await hub.expire(saved.id, datetime(2099, 1, 31, tzinfo=UTC))).expires_at.year == 2099
    assert (await hub.expire(saved.id, None, version=6)).expires_at is None
    assert (await hub.move(saved.id, "agent")).scope == "agent"
    assert (await hub.move(saved.id, "team")).scope == "team"
    assert (await hub.recall("which berths are closed?")).memories[0].id == saved.id
    assert (await hub.why_not(saved.id, "berths")).rank == 1
    assert len(await every(hub.history(saved.id))) == 8  # one was for the agent alone
    assert (await hub.revert(saved.id, 1)).content == "Berth 7 is closed."
    assert (await hub.forget(saved.id, reason="It is open.")).version == 11
    assert [gone.forget_reason for gone in await every(hub.memories(forgotten=True))] == ["It is open."]
    assert (await hub.restore(saved.id)).key == "berth-7"
    assert (await hub.forget_key("berth-7")).id == saved.id


async def what_holds_changes(hub: Any, folder: Path) -> None:
    old = await hub.save("The gateway listens on port 8080.", key="port", valid_from=datetime(2026, 1, 1, tzinfo=UTC))
    new = await hub.save("The gateway listens on port 1933.")
    closed = await hub.supersede(old.id, new.id, at=datetime(2026, 3, 1, tzinfo=UTC))
    assert (closed.superseded_by, closed.valid_until) == (new.id, datetime(2026, 3, 1, tzinfo=UTC))
    assert [memory.id for memory in (await hub.timeline("port")).memories] == [new.id, old.id]
    in_february = datetime(2026, 2, 1, tzinfo=UTC)
    assert (await hub.recall("which port?", as_of=in_february)).memories[0].id == old.id
    assert [memory.id for memory in await every(hub.memories(as_of=in_february))] == [old.id]
    assert (await hub.reinstate(old.id)).superseded_by is None
    again = await hub.associate(new.id, old.id, relation="updates", supersede=True)
    assert (again.relation, (await hub.get(old.id)).superseded_by) == ("updates", new.id)


async def some_writes_wait_for_a_person(hub: Any, folder: Path) -> None:
    pinned = await hub.save("Berth 7 is closed.", pinned=True)
    held = await hub.append(pinned.id, "The crane comes.")
    assert (held.status, held.version, held.content) == ("proposed", 1, "Berth 7 is closed.")
    assert [one.operation for one in await every(hub.proposals(state="open"))] == ["append"]
    assert (await hub.proposal(held.proposal_id)).arguments == {"text": "The crane comes."}
    assert (await hub.withdraw(held.proposal_id)).state == "withdrawn"
    rated = await hub.rate(pinned.id, "outdated", reason="It is open again.")
    assert (rated.counts["outdated"], rated.own.reason, rated.own.dismissed) == (1, "It is open again.", False)
    assert (await hub.ratings(pinned.id)).own.rating == "outdated"
    assert (await hub.withdraw_rating(pinned.id)).own is None


async def many_come_in_pages(hub: Any, folder: Path) -> None:
    await hub.save_many([{"content": f"Memory {number}."} for number in range(23)])
    assert len({memory.id for memory in await every(hub.memories(limit=10))}) == 23
    good, bad = await hub.save_each([{"content": "Good."}, {"content": "Bad.", "importance": 7}])
    assert good.content == "Good."
    assert isinstance(bad, Invalid)


async def things_hang_on_memories(hub: Any, folder: Path) -> None:
    one, other = await hub.save_many([{"content": "One."}, {"content": "Other."}])
    await hub.associate(one.id, other.id, weight=0.9)
    assert [link.weight for link in await every(hub.associations(one.id))] == [0.9]
    assert await hub.dissociate(one.id, other.id) is None
    source = await hub.cite(one.id, url="https://example.org/1")
    assert [found.id for found in await every(hub.sources(one.id))] == [source.id]
    await hub.uncite(one.id, source.id)
    line = hash_place([b"limit = 40\n"], "", first=3)
    anchor = Anchor(repository="acme/berths", path="cranes.toml", **asdict(line))
    made = await hub.cite(one.id, anchor=anchor)
    assert [found.anchor.sha256 for found in await every(hub.anchors(repository="acme/berths"))] == [line.sha256]
    reported = await hub.report_anchors({made.id: None}, commit="4b825dc")
    assert (reported.anchors[0].anchor.state, reported.skipped) == ("gone", [])
    await hub.uncite(one.id, made.id)
    asset = await hub.attach(one.id, "plan.bin", bytes(range(256)))
    assert await hub.read_asset(one.id, asset.id) == bytes(range(256))
    assert [found.sha256 for found in await every(hub.assets(one.id))] == [asset.sha256]
    await hub.detach(one.id, asset.id)
    with pytest.raises(NotFound):
        await hub.read_asset(one.id, asset.id)
    with zipfile.ZipFile(await hub.export(folder / "team.zip")) as archive:
        assert archive.testzip() is None


async def files_are_kept(hub: Any, folder: Path) -> None:
    assert (await hub.write_file("a b.md", "one", only_new=True)).version == 1
    assert (await hub.append_file("a b.md", "two")).content == "one\ntwo"
    with pytest.raises(Conflict) as conflict:
        await hub.write_file("a b.md", "three", version=1)
    assert (conflict.value.content, conflict.value.version) == ("one\ntwo", 2)
    assert (await hub.rename_file("a b.md", "c.md")).path == "c.md"
    assert [file.path for file in await every(hub.files())] == ["c.md"]
    await hub.delete_file("c.md")
    assert (await hub.revert_file("c.md", 1)).content == (await hub.read_file("c.md")).content == "one"
    assert len(await every(hub.file_history("c.md"))) == 5


async def people_and_conversations_are_known(hub: Any, folder: Path) -> None:
    mira = hub.with_context(user="mira/ü", session="chat 1")
    saved = await mira.save_key("tea", "Mira likes tea.", scope="global")
    with pytest.raises(NotFound):
        await hub.get(saved.id)
    assert (await mira.with_context(session=None).get_key("tea", scope="global")).id == saved.id
    assert (await hub.session("chat 1")).user == "mira/ü"
    await hub.register_session("chat 2", channel="#a")
    said: list[calls.Message] = [{"role": "user", "content": "We decided to ship on Friday."}]
    assert (await hub.archive_session("chat 2", said)).memory.category == "conversation"
    assert [memory.type for memory in (await hub.extract("chat 2")).saved] == ["decision"]
    assert "ship" in (await hub.context("shipping", budget=800)).text
    assert (await hub.me()).verbs == ["forget", "read", "write"]


async def what_was_asked_is_known(hub: Any, folder: Path) -> None:
    saved = await hub.save("Berth 7 is closed.", key="berth-7")
    await hub.recall("which berths are closed?")
    while not (asked := await every(hub.recalls(query="BERTHS", found_nothing=False))):
        await asyncio.sleep(0.05)  # it is written beside the answer
    assert [(one.query, one.memories[0].id) for one in asked] == [("which berths are closed?", saved.id)]
    assert (asked[0].memories[0].presence, asked[0].memories[0].key) == ("here", "berth-7")
    assert await every(hub.recalls(found_nothing=True)) == []


async def tools_are_run(hub: Any, folder: Path) -> None:
    assert "memory_save" in {tool["name"] for tool in await hub.tools("graph", format="anthropic")}
    await hub.call_tool("kv", "memory", {"command": "create", "key": "core", "content": "Plainly."})
    assert (await hub.call_tool("kv", "memory", {"command": "view", "key": "core"}))["content"] == "Plainly."


async def changes_are_followed(hub: Any, folder: Path) -> None:
    saved = await hub.save_many([{"content": f"New {number}."} for number in range(3)])
    tail = hub.tail(since=saved[0].updated_at, interval=0.01)
    assert {memory.id for memory in await first(tail, 3)} == {memory.id for memory in saved}


STORIES: list[Story] = [
    a_memory_lives,
    what_holds_changes,
    some_writes_wait_for_a_person,
    many_come_in_pages,
    things_hang_on_memories,
    files_are_kept,
    people_and_conversations_are_known,
    what_was_asked_is_known,
    tools_are_run,
    changes_are_followed,
]


@pytest.fixture
def token(live: Live, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return live.token()


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_both_clients_live_through_it(live: Live, token: str, tmp_path: Path, story: Story) -> None:
    async def run_stories() -> None:
        async with AsyncMemoryHub(live.url, live.token()) as hub:
            await story(hub, tmp_path)
        with MemoryHub(live.url, token) as plain:
            await story(Awaited(plain), tmp_path)

    asyncio.run(run_stories())


def test_every_call_is_in_a_story() -> None:
    used_names = {name for story in STORIES for name in story.__code__.co_names}
    assert {name for name in calls.__all__ if name.islower()} - used_names == set()


def test_asynchronous_calls_run_side_by_side(live: Live, token: str) -> None:
    async def run_stories() -> None:
        async with AsyncMemoryHub(live.url, token) as hub:
            await hub.write_file("log.md", "line 0")
            await asyncio.gather(*(hub.append_file("log.md", f"line {number}") for number in range(1, 20)))
            lines = (await hub.read_file("log.md")).content.splitlines()
            assert sorted(lines) == sorted(f"line {number}" for number in range(20))

    asyncio.run(run_stories())


def test_asynchronous_errors_are_the_same(live: Live, token: str) -> None:
    async def run_stories() -> None:
        async with AsyncMemoryHub(live.url, "mh_wrong") as stranger:
            with pytest.raises(Unauthenticated):
                await stranger.me()
        async with AsyncMemoryHub("http://127.0.0.1:9", token, retries=Retries(most=1, first=0.001)) as nobody:
            with pytest.raises(Unreachable):
                await nobody.me()
            with pytest.raises(Unreachable):
                await first(nobody.tail(), 1)
        async with AsyncMemoryHub(f"{live.url}/accounts/login/?", token) as astray:
            with pytest.raises(MemoryHubError):
                await astray.me()

    asyncio.run(run_stories())


def test_claudes_memory_tool_works_in_both(live: Live, token: str) -> None:
    async def run_commands(tool: Any) -> list[str]:
        said = []
        for command in (
            {"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\n"},
            {"command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": "between\n"},
            {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "three"},
            {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b/c.md"},
            {"command": "view", "path": "/memories/b/c.md"},
            {"command": "view", "path": "/memories"},
            {"command": "delete", "path": "/memories/b"},
        ):
            said.append(str(await tool.call(command)))
        with pytest.raises(ToolError) as refused:
            await tool.call({"command": "view", "path": "/memories/../x"})
        await tool.call({"command": "create", "path": "/memories/d.md", "file_text": "x"})
        return [
            *said,
            str(refused.value),
            await tool.clear_all_memory(),
            *[f.path for f in await every(tool.hub.files())],
        ]

    async def run_stories() -> None:
        with MemoryHub(live.url, token) as hub:
            plain = Awaited(MemoryTool(hub))
            plain.hub = Awaited(hub)
            expected = await run_commands(plain)
        async with AsyncMemoryHub(live.url, live.token()) as later:
            assert await run_commands(AsyncMemoryTool(later)) == expected
        assert "three" in expected[4]
        assert expected[-1] == "All memory cleared"

    asyncio.run(run_stories())


@pytest.mark.parametrize("kind", ["asynchronous", "in threads", "both"])
def test_a_graphs_store_is_awaited(live: Live, token: str, kind: str) -> None:
    async def run_stories(store: MemoryHubStore) -> None:
        await store.aput(("a", "b"), "k", {"text": "The crane is oiled.", "n": 1})
        await store.abatch([PutOp(("ab",), "k", {"n": 2}), PutOp(("a", "%"), "k", {"n": 3})])
        item = await store.aget(("a", "b"), "k")
        assert item
        assert item.value["n"] == 1
        assert {found.namespace for found in await store.asearch(("a",))} == {("a", "b"), ("a", "%")}
        (best, *_) = await store.asearch(("a",), query="crane")
        assert (best.namespace, best.score is None) == (("a", "b"), False)
        assert [found.value["n"] for found in await store.asearch((), filter={"n": {"$gt": 2}})] == [3]
        assert await store.alist_namespaces(prefix=("a",)) == [("a", "%"), ("a", "b")]
        await store.adelete(("a", "b"), "k")
        results = await store.abatch([GetOp(("a", "b"), "k"), SearchOp(("ab",)), ListNamespacesOp()])
        assert results[0] is None
        assert [found.key for found in results[1]] == ["k"]  # type: ignore[union-attr]
        assert results[2] == [("a", "%"), ("ab",)]
        together = await asyncio.gather(*(store.aput(("many",), f"{n}", {"n": n}) for n in range(10)))
        assert len(together) == len(await store.asearch(("many",), limit=20)) == 10
        mixed = [[store.aget(("many",), f"{n}"), store.adelete(("many",), f"{n}")] for n in range(5)]
        await asyncio.gather(*(each for pair in mixed for each in pair), store.asearch(("many",), query="n"))
        assert sorted(found.key for found in await store.asearch(("many",))) == ["5", "6", "7", "8", "9"]
        for bad in ((), ("a.b",), ("a", ""), ("langgraph", "a")):
            with pytest.raises(InvalidNamespaceError):
                await store.aput(bad, "k", {})
        await store.aput(("few",), "title", {"title": "Harbour", "body": "The crane."}, index=["title"])
        await store.aput(("few",), "body", {"title": "Harbour", "body": "The crane."}, index=["body"], ttl=5)
        await store.aput(("few",), "none", {"title": "Harbour", "body": "The crane."}, index=False)
        keys = [found.key for found in await store.asearch(("few",), query="crane", refresh_ttl=False)]
        assert (keys[0], keys[-1], len(keys)) == ("body", "none", 3)

    async def with_hubs() -> None:
        with MemoryHub(live.url, token) as hub:
            async with AsyncMemoryHub(live.url, token) as later:
                await run_stories(
                    MemoryHubStore(
                        None if kind == "asynchronous" else hub, None if kind == "in threads" else later, name="graph"
                    )
                )

    asyncio.run(with_hubs())
