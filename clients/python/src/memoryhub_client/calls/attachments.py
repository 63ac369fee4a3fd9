"""Requests about a memory's links, attachments and sources."""

from memoryhub_client.calls.call import (
    Call,
    Id,
    build_call,
    build_get,
    build_post,
    check_id,
    drop_none,
    ignore_body,
    memory_path,
    new_idempotency_key,
    read_page,
)
from memoryhub_client.shapes import Anchor, Asset, Association, Page, Source

ANCHOR_FIELDS = ("repository", "path", "salt", "sha256", "line_hashes", "first_line", "last_line", "commit")


def associate(
    memory_id: Id, target_id: Id, *, relation: str = "related_to", weight: float = 0.5, supersede: bool = False
) -> Call[Association]:
    """Link a memory to another. With `supersede`, a memory that updates another one also replaces it."""
    link = {
        "target_id": target_id,
        "relation": relation,
        "weight": weight,
        **({"supersede": True} if supersede else {}),
    }
    return build_post(f"{memory_path(memory_id)}/associations", Association, link)


def associations(memory_id: Id) -> Call[Page[Association]]:
    return build_get(f"{memory_path(memory_id)}/associations", read_page("associations", Association))


def dissociate(memory_id: Id, target_id: Id, *, relation: str = "related_to") -> Call[None]:
    """Remove the link of this relation."""
    address = f"{memory_path(memory_id)}/associations/{check_id(target_id, 'memory')}"
    return build_call("DELETE", address, ignore_body, params={"relation": relation})


def cite(
    memory_id: Id,
    *,
    session: str | None = None,
    message_id: str | None = None,
    url: str | None = None,
    quote: str | None = None,
    anchor: Anchor | None = None,
) -> Call[Source]:
    """Record where a memory came from. Of an anchor, the place and its hashes are sent."""
    origin = drop_none(session=session, message_id=message_id, url=url, quote=quote)
    if anchor:
        values = {name: getattr(anchor, name) for name in ANCHOR_FIELDS}
        origin["anchor"] = {name: value for name, value in values.items() if value}
    return build_post(f"{memory_path(memory_id)}/sources", Source, origin)


def sources(memory_id: Id) -> Call[Page[Source]]:
    return build_get(f"{memory_path(memory_id)}/sources", read_page("sources", Source))


def uncite(memory_id: Id, source_id: Id) -> Call[None]:
    return build_call("DELETE", f"{memory_path(memory_id)}/sources/{check_id(source_id, 'source')}", ignore_body)


def attach(memory_id: Id, name: str, content: bytes, *, content_type: str = "application/octet-stream") -> Call[Asset]:
    """Attach a file to a memory."""
    form = {"file": (name, content, content_type)}
    return build_call("POST", f"{memory_path(memory_id)}/assets", Asset, form=form, headers=new_idempotency_key())


def assets(memory_id: Id) -> Call[Page[Asset]]:
    """List a memory's attachments, without their bytes."""
    return build_get(f"{memory_path(memory_id)}/assets", read_page("assets", Asset))


def read_asset(memory_id: Id, asset_id: Id) -> Call[bytes]:
    return build_call("GET", _asset_path(memory_id, asset_id), bytes, binary=True)


def detach(memory_id: Id, asset_id: Id) -> Call[None]:
    return build_call("DELETE", _asset_path(memory_id, asset_id), ignore_body)


def _asset_path(memory_id: Id, asset_id: Id) -> str:
    return f"{memory_path(memory_id)}/assets/{check_id(asset_id, 'attachment')}"
