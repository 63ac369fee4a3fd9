"""A tool for feedback on memories."""

from memories.contract import inputs, output_schemas
from memories.contract.use_cases import feedback as use_cases
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, build_parameters, hub_tool
from teams.models import Verb

TOOLS = (
    hub_tool(
        Tool(
            name="memory_feedback",
            title="Rate a memory",
            description="Says whether a memory that you were given is helpful, not-helpful, wrong or outdated. Wrong "
            "and outdated ask a person to look at it. Without a rating, takes yours back.",
            parameters=build_parameters(MEMORY_ID, inputs.RATE["properties"], needs=("memory_id",)),
            act=use_cases.rate_or_withdraw,
            repeats=True,
            needs=(Verb.READ, Verb.WRITE),
            gives=output_schemas.RATINGS,
        )
    ),
)
