"""Use cases of pairs: list duplicates and contradictions, and settle them."""

from collections.abc import Mapping
from typing import Any

from memories import operations
from memories.contract import outputs
from memories.queries.paging import fetch_page
from memories.queries.pairs import find_pair, list_pairs
from memories.rules.access import require_verb
from teams.actor import Actor
from teams.models import Verb


def list_pair_page(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the pairs both of whose memories the caller may see, the newest first."""
    require_verb(actor, Verb.READ)
    kinds = [params["kind"]] if "kind" in params else []
    rows = list_pairs(actor=actor, state=params["state"], kinds=kinds, memory_id=params.get("memory_id"))
    page = fetch_page(rows, order="-created_at", limit=params["limit"], cursor=params.get("cursor"))
    return page.to_dict("pairs", outputs.render_pair)


def get_pair(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pair with both memories."""
    require_verb(actor, Verb.READ)
    return outputs.render_pair(find_pair(actor=actor, pair_id=arguments["pair_id"]))


def settle_pair(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Decide what becomes of the two memories, and return the pair."""
    fields = {name: value for name, value in arguments.items() if name != "pair_id"}
    settled = operations.settle_pair(
        actor=actor, pair_id=arguments["pair_id"], settlement=operations.Settlement(**fields)
    )
    return outputs.render_pair(settled)


def reopen_pair(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Take a decision back, and return the pair."""
    return outputs.render_pair(operations.reopen_pair(actor=actor, pair_id=arguments["pair_id"]))
