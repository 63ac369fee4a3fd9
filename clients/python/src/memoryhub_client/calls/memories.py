"""Requests that save, read, change and forget memories."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from memoryhub_client.calls.call import (
    Call,
    Id,
    build_call,
    build_get,
    build_post,
    drop_none,
    if_match,
    memory_path,
    quote_path,
    read_page,
    to_json_value,
)
from memoryhub_client.calls.inputs import Changes, Draft, KeyedFields, ListFilters, Scope, WholeDraft
from memoryhub_client.errors import Refused, error_from_problem
from memoryhub_client.shapes import JSON, Memory, Page, Version, parse_shape


def save(content: str, *, version: int | None = None, **fields: Unpack[Draft]) -> Call[Memory]:
    """Save a memory. An existing key gets a new version; with `version`, only if it is still at that version."""
    return build_post("memories", Memory, {"content": content, **fields}, version=version)


def save_many(memories: Sequence[WholeDraft]) -> Call[list[Memory]]:
    """Save up to 500 memories, all or none, and return them in the same order."""
    return build_post("memories/batch", _read_saved, {"memories": list(memories)})


def save_each(memories: Sequence[WholeDraft]) -> Call[list[Memory | Refused]]:
    """Save up to 500 memories independently and return, in order, each memory or the error that refused it."""
    return build_post("memories/batch", _read_results, {"memories": list(memories), "each": True})


def get(memory_id: Id) -> Call[Memory]:
    return build_get(memory_path(memory_id), Memory)


def get_key(key: str, *, scope: Scope = "team") -> Call[Memory]:
    """Return the memory that owns the key."""
    return build_get(f"keys/{quote_path(key)}", Memory, scope=scope)


def save_key(
    key: str,
    content: str,
    *,
    scope: Scope = "team",
    version: int | None = None,
    only_new: bool = False,
    **fields: Unpack[KeyedFields],
) -> Call[Memory]:
    """Create the memory of a key, or a new version of it in which omitted fields keep their values."""
    headers = {**if_match(version), **({"If-None-Match": "*"} if only_new else {})}
    body = to_json_value({"content": content, **fields})
    return build_call("PUT", f"keys/{quote_path(key)}", Memory, params={"scope": scope}, json=body, headers=headers)


def change(memory_id: Id, *, version: int | None = None, **changes: Unpack[Changes]) -> Call[Memory]:
    """Overwrite the given fields; None clears a field."""
    return build_call("PATCH", memory_path(memory_id), Memory, json=to_json_value(changes), headers=if_match(version))


def append(memory_id: Id, text: str, *, version: int | None = None) -> Call[Memory]:
    """Append a line to the content, keeping what others append meanwhile."""
    return build_post(f"{memory_path(memory_id)}/append", Memory, {"text": text}, version=version)


def pin(memory_id: Id, pinned: bool = True, *, version: int | None = None) -> Call[Memory]:
    """Pin a memory, so that it never fades and is in every context; False unpins it."""
    return build_post(f"{memory_path(memory_id)}/pin", Memory, {"pinned": pinned}, version=version)


def tag(
    memory_id: Id, add: Sequence[str] = (), *, remove: Sequence[str] = (), version: int | None = None
) -> Call[Memory]:
    """Add and remove tags, keeping all others, including ones added meanwhile."""
    return build_post(
        f"{memory_path(memory_id)}/tags", Memory, {"add": list(add), "remove": list(remove)}, version=version
    )


def expire(memory_id: Id, expires_at: datetime | None, *, version: int | None = None) -> Call[Memory]:
    """Set when a memory disappears from every read; None removes the expiry."""
    return build_post(f"{memory_path(memory_id)}/expire", Memory, {"expires_at": expires_at}, version=version)


def move(memory_id: Id, scope: Scope, *, version: int | None = None) -> Call[Memory]:
    """Move a memory to another scope. Its old audience loses it, so this also needs the verb forget."""
    return build_post(f"{memory_path(memory_id)}/move", Memory, {"scope": scope}, version=version)


def verify(memory_id: Id, *, review_by: datetime | None = None, version: int | None = None) -> Call[Memory]:
    """Record that a memory is still true, and when to check again."""
    return build_post(f"{memory_path(memory_id)}/verify", Memory, {"review_by": review_by}, version=version)


def forget(memory_id: Id, *, reason: str | None = None, version: int | None = None) -> Call[Memory]:
    """Remove a memory from every read; it can be restored."""
    return build_call(
        "DELETE", memory_path(memory_id), Memory, params=drop_none(reason=reason), headers=if_match(version)
    )


def forget_key(
    key: str, *, scope: Scope = "team", reason: str | None = None, version: int | None = None
) -> Call[Memory]:
    params = drop_none(scope=scope, reason=reason)
    return build_call("DELETE", f"keys/{quote_path(key)}", Memory, params=params, headers=if_match(version))


def restore(memory_id: Id, *, version: int | None = None) -> Call[Memory]:
    return build_post(f"{memory_path(memory_id)}/restore", Memory, version=version)


def revert(memory_id: Id, to_version: int, *, version: int | None = None) -> Call[Memory]:
    """Create a new version with the content of an old one."""
    return build_post(f"{memory_path(memory_id)}/revert", Memory, {"to_version": to_version}, version=version)


def memories(**filters: Unpack[ListFilters]) -> Call[Page[Memory]]:
    """List the memories that the token may read and the filters match; `limit` is the page size."""
    return build_get("memories", read_page("memories", Memory), **filters)


def history(memory_id: Id) -> Call[Page[Version]]:
    """List every version, newest first."""
    return build_get(f"{memory_path(memory_id)}/history", read_page("versions", Version))


def _read_saved(answer: Any) -> list[Memory]:
    return [parse_shape(Memory, item) for item in answer["memories"]]


def _read_results(answer: Any) -> list[Memory | Refused]:
    return [_read_result(item) for item in answer["results"]]


def _read_result(item: JSON) -> Memory | Refused:
    return parse_shape(Memory, item["memory"]) if "memory" in item else error_from_problem(item["problem"])
