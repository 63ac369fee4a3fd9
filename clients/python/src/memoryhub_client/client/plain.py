"""The client for plain code."""

import time
from collections.abc import Callable, Iterator
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


def _method(build: Callable[Params, Call[Answer]]) -> "Callable[Concatenate[MemoryHub, Params], Answer]":
    @wraps(build)
    def method(hub: "MemoryHub", /, *args: Params.args, **kwargs: Params.kwargs) -> Answer:
        return hub.send(build(*args, **kwargs))

    return method


def _iterator_method(
    build: Callable[Params, Call[Page[Answer]]],
) -> "Callable[Concatenate[MemoryHub, Params], Iterator[Answer]]":
    @wraps(build)
    def method(hub: "MemoryHub", /, *args: Params.args, **kwargs: Params.kwargs) -> Iterator[Answer]:
        return hub.pages(build(*args, **kwargs))

    return method


class MemoryHub(BaseHub[httpx.Client, httpx.BaseTransport]):
    """Calls a hub. `url` and `token` default to MEMORYHUB_URL and MEMORYHUB_TOKEN, or those of `memoryhub login`."""

    _http_client = httpx.Client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[Answer]) -> Answer:
        return self._read_answer(call, self._outcome(call))

    def pages(self, call: Call[Page[Answer]]) -> Iterator[Answer]:
        """Yield every item, fetching a page when it is needed."""
        while True:
            page = self.send(call)
            yield from page.items
            if page.next is None:
                return
            call = call.at(page.next)

    def run(self, plan: Plan[Answer]) -> Answer:
        """Send the calls of a plan and return its result. Refusals are raised inside the plan, which may handle
        them."""
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
        on_trouble: Trouble | None = None,
        **filters: Unpack[Filters],
    ) -> Iterator[Memory]:
        """Yield memories as they change, without end, polling every `interval` seconds. With `forgotten`, also those
        that are forgotten: see `forgotten_at`. An unavailable hub is waited for, after a call of `on_trouble`."""
        feed = ChangeFeed(since=since, forgotten=forgotten, filters=filters, interval=interval, on_trouble=on_trouble)
        while True:
            yield from self.run(feed.poll())
            time.sleep(feed.pause)

    def export(self, to: str | Path) -> Path:
        """Download an archive (a zip) of what the token can read of its team, and return its path."""
        path, call = Path(to), calls.export()
        with write_atomically(path) as file:
            self._check_response(self._send_with_retries(call, lambda: self._try_download(call, file)))
        return path

    def _outcome(self, call: Call[Any]) -> Outcome:
        return self._send_with_retries(call, lambda: self._try(call))

    def _send_with_retries(self, call: Call[Any], attempt: Callable[[], Outcome]) -> Outcome:
        for tried in count(1):
            outcome = attempt()
            wait = self.retries.wait(call, outcome, tried)
            if wait is None:
                break
            time.sleep(wait)
        return outcome

    def _try(self, call: Call[Any]) -> Outcome:
        try:
            return self._http.request(**self._request_arguments(call))
        except httpx.TransportError as error:
            return error

    def _try_download(self, call: Call[Any], file: IO[bytes]) -> Outcome:
        """Download from the start. A refusal is read completely, for its message."""
        file.seek(0)
        file.truncate()
        try:
            with self._http.stream(**self._request_arguments(call)) as answer:
                if not answer.is_success:
                    answer.read()
                    return answer
                for chunk in answer.iter_bytes():
                    file.write(chunk)
                return answer
        except httpx.TransportError as error:
            return error

    me = _method(calls.me)
    save = _method(calls.save)
    save_many = _method(calls.save_many)
    save_each = _method(calls.save_each)
    save_key = _method(calls.save_key)
    get = _method(calls.get)
    get_key = _method(calls.get_key)
    change = _method(calls.change)
    append = _method(calls.append)
    pin = _method(calls.pin)
    tag = _method(calls.tag)
    expire = _method(calls.expire)
    move = _method(calls.move)
    verify = _method(calls.verify)
    forget = _method(calls.forget)
    forget_key = _method(calls.forget_key)
    restore = _method(calls.restore)
    revert = _method(calls.revert)
    memories = _iterator_method(calls.memories)
    history = _iterator_method(calls.history)
    recall = _method(calls.recall)
    why_not = _method(calls.why_not)
    recalls = _iterator_method(calls.recalls)
    context = _method(calls.context)
    supersede = _method(calls.supersede)
    reinstate = _method(calls.reinstate)
    timeline = _method(calls.timeline)
    proposals = _iterator_method(calls.proposals)
    proposal = _method(calls.proposal)
    withdraw = _method(calls.withdraw)
    rate = _method(calls.rate)
    ratings = _method(calls.ratings)
    withdraw_rating = _method(calls.withdraw_rating)
    anchors = _iterator_method(calls.anchors)
    report_anchors = _method(calls.report_anchors)
    associate = _method(calls.associate)
    associations = _iterator_method(calls.associations)
    dissociate = _method(calls.dissociate)
    cite = _method(calls.cite)
    sources = _iterator_method(calls.sources)
    uncite = _method(calls.uncite)
    attach = _method(calls.attach)
    assets = _iterator_method(calls.assets)
    read_asset = _method(calls.read_asset)
    detach = _method(calls.detach)
    files = _iterator_method(calls.files)
    read_file = _method(calls.read_file)
    write_file = _method(calls.write_file)
    append_file = _method(calls.append_file)
    rename_file = _method(calls.rename_file)
    delete_file = _method(calls.delete_file)
    file_history = _iterator_method(calls.file_history)
    revert_file = _method(calls.revert_file)
    register_session = _method(calls.register_session)
    session = _method(calls.session)
    archive_session = _method(calls.archive_session)
    extract = _method(calls.extract)
    tools = _method(calls.tools)
    call_tool = _method(calls.call_tool)
