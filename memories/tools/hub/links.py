"""Tools for links between memories, and for sources of a memory."""

from memories.contract import inputs, output_schemas
from memories.contract.use_cases import links as use_cases
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, build_parameters, hub_tool
from memoryhub.json_schema import Schema, anything, identity, whole_record
from teams.models import Verb

TARGET = {"target_id": identity(description="The memory that the link leads to.")}
RELATION = {"relation": inputs.ASSOCIATE["properties"]["relation"]}
# As this tool tells it: in few words, for a model reads them all. The use case checks it by the schema of REST.
ANCHOR = {"anchor": anything(description="repository, path, first_line, last_line, commit, sha256 of the lines.")}
UNLINKED: Schema = whole_record({"memory_id": identity(), "target_id": identity(), "relation": RELATION["relation"]})


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="memory_link",
            title="Link two memories",
            description="Links one memory to another: related_to, updates, contradicts, caused_by, result_of or "
            "part_of. Recall follows links. Linking them again changes the weight.",
            parameters=build_parameters(MEMORY_ID, inputs.ASSOCIATE, needs=("memory_id",)),
            act=use_cases.link_memories,
            repeats=True,
            needs=(Verb.READ, Verb.WRITE),
            gives=output_schemas.ASSOCIATION,
        ),
        Tool(
            name="memory_unlink",
            title="Remove a link",
            description="Removes the link from one memory to another.",
            parameters=build_parameters(MEMORY_ID, TARGET, RELATION, needs=("memory_id", "target_id")),
            act=use_cases.unlink_memories,
            destroys=True,
            gives=UNLINKED,
        ),
        Tool(
            name="memory_links",
            title="List the links of a memory",
            description="Lists the links from and to a memory, the newest first.",
            parameters=build_parameters(MEMORY_ID, inputs.PAGE, needs=("memory_id",)),
            act=use_cases.list_memory_links,
            reads=True,
            gives=output_schemas.page("associations", output_schemas.ASSOCIATION),
        ),
        Tool(
            name="memory_cite",
            title="Add a source to a memory",
            description="Records where a memory came from: a conversation, a message, a URL, a quotation or an "
            "anchor, at least one of them.",
            parameters=build_parameters(MEMORY_ID, inputs.CITE["properties"] | ANCHOR, needs=("memory_id",)),
            act=use_cases.add_source,
            gives=output_schemas.SOURCE,
        ),
        Tool(
            name="memory_sources",
            title="List the sources of a memory",
            description="Lists the conversations, messages and URLs that a memory came from.",
            parameters=build_parameters(MEMORY_ID, inputs.PAGE, needs=("memory_id",)),
            act=use_cases.list_memory_sources,
            reads=True,
            gives=output_schemas.page("sources", output_schemas.SOURCE),
        ),
    )
)
