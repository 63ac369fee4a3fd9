"""Tools for conversations, which have the agent's own ids: archive them, and extract memories from them."""

from memories.contract import cost, inputs, output_schemas, outputs
from memories.contract.use_cases.sessions import archive_session, propose_session_memories, save_extraction
from memories.rules.access import require_verb
from memories.tools import Arguments, Result, Tool
from memories.tools.hub.descriptions import build_parameters, hub_tool
from memoryhub.errors import Invalid
from teams.actor import Actor
from teams.models import Session, Verb


def register(actor: Actor, arguments: Arguments) -> Result:
    return outputs.render_session(_session(actor))


def archive(actor: Actor, arguments: Arguments) -> Result:
    return archive_session(actor, _session(actor).name, arguments)


def read(actor: Actor, arguments: Arguments) -> Arguments:
    """Propose memories from the session, outside of a transaction: a model may take long."""
    _session(actor)
    return {"extraction": propose_session_memories(actor, arguments)}


def extract(actor: Actor, arguments: Arguments) -> Result:
    return save_extraction(actor, arguments["extraction"], arguments)


def _session(actor: Actor) -> Session:
    require_verb(actor, Verb.WRITE)
    if actor.session_id is None:
        raise Invalid({"context.session": "Name the conversation by your own id of it."})
    return Session.objects.of_agent(actor).with_context().get(pk=actor.session_id)


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="session_register",
            title="Register a conversation",
            description="Binds a conversation, context.session, to the project, user, workspace and channel of the "
            "context. Later calls that name the session inherit them. Existing bindings stay.",
            parameters=build_parameters(),
            act=register,
            repeats=True,
            gives=output_schemas.SESSION,
        ),
        Tool(
            name="session_archive",
            title="Archive a conversation",
            description="Archives a conversation, context.session, as a file, conversations/{day}-{name}.md, and as a "
            "memory that recall finds. Archiving the same session again overwrites both.",
            parameters=build_parameters(inputs.ARCHIVE),
            act=archive,
            repeats=True,
            gives=output_schemas.ARCHIVED,
        ),
        Tool(
            name="session_extract",
            title="Extract memories from a conversation",
            description="Reads a conversation, context.session, from the messages or its newest archive, and saves "
            "what is worth remembering. What is already known is only listed. With hold, people review it first.",
            parameters=build_parameters(inputs.EXTRACT),
            prepare=read,
            act=extract,
            weigh=lambda _, arguments: cost.weigh_extraction(arguments),
            gives=output_schemas.EXTRACTED,
        ),
    )
)
