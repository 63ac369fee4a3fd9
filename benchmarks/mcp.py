"""Many agents at the MCP door at once: how long each call takes, whether anybody is kept waiting, and whether anybody
sees what is not theirs.

    python -m benchmarks.mcp [--clients 200] [--teams 10] [--rounds 5] [--processes 4] [--doors sdk,mcp,rest]

Every client is an agent with a token of its own, and they all start together. Each connects, and in every round lists
the tools, saves a memory of its own and one for its team, recalls, and reads back what it saved. It stops everything if
an answer shows what another agent keeps for itself or another team shares. The doors take turns at the same calls:

    sdk     the official SDK's client
    mcp     the same messages, each one POST by a plain HTTP client
    rest    the same calls of the REST API (which has no list of the hub's own tools: it lists a dialect's)

The clients live in a few processes, on the machine of the server. "slowest" is the time that the slowest client took
for all of its calls, over that of the median client: near 1 nobody is starved, whatever the load.
"""

import argparse
import asyncio
import json
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.client_processes import CLIENT_PATIENCE, Timings, context, in_processes
from benchmarks.harness import database, say
from benchmarks.live_server import start_server

MCP_REVISION = "2025-11-25"
RECALL_LIMIT = 50
# Whoever has to wait is to be seen, not cut off; and certificates take each client longer to load than all it asks.
HTTP: dict[str, Any] = {"timeout": 300, "trust_env": False, "verify": False}


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    team: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


McpAnswer = dict[str, Any]
Calls = Callable[..., Awaitable[McpAnswer]]  # by the name of the tool, with its arguments


@dataclass
class Lived:
    """The calls and times of the clients of one door."""

    calls: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # milliseconds
    clients: list[float] = field(default_factory=list)  # seconds that each took for all of its own
    began: float = field(default_factory=time.time)
    ended: float = 0.0


def main() -> None:
    arguments = parse_mcp_options()
    with database(), start_server() as port:
        agents = make_agents(arguments.clients, arguments.teams)
        say(f"{'':8}{'call':10}{'calls':>7}{'p50 ms':>9}{'p95':>9}{'max':>9}")
        rates = {door: run_mcp(door, agents, port, arguments) for door in arguments.doors}
    for door, rate in rates.items():
        beside = f", {rate / rates['rest']:.2f} x REST" if "rest" in rates else ""
        say(f"{door:8}{rate:8.0f} calls/s{beside}")


def parse_mcp_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--teams", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--doors", type=lambda text: text.split(","), default=list(DOORS))
    return parser.parse_args()


def make_agents(count: int, teams: int) -> list[Agent]:
    from benchmarks.hub import disconnect
    from teams import operations

    organization = operations.ensure_organization(slug="crowd")
    rooms = [operations.ensure_team(organization=organization, slug=f"team-{number}") for number in range(teams)]
    agents = []
    for number in range(count):
        team = rooms[number % teams]
        agent = operations.ensure_agent(team=team, slug=f"agent-{number}")
        agents.append(Agent(agent.slug, team.slug, operations.issue_token(agent=agent).text))
    disconnect()
    return agents


def run_mcp(door: str, agents: Sequence[Agent], port: int, arguments: argparse.Namespace) -> float:
    """Run every client at this door, print its figures and return the calls per second."""
    barrier = context.Barrier(arguments.processes, timeout=CLIENT_PATIENCE)

    def work(number: int) -> Lived:
        barrier.wait()
        return asyncio.run(crowd(door, agents[number :: arguments.processes], port, arguments.rounds))

    parts = in_processes(arguments.processes, work, stop=barrier.abort)
    calls: dict[str, list[float]] = defaultdict(list)
    for part in parts:
        for name, milliseconds in part.calls.items():
            calls[name] += milliseconds
    for name, milliseconds in calls.items():
        timings = Timings(milliseconds)
        figures = f"{timings.p50:9.0f}{timings.p95:9.0f}{max(milliseconds):9.0f}"
        say(f"{door:8}{name:10}{len(milliseconds):7}{figures}")
    clients = sorted(seconds for part in parts for seconds in part.clients)
    slowest = f"the slowest {clients[-1]:.1f} s, x {clients[-1] / median(clients):.2f}"
    say(f"{door:8}{len(clients)} clients, median {median(clients):.1f} s, the first {clients[0]:.1f} s, {slowest}")
    return sum(map(len, calls.values())) / (max(part.ended for part in parts) - min(part.began for part in parts))


async def crowd(door: str, agents: Sequence[Agent], port: int, rounds: int) -> Lived:
    lived = Lived()
    await asyncio.gather(*(visit(door, agent, port, rounds, lived) for agent in agents))
    lived.ended = time.time()
    return lived


async def visit(door: str, agent: Agent, port: int, rounds: int, lived: Lived) -> None:
    began = time.perf_counter()

    async def time_call(name: str, waiting: Awaitable[Any]) -> Any:
        start = time.perf_counter()
        answer = await waiting
        lived.calls[name].append((time.perf_counter() - start) * 1000)
        return answer

    entered = DOORS[door](agent, f"http://127.0.0.1:{port}")
    call = await time_call("connect", entered.__aenter__())
    for number in range(rounds):
        await time_call("list", call("tools/list"))
        own = f"{agent.name} of {agent.team} hid key {number} {door}."
        saved = await time_call("save", call("memory_save", content=own, scope="agent"))
        await time_call("save", call("memory_save", content=f"All of {agent.team} know of key {number} {door}."))
        found = await time_call("recall", call("memory_recall", query="Who hid which key?", limit=RECALL_LIMIT))
        check(agent, [memory["content"] for memory in found["memories"]])
        read = await time_call("get", call("memory_get", memory_id=saved["id"]))
        assert read["content"] == own
    lived.clients.append(time.perf_counter() - began)
    await entered.__aexit__(None, None, None)


def check(agent: Agent, seen: Sequence[str]) -> None:
    mine = (f"{agent.name} of {agent.team} hid", f"All of {agent.team} know")
    foreign = [content for content in seen if not content.startswith(mine)]
    assert seen, f"{agent.name} sees nothing"
    assert not foreign, f"{agent.name} sees {foreign}"


@asynccontextmanager
async def by_sdk(agent: Agent, address: str) -> AsyncIterator[Calls]:
    async with (
        httpx2.AsyncClient(headers=agent.headers, **HTTP) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode="legacy") as client,
    ):

        async def call(name: str, **said: Any) -> McpAnswer:
            if name == "tools/list":
                return {"tools": (await client.list_tools()).tools}
            result = await client.call_tool(name, said)
            assert not result.is_error, result.content
            answer: McpAnswer = result.structured_content or {}
            return answer

        yield call


@asynccontextmanager
async def by_messages(agent: Agent, address: str) -> AsyncIterator[Calls]:
    said = agent.headers | {"MCP-Protocol-Version": MCP_REVISION, "Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(base_url=address, headers=said, **HTTP) as http:

        async def ask(method: str, params: dict[str, Any]) -> McpAnswer:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            return good(await http.post("/mcp", json=body))["result"]

        async def call(name: str, **arguments: Any) -> McpAnswer:
            if name == "tools/list":
                return await ask(name, {})
            result = await ask("tools/call", {"name": name, "arguments": arguments})
            assert "isError" not in result, result
            answer: McpAnswer = result["structuredContent"]
            return answer

        about = {"capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"}}
        await ask("initialize", {"protocolVersion": MCP_REVISION, **about})
        yield call


@asynccontextmanager
async def by_rest(agent: Agent, address: str) -> AsyncIterator[Calls]:
    async with httpx2.AsyncClient(base_url=address, headers=agent.headers, **HTTP) as http:

        async def call(name: str, **said: Any) -> McpAnswer:
            if name == "tools/list":
                return good(await http.get("/api/v1/tools?dialect=scoped"))
            if name == "memory_get":
                return good(await http.get(f"/api/v1/memories/{said['memory_id']}"))
            return good(await http.post({"memory_save": "/api/v1/memories"}.get(name, "/api/v1/recall"), json=said))

        good(await http.get("/api/v1/me"))
        yield call


def good(response: Any) -> Any:
    assert response.is_success, response.text
    return json.loads(response.content)


DOORS: dict[str, Callable[[Agent, str], AbstractAsyncContextManager[Calls]]] = {
    "sdk": by_sdk,
    "mcp": by_messages,
    "rest": by_rest,
}


if __name__ == "__main__":
    main()
