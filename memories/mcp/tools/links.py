"""What hangs on a memory: links to others, and where it came from."""

from memories import operations
from memories.api import answers, bodies, linking, shapes
from memories.dialects import Arguments, Result, Tool
from memories.mcp.tools.shaping import MEMORY_ID, hub_tool, taking
from memories.schemas import Schema, identity, whole_record
from teams.actor import Actor

TARGET = {"target_id": identity(description="The memory that it leads to.")}
RELATION = {"relation": bodies.ASSOCIATE["properties"]["relation"]}
UNLINKED: Schema = whole_record({"memory_id": identity(), "target_id": identity(), "relation": RELATION["relation"]})


def link(actor: Actor, said: Arguments) -> Result:
    origin = {"origin_id": said["memory_id"]}
    rest = {name: value for name, value in said.items() if name != "memory_id"}
    return shapes.association(operations.associate(actor=actor, **origin, **rest))


def unlink(actor: Actor, said: Arguments) -> Result:
    operations.dissociate(
        actor=actor, origin_id=said["memory_id"], target_id=said["target_id"], relation=said["relation"]
    )
    return dict(said)


def cite(actor: Actor, said: Arguments) -> Result:
    return shapes.source(operations.cite(actor=actor, **said))


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="memory_link",
            title="Link two memories",
            description="Links a memory to another: related_to, updates, contradicts, caused_by, result_of or part_of. "
            "Recall follows links. Linking again changes the weight.",
            parameters=taking(MEMORY_ID, bodies.ASSOCIATE, needs=("memory_id",)),
            act=link,
            repeats=True,
            gives=answers.ASSOCIATION,
        ),
        Tool(
            name="memory_unlink",
            title="Take a link away",
            description="Takes away the link from a memory to another.",
            parameters=taking(MEMORY_ID, TARGET, RELATION, needs=("memory_id", "target_id")),
            act=unlink,
            destroys=True,
            gives=UNLINKED,
        ),
        Tool(
            name="memory_links",
            title="Links of a memory",
            description="The links that lead from a memory and to it, the newest first.",
            parameters=taking(MEMORY_ID, bodies.PAGE, needs=("memory_id",)),
            act=lambda actor, said: linking.links_of(actor, said["memory_id"], said),
            reads=True,
            gives=answers.page("associations", answers.ASSOCIATION),
        ),
        Tool(
            name="memory_cite",
            title="Note where a memory came from",
            description="Notes where a memory came from: a conversation, a message, a web address, a quotation; at "
            "least one of them.",
            parameters=taking(MEMORY_ID, bodies.CITE, needs=("memory_id",)),
            act=cite,
            gives=answers.SOURCE,
        ),
        Tool(
            name="memory_sources",
            title="Where a memory came from",
            description="The conversations, messages and addresses that a memory came from.",
            parameters=taking(MEMORY_ID, bodies.PAGE, needs=("memory_id",)),
            act=lambda actor, said: linking.sources_of(actor, said["memory_id"], said),
            reads=True,
            gives=answers.page("sources", answers.SOURCE),
        ),
    )
)
