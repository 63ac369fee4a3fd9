"""The base of both clients: address, token, call context and retries."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from types import EllipsisType
from typing import IO, Any, Generic, ParamSpec, Self, TypeVar
from urllib.parse import quote

import httpx

from memoryhub_client import configuration
from memoryhub_client.calls import Answer, Call
from memoryhub_client.errors import MemoryHubError, Unreachable, error_from_response
from memoryhub_client.retries import Retries

Params = ParamSpec("Params")
Http = TypeVar("Http")
Transport = TypeVar("Transport")
Plan = Generator[Call[Any], Any, Answer]  # a sequence of calls and its result, for either client to run
Outcome = httpx.Response | httpx.TransportError
ContextValue = str | None | EllipsisType  # `...` if omitted, None to clear


class BaseHub(Generic[Http, Transport]):
    _http_client: Callable[..., Http]

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        transport: Transport | None = None,
    ) -> None:
        settings = configuration.load_configuration(url=url, token=token)
        self.url, self.retries, self._context = settings.url, retries or Retries(), dict[str, str]()
        headers = {"Authorization": f"Bearer {settings.token}"}
        base = f"{settings.url}/api/v1/"
        self._http = self._http_client(base_url=base, headers=headers, timeout=timeout, transport=transport)

    def with_context(
        self,
        *,
        project: ContextValue = ...,
        user: ContextValue = ...,
        session: ContextValue = ...,
        workspace: ContextValue = ...,
        channel: ContextValue = ...,
    ) -> Self:
        """Return a client whose calls carry this context. Omitted values stay, None clears one. Both clients share
        their connections: close the first one."""
        values = {"Project": project, "User": user, "Session": session, "Workspace": workspace, "Channel": channel}
        context = dict(self._context)
        for name, value in values.items():
            if value is not ...:
                context[f"X-Memory-{name}"] = quote(value or "")
        new = copy(self)
        new._context = {name: value for name, value in context.items() if value}
        return new

    def _request_arguments(self, call: Call[Any]) -> dict[str, Any]:
        headers = {**self._context, **call.headers}
        body = {"files": call.form, "content": call.content, "json": call.json}
        return {"method": call.method, "url": call.path, "params": call.params, "headers": headers, **body}

    def _read_answer(self, call: Call[Answer], outcome: Outcome) -> Answer:
        answer = self._check_response(outcome)
        if call.binary:
            return call.read(answer.content)
        try:
            return call.read(answer.json() if answer.content else None)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise MemoryHubError(f"{self.url} did not answer as a MemoryHub does.") from error

    def _check_response(self, outcome: Outcome) -> httpx.Response:
        if isinstance(outcome, httpx.TransportError):
            raise Unreachable(f"{self.url} does not answer: {outcome or type(outcome).__name__}") from outcome
        if not outcome.is_success:
            raise error_from_response(outcome)
        return outcome


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` once it is written completely."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
