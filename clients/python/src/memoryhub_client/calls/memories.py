"""Memories: saved, read, changed, forgotten."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from memoryhub_client.calls.call import Call, Id, called, got, memory, page, plain, posted, said, seen, spelled
from memoryhub_client.calls.saying import Changes, Draft, KeyedFields, ListFilters, Scope, WholeDraft
from memoryhub_client.errors import Refused, refused
from memoryhub_client.shapes import JSON, Memory, Page, Version, shaped


def save(content: str, *, version: int | None = None, **fields: Unpack[Draft]) -> Call[Memory]:
    """Saves a memory. A key that lives already gets a new version; with `version`, only if it is at that one."""
    return posted("memories", Memory, {"content": content, **fields}, version=version)


def save_many(memories: Sequence[WholeDraft]) -> Call[list[Memory]]:
    """Saves up to 500, all or none, and answers in the same order."""
    return posted("memories/batch", _saved, {"memories": list(memories)})


def save_each(memories: Sequence[WholeDraft]) -> Call[list[Memory | Refused]]:
    """Saves up to 500, each by itself: in its place is the memory, or why it was refused (not raised)."""
    return posted("memories/batch", _results, {"memories": list(memories), "each": True})


def get(memory_id: Id) -> Call[Memory]:
    return got(memory(memory_id), Memory)


def get_key(key: str, *, scope: Scope = "team") -> Call[Memory]:
    """The memory that owns the key."""
    return got(f"keys/{spelled(key)}", Memory, scope=scope)


def save_key(
    key: str,
    content: str,
    *,
    scope: Scope = "team",
    version: int | None = None,
    only_new: bool = False,
    **fields: Unpack[KeyedFields],
) -> Call[Memory]:
    """Makes the memory of a key, or a new version of it, in which what is left unsaid stays as it is."""
    headers = {**seen(version), **({"If-None-Match": "*"} if only_new else {})}
    body = plain({"content": content, **fields})
    return called("PUT", f"keys/{spelled(key)}", Memory, params={"scope": scope}, json=body, headers=headers)


def change(memory_id: Id, *, version: int | None = None, **changes: Unpack[Changes]) -> Call[Memory]:
    """Overwrites the fields that are said; None empties one."""
    return called("PATCH", memory(memory_id), Memory, json=plain(changes), headers=seen(version))


def append(memory_id: Id, text: str, *, version: int | None = None) -> Call[Memory]:
    """Adds a line to the content, whatever others add meanwhile."""
    return posted(f"{memory(memory_id)}/append", Memory, {"text": text}, version=version)


def pin(memory_id: Id, pinned: bool = True, *, version: int | None = None) -> Call[Memory]:
    """What is pinned never fades and stands in every context; False takes the pin away."""
    return posted(f"{memory(memory_id)}/pin", Memory, {"pinned": pinned}, version=version)


def tag(
    memory_id: Id, add: Sequence[str] = (), *, remove: Sequence[str] = (), version: int | None = None
) -> Call[Memory]:
    """Adds and removes tags; the others stay, whatever is added meanwhile."""
    return posted(f"{memory(memory_id)}/tags", Memory, {"add": list(add), "remove": list(remove)}, version=version)


def expire(memory_id: Id, expires_at: datetime | None, *, version: int | None = None) -> Call[Memory]:
    """When it vanishes from every read; None lets it stay."""
    return posted(f"{memory(memory_id)}/expire", Memory, {"expires_at": expires_at}, version=version)


def move(memory_id: Id, scope: Scope, *, version: int | None = None) -> Call[Memory]:
    """Gives it to another audience; the old one loses it, so that this takes the verb forget, too."""
    return posted(f"{memory(memory_id)}/move", Memory, {"scope": scope}, version=version)


def verify(memory_id: Id, *, review_by: datetime | None = None, version: int | None = None) -> Call[Memory]:
    """Notes that it is still true, and when to look again."""
    return posted(f"{memory(memory_id)}/verify", Memory, {"review_by": review_by}, version=version)


def forget(memory_id: Id, *, reason: str | None = None, version: int | None = None) -> Call[Memory]:
    """Gone from every read; it can be restored."""
    return called("DELETE", memory(memory_id), Memory, params=said(reason=reason), headers=seen(version))


def forget_key(
    key: str, *, scope: Scope = "team", reason: str | None = None, version: int | None = None
) -> Call[Memory]:
    params = said(scope=scope, reason=reason)
    return called("DELETE", f"keys/{spelled(key)}", Memory, params=params, headers=seen(version))


def restore(memory_id: Id, *, version: int | None = None) -> Call[Memory]:
    return posted(f"{memory(memory_id)}/restore", Memory, version=version)


def revert(memory_id: Id, to_version: int, *, version: int | None = None) -> Call[Memory]:
    """A new version that says what the old one said."""
    return posted(f"{memory(memory_id)}/revert", Memory, {"to_version": to_version}, version=version)


def memories(**filters: Unpack[ListFilters]) -> Call[Page[Memory]]:
    """What the token may see and the filters leave; `limit` is the size of a page."""
    return got("memories", page("memories", Memory), **filters)


def history(memory_id: Id) -> Call[Page[Version]]:
    """Every version, the newest first."""
    return got(f"{memory(memory_id)}/history", page("versions", Version))


def _saved(answer: Any) -> list[Memory]:
    return [shaped(Memory, item) for item in answer["memories"]]


def _results(answer: Any) -> list[Memory | Refused]:
    return [_result(item) for item in answer["results"]]


def _result(item: JSON) -> Memory | Refused:
    return shaped(Memory, item["memory"]) if "memory" in item else refused(item["problem"])
