"""A rerank server at the outer edge, real and on a port of its own: it scores each text by the number in it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from threading import Event, Thread
from typing import Any

from tests.embedding_server import QuietServer, send

RERANKER_KEY = "rk-very-secret"
ODD_ANSWERS = {
    "html": b"<html>Welcome!</html>",
    "too-few": b'{"results": [{"index": 0, "relevance_score": 1.0}]}',
    "no-number": b'{"results": [{"index": 0, "relevance_score": "high"}]}',
    "not-finite": b'{"results": [{"index": 0, "relevance_score": NaN}]}',
    "list": b"[1, 2]",
}


class RerankServer:
    """Its `behaviour` may change at any time: "good", "slow", a word of ODD_ANSWERS, or an HTTP status."""

    def __init__(self) -> None:
        self.behaviour = "good"
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self.closing = Event()
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.http = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def answer(self, client: BaseHTTPRequestHandler) -> None:
        body = json.loads(client.rfile.read(int(client.headers["Content-Length"])))
        self.requests.append(body)
        self.keys.append(client.headers["Authorization"])
        self.paths.append(client.path)
        if self.behaviour == "slow":
            self.closing.wait(30)
        elif self.behaviour.isdigit():
            send(client, f"I know you: {client.headers['Authorization']}".encode(), status=int(self.behaviour))
        else:
            send(client, ODD_ANSWERS.get(self.behaviour) or self.score(body))

    def score(self, body: dict[str, Any]) -> bytes:
        """Score by the number in the text: what it says of itself. The best comes first, as from real servers."""
        numbers = [max((int(word) for word in text.split() if word.isdigit()), default=0) for text in body["documents"]]
        rows = [{"index": place, "relevance_score": number / 100} for place, number in enumerate(numbers)]
        return json.dumps({"results": sorted(rows, key=lambda row: -row["relevance_score"])}).encode()


@contextmanager
def rerank_server() -> Iterator[RerankServer]:
    made = RerankServer()
    thread = Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        made.closing.set()
        made.http.shutdown()
        thread.join()
        made.http.server_close()
