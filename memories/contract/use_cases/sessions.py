"""Use cases of sessions: archive one, propose memories from it, and save the proposals."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from memories import operations
from memories.contract import outputs
from memories.conversations.extraction import Extraction
from memories.conversations.transcript import CONVERSATION_NAME_LENGTH, Message
from memories.models import Memory
from memories.rules.access import require_verb
from memoryhub.errors import NotFound
from teams.actor import Actor
from teams.call_context import CallContext, refuse_session_of_others
from teams.models import Session, Verb
from teams.querysets import SessionQuerySet


def get_session(actor: Actor, name: str) -> dict[str, Any]:
    """Return a session of the calling agent. One that serves a person whom the token may not name is refused."""
    require_verb(actor, Verb.READ)
    session = _find_session(actor, name)
    refuse_session_of_others(session.person.handle if session.person else "", actor.persons)
    return outputs.render_session(session)


def describe_registered_session(actor: Actor, name: str) -> dict[str, Any]:
    """Return the session that the call has just registered, or that was there."""
    return outputs.render_session(_find_session(actor, name))


def has_session(actor: Actor, name: str) -> bool:
    require_verb(actor, Verb.WRITE)
    return _own_sessions(actor, name).exists()


def _own_sessions(actor: Actor, name: str) -> SessionQuerySet:
    known = CallContext(session=name).session  # normalized, or refused
    return Session.objects.of_agent(actor).filter(name=known)


def _find_session(actor: Actor, name: str) -> Session:
    session = _own_sessions(actor, name).with_context().first()
    if session is None:
        raise NotFound(f"There is no session {name!r} of yours.")
    return session


def archive_session(actor: Actor, session: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the conversation as a file and a memory, and return both."""
    messages = [Message(**message) for message in body["messages"]]
    name, summary = body.get("name") or session[:CONVERSATION_NAME_LENGTH], body.get("summary", "")
    archive = operations.archive_conversation(actor=actor, name=name, messages=messages, summary=summary)
    file = {"path": archive.file.path, "version": archive.file.version}
    return {"file": file, "memory": _saved_or_receipt(actor, archive.memory)}


def propose_session_memories(actor: Actor, body: Mapping[str, Any]) -> Extraction:
    """Read the messages, or the session's newest archive, for memories. A model may take long."""
    messages = [Message(**message) for message in body["messages"]] if "messages" in body else None
    return operations.propose_memories(actor=actor, messages=messages, scope=body["scope"])


def save_extraction(actor: Actor, extraction: Extraction, body: Mapping[str, Any]) -> dict[str, Any]:
    """Save the proposals, or hold them for review, and return the memories that they became."""
    hold = settings.EXTRACTION_HOLD or body.get("hold", False)
    result = operations.save_proposals(actor=actor, proposals=extraction.proposals, scope=body["scope"], hold=hold)
    return _render_extraction(actor, extraction, result)


def _saved_or_receipt(actor: Actor, memory: Memory) -> dict[str, Any]:
    return outputs.render_saved(memory) if actor.may(Verb.READ) else outputs.render_receipt(memory)


def _render_extraction(actor: Actor, extraction: Extraction, result: operations.SavedProposals) -> dict[str, Any]:
    known = [
        {
            "content": duplicate.proposal.content,
            "type": duplicate.proposal.type,
            "memory_id": duplicate.memory_id,
            "similarity": round(min(duplicate.similarity, 1.0), 4),
        }
        for duplicate in result.known
        if actor.may(Verb.READ)  # or it would tell what the team knows
    ]
    return {
        "saved": [_saved_or_receipt(actor, memory) for memory in result.saved],
        "held": [_saved_or_receipt(actor, memory) for memory in result.held],
        "known": known,
        "by": extraction.by,
        **({"note": extraction.note} if extraction.note else {}),
    }
