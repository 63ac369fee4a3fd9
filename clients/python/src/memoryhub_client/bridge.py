"""The hub's MCP server for clients that start a program and speak with it: `memoryhub-mcp`.

A message a line comes in, goes to /mcp as it is, and its answer goes out; many at once. What those on the way look at
is said in headers, as the revision of the protocol wants it.
"""

import base64
import json
import re
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any

import httpx

from memoryhub_client.calls.call import Call, once, spelled
from memoryhub_client.client import MemoryHub
from memoryhub_client.errors import MemoryHubError, refusal

AT_ONCE = 16
SECONDS = 120.0  # for one answer
PARSE_ERROR, TROUBLE = -32700, -32000
VERSION = "io.modelcontextprotocol/protocolVersion"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PLAIN = re.compile(r"[!-~]([ -~]*[!-~])?")  # what a header carries as it is
ENCODED = re.compile(r"=\?base64\?.*\?=")
KINDS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Bridge:
    """Remembers which revision was agreed upon, and nothing else."""

    def __init__(self, hub: MemoryHub, out: IO[bytes], *, dialect: str = "") -> None:
        self.hub, self.out, self.writing = hub, out, threading.Lock()
        self.address = f"{hub.url}/mcp" + (f"/{spelled(dialect, within='')}" if dialect else "")
        self.version: str | None = None

    def run(self, lines: Iterable[bytes]) -> None:
        """Until no more comes; what came is answered."""
        with ThreadPoolExecutor(AT_ONCE) as workers:
            for line in lines:
                if line.strip():
                    workers.submit(self._pass_on, line)

    def _pass_on(self, line: bytes) -> None:
        """Whatever happens, whoever waits for an answer gets one."""
        said = None
        try:
            said = json.loads(line)
            answers = self._answer(said, line)
        except (ValueError, RecursionError) as error:
            answers = _errors(_ids(said) or [None], PARSE_ERROR, f"This cannot be read: {error}.")
        except httpx.HTTPError as error:
            answers = _errors(_ids(said), TROUBLE, f"The answer of {self.hub.url} cannot be read: {error}.")
        self._write(answers)

    def _answer(self, said: Any, line: bytes) -> list[Any]:
        """What is refused without an id, before anybody read the message, is the answer to it all the same."""
        outcome = self.hub._outcome(self._call(said, line))
        if isinstance(outcome, httpx.TransportError):
            sentence = f"The memory at {self.hub.url} does not answer: {outcome or type(outcome).__name__}."
            return _errors(_ids(said), TROUBLE, sentence)
        if not outcome.content and outcome.is_success:
            return []
        answer = _read(outcome)
        if answer is None:
            sentence = f"{refusal(outcome).sentence} There may be no MemoryHub at {self.address}."
            return _errors(_ids(said), TROUBLE, sentence)
        if isinstance(answer, dict) and answer.get("id") is None and "error" in answer:
            return [{**answer, "id": identity} for identity in _ids(said)]
        self._note(said, answer)
        return [answer]

    def _call(self, said: Any, line: bytes) -> Call[None]:
        """Tools may write: a key of its own lets a call be sent again, and done once. All else only reads, unless it is
        a batch."""
        method = said.get("method") if isinstance(said, dict) else None
        calls_tool = method == "tools/call"
        headers = KINDS | self._headers(said) | (once() if calls_tool else {})
        only_reads = isinstance(said, dict) and not calls_tool
        return Call(
            method="POST", path=self.address, read=_nothing, content=line, headers=headers, only_reads=only_reads
        )

    def _headers(self, said: Any) -> dict[str, str]:
        params = said.get("params") if isinstance(said, dict) else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        modern = meta.get(VERSION) if isinstance(meta, dict) else None
        if not isinstance(modern, str):
            return {"MCP-Protocol-Version": self.version} if self.version else {}
        self.version = modern
        headers, method = {"MCP-Protocol-Version": _spelled(modern)}, str(said.get("method", ""))
        name = params.get(NAMED.get(method, "")) if isinstance(params, dict) else None
        named = {"Mcp-Name": _spelled(name)} if isinstance(name, str) else {}
        return headers | {"Mcp-Method": _spelled(method)} | named

    def _note(self, said: Any, answer: Any) -> None:
        if isinstance(said, dict) and said.get("method") == "initialize" and isinstance(answer, dict):
            result = answer.get("result")
            agreed = result.get("protocolVersion") if isinstance(result, dict) else None
            self.version = agreed if isinstance(agreed, str) else self.version

    def _write(self, answers: Iterable[Any]) -> None:
        """Each on one line. Whoever has gone does not read it."""
        text = "".join(json.dumps(answer, separators=(",", ":")) + "\n" for answer in answers)
        with self.writing, suppress(BrokenPipeError, ValueError):
            self.out.write(text.encode())
            self.out.flush()


def _read(response: httpx.Response) -> Any:
    """None if it is no message."""
    try:
        found = response.json()
    except ValueError:
        return None
    return found if isinstance(found, list) or (isinstance(found, dict) and "jsonrpc" in found) else None


def _ids(said: Any) -> list[Any]:
    """Of the requests that wait for an answer."""
    messages = said if isinstance(said, list) else [said]
    return [one["id"] for one in messages if isinstance(one, dict) and "method" in one and one.get("id") is not None]


def _errors(ids: Iterable[Any], code: int, sentence: str) -> list[Any]:
    return [{"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": sentence}} for identity in ids]


def _spelled(value: str) -> str:
    if PLAIN.fullmatch(value) and not ENCODED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _nothing(_: Any) -> None:
    """The answer is passed on as it is."""


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    named = {name: getattr(args, name) for name in ("project", "user", "session", "workspace", "channel")}
    try:
        with MemoryHub(args.url, args.token, timeout=SECONDS) as hub:
            there = hub.with_context(**{name: value for name, value in named.items() if value})
            Bridge(there, sys.stdout.buffer, dialect=args.dialect).run(sys.stdin.buffer)
    except MemoryHubError as error:
        sys.stderr.write(f"memoryhub-mcp: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> ArgumentParser:
    made = ArgumentParser(prog="memoryhub-mcp", description="The hub's MCP server, over standard input and output.")
    made.add_argument("--url", help="the hub's address; else MEMORYHUB_URL, else that of 'memoryhub login'")
    made.add_argument("--token", help="else MEMORYHUB_TOKEN, which others here do not see, or the kept one")
    made.add_argument("--dialect", default="", help="only its tools: kv, scoped, group, team, graph or files")
    for name in ("project", "user", "session", "workspace", "channel"):
        made.add_argument(f"--{name}", metavar="NAME", help=f"the {name} that all calls are about")
    return made


if __name__ == "__main__":
    sys.exit(main())
