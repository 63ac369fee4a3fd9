"""Endpoints that register and archive an agent's sessions, and extract memories from them."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import idempotency
from memories.api.framework import actor_of, actor_within
from memories.api.openapi import endpoint
from memories.api.responses import locate, write_response
from memories.contract import cost, inputs, output_schemas
from memories.contract.use_cases.sessions import (
    archive_session,
    describe_registered_session,
    get_session,
    has_session,
    propose_session_memories,
    save_extraction,
)
from teams import rate_limits
from teams.actor import Actor

BOUND = {
    "id": "0198c0de-0000-7000-8000-000000000007",
    "name": "chat-42",
    "agent_id": "0198c0de-0000-7000-8000-000000000002",
    "project": None,
    "user": "mira",
    "workspace": None,
    "channel": "#releases",
    "created_at": "2026-05-04T12:00:00Z",
}
SAVED = output_schemas.MEMORY_EXAMPLE | {"content": "Decided to ship on Tuesday.", "source": "auto", "similar": []}
HELLO = {"role": "user", "name": "Mira", "content": "We decided to ship on Tuesday.", "id": "m-1"}


class SessionDetail(APIView):
    @endpoint(operation="getSession", summary="Read a session", response=output_schemas.SESSION, answer=BOUND)
    def get(self, request: Request, name: str) -> Response:
        """Returns a session of the token's agent."""
        return Response(get_session(actor_of(request), name))

    @endpoint(
        operation="registerSession",
        summary="Register a session",
        body=inputs.REGISTER_SESSION,
        response=output_schemas.SESSION,
        status=(200, 201),
        writes=True,
        example={"user": "mira", "channel": "#releases"},
        answer=BOUND,
    )
    def put(self, request: Request, name: str, body: dict[str, Any]) -> Response:
        """Binds the session to a project, a user, a workspace and a channel. Every call that names the session inherits
        them. Existing bindings stay."""
        known = has_session(actor_of(request), name)
        session = describe_registered_session(_within(request, name, **body), name)
        return write_response(session, created_at=None if known else locate("sessions", name))


class Archive(APIView):
    @endpoint(
        operation="archiveSession",
        summary="Archive a session",
        body=inputs.ARCHIVE,
        response=output_schemas.ARCHIVED,
        status=(200, 201),
        writes=True,
        example={"name": "release-planning", "messages": [HELLO]},
        answer={
            "file": {"path": "conversations/2026-05-04-release-planning.md", "version": 1},
            "memory": SAVED,
        },
    )
    def post(self, request: Request, name: str, body: dict[str, Any]) -> Response:
        """Writes the file `conversations/{day}-{name}.md` of the team and a memory of the category conversation: both
        or neither. Archiving the same session again overwrites them."""
        kept = archive_session(_within(request, name), name, body)
        file = kept["file"]
        return write_response(kept, created_at=locate("files", file["path"]) if file["version"] == 1 else None)


class Extract(APIView):
    @endpoint(
        operation="extractMemories",
        summary="Extract memories from a session",
        body=inputs.EXTRACT,
        response=output_schemas.EXTRACTED,
        writes=True,
        example={"messages": [HELLO], "hold": False},
        answer={"saved": [SAVED], "held": [], "known": [], "by": "rules"},
        idempotent=False,
    )
    def post(self, request: Request, name: str, body: dict[str, Any]) -> Response:
        """Saves what is worth remembering with the source `auto`, linked to the session and message it comes from. What
        is already known is only listed. With `hold`, the memories are proposals until a person approves them."""
        if first := idempotency.find_first_response(request):
            return first
        actor = _within(request, name)
        rate_limits.charge_work(actor=actor, work=cost.weigh_extraction(body))
        extraction = propose_session_memories(
            actor, body
        )  # a model may think for long: no transaction is open meanwhile
        return idempotency.respond_once(request, lambda: Response(save_extraction(actor, extraction, body)))


def _within(request: Request, name: str, **bindings: str) -> Actor:
    """Return the caller, in the context of the headers and in the session that the address names, which is registered
    if it is new."""
    return actor_within(request, {**bindings, "session": name}, register=True)
