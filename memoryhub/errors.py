"""What can go wrong, in our own words: raised once by the rules and operations, translated once by each door."""

from collections.abc import Mapping
from typing import Any


class Trouble(Exception):
    """A refusal: a stable code, the status of its class, and a sentence for the caller. Nothing was changed."""

    code = "trouble"
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Invalid(Trouble):
    """Fields that hold what they may not, each with its sentence."""

    code = "invalid"
    status = 400
    position: int | None = None  # which one, where many came together

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__(" ".join(f"{name}: {sentence}" for name, sentence in fields.items()))
        self.fields = dict(fields)


class TooLarge(Invalid):
    code = "too_large"
    status = 413


class Unauthenticated(Trouble):
    code = "unauthenticated"
    status = 401


class Forbidden(Trouble):
    """Only for those who can see it; strangers are told NotFound."""

    code = "forbidden"
    status = 403


class NotFound(Trouble):
    code = "not_found"
    status = 404


class Conflict(Trouble):
    """Somebody was faster; `current` is what stands there now."""

    code = "conflict"
    status = 409

    def __init__(self, message: str, *, current: Any = None) -> None:
        super().__init__(message)
        self.current = current


class KeyTaken(Conflict):
    code = "key_taken"


class Reused(Trouble):
    """An idempotency key that came with another request before."""

    code = "idempotency_key_reused"
    status = 422


class TooMany(Trouble):
    """More requests than the token may make in a minute."""

    code = "too_many_requests"
    status = 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
