"""Tools for proposals, and for memories that another one replaces."""

from memories.contract import inputs, output_schemas
from memories.contract.use_cases import proposals as use_cases
from memories.models import KEY_LENGTH
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, build_parameters, hub_tool
from memoryhub.json_schema import identity, text

KEY_ARGUMENT = {"key": text(shortest=1, longest=KEY_LENGTH)}
PROPOSAL_ID = {"proposal_id": identity(description="The proposal's id.")}

TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="memory_supersede",
            title="Replace a memory with another",
            description="Ends the validity of a memory that no longer holds, and links it to the memory that replaces "
            "it. Recall then returns the new one.",
            parameters=build_parameters(MEMORY_ID, inputs.SUPERSEDE, needs=("memory_id",)),
            act=use_cases.supersede_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_reinstate",
            title="Reinstate a replaced memory",
            description="Lets a memory hold again that another one replaced.",
            parameters=build_parameters(MEMORY_ID, inputs.REINSTATE, needs=("memory_id",)),
            act=use_cases.reinstate_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_timeline",
            title="List the timeline of a key",
            description="Lists the memories that have had a key, replaced ones too, with when they held.",
            parameters=build_parameters(KEY_ARGUMENT, inputs.TIMELINE, needs=("key",)),
            act=use_cases.list_timeline,
            reads=True,
            gives=output_schemas.KEY_TIMELINE,
        ),
        Tool(
            name="proposal_list",
            title="List your proposals",
            description="Lists your writes that await a person's approval, and what people decided.",
            parameters=build_parameters(inputs.PROPOSALS),
            act=use_cases.list_proposals,
            reads=True,
            gives=output_schemas.page("proposals", output_schemas.PROPOSAL),
        ),
        Tool(
            name="proposal_withdraw",
            title="Withdraw a proposal",
            description="Withdraws a proposal of yours that nobody has decided on.",
            parameters=build_parameters(PROPOSAL_ID, needs=("proposal_id",)),
            act=use_cases.withdraw_proposal,
            gives=output_schemas.PROPOSAL,
        ),
    )
)
