"""REST: golden questions, for tools of people, with a browser's session. No token reads or changes the test."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.framework import actor_of
from memories.api.openapi import endpoint
from memories.api.review import PeopleView
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import golden as use_cases

QUESTION_EXAMPLE = output_schemas.GOLDEN_QUESTION_EXAMPLE


class GoldenQuestions(PeopleView):
    @endpoint(
        operation="listGoldenQuestions",
        summary="List the golden questions and what their last runs found",
        response=output_schemas.GOLDEN_REPORT,
        answer=output_schemas.GOLDEN_REPORT_EXAMPLE,
        of_people=True,
    )
    def get(self, request: Request, **team: str) -> Response:
        """Returns the team's own test of recall, with the figures of the last runs."""
        return Response(use_cases.report_golden(actor_of(request)))

    @endpoint(
        operation="addGoldenQuestion",
        summary="Say which memory a question should find",
        body=inputs.GOLDEN_QUESTION,
        response=output_schemas.GOLDEN_QUESTION,
        example={name: QUESTION_EXAMPLE[name] for name in ("query", "memory_id")},
        answer=QUESTION_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, body: Mapping[str, Any], **team: str) -> Response:
        """The question is asked every night. The same question with the same memory is there once."""
        return Response(use_cases.add_golden(actor_of(request), body))


class GoldenQuestionDetail(PeopleView):
    @endpoint(
        operation="removeGoldenQuestion",
        summary="Remove a golden question",
        response=output_schemas.GOLDEN_QUESTION,
        answer=QUESTION_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def delete(self, request: Request, question_id: UUID, **team: str) -> Response:
        """It is asked no more. It can be restored for a day."""
        return Response(use_cases.remove_golden(actor_of(request), {"question_id": question_id}))


class RestoreGoldenQuestion(PeopleView):
    @endpoint(
        operation="restoreGoldenQuestion",
        summary="Restore a removed golden question",
        body=inputs.REOPEN,
        response=output_schemas.GOLDEN_QUESTION,
        example={},
        answer=QUESTION_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, question_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """It is asked again from the next run on."""
        return Response(use_cases.restore_golden(actor_of(request), {"question_id": question_id}))


class RunGoldenQuestions(PeopleView):
    @endpoint(
        operation="runGoldenQuestions",
        summary="Ask the golden questions now",
        body=inputs.RUN_GOLDEN,
        response=output_schemas.QUEUED_RUN,
        example={},
        answer={"queued": True},
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, body: dict[str, Any], **team: str) -> Response:
        """A worker asks them; the list has the result a little later."""
        return Response(use_cases.run_golden(actor_of(request)))
