"""A client that calls the application itself, in the test's own thread and transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from django.test import Client
from memoryhub_client import MemoryHub, Retries

from teams.actor import Actor
from tests import factories

URL = "http://testserver"


class Wire(httpx.BaseTransport):
    """Notes what went over it; `trouble` comes instead of the first answers: an exception or another answer."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.trouble: list[Any] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        trouble = self.trouble.pop(0) if self.trouble else None
        if isinstance(trouble, httpx.Response):
            return trouble
        if isinstance(trouble, httpx.ConnectError):
            raise trouble
        answer = _answer_in_process(request)
        if trouble:
            raise trouble
        return answer


def _answer_in_process(request: httpx.Request) -> httpx.Response:
    headers = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
    kind = headers.pop("content-type", "")
    path, body = request.url.raw_path.decode(), request.read()
    answer = Client().generic(request.method, path, body, content_type=kind, headers=headers)
    return httpx.Response(answer.status_code, headers=dict(answer.items()), content=answer.getvalue(), request=request)


@contextmanager
def client_of(actor: Actor, wire: Wire | None = None) -> Iterator[MemoryHub]:
    impatient = Retries(first=0.001)
    with MemoryHub(URL, factories.token(actor), transport=wire or Wire(), retries=impatient) as made:
        yield made
