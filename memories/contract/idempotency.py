"""Idempotent execution: a call that is repeated with its key is done once, and answered the same."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from memories import operations
from memoryhub.errors import Invalid
from memoryhub.ids import parse_uuid
from teams.actor import Actor

IDEMPOTENCY_HEADER = "Idempotency-Key"
IDEMPOTENCY_KEY_PATTERN = r"^[!-~]{1,255}$"  # every server and proxy passes these characters on unchanged


def check_idempotency_key(key: object) -> str | None:
    """Return the key, or raise Invalid if it has another form. None: the call has no key."""
    if key is None:
        return None
    if not isinstance(key, str) or not re.fullmatch(IDEMPOTENCY_KEY_PATTERN, key):
        raise Invalid({"idempotency_key": "This must be up to 255 visible ASCII characters without spaces."})
    return key


def canonicalize_request(head: str, arguments: object) -> bytes:
    """Return the bytes that distinguish a request from others: what it calls, and its arguments in one order."""
    return head.encode() + b"\n" + orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)


@dataclass(frozen=True, slots=True)
class IdempotentCall:
    """A call that is done once for its key. `request` holds everything that distinguishes it from others."""

    actor: Actor
    key: str
    request: bytes

    def find_answer(self) -> Any:
        """Return the first answer, or None: for slow work that must not run within `execute`, which is a
        transaction."""
        return operations.find_earlier_answer(actor=self.actor, key=self.key, request=self.request)

    def execute(self, act: Callable[[], tuple[Any, object]]) -> Any:
        """Return what `act` returned the first time: an answer to store, beside the data that it shows. Only success is
        stored; a refusal is not."""
        return operations.run_once(
            actor=self.actor, key=self.key, request=self.request, act=lambda: _to_stored_result(*act())
        )

    def execute_as_json(self, run: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], bytes]:
        """Return the result of `run` and its JSON text. A repetition gets the first text, byte for byte."""
        results: list[dict[str, Any]] = []

        def act() -> tuple[str, object]:
            results.append(run())
            return orjson.dumps(results[-1]).decode(), results[-1]

        text = self.execute(act)
        return results[-1] if results else orjson.loads(text), text.encode()


def _to_stored_result(answer: Any, data: object) -> operations.IdempotentResult:
    return operations.IdempotentResult(answer, memory_ids=collect_memory_ids(data))


def collect_memory_ids(body: object) -> tuple[UUID, ...]:
    """Return the ids in a response: a purge must find the responses that repeat a memory's text."""
    return tuple(dict.fromkeys(_iterate_ids(body)))


def _iterate_ids(body: object) -> Iterator[UUID]:
    if isinstance(body, dict):
        for name, value in body.items():
            id = _parse_id(value) if name in ("id", "memory_id") else None
            if id:
                yield id
            else:
                yield from _iterate_ids(value)
    elif isinstance(body, list | tuple):
        for part in body:
            yield from _iterate_ids(part)


def _parse_id(value: object) -> UUID | None:
    if isinstance(value, UUID):
        return value
    return parse_uuid(value) if isinstance(value, str) else None
