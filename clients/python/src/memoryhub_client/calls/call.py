"""An API request as a value, and the helpers that build one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

from memoryhub_client.errors import Invalid, NotFound
from memoryhub_client.shapes import Page, Shape, parse_shape

Answer = TypeVar("Answer")
Id = str | UUID

IDEMPOTENCY = "Idempotency-Key"


@dataclass(frozen=True, kw_only=True, slots=True)
class Call(Generic[Answer]):
    method: str
    path: str
    read: Callable[[Any], Answer]  # turns the response's JSON (None if empty) into the result
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None  # a body that is already JSON
    form: Mapping[str, Any] | None = None  # files, by their fields: name, bytes and type
    binary: bool = False  # the answer is bytes, not JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    only_reads: bool = False  # a POST that changes nothing

    @property
    def repeatable(self) -> bool:
        """Return whether sending it twice has the same effect as sending it once."""
        return self.method == "GET" or self.only_reads or IDEMPOTENCY in self.headers

    def at(self, cursor: str) -> "Call[Answer]":
        return replace(self, params={**self.params, "cursor": cursor})


def build_call(method: str, path: str, answer: Any, **parts: Any) -> Call[Any]:
    read = (lambda body: parse_shape(answer, body)) if hasattr(answer, "__dataclass_fields__") else answer
    return Call(method=method, path=path, read=read, **parts)


def build_get(path: str, answer: Any, **params: Any) -> Call[Any]:
    return build_call("GET", path, answer, params=to_json_value(drop_none(**params)))


def build_post(
    path: str, answer: Any, body: Mapping[str, Any] | None = None, *, version: int | None = None
) -> Call[Any]:
    """Build a POST with its own idempotency key, so that retries take effect only once."""
    headers = {**if_match(version), **new_idempotency_key()}
    return build_call("POST", path, answer, json=None if body is None else to_json_value(body), headers=headers)


def new_idempotency_key() -> dict[str, str]:
    return {IDEMPOTENCY: uuid4().hex}


def drop_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def if_match(version: int | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": f'"{version}"'}


def ignore_body(_: Any) -> None:
    """Ignore the empty response of a deletion."""


def memory_path(memory_id: Id) -> str:
    """Return a memory's path. The id may come from a model, so a malformed one must not reach another address."""
    return f"memories/{check_id(memory_id, 'memory')}"


def check_id(value: Id, what: str) -> str:
    try:
        return str(UUID(str(value)))
    except ValueError:
        sentence = f"There is no {what} with the id {str(value)!r}."
        raise NotFound({"code": "not_found", "detail": sentence}, status=404) from None


def quote_path(name: str, *, within: str = "/") -> str:
    """Quote a name for use in a path. `.` and `..` would lead elsewhere, however they are encoded."""
    if any(part in (".", "..") for part in name.replace("\\", "/").split("/")):
        sentence = f"'.' and '..' cannot be parts of a name in an address: {name!r}."
        raise Invalid({"code": "invalid", "detail": sentence}, status=400)
    return quote(name, safe=within)


def to_json_value(value: Any) -> Any:
    """Convert a value to what JSON and query strings can hold."""
    if isinstance(value, Mapping):
        return {name: to_json_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(inner) for inner in value]
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return str(value) if isinstance(value, UUID) else value


def read_page(name: str, kind: type[Shape]) -> Callable[[Any], Page[Shape]]:
    return lambda answer: Page([parse_shape(kind, item) for item in answer[name]], answer["next"])
