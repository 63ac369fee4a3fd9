"""What both clients have in common: an address, a token, a context and patience."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from types import EllipsisType
from typing import IO, Any, Generic, Self, TypeVar
from urllib.parse import quote

import httpx

from memoryhub_client import configuration
from memoryhub_client.calls import Call
from memoryhub_client.errors import MemoryHubError, Unreachable, refusal
from memoryhub_client.retrying import Retries

Answer = TypeVar("Answer")
Http = TypeVar("Http")
Transport = TypeVar("Transport")
Plan = Generator[Call[Any], Any, Answer]  # several calls and what they come to, for either client to run
Outcome = httpx.Response | httpx.TransportError
Named = str | None | EllipsisType  # left out, or cleared


class Hub(Generic[Http, Transport]):
    _connected: Callable[..., Http]

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        transport: Transport | None = None,
    ) -> None:
        known = configuration.found(url=url, token=token)
        self.url, self.retries, self._context = known.url, retries or Retries(), dict[str, str]()
        headers = {"Authorization": f"Bearer {known.token}"}
        base = f"{known.url}/api/v1/"
        self._http = self._connected(base_url=base, headers=headers, timeout=timeout, transport=transport)

    def with_context(
        self,
        *,
        project: Named = ...,
        user: Named = ...,
        session: Named = ...,
        workspace: Named = ...,
        channel: Named = ...,
    ) -> Self:
        """The same hub, with calls that say what they are about. What is left out stays as it is, None clears it. They
        share their connections: close the first one."""
        said = {"Project": project, "User": user, "Session": session, "Workspace": workspace, "Channel": channel}
        context = dict(self._context)
        for name, value in said.items():
            if value is not ...:
                context[f"X-Memory-{name}"] = quote(value or "")
        new = copy(self)
        new._context = {name: value for name, value in context.items() if value}
        return new

    def _sent(self, call: Call[Any]) -> dict[str, Any]:
        headers = {**self._context, **call.headers}
        body = {"files": call.form, "content": call.content, "json": call.json}
        return {"method": call.method, "url": call.path, "params": call.params, "headers": headers, **body}

    def _read(self, call: Call[Answer], outcome: Outcome) -> Answer:
        answer = self._answered(outcome)
        if call.binary:
            return call.read(answer.content)
        try:
            return call.read(answer.json() if answer.content else None)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise MemoryHubError(f"{self.url} did not answer as a MemoryHub does.") from error

    def _answered(self, outcome: Outcome) -> httpx.Response:
        if isinstance(outcome, httpx.TransportError):
            raise Unreachable(f"{self.url} does not answer: {outcome or type(outcome).__name__}") from outcome
        if not outcome.is_success:
            raise refusal(outcome)
        return outcome


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """It is there when all of it is; what was there before stays until then."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("wb") as written:
            yield written
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
