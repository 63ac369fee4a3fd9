"""When a request is sent again, and after how long."""

import random
from dataclasses import dataclass
from typing import Any

import httpx

from memoryhub_client.calls import Call
from memoryhub_client.errors import seconds_to_wait

AGAIN = (429, 502, 503, 504)  # answers that say "not now"


@dataclass(frozen=True, kw_only=True, slots=True)
class Retries:
    most: int = 4
    first: float = 0.25  # seconds before the first; each later one waits twice as long
    longest: float = 30.0  # than which nobody wants to wait, whatever the server says

    def wait(self, call: Call[Any], outcome: httpx.Response | httpx.TransportError, tried: int) -> float | None:
        """How many seconds to wait before it is sent again; None if it is not."""
        if tried > self.most or not _worth_another(call, outcome):
            return None
        asked = seconds_to_wait(outcome) if isinstance(outcome, httpx.Response) else None
        if asked is not None:
            return asked if asked <= self.longest else None
        backoff: float = min(self.longest, self.first * 2 ** (tried - 1))
        return backoff * random.uniform(0.5, 1.0)  # noqa: S311 - so that many do not come at once


def _worth_another(call: Call[Any], outcome: httpx.Response | httpx.TransportError) -> bool:
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in AGAIN and (call.repeatable or outcome.status_code in (429, 503))
    never_sent = isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return never_sent or call.repeatable
