"""Every write. Each operation is one transaction: it checks, changes, records the revision, then answers."""

from memories.operations import batches, files
from memories.operations.archiving import Archived, archive
from memories.operations.attaching import (
    Link,
    NoTarget,
    Sent,
    associate,
    associate_all,
    attach,
    attach_all,
    cite,
    detach,
    dissociate,
    reattach,
    recite,
    uncite,
)
from memories.operations.changing import append, expire, pin, rescope, revert, tag, update, verify
from memories.operations.extracting import Known, Remembered, propose, remember
from memories.operations.forgetting import forget, purge, restore
from memories.operations.idempotency import Result, answered, once
from memories.operations.keys import sweep
from memories.operations.saving import BATCH_LIMIT, Dedupe, Draft, save, save_each, save_many
from memories.operations.seeing import Seen
from memories.operations.settling import answer, dismiss, reopen

__all__ = [
    "BATCH_LIMIT",
    "Archived",
    "Dedupe",
    "Draft",
    "Known",
    "Link",
    "NoTarget",
    "Remembered",
    "Result",
    "Seen",
    "Sent",
    "answer",
    "answered",
    "append",
    "archive",
    "associate",
    "associate_all",
    "attach",
    "attach_all",
    "batches",
    "cite",
    "detach",
    "dismiss",
    "dissociate",
    "expire",
    "files",
    "forget",
    "once",
    "pin",
    "propose",
    "purge",
    "reattach",
    "recite",
    "remember",
    "reopen",
    "rescope",
    "restore",
    "revert",
    "save",
    "save_each",
    "save_many",
    "sweep",
    "tag",
    "uncite",
    "update",
    "verify",
]
