"""What changes, as it changes. The API has no stream: the list is asked again and again for what is newer, which an
index answers, and an answer without news is a few bytes."""

from collections.abc import Generator, Iterable
from datetime import datetime, timedelta
from typing import Any, cast

from memoryhub_client import calls
from memoryhub_client.calls import Call, Filters, ListFilters
from memoryhub_client.shapes import Memory, Page

OVERLAP = timedelta(seconds=15)  # a write may be seen later than another that began after it


class Following:
    """Knows what was told already. Without `since` it begins with what changes from now on."""

    def __init__(self, *, since: datetime | None, forgotten: bool, filters: Filters) -> None:
        self.since = since
        self.kinds = (False, True) if forgotten else (False,)
        self.filters = filters
        self.told: dict[tuple[str, int], datetime] = {}

    def news(self) -> Generator[Call[Any], Any, list[Memory]]:
        """A plan: the memories that changed since the last time, the earliest change first."""
        if self.since is None:
            yield from self._begin()
        found: list[Memory] = []
        for forgotten in self.kinds:
            found += yield from self._changed(forgotten)
        fresh = sorted((one for one in found if (one.id, one.version) not in self.told), key=_moment)
        self._note(found)
        return fresh

    def _begin(self) -> Generator[Call[Any], Any, None]:
        newest: Page[Memory] = yield calls.memories(order="-updated_at", limit=1)
        self.since = _moment(newest.items[0]) if newest.items else datetime.fromtimestamp(0).astimezone()
        for forgotten in self.kinds:
            self._note((yield from self._changed(forgotten)))

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

    def _note(self, found: Iterable[Memory]) -> None:
        assert self.since
        self.told |= {(one.id, one.version): _moment(one) for one in found}
        newest = max(self.told.values(), default=self.since)
        self.since = max(self.since, newest - OVERLAP)
        self.told = {one: moment for one, moment in self.told.items() if moment >= self.since}


def _moment(memory: Memory) -> datetime:
    assert memory.updated_at
    return memory.updated_at
