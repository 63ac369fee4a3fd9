"""Saving memories, changing them, forgetting them and bringing them back."""

from memories import operations
from memories.contract import cost, inputs, output_schemas
from memories.contract.use_cases import memories as use_cases
from memories.models import TAG_COUNT
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, hub_tool, taking
from memories.tools.hub.reads import BY_KEY
from memoryhub.json_schema import flag, list_of, moment, nullable, text, whole_record
from teams.models import Verb

VERSION = {"version": inputs.VERSION}
DRAFTS = {"memories": list_of(inputs.DRAFT, least=1, most=operations.BATCH_LIMIT, description=inputs.BATCH_SIZE)}


TAGS = {
    "add": list_of(text(), most=TAG_COUNT, description="Tags that it gets."),
    "remove": list_of(text(), most=TAG_COUNT, description="Tags that it loses."),
}
EXPIRY = {"expires_at": nullable(moment(description="When it vanishes, in the future; null lets it stay."))}
PINNED = {"pinned": flag(default=True, description="False takes the pin away.")}

TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="memory_save",
            title="Save a memory",
            description="Saves what will still matter later: one fact, preference, decision, lesson or goal to a "
            "memory, said so that it can be understood alone. With a key that lives already, that memory gets a new "
            "version, and what is left unsaid stays. The answer's `similar` names memories that say nearly the same.",
            parameters=taking(inputs.SAVE),
            act=use_cases.save_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_save_many",
            title="Save many memories",
            description="Saves many memories at once: all of them, or none if one cannot be saved. The answer has them "
            "in the same order.",
            parameters=taking(DRAFTS, needs=("memories",)),
            act=use_cases.save_memories,
            weigh=cost.weigh_batch,
            gives=whole_record({"memories": list_of(output_schemas.WRITTEN)}),
        ),
        Tool(
            name="memory_update",
            title="Change a memory",
            description="Overwrites the fields that you say of a memory; null empties one. Earlier versions are kept. "
            "To add to what it says, use memory_append.",
            parameters=taking(MEMORY_ID, inputs.CHANGE, needs=("memory_id",)),
            act=use_cases.update_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_append",
            title="Add to a memory",
            description="Adds text to a memory on a line of its own, whatever others add meanwhile.",
            parameters=taking(MEMORY_ID, inputs.APPEND, needs=("memory_id",)),
            act=use_cases.append_to_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_pin",
            title="Pin a memory",
            description="Pins a memory, so that it never fades and stands in every context; or takes the pin away.",
            parameters=taking(MEMORY_ID, PINNED, VERSION, needs=("memory_id",)),
            act=use_cases.pin_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_tag",
            title="Tag a memory",
            description="Adds tags to a memory and removes others; the rest stay.",
            parameters=taking(MEMORY_ID, TAGS, VERSION, needs=("memory_id",)),
            act=use_cases.tag_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_expire",
            title="Let a memory expire",
            description="Says when a memory vanishes by itself, or by null that it stays.",
            parameters=taking(MEMORY_ID, EXPIRY, VERSION, needs=("memory_id", "expires_at")),
            act=use_cases.expire_memory,
            destroys=True,
            needs=(Verb.WRITE,),  # and forget, if it vanishes earlier than it would have
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_verify",
            title="Note that a memory is still true",
            description="Notes that you have checked a memory that others wrote: it is still true. And when to check "
            "again.",
            parameters=taking(MEMORY_ID, inputs.VERIFY, needs=("memory_id",)),
            act=use_cases.verify_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_forget",
            title="Forget a memory",
            description="Forgets a memory by its id or its key: it is gone from every read, but memory_restore can "
            "bring it back. Say why.",
            parameters=taking(MEMORY_ID, BY_KEY, {"reason": inputs.REASON}, VERSION),
            act=use_cases.forget_memory,
            destroys=True,
            gives=output_schemas.RECEIPT,
        ),
        Tool(
            name="memory_restore",
            title="Bring back a memory",
            description="Brings back a forgotten memory by its id; memory_list with forgotten shows which there are.",
            parameters=taking(MEMORY_ID, VERSION, needs=("memory_id",)),
            act=use_cases.restore_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_revert",
            title="Go back to a version",
            description="Makes a new version of a memory that says what an old one said; memory_history shows them.",
            parameters=taking(MEMORY_ID, inputs.REVERT, needs=("memory_id",)),
            act=use_cases.revert_memory,
            gives=output_schemas.WRITTEN,
        ),
    )
)
