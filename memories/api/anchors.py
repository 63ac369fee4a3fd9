"""Anchors of memories in files and at URLs: what there is to check, and what a check found."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import endpoint
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import anchors as use_cases
from teams.models import Verb


class Anchors(APIView):
    @endpoint(
        operation="listAnchors",
        summary="List anchors to check",
        query=inputs.ANCHORS,
        response=output_schemas.page("anchors", output_schemas.SOURCE, title="AnchorPage"),
        answer={"anchors": [output_schemas.ANCHORED_EXAMPLE], "next": None},
    )
    def get(self, request: Request, params: Mapping[str, Any]) -> Response:
        """Returns the sources with a hash, of memories that you see and that hold: all of them, or those of one
        repository."""
        return Response(use_cases.list_anchors(actor_of(request), params))


class ReportAnchors(APIView):
    @endpoint(
        operation="reportAnchors",
        summary="Report what a check of anchors found",
        body=inputs.REPORT_ANCHORS,
        response=output_schemas.REPORTED_ANCHORS,
        example={
            "commit": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            "anchors": [{"id": output_schemas.ANCHORED_EXAMPLE["id"], "present": output_schemas.PRESENT_EXAMPLE}],
        },
        answer={"anchors": [output_schemas.ANCHORED_EXAMPLE], "skipped": []},
        writes=True,
        verbs=(Verb.READ, Verb.WRITE),
    )
    def post(self, request: Request, body: dict[str, Any]) -> Response:
        """Takes the hashes of what is now where each anchor points, and compares them: an anchor holds, has changed, or
        is gone. Those of memories that you may not change are skipped."""
        return Response(use_cases.report_anchors(actor_of(request), body))
