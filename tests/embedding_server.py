"""An embedding server at the outer edge, real and on a port of its own: it behaves, or misbehaves, as it is told."""

import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

EMBEDDING_KEY = "sk-very-secret"
EMBEDDING_PATIENCE = 30  # seconds that it keeps a client waiting
Rows = list[dict[str, Any]]


def last_begins_with(number: object) -> Callable[[Rows], None]:
    return lambda rows: rows[-1]["embedding"].__setitem__(0, number)


# What becomes of a good answer's rows.
SPOILT: dict[str, Callable[[Rows], object]] = {
    "good": lambda rows: None,
    "out-of-order": lambda rows: rows.reverse(),
    "too-few": lambda rows: rows.pop(),
    "too-many": lambda rows: rows.append(rows[0] | {"index": len(rows)}),
    "one-twice": lambda rows: rows[-1].update(index=0) if len(rows) > 1 else rows.append(rows[0]),
    "wrong-dimension": lambda rows: [row["embedding"].append(1.0) for row in rows],
    "unequal": lambda rows: rows[-1]["embedding"].append(1.0),
    "zeros": lambda rows: rows[-1].update(embedding=[0.0] * len(rows[-1]["embedding"])),
    "base64": lambda rows: rows[-1].update(embedding="AACAPwAAgD8="),
    "nan": last_begins_with(float("nan")),
    "null": last_begins_with(None),
    "string": last_begins_with("0.5"),
    "huge": last_begins_with(1e308),
}
# What is no answer at all.
EMBEDDING_BODIES = {
    "html": b"<html><body>Welcome to this network!</body></html>",
    "empty": b"",
    "other-json": b'{"object": "list", "results": []}',
    "list": b"[1, 2]",
    "nested": b"[" * 100_000,
}


class EndpointServer:
    """Its `behaviour` may change at any time: a word of SPOILT or EMBEDDING_BODIES or an HTTP status such as "500",
    which repeats the caller's key; or "hang-up", "truncated", "slow", "dribble", "dribble-headers" or "redirect".
    """

    def __init__(self, *, dimension: int = 64) -> None:
        self.behaviour = "good"
        self.refused = ""  # a text that it never takes
        self.dimension = dimension
        self.asked: list[dict[str, Any]] = []  # the bodies of all requests
        self.keys: list[str | None] = []  # and their Authorization
        self.closing = Event()
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.http = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    @property
    def texts(self) -> list[str]:
        """All that it was to embed, in order."""
        return [text for asked in self.asked for text in asked["input"]]

    def answer(self, client: BaseHTTPRequestHandler) -> None:
        asked = json.loads(client.rfile.read(int(client.headers["Content-Length"])))
        self.asked.append(asked)
        self.keys.append(client.headers["Authorization"])
        behaviour = "400" if self.refused and self.refused in asked["input"] else self.behaviour
        if behaviour == "slow":
            self.closing.wait(EMBEDDING_PATIENCE)
        elif behaviour.startswith("dribble"):
            self.dribble(client, b"HTTP/1.0 200 OK\r\n" + (b"" if behaviour == "dribble-headers" else b"\r\n"))
        elif behaviour == "redirect":
            send(client, b"", status=302, Location=f"{self.url}/elsewhere")
        elif behaviour == "truncated":
            whole = self.embeddings(asked["input"], "good")
            send(client, whole[: len(whole) // 2], Content_Length=str(len(whole)))
        elif behaviour.isdigit():
            send(client, f"I know you: {client.headers['Authorization']}".encode(), status=int(behaviour))
        elif behaviour != "hang-up":
            send(
                client,
                EMBEDDING_BODIES[behaviour]
                if behaviour in EMBEDDING_BODIES
                else self.embeddings(asked["input"], behaviour),
            )

    def dribble(self, client: BaseHTTPRequestHandler, head: bytes) -> None:
        """A byte now and then, each soon enough for a socket's time-out."""
        client.wfile.write(head)
        for _ in range(EMBEDDING_PATIENCE * 10):
            if not self.closing.wait(0.1):
                client.wfile.write(b"[")

    def embeddings(self, texts: list[str], behaviour: str) -> bytes:
        rows = [{"index": place, "embedding": self.vector(text)} for place, text in enumerate(texts)]
        SPOILT[behaviour](rows)
        return json.dumps({"object": "list", "data": rows}).encode()

    def vector(self, text: str) -> list[float]:
        """Near another where they share words; neither of unit length nor ever zero."""
        vector = [0.1] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % self.dimension] += 2.0
        return vector


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, *args: object) -> None:
        """A client that hangs up is no news."""


def send(client: BaseHTTPRequestHandler, body: bytes, *, status: int = 200, **headers: str) -> None:
    client.send_response(status)
    for name, value in headers.items():
        client.send_header(name.replace("_", "-"), value)
    client.end_headers()
    client.wfile.write(body)


@contextmanager
def endpoint_server(**options: Any) -> Iterator[EndpointServer]:
    made = EndpointServer(**options)
    thread = Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        made.closing.set()
        made.http.shutdown()
        thread.join()
        made.http.server_close()
