"""`memoryhub-mcp`: a stdio MCP server that forwards to the hub's HTTP endpoint.

Each line of the input is a message; it is posted to /mcp unchanged and its response written out, several at a time.
Headers repeat what proxies look at, as the protocol version requires.
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

from memoryhub_client.calls.call import Call, new_idempotency_key, quote_path
from memoryhub_client.client import MemoryHub
from memoryhub_client.errors import MemoryHubError, error_from_response

MAX_WORKERS = 16
ANSWER_SECONDS = 120.0
PARSE_ERROR, TROUBLE = -32700, -32000
PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAME_PARAMS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PLAIN_HEADER = re.compile(r"[!-~]([ -~]*[!-~])?")  # needs no encoding in a header
ENCODED = re.compile(r"=\?base64\?.*\?=")
KINDS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Bridge:
    """Forwards messages. Its only state is the negotiated protocol version."""

    def __init__(self, hub: MemoryHub, out: IO[bytes], *, dialect: str = "") -> None:
        self.hub, self.out, self.writing = hub, out, threading.Lock()
        self.address = f"{hub.url}/mcp" + (f"/{quote_path(dialect, within='')}" if dialect else "")
        self.version: str | None = None

    def run(self, lines: Iterable[bytes]) -> None:
        """Forward every line, and return once all are answered."""
        with ThreadPoolExecutor(MAX_WORKERS) as workers:
            for line in lines:
                if line.strip():
                    workers.submit(self._forward, line)

    def _forward(self, line: bytes) -> None:
        """Forward one message; whatever happens, every request gets a response."""
        message = None
        try:
            message = json.loads(line)
            answers = self._answer(message, line)
        except (ValueError, RecursionError) as error:
            answers = _build_errors(_request_ids(message) or [None], PARSE_ERROR, f"This cannot be read: {error}.")
        except httpx.HTTPError as error:
            answers = _build_errors(
                _request_ids(message), TROUBLE, f"The answer of {self.hub.url} cannot be read: {error}."
            )
        self._write(answers)

    def _answer(self, message: Any, line: bytes) -> list[Any]:
        """Return the responses to a message. An error without an id answers every request in it."""
        outcome = self.hub._outcome(self._call(message, line))
        if isinstance(outcome, httpx.TransportError):
            sentence = f"The memory at {self.hub.url} does not answer: {outcome or type(outcome).__name__}."
            return _build_errors(_request_ids(message), TROUBLE, sentence)
        if not outcome.content and outcome.is_success:
            return []
        answer = _parse_message(outcome)
        if answer is None:
            sentence = f"{error_from_response(outcome).sentence} There may be no MemoryHub at {self.address}."
            return _build_errors(_request_ids(message), TROUBLE, sentence)
        if isinstance(answer, dict) and answer.get("id") is None and "error" in answer:
            return [{**answer, "id": identity} for identity in _request_ids(message)]
        self._record_version(message, answer)
        return [answer]

    def _call(self, message: Any, line: bytes) -> Call[None]:
        """Build the HTTP call. Tools may write, so their calls carry an idempotency key and can be retried; everything
        else only reads, unless it is a batch."""
        method = message.get("method") if isinstance(message, dict) else None
        calls_tool = method == "tools/call"
        headers = KINDS | self._headers(message) | (new_idempotency_key() if calls_tool else {})
        only_reads = isinstance(message, dict) and not calls_tool
        return Call(
            method="POST", path=self.address, read=_ignore_body, content=line, headers=headers, only_reads=only_reads
        )

    def _headers(self, message: Any) -> dict[str, str]:
        params = message.get("params") if isinstance(message, dict) else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        modern = meta.get(PROTOCOL_VERSION_KEY) if isinstance(meta, dict) else None
        if not isinstance(modern, str):
            return {"MCP-Protocol-Version": self.version} if self.version else {}
        self.version = modern
        headers, method = {"MCP-Protocol-Version": _encode_header(modern)}, str(message.get("method", ""))
        name = params.get(NAME_PARAMS.get(method, "")) if isinstance(params, dict) else None
        name_header = {"Mcp-Name": _encode_header(name)} if isinstance(name, str) else {}
        return headers | {"Mcp-Method": _encode_header(method)} | name_header

    def _record_version(self, message: Any, answer: Any) -> None:
        if isinstance(message, dict) and message.get("method") == "initialize" and isinstance(answer, dict):
            result = answer.get("result")
            agreed = result.get("protocolVersion") if isinstance(result, dict) else None
            self.version = agreed if isinstance(agreed, str) else self.version

    def _write(self, answers: Iterable[Any]) -> None:
        """Write each response on one line, unless the reader has gone."""
        text = "".join(json.dumps(answer, separators=(",", ":")) + "\n" for answer in answers)
        with self.writing, suppress(BrokenPipeError, ValueError):
            self.out.write(text.encode())
            self.out.flush()


def _parse_message(response: httpx.Response) -> Any:
    """Return the JSON-RPC message of a response, or None if there is none."""
    try:
        body = response.json()
    except ValueError:
        return None
    return body if isinstance(body, list) or (isinstance(body, dict) and "jsonrpc" in body) else None


def _request_ids(message: Any) -> list[Any]:
    """Return the ids of the requests that expect a response."""
    messages = message if isinstance(message, list) else [message]
    return [one["id"] for one in messages if isinstance(one, dict) and "method" in one and one.get("id") is not None]


def _build_errors(ids: Iterable[Any], code: int, sentence: str) -> list[Any]:
    return [{"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": sentence}} for identity in ids]


def _encode_header(value: str) -> str:
    if PLAIN_HEADER.fullmatch(value) and not ENCODED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _ignore_body(_: Any) -> None:
    """Ignore the body: it is forwarded unchanged."""


def main(argv: Sequence[str] | None = None) -> int:
    args = _build_parser().parse_args(argv)
    context = {name: getattr(args, name) for name in ("project", "user", "session", "workspace", "channel")}
    try:
        with MemoryHub(args.url, args.token, timeout=ANSWER_SECONDS) as hub:
            hub_in_context = hub.with_context(**{name: value for name, value in context.items() if value})
            Bridge(hub_in_context, sys.stdout.buffer, dialect=args.dialect).run(sys.stdin.buffer)
    except MemoryHubError as error:
        sys.stderr.write(f"memoryhub-mcp: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _build_parser() -> ArgumentParser:
    parser = ArgumentParser(prog="memoryhub-mcp", description="The hub's MCP server, over standard input and output.")
    parser.add_argument("--url", help="the hub's address; else MEMORYHUB_URL, else that of 'memoryhub login'")
    parser.add_argument("--token", help="else MEMORYHUB_TOKEN, which other users cannot see, or the stored one")
    parser.add_argument("--dialect", default="", help="offer only its tools: kv, scoped, group, team, graph or files")
    for name in ("project", "user", "session", "workspace", "channel"):
        parser.add_argument(f"--{name}", metavar="NAME", help=f"the {name} that all calls are about")
    return parser


if __name__ == "__main__":
    sys.exit(main())
