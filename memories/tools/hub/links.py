"""Tools for links between memories, and for sources of a memory."""

from memories.contract import inputs, output_schemas
from memories.contract.use_cases import links as use_cases
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, hub_tool, taking
from memoryhub.json_schema import Schema, identity, whole_record
from teams.models import Verb

TARGET = {"target_id": identity(description="The memory that it leads to.")}
RELATION = {"relation": inputs.ASSOCIATE["properties"]["relation"]}
UNLINKED: Schema = whole_record({"memory_id": identity(), "target_id": identity(), "relation": RELATION["relation"]})


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="memory_link",
            title="Link two memories",
            description="Links a memory to another: related_to, updates, contradicts, caused_by, result_of or part_of. "
            "Recall follows links. Linking again changes the weight.",
            parameters=taking(MEMORY_ID, inputs.ASSOCIATE, needs=("memory_id",)),
            act=use_cases.link_memories,
            repeats=True,
            needs=(Verb.READ, Verb.WRITE),
            gives=output_schemas.ASSOCIATION,
        ),
        Tool(
            name="memory_unlink",
            title="Take a link away",
            description="Takes away the link from a memory to another.",
            parameters=taking(MEMORY_ID, TARGET, RELATION, needs=("memory_id", "target_id")),
            act=use_cases.unlink_memories,
            destroys=True,
            gives=UNLINKED,
        ),
        Tool(
            name="memory_links",
            title="Links of a memory",
            description="The links that lead from a memory and to it, the newest first.",
            parameters=taking(MEMORY_ID, inputs.PAGE, needs=("memory_id",)),
            act=use_cases.list_memory_links,
            reads=True,
            gives=output_schemas.page("associations", output_schemas.ASSOCIATION),
        ),
        Tool(
            name="memory_cite",
            title="Note where a memory came from",
            description="Notes where a memory came from: a conversation, a message, a web address, a quotation; at "
            "least one of them.",
            parameters=taking(MEMORY_ID, inputs.CITE, needs=("memory_id",)),
            act=use_cases.add_source,
            gives=output_schemas.SOURCE,
        ),
        Tool(
            name="memory_sources",
            title="Where a memory came from",
            description="The conversations, messages and addresses that a memory came from.",
            parameters=taking(MEMORY_ID, inputs.PAGE, needs=("memory_id",)),
            act=use_cases.list_memory_sources,
            reads=True,
            gives=output_schemas.page("sources", output_schemas.SOURCE),
        ),
    )
)
