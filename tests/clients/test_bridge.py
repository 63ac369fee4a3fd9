"""The hub's MCP server over standard input and output: the official SDK's client starts it and is the judge."""

import asyncio
import io
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from memoryhub_client import MemoryHub, Retries
from memoryhub_client.bridge import Bridge

from memories.mcp.protocol_versions import HANDSHAKE
from memories.tools import DIALECTS
from tests.hub import PROJECT_ROOT
from tests.stories import DAYS, OF_OTHERS, hub_day
from tests.test_mcp_judge import MODES, all_resources_and_prompts, call_day_with_sdk

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def bridge_client(*words: str, mode: str = "auto", **environment: str) -> Client:
    surroundings = os.environ | {"PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src")} | environment
    command = ["-m", "memoryhub_client.bridge", *words]
    return Client(
        stdio_client(StdioServerParameters(command=sys.executable, args=command, env=surroundings)), mode=mode
    )


def request(method: str, identity: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def answers(hub: MemoryHub, *messages: Any, dialect: str = "") -> list[Any]:
    """Return the bridge's answers to these messages, in the order of their ids."""
    out = io.BytesIO()
    Bridge(hub, out, dialect=dialect).run(
        message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n" for message in messages
    )
    return sorted(map(json.loads, out.getvalue().splitlines()), key=lambda one: str(one.get("id")))


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_lists_and_calls_everything_through_the_bridge(at_home: MemoryHub, mode: str) -> None:
    async def run_client() -> None:
        async with bridge_client(mode=mode) as client:
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            tools = (await client.list_tools()).tools
            assert await call_day_with_sdk(client, hub_day()) == {tool.name for tool in tools} - OF_OTHERS
            await all_resources_and_prompts(client)
            with pytest.raises(MCPError, match="Unknown tool: größe"):
                await client.call_tool("größe", {})

    asyncio.run(run_client())


def test_a_dialect_has_its_tools_alone(at_home: MemoryHub) -> None:
    async def run_client() -> None:
        async with bridge_client("--dialect", "graph") as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {
                tool.name for tool in DIALECTS["graph"]
            }
            assert await call_day_with_sdk(client, DAYS["graph"]())

    asyncio.run(run_client())


def test_calls_say_what_they_are_about(at_home: MemoryHub) -> None:
    async def run_client() -> None:
        async with bridge_client("--user", "mira/ü", "--session", "chat 1") as client:
            await client.call_tool("memory_save", {"content": "Mira likes tea.", "key": "tea", "scope": "global"})

    asyncio.run(run_client())
    assert at_home.with_context(user="mira/ü").get_key("tea", scope="global").session_id
    assert at_home.session("chat 1").user == "mira/ü"


@pytest.mark.parametrize("version", HANDSHAKE)
def test_what_was_agreed_is_said_from_then_on(at_home: MemoryHub, version: str) -> None:
    bridge = Bridge(at_home, io.BytesIO())
    hello = request("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "x", "version": "1"})
    bridge.run([json.dumps(hello).encode()])
    assert bridge.version == version
    assert bridge._headers(request("ping")) == {"MCP-Protocol-Version": version}


def test_many_are_answered_and_what_wants_no_answer_is_not(at_home: MemoryHub) -> None:
    said = [request("tools/list", f"{number:03}", _meta=META) for number in range(60)]
    found = answers(at_home, *said, {"jsonrpc": "2.0", "method": "notifications/initialized"}, b"\n", b"  \r\n")
    assert [one["id"] for one in found] == [f"{number:03}" for number in range(60)]
    assert all("result" in one for one in found)


def test_what_came_before_the_end_is_answered(at_home: MemoryHub) -> None:
    said = "".join(json.dumps(request("ping", number)) + "\n" for number in range(20))
    surroundings = os.environ | {"PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src")}
    command = [sys.executable, "-m", "memoryhub_client.bridge"]
    done = subprocess.run(
        command, input=said, env=surroundings, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == set(range(20))


@pytest.mark.parametrize(
    ("message", "identity", "sentence"),
    [
        (b"{broken\n", None, "This cannot be read"),
        (b"[" * 100_000, None, "This cannot be read"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "\\ud800", "_meta": %s}}'
         % json.dumps(META).encode(), 7, "This cannot be read"),
        ({"id": 7, "method": "ping"}, 7, "not a JSON-RPC 2.0 message"),
        (request("dance"), 1, "Method not found: dance"),
        (request("tools/call", "a", name="nothing"), "a", "Unknown tool: nothing"),
        (request("tools/call", "a", name="\n ü", _meta=META), "a", "Unknown tool: \n ü"),
        (request("resources/read", "a", uri="=?base64?eA==?=", _meta=META), "a", "There is no resource"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told_to_whoever_asked(
    at_home: MemoryHub, message: Any, identity: Any, sentence: str
) -> None:
    (answer,) = answers(at_home, message)
    assert answer["id"] == identity
    assert sentence in answer["error"]["message"]


def test_a_hub_that_refuses_or_is_not_there_is_told(at_home: MemoryHub) -> None:
    impatient = Retries(most=0)
    with MemoryHub(at_home.url, "mh_wrong") as stranger:
        (answer,) = answers(stranger, request("ping", 3))
        assert (answer["id"], answer["error"]["message"]) == (3, "This token is not known here.")
    with MemoryHub("http://127.0.0.1:9", "mh_x", retries=impatient) as nobody:
        first, second = answers(nobody, [request("ping", 1), request("ping", 2)])
        assert (first["id"], second["id"]) == (1, 2)
        assert "http://127.0.0.1:9 does not answer" in first["error"]["message"]
        assert answers(nobody, {"jsonrpc": "2.0", "method": "notifications/initialized"}) == []
    with MemoryHub(f"{at_home.url}/elsewhere", "mh_x") as astray:
        (answer,) = answers(astray, request("ping"))
        assert "There may be no MemoryHub" in answer["error"]["message"]


def test_without_a_hub_it_says_what_it_needs() -> None:
    surroundings = {
        "PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src"),
        "MEMORYHUB_CONFIG": "/nowhere/config.json",
    }
    command = [sys.executable, "-m", "memoryhub_client.bridge"]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memoryhub-mcp: No hub is configured")


@contextmanager
def line_that_breaks(to: str) -> Iterator[str]:
    """Yield the address of a proxy to the hub that loses the answer to each first attempt."""
    tried: set[bytes] = set()

    class Forward(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = urllib.request.Request(f"{to}{self.path}", body, dict(self.headers.items()))
            with urllib.request.urlopen(asked, timeout=30) as answer:
                said = answer.read()
            if body not in tried:
                tried.add(body)
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Forward)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_call_that_is_sent_again_is_done_once(at_home: MemoryHub) -> None:
    with (
        line_that_breaks(at_home.url) as address,
        MemoryHub(address, os.environ["MEMORYHUB_TOKEN"], retries=Retries(first=0.01)) as hub,
    ):
        said = [request("tools/call", n, name="memory_save", arguments={"content": f"Number {n}."}) for n in range(5)]
        found = answers(hub, *said, request("tools/list", 5))
        assert [one["id"] for one in found] == [0, 1, 2, 3, 4, 5]
        assert all("result" in one for one in found)
        batch = [request("tools/call", 6, name="memory_save", arguments={"content": "Number 5."})]
        (lost,) = answers(hub, batch)
        assert "does not answer" in lost["error"]["message"]
    assert sorted(memory.content for memory in at_home.memories()) == [f"Number {n}." for n in range(6)]
