"""Our own errors: raised by the rules and operations, translated once by each door."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from memoryhub.text import cut_text

LONGEST_MESSAGE = 10_000  # characters: an error may quote the input, but must not return all of it
MOST_FIELDS = 20  # fields that one error lists: nobody fixes more at a time
LONGEST_NAME = 200  # characters of a field's name, which the caller may have made up


class Trouble(Exception):
    """Refuses a request with a stable code, a status and a sentence for the caller. Nothing was changed."""

    code = "trouble"
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = cut_text(message, longest=LONGEST_MESSAGE)


class Invalid(Trouble):
    """Lists the fields that are not valid, each with a sentence: the first ones by name, and how many more."""

    code = "invalid"
    status = 400
    position: int | None = None  # in a batch

    def __init__(self, fields: Mapping[str, str], *, more: int = 0) -> None:
        first = islice(fields.items(), MOST_FIELDS)
        self.fields = {cut_text(name, longest=LONGEST_NAME): sentence for name, sentence in first}
        self.more = more + max(len(fields) - MOST_FIELDS, 0)
        sentences = [f"{name}: {sentence}" for name, sentence in self.fields.items()]
        super().__init__(" ".join(sentences + ([f"And {self.more:,} more."] if self.more else [])))


class TooLarge(Invalid):
    code = "too_large"
    status = 413


class ConfirmationNeeded(Invalid):
    """Asks whether the request is meant as it is; the same one with a confirmation passes."""

    code = "confirmation_needed"


class TooSlow(Trouble):
    """Refuses a body that did not arrive in time."""

    code = "too_slow"
    status = 408


class Unauthenticated(Trouble):
    code = "unauthenticated"
    status = 401


class Forbidden(Trouble):
    """Refuses a change to those who can see the object; to others it is NotFound."""

    code = "forbidden"
    status = 403


class NotFound(Trouble):
    code = "not_found"
    status = 404


class Conflict(Trouble):
    """Reports that somebody else was faster; `current` is the present state."""

    code = "conflict"
    status = 409

    def __init__(self, message: str, *, current: Any = None) -> None:
        super().__init__(message)
        self.current = current


class KeyTaken(Conflict):
    code = "key_taken"


class UnderLegalHold(Trouble):
    """Refuses to remove what a legal hold keeps."""

    code = "legal_hold"
    status = 409


class IdempotencyKeyReused(Trouble):
    """Refuses an idempotency key that was used for a different request."""

    code = "idempotency_key_reused"
    status = 422


class TooMany(Trouble):
    """Refuses a request beyond a rate limit; `retry_after` is in seconds."""

    code = "too_many_requests"
    status = 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
