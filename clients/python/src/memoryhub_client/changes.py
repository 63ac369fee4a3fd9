"""A feed of changed memories, by polling. The API has no stream: each stream would hold one of the server's few
threads, while an index answers a poll and a poll without changes costs a few bytes."""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from datetime import datetime, timedelta
from typing import Any, cast

from memoryhub_client import calls
from memoryhub_client.calls import Call, Filters, ListFilters
from memoryhub_client.errors import MemoryHubError, RateLimited, Unavailable, Unreachable
from memoryhub_client.shapes import Memory, Page

OVERLAP = 15.0  # seconds by which a write may become visible after one that began later
TICK = timedelta(microseconds=1)  # the resolution of the hub's timestamps
LONGEST_PAUSE = 60.0  # seconds between two attempts to reach an unavailable hub
AWAY = (Unreachable, Unavailable, RateLimited)

Trouble = Callable[[MemoryHubError], None]


class ChangeFeed:
    """Polls for changed memories and reports each change once. Without `since` it starts from now."""

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
        self.reported: dict[tuple[str, int], datetime] = {}
        self.newest: deque[tuple[float, datetime]] = deque()  # when the newest change was reported, and its moment
        self.began, self.failed = False, 0

    def poll(self) -> Generator[Call[Any], Any, list[Memory]]:
        """Yield calls and return the memories changed since the last poll, oldest change first. A hub that becomes
        unavailable after the first poll reports no changes."""
        try:
            memories = yield from self._poll_once()
        except AWAY as error:
            if not self.began:
                raise
            self._record_outage(error)
            return []
        self.began, self.failed = True, 0
        return memories

    @property
    def pause(self) -> float:
        """Return the seconds until the next poll, which grow while the hub is unavailable."""
        growing: float = self.interval * 2**self.failed
        return min(max(self.interval, LONGEST_PAUSE), growing)

    def _record_outage(self, error: MemoryHubError) -> None:
        if self.on_trouble and not self.failed:
            self.on_trouble(error)
        self.failed = min(self.failed + 1, 16)

    def _poll_once(self) -> Generator[Call[Any], Any, list[Memory]]:
        polled_at = self.clock()
        if self.since is None:
            yield from self._start_from_newest()
        memories: list[Memory] = []
        for forgotten in self.kinds:
            memories += yield from self._fetch_changes(forgotten)
        fresh = sorted((one for one in memories if (one.id, one.version) not in self.reported), key=_updated_at)
        self._remember(memories, polled_at=polled_at)
        return fresh

    def _start_from_newest(self) -> Generator[Call[Any], Any, None]:
        newest: Page[Memory] = yield calls.memories(order="-updated_at", limit=1)
        since = _updated_at(newest.items[0]) if newest.items else datetime.fromtimestamp(0).astimezone()
        self.since = since - timedelta(seconds=OVERLAP) if newest.items else since
        polled_at = self.clock()
        for forgotten in self.kinds:
            self._remember((yield from self._fetch_changes(forgotten)), polled_at=polled_at)

    def _fetch_changes(self, forgotten: bool) -> Generator[Call[Any], Any, list[Memory]]:
        assert self.since
        changed = {"order": "updated_at", "updated_after": self.since, "forgotten": forgotten, "limit": 200}
        call = calls.memories(**cast(ListFilters, {**self.filters, **changed}))
        memories: list[Memory] = []
        while True:
            page: Page[Memory] = yield call
            memories += page.items
            if page.next is None:
                return memories
            call = call.at(page.next)

    def _remember(self, memories: Iterable[Memory], *, polled_at: float) -> None:
        """Remember the reported versions, and move `since` past those reported before the overlap."""
        assert self.since
        self.reported |= {(one.id, one.version): _updated_at(one) for one in memories}
        if self.reported:
            self.newest.append((self.clock(), max(self.reported.values())))
        while self.newest and self.newest[0][0] <= polled_at - OVERLAP:
            self.since = max(self.since, self.newest.popleft()[1] + TICK)
        self.reported = {one: moment for one, moment in self.reported.items() if moment >= self.since}


def _updated_at(memory: Memory) -> datetime:
    assert memory.updated_at
    return memory.updated_at
