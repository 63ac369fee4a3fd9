"""Saving memories, changing them, forgetting them and bringing them back."""

from memories import operations
from memories.contract import cost, inputs, output_schemas
from memories.contract.use_cases import memories as use_cases
from memories.models import TAG_COUNT
from memories.tools import Tool
from memories.tools.hub.descriptions import MEMORY_ID, build_parameters, hub_tool
from memories.tools.hub.reads import BY_KEY
from memoryhub.json_schema import flag, list_of, moment, nullable, text, whole_record
from teams.models import Verb

VERSION = {"version": inputs.VERSION}
DRAFTS = {"memories": list_of(inputs.DRAFT, least=1, most=operations.BATCH_LIMIT, description=inputs.BATCH_SIZE)}


TAGS = {
    "add": list_of(text(), most=TAG_COUNT, description="Tags to add."),
    "remove": list_of(text(), most=TAG_COUNT, description="Tags to remove."),
}
EXPIRY = {"expires_at": nullable(moment(description="When it expires, in the future; null removes the expiry."))}
PINNED = {"pinned": flag(default=True, description="false unpins it.")}

TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="memory_save",
            title="Save a memory",
            description="Saves what will still matter later: one fact, preference, decision, lesson or goal per "
            "memory, worded so that it can be understood by itself. If the key exists, its memory gets a new version, "
            "which keeps the fields you leave out. `similar` in the answer lists memories that say nearly the same.",
            parameters=build_parameters(inputs.SAVE),
            act=use_cases.save_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_save_many",
            title="Save many memories",
            description="Saves many memories at once: all of them, or none if one cannot be saved. The answer lists "
            "them in the same order.",
            parameters=build_parameters(DRAFTS, needs=("memories",)),
            act=use_cases.save_memories,
            weigh=lambda _, arguments: cost.weigh_batch(arguments),
            gives=whole_record({"memories": list_of(output_schemas.WRITTEN)}),
        ),
        Tool(
            name="memory_update",
            title="Change a memory",
            description="Overwrites the fields that you send; null clears a field. Earlier versions are kept. To add "
            "text, use memory_append.",
            parameters=build_parameters(MEMORY_ID, inputs.CHANGE, needs=("memory_id",)),
            act=use_cases.update_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_append",
            title="Add to a memory",
            description="Appends a line to a memory. What others append at the same time is kept too.",
            parameters=build_parameters(MEMORY_ID, inputs.APPEND, needs=("memory_id",)),
            act=use_cases.append_to_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_pin",
            title="Pin or unpin a memory",
            description="Pins a memory, so that it never fades and is part of every context, or unpins it.",
            parameters=build_parameters(MEMORY_ID, PINNED, VERSION, needs=("memory_id",)),
            act=use_cases.pin_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_tag",
            title="Tag a memory",
            description="Adds tags to a memory and removes others. The rest stay.",
            parameters=build_parameters(MEMORY_ID, TAGS, VERSION, needs=("memory_id",)),
            act=use_cases.tag_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_expire",
            title="Set when a memory expires",
            description="Sets when a memory expires by itself; null removes the expiry.",
            parameters=build_parameters(MEMORY_ID, EXPIRY, VERSION, needs=("memory_id", "expires_at")),
            act=use_cases.expire_memory,
            destroys=True,
            needs=(Verb.WRITE,),  # and forget, to make it expire earlier
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_verify",
            title="Verify a memory",
            description="Records that you have checked a memory that others wrote, that it is still true, and when to "
            "check again.",
            parameters=build_parameters(MEMORY_ID, inputs.VERIFY, needs=("memory_id",)),
            act=use_cases.verify_memory,
            repeats=True,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_forget",
            title="Forget a memory",
            description="Forgets a memory by its id or its key. It disappears from every read, but memory_restore can "
            "restore it. Give a reason.",
            parameters=build_parameters(MEMORY_ID, BY_KEY, {"reason": inputs.REASON}, VERSION),
            act=use_cases.forget_memory,
            destroys=True,
            gives=output_schemas.RECEIPT,
        ),
        Tool(
            name="memory_restore",
            title="Restore a memory",
            description="Restores a forgotten memory by its id; memory_list with forgotten lists them.",
            parameters=build_parameters(MEMORY_ID, VERSION, needs=("memory_id",)),
            act=use_cases.restore_memory,
            gives=output_schemas.WRITTEN,
        ),
        Tool(
            name="memory_revert",
            title="Revert a memory",
            description="Creates a new version of a memory with the content of an old one; memory_history lists them.",
            parameters=build_parameters(MEMORY_ID, inputs.REVERT, needs=("memory_id",)),
            act=use_cases.revert_memory,
            gives=output_schemas.WRITTEN,
        ),
    )
)
