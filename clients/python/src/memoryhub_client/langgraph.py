"""LangGraph's store over the hub: an item is a memory whose content is its value as JSON.

The memory's key says namespace and key, its tags say the namespace and each that it is in, so that a look-up is by key
and a search within a namespace by tag. Whatever does not fit into a key or a tag as it stands goes in as a digest.
Where only some fields are to be searched, the content is their text and the value is in the metadata.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)

from memoryhub_client import calls
from memoryhub_client.calls import Call, ListFilters, Scope, WholeDraft
from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.errors import Conflict, MemoryHubError, NotFound
from memoryhub_client.shapes import Hit, Memory, Page, Recalled

Namespace = tuple[str, ...]
Found = Generator[Call[Any], Any, list[SearchItem]]

DEEPEST = 32  # as many labels as a memory has tags
LONGEST_KEY, LONGEST_TAG, LONGEST_QUERY = 200, 64, 10_000
LARGEST_METADATA = 8_192  # bytes
MOST_HITS, MOST_ROWS, MOST_DRAFTS = 50, 200, 500  # of a recall, of a page, of a batch
PLAIN_KEY = re.compile(r"\w[\w.@+=-]*(/\w[\w.@+=-]*)*", re.ASCII)
PLAIN_TAG = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*")
AGED = 0.1  # of its time to live must have passed before a read writes a new expiry


class MemoryHubStore(BaseStore):
    """Give it the hub for the kind of code that uses it, or both; without any, they are found as `MemoryHub()` is. With
    a `MemoryHub` alone its asynchronous methods work in threads. `name` tells the items of this store from other
    memories, and `scope` says whose they are. `fields` are those that a query searches, unless a put says others in its
    `index`; all of the value, if nothing is said.

    A query ranks the best 50 of what is within the namespace; whatever else passes the filter follows, the latest
    change first and without a score."""

    supports_ttl = True

    def __init__(
        self,
        hub: MemoryHub | None = None,
        async_hub: AsyncMemoryHub | None = None,
        *,
        name: str = "langgraph",
        scope: Scope = "team",
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        either = hub is not None or async_hub is not None
        self.hub = hub if either else MemoryHub()
        self.async_hub = async_hub if either else AsyncMemoryHub()
        self.place = Place(name, scope, fields)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        if self.hub is None:
            raise MemoryHubError("This store has an AsyncMemoryHub alone: await its asynchronous methods.")
        return self.hub.run(_batch(self.place, list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        if self.async_hub is None:
            return await asyncio.to_thread(self.batch, list(ops))
        return await self.async_hub.run(_batch(self.place, list(ops)))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the items of a store are among the memories."""

    name: str
    scope: Scope
    fields: Sequence[str] | None = None

    def key(self, namespace: Namespace, key: str) -> str:
        return _spelled(f"{self.name}/", (*namespace, key), PLAIN_KEY, longest=LONGEST_KEY)

    def within(self, prefix: Sequence[str]) -> ListFilters:
        kept: ListFilters = {"source": self.name, "scope": self.scope, "tags": _within(prefix)}
        return {**kept, "order": "-updated_at", "limit": MOST_ROWS}

    def draft(self, op: PutOp, value: Mapping[str, Any]) -> WholeDraft:
        namespace = tuple(op.namespace)
        if len(namespace) > DEEPEST:
            raise InvalidNamespaceError(f"A namespace has at most {DEEPEST} labels; this one has {len(namespace)}.")
        fields, whole = self.searched(op), json.dumps(dict(value), ensure_ascii=False)
        text = whole if fields is None else _text(value, fields)
        metadata = {"namespace": list(namespace), "key": op.key, "ttl": op.ttl}
        narrowed = metadata | {"value": whole, "fields": fields}
        apart = fields is not None and text and _size(narrowed) <= LARGEST_METADATA
        return {
            "key": self.key(namespace, op.key),
            "content": text if apart else whole,
            "category": self.name if text else f"{self.name}-hidden",  # from queries, not from lists
            "source": self.name,
            "scope": self.scope,
            "tags": [_tag(namespace[:deep]) for deep in range(1, len(namespace) + 1)],
            "metadata": narrowed if apart else metadata,
            "expires_at": _expiry(op.ttl),
        }

    def searched(self, op: PutOp) -> list[str] | None:
        """The fields that a query searches; None if it is all of the value."""
        fields = self.fields if op.index is None else op.index or []
        return None if fields is None or "$" in fields else list(fields)


def _tag(namespace: Sequence[str]) -> str:
    return _spelled("", namespace, PLAIN_TAG, longest=LONGEST_TAG)


def _within(prefix: Sequence[str]) -> list[str]:
    """The tags of all that is in a namespace."""
    return [_tag(prefix)] if prefix else []


def _spelled(start: str, labels: Sequence[str], plain: re.Pattern[str], *, longest: int) -> str:
    """As it is read, if that is unmistakable; or a digest, which begins as nothing plain does."""
    path = "/".join(labels)
    if plain.fullmatch(path) and path.count("/") == len(labels) - 1 and len(start + path) <= longest:
        return start + path
    return f"{start}~{hashlib.sha256(json.dumps(list(labels)).encode()).hexdigest()[:40]}"


def _text(value: Mapping[str, Any], fields: Iterable[str]) -> str:
    """What stands in the fields, if anything does."""
    return "\n".join(text for field in fields for text in get_text_at_path(value, field)).strip()


def _size(metadata: Mapping[str, Any]) -> int:
    return len(json.dumps(metadata, ensure_ascii=False).encode())


def _expiry(minutes: float | None) -> datetime | None:
    return None if minutes is None else datetime.now(UTC) + timedelta(minutes=minutes)


# What the operations come to: plans, run by the hub of either kind.


def _batch(place: Place, ops: Sequence[Op]) -> Generator[Call[Any], Any, list[Result]]:
    """All reads see what was there before the puts; of several puts of one item the last one counts."""
    results: list[Result] = []
    puts: dict[tuple[Namespace, str], PutOp] = {}
    for op in ops:
        validate_op_namespace(op)
        if isinstance(op, PutOp):
            puts[tuple(op.namespace), op.key] = op
            results.append(None)
        else:
            results.append((yield from _read(place, op)))
    yield from _put(place, list(puts.values()))
    return results


def _read(place: Place, op: Op) -> Generator[Call[Any], Any, Result]:
    if isinstance(op, GetOp):
        return (yield from _get(place, op))
    if isinstance(op, SearchOp):
        return (yield from _search(place, op))
    if isinstance(op, ListNamespacesOp):
        return (yield from _list_namespaces(place, op))
    raise ValueError(f"Unknown operation type: {type(op)}")


def _get(place: Place, op: GetOp) -> Generator[Call[Any], Any, Item | None]:
    try:
        memory: Memory = yield calls.get_key(place.key(tuple(op.namespace), op.key), scope=place.scope)
    except NotFound:
        return None
    if not _is_item(memory):  # somebody saved it under that key by other means
        return None
    if op.refresh_ttl:
        yield from _refresh([memory])
    return _item(memory)


def _put(place: Place, ops: Sequence[PutOp]) -> Generator[Call[Any], Any, None]:
    drafts = iter([place.draft(op, op.value) for op in ops if op.value is not None])
    while chunk := list(islice(drafts, MOST_DRAFTS)):
        yield calls.save_many(chunk)
    for op in ops:
        if op.value is None:
            try:
                yield calls.forget_key(place.key(tuple(op.namespace), op.key), scope=place.scope)
            except NotFound:
                continue


def _search(place: Place, op: SearchOp) -> Found:
    """By relevance if there is a query, and then the rest, the latest change first."""
    wanted = op.offset + op.limit
    hits = yield from _recalled(place, op)
    rest = yield from _listed(place, op, wanted - len(hits), but={hit.id for hit in hits})
    found: list[Memory] = [*hits, *rest][op.offset : wanted]
    if op.refresh_ttl:
        yield from _refresh(found)
    return [_item(memory) for memory in found]


def _recalled(place: Place, op: SearchOp) -> Generator[Call[Any], Any, list[Hit]]:
    query = (op.query or "").strip()[:LONGEST_QUERY]
    if not query:
        return []
    tags = _within(op.namespace_prefix)
    answer: Recalled = yield calls.recall(query, limit=MOST_HITS, category=place.name, scope=place.scope, tags=tags)
    return [hit for hit in answer.memories if _fits(hit, op)]


def _listed(place: Place, op: SearchOp, wanted: int, *, but: set[str]) -> Generator[Call[Any], Any, list[Memory]]:
    """Page by page until there are enough. What is not to be found by a query comes last, if there is one."""
    found: list[Memory] = []
    hidden: list[Memory] = []
    call = calls.memories(**place.within(op.namespace_prefix))
    while len(found) < wanted:
        page: Page[Memory] = yield call
        for memory in page.items:
            if memory.id not in but and _fits(memory, op):
                (hidden if op.query and memory.category != place.name else found).append(memory)
        if page.next is None:
            break
        call = call.at(page.next)
    return [*found, *hidden]


def _list_namespaces(place: Place, op: ListNamespacesOp) -> Generator[Call[Any], Any, list[Namespace]]:
    """Reads the items under the prefix, for a namespace is there while items are in it, and only they name it: where
    there are many, say a prefix."""
    conditions = op.match_conditions or ()
    known: set[Namespace] = set()
    call = calls.memories(**place.within(_start(conditions)))
    while True:
        page: Page[Memory] = yield call
        known |= {tuple(memory.metadata["namespace"]) for memory in page.items if _is_item(memory)}
        if page.next is None:
            break
        call = call.at(page.next)
    matched = {namespace[: op.max_depth] for namespace in known if all(_matches(c, namespace) for c in conditions)}
    return sorted(matched)[op.offset : op.offset + op.limit]


def _start(conditions: Iterable[MatchCondition]) -> Namespace:
    """The labels with which all that match begin."""
    for condition in conditions:
        if condition.match_type == "prefix":
            path = tuple(condition.path)
            return path[: path.index("*")] if "*" in path else path
    return ()


def _refresh(found: Iterable[Memory]) -> Generator[Call[Any], Any, None]:
    """Whoever changed or removed it meanwhile knows better."""
    for memory in found:
        minutes = memory.metadata.get("ttl")
        if minutes is None or memory.expires_at is None:
            continue
        left = memory.expires_at - datetime.now(UTC)
        if left < (1 - AGED) * timedelta(minutes=minutes):
            try:
                yield calls.change(memory.id, expires_at=_expiry(minutes), version=memory.version)
            except (Conflict, NotFound):
                continue


# What an item is, and whether it is wanted.


def _item(memory: Memory) -> SearchItem:
    assert memory.created_at
    assert memory.updated_at
    score = memory.relevance_score if isinstance(memory, Hit) else None
    namespace, key = tuple(memory.metadata["namespace"]), memory.metadata["key"]
    return SearchItem(namespace, key, _value(memory), memory.created_at, memory.updated_at, score)


def _value(memory: Memory) -> dict[str, Any]:
    """People may have written something else over it, or over the text of its fields."""
    try:
        value = json.loads(memory.metadata.get("value") or memory.content)
    except ValueError:
        value = None
    fields = memory.metadata.get("fields")
    same = isinstance(value, dict) and (fields is None or memory.content == _text(value, fields))
    return value if same else {"content": memory.content}


def _is_item(memory: Memory) -> bool:
    return {"namespace", "key"} <= set(memory.metadata)


def _fits(memory: Memory, op: SearchOp) -> bool:
    if not _is_item(memory):
        return False
    value = _value(memory)
    return all(_compared(value.get(name), wanted) for name, wanted in (op.filter or {}).items())


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(said in ("*", label) for said, label in zip(path, part, strict=True))


def _compared(value: Any, wanted: Any) -> bool:
    """Operators begin with a dollar sign; an object has at least what is wanted of it, a list exactly."""
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_operated(value, name, limit) for name, limit in wanted.items())
        return isinstance(value, dict) and all(_compared(value.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list) and len(value) == len(wanted)
        return alike and all(_compared(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _operated(value: Any, operator: str, limit: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == limit) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        one, other = float(value), float(limit)
    except (TypeError, ValueError):
        return False
    return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[operator]
