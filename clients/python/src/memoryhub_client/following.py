"""What changes, as it changes. The API has no stream: the list is asked again and again for what is newer, which an
index answers, and an answer without news is a few bytes. A stream would hold one of the server's few threads for each
that listens."""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from datetime import datetime, timedelta
from typing import Any, cast

from memoryhub_client import calls
from memoryhub_client.calls import Call, Filters, ListFilters
from memoryhub_client.errors import MemoryHubError, RateLimited, Unavailable, Unreachable
from memoryhub_client.shapes import Memory, Page

OVERLAP = 15.0  # seconds: a write may be seen later than another that began after it, but not longer than that
TICK = timedelta(microseconds=1)  # the least between two moments of the hub
LONGEST_PAUSE = 60.0  # seconds between two attempts to reach a hub that is away
AWAY = (Unreachable, Unavailable, RateLimited)

Trouble = Callable[[MemoryHubError], None]


class Following:
    """Knows what was told already. Without `since` it begins with what changes from now on."""

    def __init__(
        self,
        *,
        since: datetime | None,
        forgotten: bool,
        filters: Filters,
        interval: float = 2.0,
        on_trouble: Trouble | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.since = since
        self.kinds = (False, True) if forgotten else (False,)
        self.filters, self.interval, self.on_trouble, self.clock = filters, interval, on_trouble, clock
        self.told: dict[tuple[str, int], datetime] = {}
        self.newest: deque[tuple[float, datetime]] = deque()  # the newest change that was told of, and when
        self.began, self.failed = False, 0

    def news(self) -> Generator[Call[Any], Any, list[Memory]]:
        """A plan: the memories that changed since the last time, the earliest change first. A hub that was there and
        is away has no news."""
        try:
            found = yield from self._news()
        except AWAY as error:
            if not self.began:
                raise
            self._endure(error)
            return []
        self.began, self.failed = True, 0
        return found

    @property
    def pause(self) -> float:
        """Seconds until the next look; longer ones the longer the hub is away."""
        growing: float = self.interval * 2**self.failed
        return min(max(self.interval, LONGEST_PAUSE), growing)

    def _endure(self, error: MemoryHubError) -> None:
        if self.on_trouble and not self.failed:
            self.on_trouble(error)
        self.failed = min(self.failed + 1, 16)

    def _news(self) -> Generator[Call[Any], Any, list[Memory]]:
        asked = self.clock()
        if self.since is None:
            yield from self._begin()
        found: list[Memory] = []
        for forgotten in self.kinds:
            found += yield from self._changed(forgotten)
        fresh = sorted((one for one in found if (one.id, one.version) not in self.told), key=_moment)
        self._note(found, asked=asked)
        return fresh

    def _begin(self) -> Generator[Call[Any], Any, None]:
        newest: Page[Memory] = yield calls.memories(order="-updated_at", limit=1)
        since = _moment(newest.items[0]) if newest.items else datetime.fromtimestamp(0).astimezone()
        self.since = since - timedelta(seconds=OVERLAP) if newest.items else since
        asked = self.clock()
        for forgotten in self.kinds:
            self._note((yield from self._changed(forgotten)), asked=asked)

    def _changed(self, forgotten: bool) -> Generator[Call[Any], Any, list[Memory]]:
        assert self.since
        changed = {"order": "updated_at", "updated_after": self.since, "forgotten": forgotten, "limit": 200}
        call = calls.memories(**cast(ListFilters, {**self.filters, **changed}))
        found: list[Memory] = []
        while True:
            page: Page[Memory] = yield call
            found += page.items
            if page.next is None:
                return found
            call = call.at(page.next)

    def _note(self, found: Iterable[Memory], *, asked: float) -> None:
        """What is as old as what was told before the overlap is not asked for again."""
        assert self.since
        self.told |= {(one.id, one.version): _moment(one) for one in found}
        if self.told:
            self.newest.append((self.clock(), max(self.told.values())))
        while self.newest and self.newest[0][0] <= asked - OVERLAP:
            self.since = max(self.since, self.newest.popleft()[1] + TICK)
        self.told = {one: moment for one, moment in self.told.items() if moment >= self.since}


def _moment(memory: Memory) -> datetime:
    assert memory.updated_at
    return memory.updated_at
