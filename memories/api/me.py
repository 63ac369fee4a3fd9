"""The endpoint that describes the caller."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import endpoint
from memories.contract import output_schemas
from memories.contract.use_cases.context import describe_caller

EXAMPLE = {
    **dict.fromkeys(output_schemas.ME["properties"]),
    "name": "harbour-bot",
    "agent_id": output_schemas.MEMORY_EXAMPLE["agent_id"],
    "organization_id": "01a8c2ef-0000-7aaa-8bbb-ccccddddeeee",
    "team_id": output_schemas.MEMORY_EXAMPLE["team_id"],
    "readable_team_ids": [output_schemas.MEMORY_EXAMPLE["team_id"]],
    "verbs": ["forget", "read", "write"],
    "any_person": False,
    "persons": ["mira"],
}


class Me(APIView):
    @endpoint(operation="getMe", summary="Describe the caller", response=output_schemas.ME, answer=EXAMPLE, verbs=())
    def get(self, request: Request) -> Response:
        """Returns the agent, team and verbs of the token, and the context that the headers name."""
        return Response(describe_caller(actor_of(request), {}))
