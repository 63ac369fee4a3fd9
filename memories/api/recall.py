"""Recall: the memories that answer best, and why one of them does not."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import endpoint
from memories.contract import inputs, output_schemas, recall_schemas
from memories.contract.use_cases.recall import answer_recall, answer_why_not, list_past_recalls

HIT = output_schemas.MEMORY_EXAMPLE | {"relevance_score": 0.8312, "confidence": 0.9127}


class Recall(APIView):
    @endpoint(
        operation="recall",
        summary="Recall memories",
        body=inputs.RECALL,
        response=recall_schemas.RECALLED,
        example={"query": "Which berths are closed?", "limit": 5, "tags": ["berths"]},
        answer={"memories": [HIT], "total_found": 1, "total_is_bound": False, "mode": "hybrid"},
    )
    def post(self, request: Request, body: Mapping[str, Any]) -> Response:
        """Returns the memories that answer a query best, the best first, among those that the token may see. The modes
        hybrid, keyword and semantic need a `query`, and the mode typed needs a `type`."""
        return Response(answer_recall(actor_of(request), body))


class WhyNot(APIView):
    @endpoint(
        operation="whyNot",
        summary="Explain why a memory is not in an answer",
        body=inputs.WHY_NOT,
        response=recall_schemas.VERDICT,
        example={"memory_id": output_schemas.MEMORY_EXAMPLE["id"], "query": "Which cranes work?", "limit": 5},
        answer={"rank": 12, "reason": "It is number 12; the limit is 5."},
    )
    def post(self, request: Request, body: Mapping[str, Any]) -> Response:
        """Returns the rule that keeps a memory out of the answer, or its rank in it."""
        return Response(answer_why_not(actor_of(request), body))


class Recalls(APIView):
    @endpoint(
        operation="listRecalls",
        summary="List your past recalls",
        query=inputs.RECALLS,
        response=output_schemas.page("recalls", recall_schemas.RECALL),
        answer={"recalls": [output_schemas.RECALL_EXAMPLE], "next": None},
    )
    def get(self, request: Request, params: Mapping[str, Any]) -> Response:
        """Returns the agent's own recalls, the newest first, each with the memories and versions that it returned.
        Recalls made for a person, in a project or in a workspace are listed in that context only. A recall appears a
        second or two after it was answered."""
        return Response(list_past_recalls(actor_of(request), params))
