"""What hangs on a memory: links, attachments, sources."""

from memoryhub_client.calls.call import Call, Id, called, got, identity, memory, nothing, once, page, posted, said
from memoryhub_client.shapes import Asset, Association, Page, Source


def associate(memory_id: Id, target_id: Id, *, relation: str = "related_to", weight: float = 0.5) -> Call[Association]:
    link = {"target_id": target_id, "relation": relation, "weight": weight}
    return posted(f"{memory(memory_id)}/associations", Association, link)


def associations(memory_id: Id) -> Call[Page[Association]]:
    return got(f"{memory(memory_id)}/associations", page("associations", Association))


def dissociate(memory_id: Id, target_id: Id, *, relation: str = "related_to") -> Call[None]:
    """Takes the link of this relation away."""
    address = f"{memory(memory_id)}/associations/{identity(target_id, 'memory')}"
    return called("DELETE", address, nothing, params={"relation": relation})


def cite(
    memory_id: Id,
    *,
    session: str | None = None,
    message_id: str | None = None,
    url: str | None = None,
    quote: str | None = None,
) -> Call[Source]:
    """Where it came from."""
    origin = said(session=session, message_id=message_id, url=url, quote=quote)
    return posted(f"{memory(memory_id)}/sources", Source, origin)


def sources(memory_id: Id) -> Call[Page[Source]]:
    return got(f"{memory(memory_id)}/sources", page("sources", Source))


def uncite(memory_id: Id, source_id: Id) -> Call[None]:
    return called("DELETE", f"{memory(memory_id)}/sources/{identity(source_id, 'source')}", nothing)


def attach(memory_id: Id, name: str, content: bytes, *, content_type: str = "application/octet-stream") -> Call[Asset]:
    """Adds a file to a memory."""
    form = {"file": (name, content, content_type)}
    return called("POST", f"{memory(memory_id)}/assets", Asset, form=form, headers=once())


def assets(memory_id: Id) -> Call[Page[Asset]]:
    """The attachments of a memory, without their bytes."""
    return got(f"{memory(memory_id)}/assets", page("assets", Asset))


def read_asset(memory_id: Id, asset_id: Id) -> Call[bytes]:
    return called("GET", _asset(memory_id, asset_id), bytes, binary=True)


def detach(memory_id: Id, asset_id: Id) -> Call[None]:
    return called("DELETE", _asset(memory_id, asset_id), nothing)


def _asset(memory_id: Id, asset_id: Id) -> str:
    return f"{memory(memory_id)}/assets/{identity(asset_id, 'attachment')}"
