"""Exceptions: the hub's refusals with their code and message, and connection failures."""

from collections.abc import Mapping
from typing import Any

import httpx


class MemoryHubError(Exception):
    """The base class of every exception that this package raises itself."""


class Unreachable(MemoryHubError):
    """No response arrived. The request may still have been carried out, unless it could not be sent."""


class Refused(MemoryHubError):
    """The hub refused the request, gave a reason, and changed nothing."""

    def __init__(self, problem: Mapping[str, Any], *, status: int, retry_after: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", "trouble"))
        self.sentence = str(problem.get("detail") or problem.get("title") or f"The server answered {status}.")
        self.fields: dict[str, str] = dict(problem.get("fields") or {})
        self.current: dict[str, Any] | None = problem.get("current")
        self.retry_after = retry_after
        super().__init__(self.sentence)


class Invalid(Refused):
    """The request is invalid; `fields` maps each field to what is wrong with it."""


class Unauthenticated(Refused):
    """The token is missing, unknown, expired or revoked."""


class Forbidden(Refused):
    """The token lacks the required verb."""


class NotFound(Refused):
    """It does not exist, or is not visible to this token."""


class Conflict(Refused):
    """Somebody else changed it first; `current` is the present state, if the token may read it."""

    @property
    def content(self) -> str | None:
        return self.current["content"] if self.current else None

    @property
    def version(self) -> int | None:
        return self.current["version"] if self.current else None


class RateLimited(Refused):
    """Too many requests; retry after `retry_after` seconds."""


class Unavailable(Refused):
    """The hub, or a proxy in front of it, is temporarily unavailable."""


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


def error_from_response(response: httpx.Response) -> Refused:
    kind = BY_STATUS.get(response.status_code, Refused)
    return kind(_read_problem(response), status=response.status_code, retry_after=seconds_to_wait(response))


def error_from_problem(problem: Mapping[str, Any]) -> Refused:
    """Build the exception for one problem in a batch response, which carries its own status."""
    status = int(problem.get("status", 400))
    return BY_STATUS.get(status, Refused)(problem, status=status)


def seconds_to_wait(response: httpx.Response) -> float | None:
    header = response.headers.get("Retry-After", "")
    return float(header) if header.isdigit() else None


def _read_problem(response: httpx.Response) -> Mapping[str, Any]:
    """Return the problem document, or an empty one: proxies answer in HTML."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
