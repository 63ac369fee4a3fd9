"""Endpoints that register and archive an agent's sessions, and extract memories from them."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import idempotency
from memories.api.framework import actor_of, actor_within
from memories.api.openapi import endpoint
from memories.api.responses import locate, write_response
from memories.contract import cost, inputs, output_schemas, outputs
from memories.contract.use_cases.sessions import archive_session, propose_session_memories, save_extraction
from memories.rules.access import require_verb
from memoryhub.errors import NotFound
from teams import rate_limits
from teams.actor import Actor
from teams.call_context import CallContext, refuse_session_of_others
from teams.models import Session, Verb

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
    @endpoint(operation="getSession", summary="Read a session", gives=output_schemas.SESSION, answer=BOUND)
    def get(self, request: Request, name: str) -> Response:
        """Returns a session of the token's agent."""
        actor = actor_of(request)
        require_verb(actor, Verb.READ)
        session = _session(actor, name)
        refuse_session_of_others(session.person.handle if session.person else "", actor.persons)
        return Response(outputs.session(session))

    @endpoint(
        operation="registerSession",
        summary="Register a session",
        takes=inputs.REGISTER_SESSION,
        gives=output_schemas.SESSION,
        status=(200, 201),
        writes=True,
        example={"user": "mira", "channel": "#releases"},
        answer=BOUND,
    )
    def put(self, request: Request, name: str, body: dict[str, Any]) -> Response:
        """Binds the session to a project, a user, a workspace and a channel. Every call that names the session inherits
        them. Existing bindings stay."""
        require_verb(actor_of(request), Verb.WRITE)
        known = _sessions(actor_of(request), name).exists()
        actor = _within(request, name, **body)
        session = outputs.session(_session(actor, name))
        return write_response(session, created_at=None if known else locate("sessions", name))


class Archive(APIView):
    @endpoint(
        operation="archiveSession",
        summary="Archive a session",
        takes=inputs.ARCHIVE,
        gives=output_schemas.ARCHIVED,
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
        takes=inputs.EXTRACT,
        gives=output_schemas.EXTRACTED,
        writes=True,
        example={"messages": [HELLO], "hold": False},
        answer={"saved": [SAVED], "held": [], "known": [], "by": "rules"},
        once=False,
    )
    def post(self, request: Request, name: str, body: dict[str, Any]) -> Response:
        """Saves what is worth remembering with the source `auto`, linked to the session and message it comes from. What
        is already known is only listed. With `hold`, the memories are proposals until a person approves them."""
        if first := idempotency.before(request):
            return first
        actor = _within(request, name)
        rate_limits.charge_work(actor=actor, work=cost.weigh_extraction(body))
        extraction = propose_session_memories(
            actor, body
        )  # a model may think for long: no transaction is open meanwhile
        return idempotency.once(request, lambda: Response(save_extraction(actor, extraction, body)))


def _within(request: Request, name: str, **bindings: str) -> Actor:
    """Return the caller, in the context of the headers and in the session that the address names, which is registered
    if it is new."""
    return actor_within(request, {**bindings, "session": name}, register=True)


def _sessions(actor: Actor, name: str) -> Any:
    known = CallContext(session=name).session  # in its form, or refused
    return Session.objects.of_agent(actor).filter(name=known)


def _session(actor: Actor, name: str) -> Session:
    found: Session | None = _sessions(actor, name).select_related("project", "person", "workspace").first()
    if found is None:
        raise NotFound(f"There is no session {name!r} of yours.")
    return found
