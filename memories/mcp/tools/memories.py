"""Saving memories, changing them, forgetting them and bringing them back."""

from memories import finding, operations
from memories.api import answers, bodies, shapes
from memories.api.answering import told
from memories.api.memories import save_all
from memories.dialects import Arguments, Result, Tool
from memories.mcp.tools.asking import BY_KEY
from memories.mcp.tools.shaping import MEMORY_ID, hub_tool, taking
from memories.models import TAG_COUNT
from memories.schemas import flag, listed, moment, nullable, text, whole_record
from memoryhub.errors import Invalid
from teams.actor import Actor
from teams.models import Verb

VERSION = {"version": bodies.VERSION}
DRAFTS = {"memories": listed(bodies.DRAFT, least=1, most=operations.BATCH_LIMIT)}


def save(actor: Actor, said: Arguments) -> Result:
    fields = {name: value for name, value in said.items() if name != "version"}
    saved = operations.save(actor=actor, draft=operations.Draft(**fields), version=said.get("version"))
    return told(actor, saved, shape=shapes.saved)


def save_many(actor: Actor, said: Arguments) -> Result:
    saved = save_all(actor, [operations.Draft(**draft) for draft in said["memories"]])
    shape = shapes.memory if actor.may(Verb.READ) else shapes.receipt
    return {"memories": [shape(memory) for memory in saved]}


def update(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.update(actor=actor, **said))


def append(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.append(actor=actor, **said))


def pin(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.pin(actor=actor, **said))


def tag(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.tag(actor=actor, **said))


def expire(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.expire(actor=actor, **said))


def verify(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.verify(actor=actor, **said))


def forget(actor: Actor, said: Arguments) -> Result:
    if ("memory_id" in said) == ("key" in said):
        raise Invalid({"memory_id": "Say the memory_id or the key."})
    memory_id = said.get("memory_id")
    if memory_id is None:
        memory_id = finding.owned(actor=actor, key=finding.key_of(said["key"]), scope=said["scope"]).pk
    gone = operations.forget(
        actor=actor, memory_id=memory_id, version=said.get("version"), reason=said.get("reason", "")
    )
    return shapes.receipt(gone)


def restore(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.restore(actor=actor, **said))


def revert(actor: Actor, said: Arguments) -> Result:
    return told(actor, operations.revert(actor=actor, **said))


TAGS = {
    "add": listed(text(), most=TAG_COUNT, description="Tags that it gets."),
    "remove": listed(text(), most=TAG_COUNT, description="Tags that it loses."),
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
            parameters=taking(bodies.SAVE),
            act=save,
            gives=answers.SAVED_OR_RECEIPT,
        ),
        Tool(
            name="memory_save_many",
            title="Save many memories",
            description="Saves many memories at once: all of them, or none if one cannot be saved. The answer has them "
            "in the same order.",
            parameters=taking(DRAFTS, needs=("memories",)),
            act=save_many,
            gives=whole_record({"memories": listed(answers.WRITTEN)}),
        ),
        Tool(
            name="memory_update",
            title="Change a memory",
            description="Overwrites the fields that you say of a memory; null empties one. Earlier versions are kept. "
            "To add to what it says, use memory_append.",
            parameters=taking(MEMORY_ID, bodies.CHANGE, needs=("memory_id",)),
            act=update,
            repeats=True,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_append",
            title="Add to a memory",
            description="Adds text to a memory on a line of its own, whatever others add meanwhile.",
            parameters=taking(MEMORY_ID, bodies.APPEND, needs=("memory_id",)),
            act=append,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_pin",
            title="Pin a memory",
            description="Pins a memory, so that it never fades and stands in every context; or takes the pin away.",
            parameters=taking(MEMORY_ID, PINNED, VERSION, needs=("memory_id",)),
            act=pin,
            repeats=True,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_tag",
            title="Tag a memory",
            description="Adds tags to a memory and removes others; the rest stay.",
            parameters=taking(MEMORY_ID, TAGS, VERSION, needs=("memory_id",)),
            act=tag,
            repeats=True,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_expire",
            title="Let a memory expire",
            description="Says when a memory vanishes by itself, or by null that it stays.",
            parameters=taking(MEMORY_ID, EXPIRY, VERSION, needs=("memory_id", "expires_at")),
            act=expire,
            destroys=True,
            repeats=True,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_verify",
            title="Note that a memory is still true",
            description="Notes that you have checked a memory and it is still true, and when to check again.",
            parameters=taking(MEMORY_ID, bodies.VERIFY, needs=("memory_id",)),
            act=verify,
            repeats=True,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_forget",
            title="Forget a memory",
            description="Forgets a memory by its id or its key: it is gone from every read, but memory_restore can "
            "bring it back. Say why.",
            parameters=taking(MEMORY_ID, BY_KEY, {"reason": bodies.REASON}, VERSION),
            act=forget,
            destroys=True,
            gives=answers.RECEIPT,
        ),
        Tool(
            name="memory_restore",
            title="Bring back a memory",
            description="Brings back a forgotten memory by its id; memory_list with forgotten shows which there are.",
            parameters=taking(MEMORY_ID, VERSION, needs=("memory_id",)),
            act=restore,
            gives=answers.WRITTEN,
        ),
        Tool(
            name="memory_revert",
            title="Go back to a version",
            description="Makes a new version of a memory that says what an old one said; memory_history shows them.",
            parameters=taking(MEMORY_ID, bodies.REVERT, needs=("memory_id",)),
            act=revert,
            gives=answers.WRITTEN,
        ),
    )
)
