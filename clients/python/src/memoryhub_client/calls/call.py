"""A request of the API as a value, and how its address is spelled."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

from memoryhub_client.errors import Invalid, NotFound
from memoryhub_client.shapes import Page, Shape, shaped

Answer = TypeVar("Answer")
Id = str | UUID

IDEMPOTENCY = "Idempotency-Key"


@dataclass(frozen=True, kw_only=True, slots=True)
class Call(Generic[Answer]):
    method: str
    path: str
    read: Callable[[Any], Answer]  # what the JSON of the answer means; None if it is empty
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None  # or what is JSON already
    form: Mapping[str, Any] | None = None  # files, by their fields: name, bytes and type
    binary: bool = False  # the answer is bytes, not JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    only_reads: bool = False  # though it is no GET

    @property
    def repeatable(self) -> bool:
        """Whether sending it twice does it once."""
        return self.method == "GET" or self.only_reads or IDEMPOTENCY in self.headers

    def at(self, cursor: str) -> "Call[Answer]":
        return replace(self, params={**self.params, "cursor": cursor})


def called(method: str, path: str, answer: Any, **parts: Any) -> Call[Any]:
    read = (lambda said: shaped(answer, said)) if hasattr(answer, "__dataclass_fields__") else answer
    return Call(method=method, path=path, read=read, **parts)


def got(path: str, answer: Any, **params: Any) -> Call[Any]:
    return called("GET", path, answer, params=plain(said(**params)))


def posted(path: str, answer: Any, body: Mapping[str, Any] | None = None, *, version: int | None = None) -> Call[Any]:
    """With a key of its own, so that it is done once however often it has to be sent."""
    headers = {**seen(version), **once()}
    return called("POST", path, answer, json=None if body is None else plain(body), headers=headers)


def once() -> dict[str, str]:
    return {IDEMPOTENCY: uuid4().hex}


def said(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def seen(version: int | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": f'"{version}"'}


def nothing(_: Any) -> None:
    """The answer to what takes something away."""


def memory(memory_id: Id) -> str:
    """The address of a memory. An id may come from a model: what is none must not become another address."""
    return f"memories/{identity(memory_id, 'memory')}"


def identity(value: Id, what: str) -> str:
    try:
        return str(UUID(str(value)))
    except ValueError:
        sentence = f"There is no {what} with the id {str(value)!r}."
        raise NotFound({"code": "not_found", "detail": sentence}, status=404) from None


def spelled(name: str, *, within: str = "/") -> str:
    """A name as part of an address. `.` and `..` lead elsewhere in addresses, however they are spelled."""
    if any(part in (".", "..") for part in name.replace("\\", "/").split("/")):
        sentence = f"'.' and '..' cannot be parts of a name in an address: {name!r}."
        raise Invalid({"code": "invalid", "detail": sentence}, status=400)
    return quote(name, safe=within)


def plain(value: Any) -> Any:
    """As JSON and query strings hold it."""
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return str(value) if isinstance(value, UUID) else value


def page(name: str, kind: type[Shape]) -> Callable[[Any], Page[Shape]]:
    return lambda answer: Page([shaped(kind, item) for item in answer[name]], answer["next"])
