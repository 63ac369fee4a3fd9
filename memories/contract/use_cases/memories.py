"""Use cases of memories: read, list, save, change, forget and restore them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memories import operations
from memories.contract import inputs, outputs
from memories.contract.problems import problem_document
from memories.models import Memory, Revision, Usage
from memories.queries import lookup, memory_rows
from memories.queries.memory_list import filter_memories
from memories.queries.paging import PAGE_TEXT_LENGTH, fetch_page
from memories.recall.past_versions import restore_versions
from memoryhub.errors import Invalid, Trouble
from memoryhub.validation import validate_input
from teams.actor import Actor
from teams.models import Verb

Arguments = Mapping[str, Any]
RenderMemory = Callable[[Memory], dict[str, Any]]


def get_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Return a memory by its id, or by the key that it owns in a scope."""
    _require_id_or_key(arguments)
    if "memory_id" in arguments:
        return outputs.render_memory(lookup.find_memory(actor=actor, memory_id=arguments["memory_id"]))
    key = lookup.clean_key(arguments["key"])
    return outputs.render_memory(lookup.find_by_key(actor=actor, key=key, scope=arguments["scope"]))


def list_memory_page(actor: Actor, params: Arguments) -> dict[str, Any]:
    """Return a page of the memories that the filters leave, or of forgotten ones."""
    order = params["order"]
    rows, parts = filter_memories(actor=actor, params=params)
    paging = {
        "order": order,
        "limit": params["limit"],
        "cursor": params.get("cursor"),
        "parts": parts,
        "length": PAGE_TEXT_LENGTH,
    }
    if params["forgotten"]:
        return fetch_page(rows.with_usage().defer("search"), **paging).to_dict("memories", outputs.render_forgotten)
    page = fetch_page(rows, **paging, read=lambda rows: memory_rows.fetch_in_order(actor=actor, rows=rows, order=order))
    if "known_at" in params:
        restore_versions(page.rows, known_at=params["known_at"])
    return page.to_dict("memories", outputs.render_memory)


def list_memory_versions(actor: Actor, params: Arguments) -> dict[str, Any]:
    """Return a page of the versions that were written for the memory's present audience, the newest first."""
    memory = lookup.find_memory(actor=actor, memory_id=params["memory_id"])
    rows = Revision.objects.of_memory(memory).with_authors()
    page = fetch_page(
        rows, order="-version", limit=params["limit"], cursor=params.get("cursor"), length=PAGE_TEXT_LENGTH
    )
    return page.to_dict("versions", outputs.render_version)


def save_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Save a memory, and name those that say nearly the same."""
    fields = {name: value for name, value in arguments.items() if name != "version"}
    memory = operations.save_memory(actor=actor, draft=operations.Draft(**fields), version=arguments.get("version"))
    return memory_or_receipt(actor, memory, render=outputs.render_saved)


def save_memory_by_key(actor: Actor, arguments: Arguments, *, only_new: bool) -> dict[str, Any]:
    """Save the memory of a key; with `only_new`, only if no memory owns the key yet."""
    dedupe = operations.Dedupe.REFUSE if only_new else operations.Dedupe.UPDATE
    return save_memory(actor, {**arguments, "key": lookup.clean_key(arguments["key"]), "dedupe": dedupe})


def save_batch(actor: Actor, batch: Arguments) -> dict[str, Any]:
    """Save memories that are not checked yet: all of them or none; with `each`, every one by itself."""
    if not batch["each"]:
        return save_memories(actor, validate_input(inputs.DRAFTS, {"memories": batch["memories"]}))
    render = _batch_renderer(actor)
    return {"results": [_render_batch_result(result, render) for result in _save_each(actor, batch["memories"])]}


def save_memories(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Save all of the memories or none."""
    saved = _save_drafts(actor, [operations.Draft(**draft) for draft in arguments["memories"]])
    return {"memories": [_batch_renderer(actor)(memory) for memory in saved]}


def _batch_renderer(actor: Actor) -> RenderMemory:
    return outputs.render_memory if actor.may(Verb.READ) else outputs.render_receipt


def _save_drafts(actor: Actor, drafts: Sequence[operations.Draft]) -> list[Memory]:
    """Save them together. An error names the fields of the draft that it is about."""
    try:
        return operations.save_memories(actor=actor, drafts=drafts)
    except Invalid as error:
        if error.position is None:
            raise
        place = f"memories.{error.position}"
        fields = {f"{place}.{name}": sentence for name, sentence in error.fields.items()}
        raise type(error)(fields, more=error.more) from error


def _save_each(actor: Actor, memories: Sequence[object]) -> list[Memory | Trouble]:
    parsed = [_parse_draft(memory) for memory in memories]
    drafts = [draft for draft in parsed if isinstance(draft, operations.Draft)]
    saved = iter(operations.save_each(actor=actor, drafts=drafts))
    return [next(saved) if isinstance(draft, operations.Draft) else draft for draft in parsed]


def _parse_draft(memory: object) -> operations.Draft | Invalid:
    try:
        return operations.Draft(**validate_input(inputs.DRAFT, memory))
    except Invalid as error:
        return error


def _render_batch_result(result: Memory | Trouble, render: RenderMemory) -> dict[str, Any]:
    return {"memory": render(result)} if isinstance(result, Memory) else {"problem": problem_document(result)}


def update_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Overwrite the fields that are given; null empties one."""
    return memory_or_receipt(actor, operations.update_memory(actor=actor, **arguments))


def append_to_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Add text to the content, on a line of its own."""
    return memory_or_receipt(actor, operations.append_to_memory(actor=actor, **arguments))


def pin_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Pin the memory, or unpin it."""
    return memory_or_receipt(actor, operations.pin_memory(actor=actor, **arguments))


def tag_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Add tags to the memory, and remove others."""
    return memory_or_receipt(actor, operations.tag_memory(actor=actor, **arguments))


def expire_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Set when the memory expires; null lets it stay."""
    return memory_or_receipt(actor, operations.set_expiry(actor=actor, **arguments))


def move_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Give the memory to another audience."""
    return memory_or_receipt(actor, operations.change_scope(actor=actor, **arguments))


def verify_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Record that the memory is still true, and when to review it."""
    return memory_or_receipt(actor, operations.verify_memory(actor=actor, **arguments))


def restore_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Bring back a forgotten memory."""
    return memory_or_receipt(actor, operations.restore_memory(actor=actor, **arguments))


def revert_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Make a new version that says what an old one said."""
    return memory_or_receipt(actor, operations.revert_memory(actor=actor, **arguments))


def forget_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Forget a memory by its id, or by the key that it owns, and return a receipt."""
    _require_id_or_key(arguments)
    memory_id = arguments.get("memory_id")
    if memory_id is None:
        key = lookup.clean_key(arguments["key"])
        memory_id = lookup.find_own_by_key(actor=actor, key=key, scope=arguments["scope"]).pk
    version, reason = arguments.get("version"), arguments.get("reason", "")
    return outputs.render_receipt(
        operations.forget_memory(actor=actor, memory_id=memory_id, version=version, reason=reason)
    )


def purge_memory(actor: Actor, arguments: Arguments) -> dict[str, Any]:
    """Erase a memory from every version, and return a receipt."""
    return outputs.render_receipt(operations.purge_memory(actor=actor, **arguments))


def _require_id_or_key(arguments: Arguments) -> None:
    if ("memory_id" in arguments) == ("key" in arguments):
        raise Invalid({"memory_id": "Send either the memory_id or the key."})


def memory_or_receipt(actor: Actor, memory: Memory, *, render: RenderMemory = outputs.render_memory) -> dict[str, Any]:
    """Return the memory that was written; for a token that may not read, a receipt."""
    if not actor.may(Verb.READ):
        return outputs.render_receipt(memory)
    if memory.version > 1:
        _load_usage(memory)
    return render(memory)


def _load_usage(memory: Memory) -> None:
    """Set the memory's usage counts: an older version may have been recalled."""
    usage = Usage.objects.of_memory(memory).values_list("access_count", "last_accessed_at").first()
    if usage:
        memory.access_count, memory.last_accessed_at = usage
