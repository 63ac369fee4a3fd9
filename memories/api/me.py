"""Who the caller is."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import answers, shapes
from memories.api.describing import endpoint
from memories.api.door import actor_of

EXAMPLE = {
    **dict.fromkeys(answers.ME["properties"]),
    "name": "harbour-bot",
    "agent_id": answers.MEMORY_EXAMPLE["agent_id"],
    "organization_id": "01a8c2ef-0000-7aaa-8bbb-ccccddddeeee",
    "team_id": answers.MEMORY_EXAMPLE["team_id"],
    "readable_team_ids": [answers.MEMORY_EXAMPLE["team_id"]],
    "verbs": ["forget", "read", "write"],
}


class Me(APIView):
    @endpoint(summary="Who you are", gives=answers.ME, answer=EXAMPLE)
    def get(self, request: Request) -> Response:
        """What the token says of you, and in which context the headers put this call."""
        return Response(shapes.me(actor_of(request)))
