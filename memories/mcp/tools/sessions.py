"""Conversations: known by the agent's own id for them, archived, and read for what is worth remembering."""

from memories.api import sessions
from memories.dialects import Arguments, Result, Tool
from memories.mcp.tools.shaping import hub_tool, taking
from memories.operations.recording import require
from memoryhub.errors import Invalid
from teams.actor import Actor
from teams.models import Session, Verb


def register(actor: Actor, said: Arguments) -> Result:
    return sessions.shape(_session(actor))


def archive(actor: Actor, said: Arguments) -> Result:
    return sessions.archived(actor, _session(actor).name, said)


def read(actor: Actor, said: Arguments) -> Arguments:
    """A model may think for long."""
    _session(actor)
    return {"found": sessions.proposed(actor, said)}


def extract(actor: Actor, said: Arguments) -> Result:
    return sessions.remembered(actor, said["found"], said)


def _session(actor: Actor) -> Session:
    require(actor, Verb.WRITE)
    if actor.session_id is None:
        raise Invalid({"context.session": "Say which conversation: your own id of it."})
    return Session.objects.select_related("project", "person", "workspace").get(pk=actor.session_id)


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="session_register",
            title="Register a conversation",
            description="Binds a conversation, context.session, to the project, user, workspace and channel of the "
            "context. Later calls that name the session inherit them. What is bound already stays.",
            parameters=taking(),
            act=register,
            repeats=True,
            gives=sessions.SESSION,
        ),
        Tool(
            name="session_archive",
            title="Archive a conversation",
            description="Keeps a conversation, context.session, as a file, conversations/{day}-{name}.md, and "
            "as a memory by which recall finds it. The same session's again overwrites both.",
            parameters=taking(sessions.ARCHIVE),
            act=archive,
            repeats=True,
            gives=sessions.ARCHIVED,
        ),
        Tool(
            name="session_extract",
            title="Extract memories from a conversation",
            description="Reads a conversation, context.session, from the messages or its newest archive, and saves "
            "what is worth remembering; what is known already is only listed. With hold, people review it first.",
            parameters=taking(sessions.EXTRACT),
            think=read,
            act=extract,
            gives=sessions.EXTRACTED,
        ),
    )
)
