"""Use cases of anchors: list them for a check, record what it found, and decide about those that failed."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from memories import operations
from memories.contract import outputs
from memories.models import Source
from memories.queries.paging import fetch_page
from memories.rules.access import require_verb
from memories.rules.anchors import PlaceHashes
from teams.actor import Actor
from teams.models import Verb


def list_anchors(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the anchors of memories that the caller sees and that hold, the oldest first."""
    require_verb(actor, Verb.READ)
    rows = Source.anchors.checkable_by(actor, now=timezone.now())
    if "repository" in params:
        rows = rows.filter(repository=params["repository"])
    page = fetch_page(rows, order="created_at", limit=params["limit"], cursor=params.get("cursor"))
    return page.to_dict("anchors", outputs.render_source)


def report_anchors(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Record what a check found, and return the anchors with their states."""
    commit = arguments.get("commit", "")
    places = {
        found["id"]: PlaceHashes(**found["present"], commit=commit) if found.get("present") else None
        for found in arguments["anchors"]
    }
    reported = operations.record_anchor_checks(actor=actor, places=places)
    return {"anchors": [outputs.render_source(row) for row in reported.recorded], "skipped": reported.skipped}


def accept_anchor(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Decide that a memory is still true although its anchor has failed, and return the anchor."""
    found = arguments.get("sha256") or ""
    return outputs.render_source(operations.accept_anchor(actor=actor, source_id=arguments["source_id"], sha256=found))


def reopen_anchor(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Take such a decision back, and return the anchor."""
    return outputs.render_source(operations.reopen_anchor(actor=actor, source_id=arguments["source_id"]))
