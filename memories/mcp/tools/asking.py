"""Who one is, and what is known: reading and searching."""

from memories import context, finding
from memories.api import answers, bodies, memories, recalling, shapes
from memories.api.context import ASKED, CONTEXT
from memories.api.context import shape as context_shape
from memories.dialects import Arguments, Result, Tool
from memories.mcp.tools.shaping import MEMORY_ID, hub_tool, left_out, taking
from memories.models import KEY_LENGTH, Scope
from memories.schemas import Schema, text
from memoryhub.errors import Invalid
from teams.actor import Actor

BY_KEY: dict[str, Schema] = {
    "key": text(shortest=1, longest=KEY_LENGTH, description="Or the key that it owns."),
    "scope": bodies.SCOPE | {"default": Scope.TEAM.value},
}
WHY_NOT = {name: bodies.ASKED[name] for name in ("query", "mode", "limit")}


def whoami(actor: Actor, said: Arguments) -> Result:
    return shapes.me(actor)


def read_context(actor: Actor, said: Arguments) -> Result:
    return context_shape(context.context(actor=actor, **said))


def get(actor: Actor, said: Arguments) -> Result:
    if ("memory_id" in said) == ("key" in said):
        raise Invalid({"memory_id": "Say the memory_id or the key."})
    if "memory_id" in said:
        return shapes.memory(finding.memory(actor=actor, memory_id=said["memory_id"]))
    return shapes.memory(finding.keyed(actor=actor, key=finding.key_of(said["key"]), scope=said["scope"]))


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="whoami",
            title="Who you are",
            description="Tells which agent and team you are here, what your token may do (read, write, forget), and "
            "the context that this call is in.",
            parameters=taking(),
            act=whoami,
            reads=True,
            open_to_all=True,
            gives=answers.ME,
        ),
        Tool(
            name="memory_context",
            title="What to read first",
            description="The text to read before you begin to work: the team's core memory, what is pinned, the newest "
            "memories and, with a query, those that are relevant to it, within a budget of tokens.",
            parameters=taking(ASKED),
            act=read_context,
            reads=True,
            gives=CONTEXT,
        ),
        Tool(
            name="memory_recall",
            title="Recall memories",
            description="Finds the memories that answer a question best, best first, by words, meaning and links. Ask "
            "in plain words or with an exact identifier. Modes: hybrid (the default), keyword and semantic need a "
            "query; recent and important need none; typed needs a type.",
            parameters=taking(left_out(bodies.RECALL)),
            act=recalling.recalled,
            reads=True,
            gives=answers.RECALLED,
        ),
        Tool(
            name="memory_why_not",
            title="Why a memory was not recalled",
            description="Tells which rule keeps one memory out of the answer to a query, or at which place it stands.",
            parameters=taking(MEMORY_ID, WHY_NOT, needs=("memory_id", "query")),
            act=recalling.judged,
            reads=True,
            gives=answers.VERDICT,
        ),
        Tool(
            name="memory_get",
            title="Read a memory",
            description="One memory in full, by its id or by the key that it owns.",
            parameters=taking(MEMORY_ID, BY_KEY),
            act=get,
            reads=True,
            gives=answers.MEMORY,
        ),
        Tool(
            name="memory_list",
            title="List memories",
            description="Memories page by page, newest first unless another order is asked for, narrowed by any of the "
            "filters. For a question, memory_recall is better. With forgotten, those that memory_restore brings back.",
            parameters=taking(bodies.LIST),
            act=memories.listed,
            reads=True,
            gives=answers.page("memories", answers.MEMORY),
        ),
        Tool(
            name="memory_history",
            title="Versions of a memory",
            description="Every version of a memory, newest first: what it said, who changed it and when.",
            parameters=taking(MEMORY_ID, bodies.PAGE, needs=("memory_id",)),
            act=lambda actor, said: memories.versions_of(actor, said["memory_id"], said),
            reads=True,
            gives=answers.page("versions", answers.REVISION),
        ),
    )
)
