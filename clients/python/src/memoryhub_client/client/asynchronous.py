"""The client for asynchronous code."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from functools import wraps
from itertools import count
from pathlib import Path
from typing import IO, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

import httpx

from memoryhub_client import calls
from memoryhub_client.calls import Call, Filters
from memoryhub_client.client.common import Hub, Outcome, Plan, whole_file
from memoryhub_client.errors import MemoryHubError
from memoryhub_client.following import Following, Trouble
from memoryhub_client.shapes import Memory, Page

Said = ParamSpec("Said")
Answer = TypeVar("Answer")


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


class AsyncMemoryHub(Hub[httpx.AsyncClient, httpx.AsyncBaseTransport]):
    """The same for asynchronous code."""

    _connected = httpx.AsyncClient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[Answer]) -> Answer:
        return self._read(call, await self._patiently(call, lambda: self._try(call)))

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
        on_trouble: Trouble | None = None,
        **filters: Unpack[Filters],
    ) -> AsyncIterator[Memory]:
        following = Following(
            since=since, forgotten=forgotten, filters=filters, interval=interval, on_trouble=on_trouble
        )
        while True:
            for memory in await self.run(following.news()):
                yield memory
            await asyncio.sleep(following.pause)

    async def export(self, to: str | Path) -> Path:
        path, call = Path(to), calls.export()
        with whole_file(path) as file:
            self._answered(await self._patiently(call, lambda: self._try_download(call, file)))
        return path

    async def _patiently(self, call: Call[Any], attempt: Callable[[], Awaitable[Outcome]]) -> Outcome:
        for tried in count(1):
            outcome = await attempt()
            wait = self.retries.wait(call, outcome, tried)
            if wait is None:
                break
            await asyncio.sleep(wait)
        return outcome

    async def _try(self, call: Call[Any]) -> Outcome:
        try:
            return await self._http.request(**self._sent(call))
        except httpx.TransportError as error:
            return error

    async def _try_download(self, call: Call[Any], file: IO[bytes]) -> Outcome:
        file.seek(0)
        file.truncate()
        try:
            async with self._http.stream(**self._sent(call)) as answer:
                if not answer.is_success:
                    await answer.aread()
                    return answer
                async for chunk in answer.aiter_bytes():
                    file.write(chunk)
                return answer
        except httpx.TransportError as error:
            return error

    me = _later(calls.me)
    save = _later(calls.save)
    save_many = _later(calls.save_many)
    save_each = _later(calls.save_each)
    save_key = _later(calls.save_key)
    get = _later(calls.get)
    get_key = _later(calls.get_key)
    change = _later(calls.change)
    append = _later(calls.append)
    pin = _later(calls.pin)
    tag = _later(calls.tag)
    expire = _later(calls.expire)
    move = _later(calls.move)
    verify = _later(calls.verify)
    forget = _later(calls.forget)
    forget_key = _later(calls.forget_key)
    restore = _later(calls.restore)
    revert = _later(calls.revert)
    memories = _each_later(calls.memories)
    history = _each_later(calls.history)
    recall = _later(calls.recall)
    why_not = _later(calls.why_not)
    recalls = _each_later(calls.recalls)
    context = _later(calls.context)
    associate = _later(calls.associate)
    associations = _each_later(calls.associations)
    dissociate = _later(calls.dissociate)
    cite = _later(calls.cite)
    sources = _each_later(calls.sources)
    uncite = _later(calls.uncite)
    attach = _later(calls.attach)
    assets = _each_later(calls.assets)
    read_asset = _later(calls.read_asset)
    detach = _later(calls.detach)
    files = _each_later(calls.files)
    read_file = _later(calls.read_file)
    write_file = _later(calls.write_file)
    append_file = _later(calls.append_file)
    rename_file = _later(calls.rename_file)
    delete_file = _later(calls.delete_file)
    file_history = _each_later(calls.file_history)
    revert_file = _later(calls.revert_file)
    register_session = _later(calls.register_session)
    session = _later(calls.session)
    archive_session = _later(calls.archive_session)
    extract = _later(calls.extract)
    tools = _later(calls.tools)
    call_tool = _later(calls.call_tool)
