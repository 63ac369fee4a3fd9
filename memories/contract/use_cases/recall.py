"""Use cases of recall: answer a query, explain a missing memory, and list past recalls."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.db.models import Q

from memories.contract import outputs
from memories.queries.recall_log import list_recalls
from memories.recall import Filters, Mode, recall, why_not
from memories.recall.literal_text import contains_text
from memories.rules.access import require_verb
from teams.actor import Actor
from teams.models import Verb

RECALL_LOOKUPS = {
    "since": "created_at__gte",
    "until": "created_at__lt",
    "session": "session__name",  # a session of this agent, like the recalls
}
FILTER_NAMES = {field.name for field in fields(Filters)}


def answer_recall(actor: Actor, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the memories that answer the query best."""
    query, filters = _split_filters(body)
    result = recall(actor=actor, filters=filters, **query)
    return outputs.render_recalled(result, mode=query.get("mode", Mode.HYBRID), explain=bool(query.get("explain")))


def answer_why_not(actor: Actor, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule that keeps a memory from the answer to a query, or its rank."""
    query, filters = _split_filters(body)
    return outputs.render_verdict(why_not(actor=actor, filters=filters, **query))


def list_past_recalls(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the agent's own recalls, the newest first."""
    require_verb(actor, Verb.READ)
    page = list_recalls(
        actor=actor, limit=params["limit"], rule=_own_recalls_filter(actor, params), cursor=params.get("cursor")
    )
    return {"recalls": [outputs.render_past_recall(row) for row in page.recalls], "next": page.next}


def _own_recalls_filter(actor: Actor, params: Mapping[str, Any]) -> Q:
    rule = Q(agent=actor.agent_id)
    for name, lookup in RECALL_LOOKUPS.items():
        if name in params:
            rule &= Q(**{lookup: params[name]})
    if "query" in params:
        rule &= contains_text("query", params["query"])
    if "found_nothing" in params:
        rule &= Q(total_found=0) if params["found_nothing"] else Q(total_found__gt=0)
    return rule


def _split_filters(body: Mapping[str, Any]) -> tuple[dict[str, Any], Filters]:
    """Separate the query's own parameters from the filters; null means that one is left out."""
    params = {name: value for name, value in body.items() if value is not None}
    query = {name: value for name, value in params.items() if name not in FILTER_NAMES}
    return query, Filters(**{name: value for name, value in params.items() if name in FILTER_NAMES})
