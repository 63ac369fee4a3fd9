"""The client, for plain and for asynchronous code: two thin transports of the same calls."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from copy import copy
from datetime import datetime
from functools import wraps
from itertools import count
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack
from urllib.parse import quote

import httpx

from memoryhub_client import calls, configuration
from memoryhub_client.calls import Call, Filters
from memoryhub_client.errors import MemoryHubError, Unreachable, refusal
from memoryhub_client.following import Following
from memoryhub_client.retrying import Retries
from memoryhub_client.shapes import Memory, Page

Said = ParamSpec("Said")
Answer = TypeVar("Answer")
Plan = Generator[Call[Any], Any, Answer]  # several calls and what they come to, for either client to run
Outcome = httpx.Response | httpx.TransportError


class _Hub:
    """What both have in common: an address, a token, a context and patience."""

    def __init__(self, url: str | None, token: str | None, timeout: float, retries: Retries | None) -> None:
        known = configuration.found(url=url, token=token)
        self.url, self.retries, self._context = known.url, retries or Retries(), dict[str, str]()
        self._options: dict[str, Any] = {
            "base_url": f"{known.url}/api/v1/",
            "headers": {"Authorization": f"Bearer {known.token}"},
            "timeout": timeout,
        }

    def with_context(
        self,
        *,
        project: str | None = None,
        user: str | None = None,
        session: str | None = None,
        workspace: str | None = None,
        channel: str | None = None,
    ) -> Self:
        """The same hub, with calls that say what they are about. They share their connections: close the first one."""
        said = {"Project": project, "User": user, "Session": session, "Workspace": workspace, "Channel": channel}
        new = copy(self)
        new._context = self._context | {f"X-Memory-{name}": quote(value) for name, value in said.items() if value}
        return new

    def _sent(self, call: Call[Any]) -> dict[str, Any]:
        headers = {**self._context, **call.headers}
        return {"method": call.method, "url": call.path, "params": call.params, "json": call.json, "headers": headers}

    def _read(self, call: Call[Answer], outcome: Outcome) -> Answer:
        if isinstance(outcome, httpx.TransportError):
            raise Unreachable(f"{self.url} does not answer: {outcome or type(outcome).__name__}") from outcome
        if not outcome.is_success:
            raise refusal(outcome)
        try:
            return call.read(outcome.json())
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise MemoryHubError(f"{self.url} did not answer as a MemoryHub does.") from error


def _answer(build: Callable[Said, Call[Answer]]) -> "Callable[Concatenate[MemoryHub, Said], Answer]":
    @wraps(build)
    def method(hub: "MemoryHub", /, *args: Said.args, **kwargs: Said.kwargs) -> Answer:
        return hub.send(build(*args, **kwargs))

    return method


def _each(build: Callable[Said, Call[Page[Answer]]]) -> "Callable[Concatenate[MemoryHub, Said], Iterator[Answer]]":
    @wraps(build)
    def method(hub: "MemoryHub", /, *args: Said.args, **kwargs: Said.kwargs) -> Iterator[Answer]:
        return hub.pages(build(*args, **kwargs))

    return method


class MemoryHub(_Hub):
    """A hub. `url` and `token` come from MEMORYHUB_URL and MEMORYHUB_TOKEN, or `memoryhub login`, if not said."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(url, token, timeout, retries)
        self._http = httpx.Client(**self._options, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[Answer]) -> Answer:
        for tried in count(1):
            outcome = self._try(call)
            wait = self.retries.wait(call, outcome, tried)
            if wait is None:
                break
            time.sleep(wait)
        return self._read(call, outcome)

    def pages(self, call: Call[Page[Answer]]) -> Iterator[Answer]:
        """Every item, asking for a page when it is needed."""
        while True:
            page = self.send(call)
            yield from page.items
            if page.next is None:
                return
            call = call.at(page.next)

    def run(self, plan: Plan[Answer]) -> Answer:
        """A refusal is raised within the plan, which may know better."""
        try:
            call = next(plan)
            while True:
                try:
                    answered = self.send(call)
                except MemoryHubError as error:
                    call = plan.throw(error)
                else:
                    call = plan.send(answered)
        except StopIteration as done:
            answer: Answer = done.value
            return answer

    def tail(
        self,
        *,
        since: datetime | None = None,
        interval: float = 2.0,
        forgotten: bool = False,
        **filters: Unpack[Filters],
    ) -> Iterator[Memory]:
        """What changes, as it changes, for ever. With `forgotten` also what is forgotten: see `forgotten_at`."""
        following = Following(since=since, forgotten=forgotten, filters=filters)
        while True:
            yield from self.run(following.news())
            time.sleep(interval)

    def _try(self, call: Call[Any]) -> Outcome:
        try:
            return self._http.request(**self._sent(call))
        except httpx.TransportError as error:
            return error

    me = _answer(calls.me)
    save = _answer(calls.save)
    save_many = _answer(calls.save_many)
    get = _answer(calls.get)
    get_key = _answer(calls.get_key)
    change = _answer(calls.change)
    append = _answer(calls.append)
    verify = _answer(calls.verify)
    forget = _answer(calls.forget)
    forget_key = _answer(calls.forget_key)
    restore = _answer(calls.restore)
    revert = _answer(calls.revert)
    memories = _each(calls.memories)
    history = _each(calls.history)
    recall = _answer(calls.recall)
    why_not = _answer(calls.why_not)
    context = _answer(calls.context)
    associate = _answer(calls.associate)
    associations = _each(calls.associations)
    cite = _answer(calls.cite)
    sources = _each(calls.sources)
    files = _each(calls.files)
    read_file = _answer(calls.read_file)
    write_file = _answer(calls.write_file)
    append_file = _answer(calls.append_file)
    rename_file = _answer(calls.rename_file)
    delete_file = _answer(calls.delete_file)
    file_history = _each(calls.file_history)
    revert_file = _answer(calls.revert_file)
    register_session = _answer(calls.register_session)
    archive_session = _answer(calls.archive_session)
    extract = _answer(calls.extract)
    tools = _answer(calls.tools)
    call_tool = _answer(calls.call_tool)


def _later(build: Callable[Said, Call[Answer]]) -> "Callable[Concatenate[AsyncMemoryHub, Said], Awaitable[Answer]]":
    @wraps(build)
    async def method(hub: "AsyncMemoryHub", /, *args: Said.args, **kwargs: Said.kwargs) -> Answer:
        return await hub.send(build(*args, **kwargs))

    return method


def _each_later(
    build: Callable[Said, Call[Page[Answer]]],
) -> "Callable[Concatenate[AsyncMemoryHub, Said], AsyncIterator[Answer]]":
    @wraps(build)
    def method(hub: "AsyncMemoryHub", /, *args: Said.args, **kwargs: Said.kwargs) -> AsyncIterator[Answer]:
        return hub.pages(build(*args, **kwargs))

    return method


class AsyncMemoryHub(_Hub):
    """The same for asynchronous code."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(url, token, timeout, retries)
        self._http = httpx.AsyncClient(**self._options, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[Answer]) -> Answer:
        for tried in count(1):
            outcome = await self._try(call)
            wait = self.retries.wait(call, outcome, tried)
            if wait is None:
                break
            await asyncio.sleep(wait)
        return self._read(call, outcome)

    async def pages(self, call: Call[Page[Answer]]) -> AsyncIterator[Answer]:
        while True:
            page = await self.send(call)
            for item in page.items:
                yield item
            if page.next is None:
                return
            call = call.at(page.next)

    async def run(self, plan: Plan[Answer]) -> Answer:
        try:
            call = next(plan)
            while True:
                try:
                    answered = await self.send(call)
                except MemoryHubError as error:
                    call = plan.throw(error)
                else:
                    call = plan.send(answered)
        except StopIteration as done:
            answer: Answer = done.value
            return answer

    async def tail(
        self,
        *,
        since: datetime | None = None,
        interval: float = 2.0,
        forgotten: bool = False,
        **filters: Unpack[Filters],
    ) -> AsyncIterator[Memory]:
        following = Following(since=since, forgotten=forgotten, filters=filters)
        while True:
            for memory in await self.run(following.news()):
                yield memory
            await asyncio.sleep(interval)

    async def _try(self, call: Call[Any]) -> Outcome:
        try:
            return await self._http.request(**self._sent(call))
        except httpx.TransportError as error:
            return error

    me = _later(calls.me)
    save = _later(calls.save)
    save_many = _later(calls.save_many)
    get = _later(calls.get)
    get_key = _later(calls.get_key)
    change = _later(calls.change)
    append = _later(calls.append)
    verify = _later(calls.verify)
    forget = _later(calls.forget)
    forget_key = _later(calls.forget_key)
    restore = _later(calls.restore)
    revert = _later(calls.revert)
    memories = _each_later(calls.memories)
    history = _each_later(calls.history)
    recall = _later(calls.recall)
    why_not = _later(calls.why_not)
    context = _later(calls.context)
    associate = _later(calls.associate)
    associations = _each_later(calls.associations)
    cite = _later(calls.cite)
    sources = _each_later(calls.sources)
    files = _each_later(calls.files)
    read_file = _later(calls.read_file)
    write_file = _later(calls.write_file)
    append_file = _later(calls.append_file)
    rename_file = _later(calls.rename_file)
    delete_file = _later(calls.delete_file)
    file_history = _each_later(calls.file_history)
    revert_file = _later(calls.revert_file)
    register_session = _later(calls.register_session)
    archive_session = _later(calls.archive_session)
    extract = _later(calls.extract)
    tools = _later(calls.tools)
    call_tool = _later(calls.call_tool)
