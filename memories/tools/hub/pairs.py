"""Tools for duplicates and contradictions."""

from memories.contract import inputs, output_schemas
from memories.contract.use_cases import pairs as use_cases
from memories.tools import Tool
from memories.tools.hub.descriptions import build_parameters, hub_tool
from memoryhub.json_schema import identity
from teams.models import Verb

PAIR_ID = {"pair_id": identity(description="The pair's id.")}

TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="pair_list",
            title="List duplicates and contradictions",
            description="Lists pairs of memories that say the same or cannot both hold, with the words in which they "
            "differ.",
            parameters=build_parameters(inputs.PAIRS),
            act=use_cases.list_pair_page,
            reads=True,
            gives=output_schemas.page("pairs", output_schemas.PAIR),
        ),
        Tool(
            name="pair_settle",
            title="Settle a duplicate or a contradiction",
            description="Decides about a pair: keep one memory, let one replace the other, merge them, or let both "
            "stand.",
            parameters=build_parameters(PAIR_ID, inputs.SETTLE_PAIR, needs=("pair_id",)),
            act=use_cases.settle_pair,
            needs=(Verb.READ, Verb.WRITE),
            gives=output_schemas.PAIR,
        ),
    )
)
