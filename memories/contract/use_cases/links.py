"""Use cases of a memory's links, sources and attachments: list, add and remove them."""

from collections.abc import Mapping
from typing import Any

from memories import operations
from memories.contract import inputs, outputs
from memories.models import Asset, Association, Source
from memories.queries.lookup import require_visible_memory
from memories.queries.paging import fetch_page
from memories.rules.anchors import NewAnchor
from memoryhub.validation import validate_input
from teams.actor import Actor


def list_memory_links(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the links from and to a memory whose other end the actor may read, the newest first."""
    memory_id = params["memory_id"]
    visible = require_visible_memory(actor, memory_id)
    rows = Association.objects.in_organization(actor.organization_id).between(memory_id, visible)
    page = fetch_page(rows, order="-created_at", limit=params["limit"], cursor=params.get("cursor"))
    return page.to_dict("associations", outputs.render_association)


def link_memories(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Link a memory to another; linking them again changes the weight. An update may also replace its target."""
    rest = {name: value for name, value in arguments.items() if name not in ("memory_id", "supersede")}
    if arguments.get("supersede"):
        operations.supersede_by_link(actor=actor, origin_id=arguments["memory_id"], **rest)
    return outputs.render_association(operations.associate(actor=actor, origin_id=arguments["memory_id"], **rest))


def unlink_memories(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Remove a link, and return its ends."""
    target_id, relation = arguments["target_id"], arguments["relation"]
    operations.dissociate(actor=actor, origin_id=arguments["memory_id"], target_id=target_id, relation=relation)
    return dict(arguments)


def add_source(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Record where a memory came from."""
    sent = arguments.get("anchor")
    anchor = NewAnchor(**validate_input(inputs.NEW_ANCHOR, sent, name="anchor")) if sent else None
    return outputs.render_source(operations.add_citation(actor=actor, **{**arguments, "anchor": anchor}))


def list_memory_assets(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the attachments of a memory, the newest first."""
    require_visible_memory(actor, params["memory_id"])
    rows = Asset.objects.in_organization(actor.organization_id).filter(memory=params["memory_id"])
    page = fetch_page(rows, order="-created_at", limit=params["limit"], cursor=params.get("cursor"))
    return page.to_dict("assets", outputs.render_asset)


def attach_asset(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Attach an uploaded file to a memory."""
    return outputs.render_asset(operations.attach_file(actor=actor, **arguments))


def detach_asset(actor: Actor, arguments: Mapping[str, Any]) -> None:
    """Remove an attachment."""
    operations.detach_file(actor=actor, **arguments)


def remove_source(actor: Actor, arguments: Mapping[str, Any]) -> None:
    """Remove a source."""
    operations.remove_citation(actor=actor, **arguments)


def list_memory_sources(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the sources of a memory, the newest first."""
    require_visible_memory(actor, params["memory_id"])
    rows = Source.objects.in_organization(actor.organization_id).filter(memory=params["memory_id"])
    page = fetch_page(rows, order="-created_at", limit=params["limit"], cursor=params.get("cursor"))
    return page.to_dict("sources", outputs.render_source)
