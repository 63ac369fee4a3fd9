"""What can go wrong, as exceptions: the hub's refusals with their code and sentence, and a hub that does not answer."""

from collections.abc import Mapping
from typing import Any

import httpx


class MemoryHubError(Exception):
    """Everything that this package raises by itself."""


class Unreachable(MemoryHubError):
    """No answer came. What was asked may have been done, unless it could not be sent at all."""


class Refused(MemoryHubError):
    """The hub said no, in a sentence, and changed nothing."""

    def __init__(self, problem: Mapping[str, Any], *, status: int, retry_after: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", "trouble"))
        self.sentence = str(problem.get("detail") or problem.get("title") or f"The server answered {status}.")
        self.fields: dict[str, str] = dict(problem.get("fields") or {})
        self.current: dict[str, Any] | None = problem.get("current")
        self.retry_after = retry_after
        super().__init__(self.sentence)


class Invalid(Refused):
    """`fields` says what is wrong with each field."""


class Unauthenticated(Refused):
    """No token, or one that is unknown, expired or revoked."""


class Forbidden(Refused):
    """The token has not got that verb."""


class NotFound(Refused):
    """It does not exist, or not for you."""


class Conflict(Refused):
    """Somebody was faster; `current` is what stands there now, if you may read it."""

    @property
    def content(self) -> str | None:
        return self.current["content"] if self.current else None

    @property
    def version(self) -> int | None:
        return self.current["version"] if self.current else None


class RateLimited(Refused):
    """Too many requests; `retry_after` says in how many seconds to come again."""


class Unavailable(Refused):
    """The hub, or a proxy before it, cannot serve just now."""


BY_STATUS: dict[int, type[Refused]] = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def refusal(response: httpx.Response) -> Refused:
    kind = BY_STATUS.get(response.status_code, Refused)
    return kind(_problem(response), status=response.status_code, retry_after=seconds_to_wait(response))


def refused(problem: Mapping[str, Any]) -> Refused:
    """One of many in an answer, which says its status itself."""
    status = int(problem.get("status", 400))
    return BY_STATUS.get(status, Refused)(problem, status=status)


def seconds_to_wait(response: httpx.Response) -> float | None:
    said = response.headers.get("Retry-After", "")
    return float(said) if said.isdigit() else None


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    """Proxies answer in HTML."""
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
