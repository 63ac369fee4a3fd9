"""Recall: the memories that answer best, and why one of them does not."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import answers, bodies, shapes
from memories.api.describing import endpoint
from memories.api.door import actor_of
from memories.operations.recording import require
from memories.recall import Filters, Mode, recall, why_not
from memories.recalls import recalls
from teams.actor import Actor
from teams.models import Verb

RECALL_LOOKUPS = {
    "since": "created_at__gte",
    "until": "created_at__lt",
    "query": "query__icontains",
    "session": "session__name",  # of this agent, as the recalls are
}
FILTER_NAMES = {field.name for field in fields(Filters)}
HIT = answers.MEMORY_EXAMPLE | {"relevance_score": 0.8312}


class Recall(APIView):
    @endpoint(
        summary="Recall memories",
        takes=bodies.RECALL,
        gives=answers.RECALLED,
        example={"query": "Which berths are closed?", "limit": 5, "tags": ["berths"]},
        answer={"memories": [HIT], "total_found": 1, "total_is_bound": False, "mode": "hybrid"},
    )
    def post(self, request: Request, said: Mapping[str, Any]) -> Response:
        """The memories that answer a query best, within what the token may see; best first. Modes hybrid, keyword and
        semantic need a query, mode typed a type."""
        return Response(recalled(actor_of(request), said))


class WhyNot(APIView):
    @endpoint(
        summary="Why a memory is not in an answer",
        takes=bodies.WHY_NOT,
        gives=answers.VERDICT,
        example={"memory_id": answers.MEMORY_EXAMPLE["id"], "query": "Which cranes work?", "limit": 5},
        answer={"rank": 12, "reason": "It is number 12; the limit is 5."},
    )
    def post(self, request: Request, said: Mapping[str, Any]) -> Response:
        """Which rule keeps one memory from an answer, or where it stands in it."""
        return Response(judged(actor_of(request), said))


class Recalls(APIView):
    @endpoint(
        summary="What you asked before",
        asks=bodies.RECALLS,
        gives=answers.page("recalls", answers.RECALL),
        answer={"recalls": [answers.RECALL_EXAMPLE], "next": None},
    )
    def get(self, request: Request, asked: Mapping[str, Any]) -> Response:
        """The agent's own recalls, the newest first, each with the memories and versions that came back. A recall is
        here a second or two after it was answered."""
        return Response(ledger(actor_of(request), asked))


def ledger(actor: Actor, asked: Mapping[str, Any]) -> dict[str, Any]:
    require(actor, Verb.READ)
    found = recalls(actor=actor, limit=asked["limit"], rule=_own(actor, asked), cursor=asked.get("cursor"))
    return {"recalls": [shapes.past_recall(one) for one in found.recalls], "next": found.next}


def _own(actor: Actor, asked: Mapping[str, Any]) -> Q:
    rule = Q(agent=actor.agent_id)
    for name, lookup in RECALL_LOOKUPS.items():
        if name in asked:
            rule &= Q(**{lookup: asked[name]})
    if "found_nothing" in asked:
        rule &= Q(total_found=0) if asked["found_nothing"] else Q(total_found__gt=0)
    return rule


def recalled(actor: Actor, said: Mapping[str, Any]) -> dict[str, Any]:
    asked, filters = _told_apart(said)
    result = recall(actor=actor, filters=filters, **asked)
    return shapes.recalled(result, mode=asked.get("mode", Mode.HYBRID), explain=bool(asked.get("explain")))


def judged(actor: Actor, said: Mapping[str, Any]) -> dict[str, Any]:
    asked, filters = _told_apart(said)
    return shapes.verdict(why_not(actor=actor, filters=filters, **asked))


def _told_apart(said: Mapping[str, Any]) -> tuple[dict[str, Any], Filters]:
    """What was asked and what narrows it; null leaves a thing open."""
    given = {name: value for name, value in said.items() if value is not None}
    asked = {name: value for name, value in given.items() if name not in FILTER_NAMES}
    return asked, Filters(**{name: value for name, value in given.items() if name in FILTER_NAMES})
