"""The status of a held write in the answers of the dialects: there only if a write waits for a person's approval."""

from memories.models import Memory, Status
from memories.tools.tool import Result
from memoryhub.json_schema import Schema, one_of

HELD_STATUS: dict[str, Schema] = {
    "status": one_of((Status.PROPOSED.value,), description="Only if this waits for a person's approval.")
}


def describe_held_status(memory: Memory) -> Result:
    """Return the status of a proposal, or nothing."""
    held = memory.proposal_id or memory.status == Status.PROPOSED
    return {"status": Status.PROPOSED.value} if held else {}
