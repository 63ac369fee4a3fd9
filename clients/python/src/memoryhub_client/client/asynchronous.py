"""The client for asynchronous code."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from functools import wraps
from itertools import count
from pathlib import Path
from typing import IO, Any, Concatenate, Self, Unpack

import httpx

from memoryhub_client import calls
from memoryhub_client.calls import Answer, Call, Filters
from memoryhub_client.changes import ChangeFeed, Trouble
from memoryhub_client.client.common import BaseHub, Outcome, Params, Plan, write_atomically
from memoryhub_client.errors import MemoryHubError
from memoryhub_client.shapes import Memory, Page


def _async_method(
    build: Callable[Params, Call[Answer]],
) -> "Callable[Concatenate[AsyncMemoryHub, Params], Awaitable[Answer]]":
    @wraps(build)
    async def method(hub: "AsyncMemoryHub", /, *args: Params.args, **kwargs: Params.kwargs) -> Answer:
        return await hub.send(build(*args, **kwargs))

    return method


def _async_iterator_method(
    build: Callable[Params, Call[Page[Answer]]],
) -> "Callable[Concatenate[AsyncMemoryHub, Params], AsyncIterator[Answer]]":
    @wraps(build)
    def method(hub: "AsyncMemoryHub", /, *args: Params.args, **kwargs: Params.kwargs) -> AsyncIterator[Answer]:
        return hub.pages(build(*args, **kwargs))

    return method


class AsyncMemoryHub(BaseHub[httpx.AsyncClient, httpx.AsyncBaseTransport]):
    """The asynchronous client; its methods are those of `MemoryHub`."""

    _http_client = httpx.AsyncClient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[Answer]) -> Answer:
        return self._read_answer(call, await self._send_with_retries(call, lambda: self._try(call)))

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
        feed = ChangeFeed(since=since, forgotten=forgotten, filters=filters, interval=interval, on_trouble=on_trouble)
        while True:
            for memory in await self.run(feed.poll()):
                yield memory
            await asyncio.sleep(feed.pause)

    async def export(self, to: str | Path) -> Path:
        path, call = Path(to), calls.export()
        with write_atomically(path) as file:
            self._check_response(await self._send_with_retries(call, lambda: self._try_download(call, file)))
        return path

    async def _send_with_retries(self, call: Call[Any], attempt: Callable[[], Awaitable[Outcome]]) -> Outcome:
        for tried in count(1):
            outcome = await attempt()
            wait = self.retries.wait(call, outcome, tried)
            if wait is None:
                break
            await asyncio.sleep(wait)
        return outcome

    async def _try(self, call: Call[Any]) -> Outcome:
        try:
            return await self._http.request(**self._request_arguments(call))
        except httpx.TransportError as error:
            return error

    async def _try_download(self, call: Call[Any], file: IO[bytes]) -> Outcome:
        file.seek(0)
        file.truncate()
        try:
            async with self._http.stream(**self._request_arguments(call)) as answer:
                if not answer.is_success:
                    await answer.aread()
                    return answer
                async for chunk in answer.aiter_bytes():
                    file.write(chunk)
                return answer
        except httpx.TransportError as error:
            return error

    me = _async_method(calls.me)
    save = _async_method(calls.save)
    save_many = _async_method(calls.save_many)
    save_each = _async_method(calls.save_each)
    save_key = _async_method(calls.save_key)
    get = _async_method(calls.get)
    get_key = _async_method(calls.get_key)
    change = _async_method(calls.change)
    append = _async_method(calls.append)
    pin = _async_method(calls.pin)
    tag = _async_method(calls.tag)
    expire = _async_method(calls.expire)
    move = _async_method(calls.move)
    verify = _async_method(calls.verify)
    forget = _async_method(calls.forget)
    forget_key = _async_method(calls.forget_key)
    restore = _async_method(calls.restore)
    revert = _async_method(calls.revert)
    memories = _async_iterator_method(calls.memories)
    history = _async_iterator_method(calls.history)
    recall = _async_method(calls.recall)
    why_not = _async_method(calls.why_not)
    recalls = _async_iterator_method(calls.recalls)
    context = _async_method(calls.context)
    supersede = _async_method(calls.supersede)
    reinstate = _async_method(calls.reinstate)
    timeline = _async_method(calls.timeline)
    proposals = _async_iterator_method(calls.proposals)
    proposal = _async_method(calls.proposal)
    withdraw = _async_method(calls.withdraw)
    rate = _async_method(calls.rate)
    ratings = _async_method(calls.ratings)
    withdraw_rating = _async_method(calls.withdraw_rating)
    anchors = _async_iterator_method(calls.anchors)
    report_anchors = _async_method(calls.report_anchors)
    associate = _async_method(calls.associate)
    associations = _async_iterator_method(calls.associations)
    dissociate = _async_method(calls.dissociate)
    cite = _async_method(calls.cite)
    sources = _async_iterator_method(calls.sources)
    uncite = _async_method(calls.uncite)
    attach = _async_method(calls.attach)
    assets = _async_iterator_method(calls.assets)
    read_asset = _async_method(calls.read_asset)
    detach = _async_method(calls.detach)
    files = _async_iterator_method(calls.files)
    read_file = _async_method(calls.read_file)
    write_file = _async_method(calls.write_file)
    append_file = _async_method(calls.append_file)
    rename_file = _async_method(calls.rename_file)
    delete_file = _async_method(calls.delete_file)
    file_history = _async_iterator_method(calls.file_history)
    revert_file = _async_method(calls.revert_file)
    register_session = _async_method(calls.register_session)
    session = _async_method(calls.session)
    archive_session = _async_method(calls.archive_session)
    extract = _async_method(calls.extract)
    tools = _async_method(calls.tools)
    call_tool = _async_method(calls.call_tool)
