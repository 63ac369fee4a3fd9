"""The client for plain code."""

import time
from collections.abc import Callable, Iterator
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


class MemoryHub(Hub[httpx.Client, httpx.BaseTransport]):
    """A hub. `url` and `token` come from MEMORYHUB_URL and MEMORYHUB_TOKEN, or `memoryhub login`, if not said."""

    _connected = httpx.Client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[Answer]) -> Answer:
        return self._read(call, self._outcome(call))

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
        on_trouble: Trouble | None = None,
        **filters: Unpack[Filters],
    ) -> Iterator[Memory]:
        """What changes, as it changes, for ever: it asks every `interval` seconds. With `forgotten` also what is
        forgotten: see `forgotten_at`. A hub that goes away is waited for, after `on_trouble` is told."""
        following = Following(
            since=since, forgotten=forgotten, filters=filters, interval=interval, on_trouble=on_trouble
        )
        while True:
            yield from self.run(following.news())
            time.sleep(following.pause)

    def export(self, to: str | Path) -> Path:
        """Writes an archive of what the token sees of its team to a file, as it comes: a zip."""
        path, call = Path(to), calls.export()
        with whole_file(path) as file:
            self._answered(self._patiently(call, lambda: self._try_download(call, file)))
        return path

    def _outcome(self, call: Call[Any]) -> Outcome:
        return self._patiently(call, lambda: self._try(call))

    def _patiently(self, call: Call[Any], attempt: Callable[[], Outcome]) -> Outcome:
        for tried in count(1):
            outcome = attempt()
            wait = self.retries.wait(call, outcome, tried)
            if wait is None:
                break
            time.sleep(wait)
        return outcome

    def _try(self, call: Call[Any]) -> Outcome:
        try:
            return self._http.request(**self._sent(call))
        except httpx.TransportError as error:
            return error

    def _try_download(self, call: Call[Any], file: IO[bytes]) -> Outcome:
        """From the start each time. What is refused is read whole, for its words."""
        file.seek(0)
        file.truncate()
        try:
            with self._http.stream(**self._sent(call)) as answer:
                if not answer.is_success:
                    answer.read()
                    return answer
                for chunk in answer.iter_bytes():
                    file.write(chunk)
                return answer
        except httpx.TransportError as error:
            return error

    me = _answer(calls.me)
    save = _answer(calls.save)
    save_many = _answer(calls.save_many)
    save_each = _answer(calls.save_each)
    save_key = _answer(calls.save_key)
    get = _answer(calls.get)
    get_key = _answer(calls.get_key)
    change = _answer(calls.change)
    append = _answer(calls.append)
    pin = _answer(calls.pin)
    tag = _answer(calls.tag)
    expire = _answer(calls.expire)
    move = _answer(calls.move)
    verify = _answer(calls.verify)
    forget = _answer(calls.forget)
    forget_key = _answer(calls.forget_key)
    restore = _answer(calls.restore)
    revert = _answer(calls.revert)
    memories = _each(calls.memories)
    history = _each(calls.history)
    recall = _answer(calls.recall)
    why_not = _answer(calls.why_not)
    recalls = _each(calls.recalls)
    context = _answer(calls.context)
    associate = _answer(calls.associate)
    associations = _each(calls.associations)
    dissociate = _answer(calls.dissociate)
    cite = _answer(calls.cite)
    sources = _each(calls.sources)
    uncite = _answer(calls.uncite)
    attach = _answer(calls.attach)
    assets = _each(calls.assets)
    read_asset = _answer(calls.read_asset)
    detach = _answer(calls.detach)
    files = _each(calls.files)
    read_file = _answer(calls.read_file)
    write_file = _answer(calls.write_file)
    append_file = _answer(calls.append_file)
    rename_file = _answer(calls.rename_file)
    delete_file = _answer(calls.delete_file)
    file_history = _each(calls.file_history)
    revert_file = _answer(calls.revert_file)
    register_session = _answer(calls.register_session)
    session = _answer(calls.session)
    archive_session = _answer(calls.archive_session)
    extract = _answer(calls.extract)
    tools = _answer(calls.tools)
    call_tool = _answer(calls.call_tool)
