"""The official SDK's client as the judge: it lists and calls every tool, resource and prompt of a live hub in all of
its modes, and checks each result against the schema that the tool published."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from memories.mcp.protocol_versions import HANDSHAKE
from memories.tools import DIALECTS
from tests.hub import Hub, hub
from tests.stories import DAYS, OF_OTHERS, Calls, hub_day

MODES = ("legacy", "auto", "2026-07-28")
CROWD = 8  # clients at once; benchmarks.mcp has 200
ALONE = ("reader", *(f"judge-{name}" for name in (*MODES, *DIALECTS)))
TOGETHER = [f"crowd-{number}" for number in range(CROWD)]


@pytest.fixture(scope="module")
def live() -> Iterator[Hub]:
    with hub() as made:
        made.start()
        yield made


@pytest.fixture(scope="module")
def tokens(live: Hub) -> dict[str, str]:
    """Of agents that are alone in their teams, and of some that share one."""
    folder = live.folder / "teams"
    folder.mkdir()
    for team, members in [("crowd", ", ".join(TOGETHER)), *((f"team-{name}", name) for name in ALONE)]:
        (folder / f"{team}.md").write_text(f"# {team}\n\nMembers: {members}\n")
    printed = live.manage("import_org", str(folder), "--organization", "judged", "--tokens")
    return dict(re.findall(r"^(\S+) (mh_\S+)$", printed, re.MULTILINE))


@asynccontextmanager
async def client(live: Hub, token: str, *, mode: str = "auto", dialect: str = "") -> AsyncIterator[Client]:
    address = f"http://127.0.0.1:{live.port}/mcp" + (f"/{dialect}" if dialect else "")
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as made,
    ):
        yield made


async def call_day_with_sdk(client: Client, day: Calls) -> set[str]:
    """The tools that were called on that day, each with success."""
    called, answer = set(), None
    while True:
        try:
            name, arguments = next(day) if answer is None else day.send(answer)
        except StopIteration:
            return called
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, result.content)
        assert isinstance(result.structured_content, dict)
        answer = result.structured_content
        called.add(name)


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_lists_and_calls_all_that_there_is(live: Hub, tokens: dict[str, str], mode: str) -> None:
    async def judged() -> None:
        async with client(live, tokens[f"judge-{mode}"], mode=mode) as judge:
            assert judge.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            tools = (await judge.list_tools()).tools
            assert await call_day_with_sdk(judge, hub_day()) == {tool.name for tool in tools} - OF_OTHERS
            assert all(tool.output_schema and tool.description and tool.annotations for tool in tools)
            await all_resources_and_prompts(judge)

    asyncio.run(judged())


async def all_resources_and_prompts(judge: Client) -> None:
    await judge.call_tool("memory_save", {"key": "core", "content": "We write plainly."})
    listed = (await judge.list_resources()).resources
    assert [resource.name for resource in listed][:2] == ["core", "recent"]
    assert "notes/harbour.md" in {resource.name for resource in listed}
    for resource in listed:
        (content,) = (await judge.read_resource(resource.uri)).contents
        assert content.text  # type: ignore[union-attr]
    templates = (await judge.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == [
        "memory://{team}/{key}",
        "memory://{team}/files/{+path}",
    ]
    team = listed[0].uri.split("/")[2]
    (content,) = (await judge.read_resource(f"memory://{team}/berth-7")).contents
    assert "Berth 7" in content.text  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="There is no resource"):
        await judge.read_resource(f"memory://{team}/nothing")
    (prompt,) = (await judge.list_prompts()).prompts
    made = await judge.get_prompt(prompt.name, {"query": "berths", "budget": "500"})
    assert "We write plainly." in made.messages[0].content.text  # type: ignore[union-attr]


def test_the_official_client_calls_every_dialect(live: Hub, tokens: dict[str, str]) -> None:
    async def judged() -> None:
        for dialect, every in DIALECTS.items():
            async with client(live, tokens[f"judge-{dialect}"], dialect=dialect) as judge:
                assert {tool.name for tool in (await judge.list_tools()).tools} == {tool.name for tool in every}
                assert await call_day_with_sdk(judge, DAYS[dialect]()) == {tool.name for tool in every}

    asyncio.run(judged())


def test_a_refusal_reaches_the_model_as_a_sentence(live: Hub, tokens: dict[str, str]) -> None:
    async def judged() -> None:
        async with client(live, tokens["reader"]) as judge:
            result = await judge.call_tool("memory_get", {"key": "nothing"})
            assert result.is_error
            assert result.content[0].text == "There is no memory with the key 'nothing' in scope team."  # type: ignore[union-attr]
            with pytest.raises(MCPError, match="Unknown tool: nothing"):
                await judge.call_tool("nothing", {})

    asyncio.run(judged())


def test_a_wrong_token_is_refused_by_name(live: Hub) -> None:
    async def judged() -> None:
        async with client(live, "mh_nothing", mode="legacy"):
            raise AssertionError("It was let in.")

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(judged())
    assert caught.group_contains(MCPError, match="This token is not known here.")


def test_of_many_clients_at_once_none_waits_in_vain_and_none_sees_anothers(live: Hub, tokens: dict[str, str]) -> None:
    async def visitor(name: str) -> tuple[str, set[str]]:
        async with client(live, tokens[name]) as one:
            for number in range(3):
                await one.call_tool("memory_save", {"content": f"{name} hid key {number}.", "scope": "agent"})
            found = await one.call_tool("memory_recall", {"query": "Who hid a key?", "limit": 50})
            return name, {memory["content"].split()[0] for memory in found.structured_content["memories"]}

    async def crowd() -> list[tuple[str, set[str]]]:
        return await asyncio.gather(*(visitor(name) for name in TOGETHER))

    assert asyncio.run(crowd()) == [(name, {name}) for name in TOGETHER]


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_plain_client_of_every_older_revision_is_served(live: Hub, tokens: dict[str, str], revision: str) -> None:
    """As clients of those years did it: the header is younger than the first two."""
    headers = {"Authorization": f"Bearer {tokens['reader']}", "Accept": "application/json, text/event-stream"}
    version = {} if revision < "2025-06-18" else {"MCP_Protocol_Version": revision}
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    status, answer = live.request("POST", "/mcp", hello, **headers)
    assert (status, answer["result"]["protocolVersion"]) == (200, revision)
    assert live.request("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)[0] == 202
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}}
    _, answer = live.request("POST", "/mcp", call, **headers, **version)
    assert json.loads(answer["result"]["content"][0]["text"])["name"] == "reader"
