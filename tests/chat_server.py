"""A chat server at the outer edge, real and on a port of its own: it answers, or misbehaves, as it is told."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from threading import Event, Thread
from typing import Any

from tests.embedding_server import QuietServer, send

CHAT_KEY = "sk-also-secret"
CHAT_PATIENCE = 30  # seconds that it keeps a client waiting
GOOD = {"memories": [{"content": "Acme ships on Tuesdays.", "type": "decision", "message": 0}]}

# What the model says instead of the memories that it was asked for.
MODEL_ANSWERS = {
    "prose": "Sure! Here are your memories: Acme ships on Tuesdays.",
    "broken": '{"memories": [{"content": "Acme sh',
    "list": "[1, 2]",
    "number": "7",
    "null-memories": '{"memories": null}',
    "texts": '{"memories": ["Acme ships on Tuesdays."]}',
    "no-content": '{"memories": [{"type": "fact"}]}',
    "empty-content": '{"memories": [{"content": ""}]}',
    "nul": '{"memories": [{"content": "a\\u0000b"}]}',
    "odd-type": '{"memories": [{"content": "x", "type": "secret"}]}',
    "odd-number": '{"memories": [{"content": "x", "message": 99}]}',
    "too-important": '{"memories": [{"content": "x", "importance": 11}]}',
    "too-many": json.dumps({"memories": [{"content": f"Thing {number}."} for number in range(51)]}),
}
# What is no answer of a chat server at all.
CHAT_BODIES = {
    "html": b"<html><body>Welcome to this network!</body></html>",
    "empty": b"",
    "other-json": b'{"object": "list", "results": []}',
    "no-choices": b'{"choices": []}',
    "no-text": b'{"choices": [{"message": {"content": null}}]}',
    "nested": b"[" * 100_000,
}


class ChatServer:
    """Its `behaviours` are used one per request, the last one for good: a word of SAID or CHAT_BODIES or an HTTP status
    such as "500", which repeats the caller's key; "good", "fenced", "cut-off", "truncated", "hang-up" or "slow"."""

    def __init__(self) -> None:
        self.behaviours = ["good"]
        self.memories: dict[str, Any] = GOOD
        self.asked: list[dict[str, Any]] = []  # the bodies of all requests
        self.paths: list[str] = []
        self.keys: list[str | None] = []  # and their Authorization
        self.meanwhile: Callable[[], object] = lambda: None  # done while the caller waits
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
        self.asked.append(json.loads(client.rfile.read(int(client.headers["Content-Length"]))))
        self.paths.append(client.path)
        self.keys.append(client.headers["Authorization"])
        self.meanwhile()
        behaviour = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
        if behaviour == "slow":
            self.closing.wait(CHAT_PATIENCE)
        elif behaviour == "truncated":
            whole = self.completion(json.dumps(self.memories))
            send(client, whole[: len(whole) // 2], Content_Length=str(len(whole)))
        elif behaviour.isdigit():
            send(client, f"I know you: {client.headers['Authorization']}".encode(), status=int(behaviour))
        elif behaviour in CHAT_BODIES:
            send(client, CHAT_BODIES[behaviour])
        elif behaviour != "hang-up":
            send(client, self.spoken(behaviour))

    def spoken(self, behaviour: str) -> bytes:
        good = json.dumps(self.memories)
        if behaviour == "fenced":
            return self.completion(f"```json\n{good}\n```")
        if behaviour == "cut-off":
            return self.completion(good, finish_reason="length")
        return self.completion(good if behaviour == "good" else MODEL_ANSWERS[behaviour])

    def completion(self, content: str, *, finish_reason: str = "stop") -> bytes:
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        return json.dumps({"object": "chat.completion", "choices": [choice]}).encode()

    @property
    def conversation(self) -> list[dict[str, Any]]:
        """Return the conversation that it was last given to read."""
        found: list[dict[str, Any]] = json.loads(self.asked[-1]["messages"][-1]["content"])["conversation"]
        return found


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    made = ChatServer()
    thread = Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        made.closing.set()
        made.http.shutdown()
        thread.join()
        made.http.server_close()
