"""Decides when a failed request is sent again."""

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
    longest: float = 30.0  # seconds; longer waits that the server asks for are not honoured

    def wait(self, call: Call[Any], outcome: httpx.Response | httpx.TransportError, tried: int) -> float | None:
        """Return the seconds to wait before sending it again, or None if it should not be."""
        if tried > self.most or not _should_retry(call, outcome):
            return None
        requested = seconds_to_wait(outcome) if isinstance(outcome, httpx.Response) else None
        if requested is not None:
            return requested if requested <= self.longest else None
        backoff: float = min(self.longest, self.first * 2 ** (tried - 1))
        return backoff * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, so that clients do not return all at once


def _should_retry(call: Call[Any], outcome: httpx.Response | httpx.TransportError) -> bool:
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in AGAIN and (call.repeatable or outcome.status_code in (429, 503))
    never_sent = isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return never_sent or call.repeatable
