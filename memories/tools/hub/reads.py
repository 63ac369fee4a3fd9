"""Tools for reading and searching: who the caller is, and what is known."""

from memories.contract import inputs, output_schemas, recall_schemas
from memories.contract.use_cases.context import build_context, describe_caller
from memories.contract.use_cases.memories import get_memory, list_memory_page, list_memory_versions
from memories.contract.use_cases.recall import answer_recall, answer_why_not
from memories.models import KEY_LENGTH, Scope
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, build_parameters, hub_tool, left_out
from memoryhub.json_schema import Schema, text

BY_KEY: dict[str, Schema] = {
    "key": text(shortest=1, longest=KEY_LENGTH, description="Instead of the id: the key that it owns."),
    "scope": inputs.SCOPE | {"default": Scope.TEAM.value},
}
WHY_NOT = {name: inputs.QUERY_FIELDS[name] for name in ("query", "mode", "limit")}


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="whoami",
            title="Who am I",
            description="Returns your agent and team, what your token may do (read, write, forget), and the context "
            "of this call.",
            parameters=build_parameters(),
            act=describe_caller,
            reads=True,
            needs=(),
            gives=output_schemas.ME,
        ),
        Tool(
            name="memory_context",
            title="Read the context",
            description="Returns the text to read before you start working: the team's core memory, pinned and recent "
            "memories and, with a query, relevant ones, within a budget of tokens.",
            parameters=build_parameters(inputs.PRESENT_CONTEXT),
            act=build_context,
            reads=True,
            gives=output_schemas.CONTEXT,
        ),
        Tool(
            name="memory_recall",
            title="Recall memories",
            description="Finds the memories that answer a question best, the best first, by words, meaning and links. "
            "Ask in plain words or with an exact identifier. Modes: hybrid (the default), keyword and semantic need a "
            "query; recent and important need none; typed needs a type.",
            parameters=build_parameters(left_out(inputs.RECALL)),
            act=answer_recall,
            reads=True,
            gives=recall_schemas.RECALLED,
        ),
        Tool(
            name="memory_why_not",
            title="Explain why a memory was not recalled",
            description="Returns the rule that keeps a memory out of the answer to a query, or its rank in it.",
            parameters=build_parameters(MEMORY_ID, WHY_NOT, needs=("memory_id", "query")),
            act=answer_why_not,
            reads=True,
            gives=recall_schemas.VERDICT,
        ),
        Tool(
            name="memory_get",
            title="Read a memory",
            description="Returns a memory in full, by its id or by the key that it owns.",
            parameters=build_parameters(MEMORY_ID, BY_KEY),
            act=get_memory,
            reads=True,
            gives=output_schemas.MEMORY,
        ),
        Tool(
            name="memory_list",
            title="List memories",
            description="Lists memories page by page, by default the newest first, with any of the filters. To answer "
            "a question, use memory_recall. With forgotten, lists those that memory_restore can restore.",
            parameters=build_parameters(inputs.LIST),
            act=list_memory_page,
            reads=True,
            gives=output_schemas.page("memories", output_schemas.MEMORY),
        ),
        Tool(
            name="memory_history",
            title="List the versions of a memory",
            description="Lists every version of a memory, the newest first: its content, who changed it and when.",
            parameters=build_parameters(MEMORY_ID, inputs.PAGE, needs=("memory_id",)),
            act=list_memory_versions,
            reads=True,
            gives=output_schemas.page("versions", output_schemas.REVISION),
        ),
    )
)
