"""An agent's sessions by REST: registered, archived, and read for what is worth remembering."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import operations
from memories.api import answers, repeating, shapes
from memories.api.answering import made_or_changed
from memories.api.describing import endpoint
from memories.api.door import actor_of, actor_within
from memories.archives import NAME_LENGTH, Message
from memories.extraction import Extracted
from memories.models import Memory, Scope
from memories.operations.recording import require
from memories.schemas import (
    flag,
    fraction,
    identity,
    listed,
    moment,
    nullable,
    one_of,
    record,
    text,
)
from memoryhub.errors import NotFound
from teams.actor import Actor
from teams.circumstances import LONGEST, Context
from teams.models import Session, Verb

BINDINGS = ("project", "user", "workspace", "channel")
REGISTERED = record(
    {name: text(longest=LONGEST[name], description=f"The session's {name}.") for name in BINDINGS},
    title="NewSession",
)
SESSION = record(
    {
        "id": identity(),
        "name": text(),
        "agent_id": identity(),
        **{name: nullable(text()) for name in BINDINGS},
        "created_at": moment(),
    },
    required=["id", "name", "agent_id", *BINDINGS, "created_at"],
    title="Session",
)
MESSAGES = listed(
    record(
        {
            "role": text(shortest=1, longest=32, description="A word like user or assistant."),
            "content": text(),
            "name": text(longest=NAME_LENGTH, description="Who spoke."),
            "at": moment(),
            "id": text(longest=200, description="Your own id of the message, kept as the source of what it brings."),
        },
        required=["role", "content"],
    ),
    least=1,
    most=10_000,
)
ARCHIVE = record(
    {
        "name": text(longest=NAME_LENGTH, description="What the file is called after; the session's name unless said."),
        "messages": MESSAGES,
        "summary": text(longest=10_000, description="The memory's content; without it, a digest is made."),
    },
    required=["messages"],
    title="NewArchive",
)
FILE = record({"path": text(), "version": answers.VERSION}, required=["path", "version"])
ARCHIVED = record({"file": FILE, "memory": answers.SAVED_OR_RECEIPT}, required=["file", "memory"], title="Archive")
EXTRACT = record(
    {
        "messages": MESSAGES | {"description": "What to read; the session's newest archive unless said."},
        "scope": one_of(Scope.values, default=Scope.TEAM.value, description="Whose memories they become."),
        "hold": flag(description="Hold them for review; EXTRACTION_HOLD unless said."),
    },
    title="NewExtraction",
)
KNOWN = record(
    {"content": text(), "type": text(), "memory_id": identity(), "similarity": fraction()},
    required=["content", "type", "memory_id", "similarity"],
)
EXTRACTED = record(
    {
        "saved": listed(answers.SAVED_OR_RECEIPT),
        "held": listed(
            answers.SAVED_OR_RECEIPT, description="Forgotten until somebody approves, that is restores them."
        ),
        "known": listed(KNOWN, description="Proposals that said nothing new, and what says it already."),
        "by": text(description="The extractor that read the conversation."),
        "note": text(description="What was not as asked."),
    },
    required=["saved", "held", "known", "by"],
    title="Extraction",
)
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
SAVED = answers.MEMORY_EXAMPLE | {"content": "Decided to ship on Tuesday.", "source": "auto", "similar": []}
HELLO = {"role": "user", "name": "Mira", "content": "We decided to ship on Tuesday.", "id": "m-1"}


class SessionDetail(APIView):
    @endpoint(summary="Read a session", gives=SESSION, answer=BOUND)
    def get(self, request: Request, name: str) -> Response:
        """One of the token's own agent's."""
        require(actor_of(request), Verb.READ)
        return Response(shape(_session(actor_of(request), name)))

    @endpoint(
        summary="Register a session",
        takes=REGISTERED,
        gives=SESSION,
        status=(200, 201),
        writes=True,
        example={"user": "mira", "channel": "#releases"},
        answer=BOUND,
    )
    def put(self, request: Request, name: str, said: dict[str, Any]) -> Response:
        """Binds the session to a project, a user, a workspace and a channel; every call that names it inherits them.
        What is bound already stays."""
        require(actor_of(request), Verb.WRITE)
        known = _sessions(actor_of(request), name).exists()
        actor = _within(request, name, **said)
        return Response(shape(_session(actor, name)), status=200 if known else 201)


class Archive(APIView):
    @endpoint(
        summary="Archive a session",
        takes=ARCHIVE,
        gives=ARCHIVED,
        status=(200, 201),
        writes=True,
        example={"name": "release-planning", "messages": [HELLO]},
        answer={
            "file": {"path": "conversations/2026-05-04-release-planning.md", "version": 1},
            "memory": SAVED,
        },
    )
    def post(self, request: Request, name: str, said: dict[str, Any]) -> Response:
        """Writes `conversations/{day}-{name}.md` among the team's files and a memory of category conversation, both or
        neither. The same session's again overwrites them."""
        kept = archived(_within(request, name), name, said)
        return Response(kept, status=made_or_changed(kept["file"]["version"]))


class Extract(APIView):
    @endpoint(
        summary="Extract memories from a session",
        takes=EXTRACT,
        gives=EXTRACTED,
        writes=True,
        example={"messages": [HELLO], "hold": False},
        answer={"saved": [SAVED], "held": [], "known": [], "by": "rules"},
        once=False,
    )
    def post(self, request: Request, name: str, said: dict[str, Any]) -> Response:
        """Saves what is worth remembering with source `auto`, each linked to the session and message it comes from;
        what is known already is only listed. Held ones are kept out of every read until somebody restores them."""
        if first := repeating.before(request):
            return first
        actor = _within(request, name)
        found = proposed(actor, said)  # a model may think for long: no transaction is open meanwhile
        return repeating.once(request, lambda: Response(remembered(actor, found, said)))


def archived(actor: Actor, session: str, said: Mapping[str, Any]) -> dict[str, Any]:
    messages = [Message(**message) for message in said["messages"]]
    called, summary = said.get("name") or session[:NAME_LENGTH], said.get("summary", "")
    kept = operations.archive(actor=actor, name=called, messages=messages, summary=summary)
    file = {"path": kept.file.path, "version": kept.file.version}
    return {"file": file, "memory": _seen(actor, kept.memory)}


def proposed(actor: Actor, said: Mapping[str, Any]) -> Extracted:
    messages = [Message(**message) for message in said["messages"]] if "messages" in said else None
    return operations.propose(actor=actor, messages=messages, scope=said["scope"])


def remembered(actor: Actor, found: Extracted, said: Mapping[str, Any]) -> dict[str, Any]:
    hold = said.get("hold", settings.EXTRACTION_HOLD)
    kept = operations.remember(actor=actor, proposals=found.proposals, scope=said["scope"], hold=hold)
    return _extracted(actor, found, kept)


def _within(request: Request, name: str, **said: str) -> Actor:
    """Whoever calls, in the context that the headers say and in the session that the address names."""
    return actor_within(request, {**said, "session": name})


def _sessions(actor: Actor, name: str) -> Any:
    known = Context(session=name).session  # in its form, or refused
    return Session.objects.filter(organization=actor.organization_id, agent=actor.agent_id, name=known)


def _session(actor: Actor, name: str) -> Session:
    found: Session | None = _sessions(actor, name).select_related("project", "person", "workspace").first()
    if found is None:
        raise NotFound(f"There is no session {name!r} of yours.")
    return found


def shape(session: Session) -> dict[str, Any]:
    return {
        "id": session.pk,
        "name": session.name,
        "agent_id": session.agent_id,
        "project": session.project.slug if session.project else None,
        "user": session.person.handle if session.person else None,
        "workspace": session.workspace.slug if session.workspace else None,
        "channel": session.channel_id or None,
        "created_at": session.created_at,
    }


def _seen(actor: Actor, memory: Memory) -> dict[str, Any]:
    return shapes.saved(memory) if actor.may(Verb.READ) else shapes.receipt(memory)


def _extracted(actor: Actor, found: Extracted, kept: operations.Remembered) -> dict[str, Any]:
    known = [
        {
            "content": one.proposal.content,
            "type": one.proposal.type,
            "memory_id": one.memory_id,
            "similarity": round(min(one.similarity, 1.0), 4),
        }
        for one in kept.known
        if actor.may(Verb.READ)  # or it would tell what the team knows
    ]
    return {
        "saved": [_seen(actor, memory) for memory in kept.saved],
        "held": [_seen(actor, memory) for memory in kept.held],
        "known": known,
        "by": found.by,
        **({"note": found.note} if found.note else {}),
    }
