"""Tools for reading and searching: who the caller is, and what is known."""

from memories.contract import inputs, output_schemas, recall_schemas
from memories.contract.use_cases.context import build_context, describe_caller
from memories.contract.use_cases.memories import get_memory, list_memory_page, list_memory_versions
from memories.contract.use_cases.recall import answer_recall, answer_why_not
from memories.models import KEY_LENGTH, Scope
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, hub_tool, left_out, taking
from memoryhub.json_schema import Schema, text

BY_KEY: dict[str, Schema] = {
    "key": text(shortest=1, longest=KEY_LENGTH, description="Or the key that it owns."),
    "scope": inputs.SCOPE | {"default": Scope.TEAM.value},
}
WHY_NOT = {name: inputs.ASKED[name] for name in ("query", "mode", "limit")}


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="whoami",
            title="Who you are",
            description="Tells which agent and team you are here, what your token may do (read, write, forget), and "
            "the context that this call is in.",
            parameters=taking(),
            act=describe_caller,
            reads=True,
            needs=(),
            gives=output_schemas.ME,
        ),
        Tool(
            name="memory_context",
            title="What to read first",
            description="The text to read before you begin to work: the team's core memory, what is pinned, the newest "
            "memories and, with a query, those that are relevant to it, within a budget of tokens.",
            parameters=taking(inputs.CONTEXT),
            act=build_context,
            reads=True,
            gives=output_schemas.CONTEXT,
        ),
        Tool(
            name="memory_recall",
            title="Recall memories",
            description="Finds the memories that answer a question best, best first, by words, meaning and links. Ask "
            "in plain words or with an exact identifier. Modes: hybrid (the default), keyword and semantic need a "
            "query; recent and important need none; typed needs a type.",
            parameters=taking(left_out(inputs.RECALL)),
            act=answer_recall,
            reads=True,
            gives=recall_schemas.RECALLED,
        ),
        Tool(
            name="memory_why_not",
            title="Why a memory was not recalled",
            description="Tells which rule keeps one memory out of the answer to a query, or at which place it stands.",
            parameters=taking(MEMORY_ID, WHY_NOT, needs=("memory_id", "query")),
            act=answer_why_not,
            reads=True,
            gives=recall_schemas.VERDICT,
        ),
        Tool(
            name="memory_get",
            title="Read a memory",
            description="One memory in full, by its id or by the key that it owns.",
            parameters=taking(MEMORY_ID, BY_KEY),
            act=get_memory,
            reads=True,
            gives=output_schemas.MEMORY,
        ),
        Tool(
            name="memory_list",
            title="List memories",
            description="Memories page by page, newest first unless another order is asked for, narrowed by any of the "
            "filters. For a question, memory_recall is better. With forgotten, those that memory_restore brings back.",
            parameters=taking(inputs.LIST),
            act=list_memory_page,
            reads=True,
            gives=output_schemas.page("memories", output_schemas.MEMORY),
        ),
        Tool(
            name="memory_history",
            title="Versions of a memory",
            description="Every version of a memory, newest first: what it said, who changed it and when.",
            parameters=taking(MEMORY_ID, inputs.PAGE, needs=("memory_id",)),
            act=list_memory_versions,
            reads=True,
            gives=output_schemas.page("versions", output_schemas.REVISION),
        ),
    )
)
