"""A LangGraph store backed by the hub: an item is a memory whose content is its value as JSON.

The memory's key encodes namespace and key, its tags the namespace and all enclosing ones, so that a get looks up a key
and a search filters by tag. Labels that do not fit into a key or tag are replaced by a digest. Where only some fields
are indexed, the content is their text and the metadata holds the value.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
SearchPlan = Generator[Call[Any], Any, list[SearchItem]]

DEEPEST = 32  # labels; a memory has so many tags
LONGEST_KEY, LONGEST_TAG, LONGEST_QUERY = 200, 64, 10_000
LARGEST_METADATA = 8_192  # bytes
LARGEST_BATCH = 1_000_000  # bytes of content
MOST_HITS, MOST_ROWS, MOST_DRAFTS = 50, 200, 500  # of a recall, of a page, of a batch
PLAIN_KEY = re.compile(r"\w[\w.@+=-]*(/\w[\w.@+=-]*)*", re.ASCII)
PLAIN_TAG = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*")
REFRESH_AFTER = 0.1  # share of the time to live that must have passed before a read extends it


class MemoryHubStore(BaseStore):
    """A LangGraph `BaseStore`.

    Pass the hub for the kind of code that uses it, or both; by default they are configured as `MemoryHub()` is. With
    only a `MemoryHub`, the asynchronous methods run in threads. `name` separates this store's items from other
    memories, and `scope` is their scope. `fields` are the fields that a query searches (by default the whole value),
    unless a put gives its own `index`.

    A query ranks the best 50 items of the namespace; other items that pass the filter follow without a score, latest
    change first."""

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
        self.place = StoreLayout(name, scope, fields)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        if self.hub is None:
            raise MemoryHubError("This store has an AsyncMemoryHub alone: await its asynchronous methods.")
        return self.hub.run(_run_batch(self.place, list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        if self.async_hub is None:
            return await asyncio.to_thread(self.batch, list(ops))
        return await self.async_hub.run(_run_batch(self.place, list(ops)))


@dataclass(frozen=True, slots=True)
class StoreLayout:
    """Maps the items of a store to memories."""

    name: str
    scope: Scope
    fields: Sequence[str] | None = None

    def key(self, namespace: Namespace, key: str) -> str:
        return _encode_labels(f"{self.name}/", (*namespace, key), PLAIN_KEY, longest=LONGEST_KEY)

    def list_filters(self, prefix: Sequence[str]) -> ListFilters:
        filters: ListFilters = {"source": self.name, "scope": self.scope, "tags": _prefix_tags(prefix)}
        return {**filters, "order": "-updated_at", "limit": MOST_ROWS}

    def draft(self, op: PutOp, value: Mapping[str, Any]) -> WholeDraft:
        namespace = tuple(op.namespace)
        if len(namespace) > DEEPEST:
            raise InvalidNamespaceError(f"A namespace has at most {DEEPEST} labels; this one has {len(namespace)}.")
        fields, whole = self.indexed_fields(op), json.dumps(dict(value), ensure_ascii=False)
        text = whole if fields is None else _indexed_text(value, fields)
        metadata = {"namespace": list(namespace), "key": op.key, "ttl": op.ttl}
        with_value = metadata | {"value": whole, "fields": fields}
        apart = fields is not None and text and _json_size(with_value) <= LARGEST_METADATA
        return {
            "key": self.key(namespace, op.key),
            "content": text if apart else whole,
            "category": self.name if text else f"{self.name}-hidden",  # hidden from queries, not from lists
            "source": self.name,
            "scope": self.scope,
            "tags": [_namespace_tag(namespace[:deep]) for deep in range(1, len(namespace) + 1)],
            "metadata": with_value if apart else metadata,
            "expires_at": _expires_at(op.ttl),
        }

    def indexed_fields(self, op: PutOp) -> list[str] | None:
        """Return the fields that a query searches; None for the whole value."""
        fields = self.fields if op.index is None else op.index or []
        return None if fields is None or "$" in fields else list(fields)


def _namespace_tag(namespace: Sequence[str]) -> str:
    return _encode_labels("", namespace, PLAIN_TAG, longest=LONGEST_TAG)


def _prefix_tags(prefix: Sequence[str]) -> list[str]:
    """Return the tags that select everything in a namespace."""
    return [_namespace_tag(prefix)] if prefix else []


def _encode_labels(start: str, labels: Sequence[str], plain: re.Pattern[str], *, longest: int) -> str:
    """Join labels readably where that is unambiguous, or else return a digest, which starts with `~`."""
    path = "/".join(labels)
    if plain.fullmatch(path) and path.count("/") == len(labels) - 1 and len(start + path) <= longest:
        return start + path
    return f"{start}~{hashlib.sha256(json.dumps(list(labels)).encode()).hexdigest()[:40]}"


def _indexed_text(value: Mapping[str, Any], fields: Iterable[str]) -> str:
    """Return the text of the indexed fields."""
    return "\n".join(text for field in fields for text in get_text_at_path(value, field)).strip()


def _json_size(metadata: Mapping[str, Any]) -> int:
    return len(json.dumps(metadata, ensure_ascii=False).encode())


def _expires_at(minutes: float | None) -> datetime | None:
    return None if minutes is None else datetime.now(UTC) + timedelta(minutes=minutes)


# Operations as plans, which either client runs.


def _run_batch(place: StoreLayout, ops: Sequence[Op]) -> Generator[Call[Any], Any, list[Result]]:
    """Run the reads before the puts; of several puts of one item the last one counts."""
    results: list[Result] = []
    puts: dict[tuple[Namespace, str], PutOp] = {}
    for op in ops:
        validate_op_namespace(op)
        if isinstance(op, PutOp):
            puts[tuple(op.namespace), op.key] = op
            results.append(None)
        else:
            results.append((yield from _run_read(place, op)))
    yield from _run_puts(place, list(puts.values()))
    return results


def _run_read(place: StoreLayout, op: Op) -> Generator[Call[Any], Any, Result]:
    if isinstance(op, GetOp):
        return (yield from _run_get(place, op))
    if isinstance(op, SearchOp):
        return (yield from _run_search(place, op))
    if isinstance(op, ListNamespacesOp):
        return (yield from _list_namespaces(place, op))
    raise ValueError(f"Unknown operation type: {type(op)}")


def _run_get(place: StoreLayout, op: GetOp) -> Generator[Call[Any], Any, Item | None]:
    try:
        memory: Memory = yield calls.get_key(place.key(tuple(op.namespace), op.key), scope=place.scope)
    except NotFound:
        return None
    if not _is_item(memory):  # saved under that key by other means
        return None
    if op.refresh_ttl:
        yield from _refresh_ttl([memory])
    return _build_item(memory)


def _run_puts(place: StoreLayout, ops: Sequence[PutOp]) -> Generator[Call[Any], Any, None]:
    drafts = [place.draft(op, op.value) for op in ops if op.value is not None]
    for chunk in _split_drafts(drafts):
        yield calls.save_many(chunk)
    for op in ops:
        if op.value is None:
            try:
                yield calls.forget_key(place.key(tuple(op.namespace), op.key), scope=place.scope)
            except NotFound:
                continue


def _split_drafts(drafts: Iterable[WholeDraft]) -> Iterator[list[WholeDraft]]:
    """Yield batches that are no larger than the hub takes."""
    chunk: list[WholeDraft] = []
    size = 0
    for draft in drafts:
        length = len(draft["content"].encode())
        if chunk and (len(chunk) == MOST_DRAFTS or size + length > LARGEST_BATCH):
            yield chunk
            chunk, size = [], 0
        chunk.append(draft)
        size += length
    if chunk:
        yield chunk


def _run_search(place: StoreLayout, op: SearchOp) -> SearchPlan:
    """Return the ranked matches of the query, if any, then the rest by latest change."""
    wanted = op.offset + op.limit
    hits = yield from _search_by_relevance(place, op)
    rest = yield from _search_by_time(place, op, wanted - len(hits), but={hit.id for hit in hits})
    memories: list[Memory] = [*hits, *rest][op.offset : wanted]
    if op.refresh_ttl:
        yield from _refresh_ttl(memories)
    return [_build_item(memory) for memory in memories]


def _search_by_relevance(place: StoreLayout, op: SearchOp) -> Generator[Call[Any], Any, list[Hit]]:
    query = (op.query or "").strip()[:LONGEST_QUERY]
    if not query:
        return []
    tags = _prefix_tags(op.namespace_prefix)
    answer: Recalled = yield calls.recall(query, limit=MOST_HITS, category=place.name, scope=place.scope, tags=tags)
    return [hit for hit in answer.memories if _passes_filter(hit, op)]


def _search_by_time(
    place: StoreLayout, op: SearchOp, wanted: int, *, but: set[str]
) -> Generator[Call[Any], Any, list[Memory]]:
    """List items page by page until there are enough. With a query, unindexed items come last."""
    memories: list[Memory] = []
    hidden: list[Memory] = []
    call = calls.memories(**place.list_filters(op.namespace_prefix))
    while len(memories) < wanted:
        page: Page[Memory] = yield call
        for memory in page.items:
            if memory.id not in but and _passes_filter(memory, op):
                (hidden if op.query and memory.category != place.name else memories).append(memory)
        if page.next is None:
            break
        call = call.at(page.next)
    return [*memories, *hidden]


def _list_namespaces(place: StoreLayout, op: ListNamespacesOp) -> Generator[Call[Any], Any, list[Namespace]]:
    """List namespaces by reading the items under the prefix, since only items name them: give a prefix where there
    are many."""
    conditions = op.match_conditions or ()
    known: set[Namespace] = set()
    call = calls.memories(**place.list_filters(_common_prefix(conditions)))
    while True:
        page: Page[Memory] = yield call
        known |= {tuple(memory.metadata["namespace"]) for memory in page.items if _is_item(memory)}
        if page.next is None:
            break
        call = call.at(page.next)
    matched = {namespace[: op.max_depth] for namespace in known if all(_matches(c, namespace) for c in conditions)}
    return sorted(matched)[op.offset : op.offset + op.limit]


def _common_prefix(conditions: Iterable[MatchCondition]) -> Namespace:
    """Return the labels that all matching namespaces start with."""
    for condition in conditions:
        if condition.match_type == "prefix":
            path = tuple(condition.path)
            return path[: path.index("*")] if "*" in path else path
    return ()


def _refresh_ttl(memories: Iterable[Memory]) -> Generator[Call[Any], Any, None]:
    """Extend the expiry of items that were read, unless they were changed or removed meanwhile."""
    for memory in memories:
        minutes = memory.metadata.get("ttl")
        if minutes is None or memory.expires_at is None:
            continue
        left = memory.expires_at - datetime.now(UTC)
        if left < (1 - REFRESH_AFTER) * timedelta(minutes=minutes):
            try:
                yield calls.change(memory.id, expires_at=_expires_at(minutes), version=memory.version)
            except (Conflict, NotFound):
                continue


# Items and filters.


def _build_item(memory: Memory) -> SearchItem:
    assert memory.created_at
    assert memory.updated_at
    score = memory.relevance_score if isinstance(memory, Hit) else None
    namespace, key = tuple(memory.metadata["namespace"]), memory.metadata["key"]
    return SearchItem(namespace, key, _parse_value(memory), memory.created_at, memory.updated_at, score)


def _parse_value(memory: Memory) -> dict[str, Any]:
    """Return the item's value; the plain content, if somebody has edited it by other means."""
    try:
        value = json.loads(memory.metadata.get("value") or memory.content)
    except ValueError:
        value = None
    fields = memory.metadata.get("fields")
    same = isinstance(value, dict) and (fields is None or memory.content == _indexed_text(value, fields))
    return value if same else {"content": memory.content}


def _is_item(memory: Memory) -> bool:
    return {"namespace", "key"} <= set(memory.metadata)


def _passes_filter(memory: Memory, op: SearchOp) -> bool:
    if not _is_item(memory):
        return False
    value = _parse_value(memory)
    return all(_matches_filter(value.get(name), wanted) for name, wanted in (op.filter or {}).items())


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(pattern in ("*", label) for pattern, label in zip(path, part, strict=True))


def _matches_filter(value: Any, wanted: Any) -> bool:
    """Compare as LangGraph does: `$` operators, objects by subset, lists exactly."""
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_apply_operator(value, name, limit) for name, limit in wanted.items())
        return isinstance(value, dict) and all(
            _matches_filter(value.get(name), inner) for name, inner in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list) and len(value) == len(wanted)
        return alike and all(_matches_filter(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _apply_operator(value: Any, operator: str, limit: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == limit) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        one, other = float(value), float(limit)
    except (TypeError, ValueError):
        return False
    return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[operator]
