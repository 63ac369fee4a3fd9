"""Every write. Each operation is one transaction: it checks, changes, records the revision, then answers."""

from memories.operations import bulk_edit, files, folders
from memories.operations.archive_session import ArchivedConversation, archive_conversation
from memories.operations.attach import (
    FileUpload,
    Link,
    LinkTargetNotFound,
    add_citation,
    associate,
    associate_all,
    attach_all,
    attach_file,
    detach_file,
    dissociate,
    reattach_file,
    remove_citation,
    restore_citation,
)
from memories.operations.change import (
    append_to_memory,
    change_scope,
    pin_memory,
    revert_memory,
    set_expiry,
    tag_memory,
    update_memory,
    verify_memory,
)
from memories.operations.extract import KnownProposal, SavedProposals, propose_memories, save_proposals
from memories.operations.forget import forget_memory, purge_memory, restore_memory
from memories.operations.idempotency import IdempotentResult, find_earlier_answer, run_once
from memories.operations.keys import sweep_expired
from memories.operations.save import BATCH_BYTES, BATCH_LIMIT, Dedupe, Draft, save_each, save_memories, save_memory
from memories.operations.unanswered import answer_question, dismiss_question, reopen_question
from memories.rules.preconditions import ExpectedVersion

__all__ = [
    "BATCH_BYTES",
    "BATCH_LIMIT",
    "ArchivedConversation",
    "Dedupe",
    "Draft",
    "ExpectedVersion",
    "FileUpload",
    "IdempotentResult",
    "KnownProposal",
    "Link",
    "LinkTargetNotFound",
    "SavedProposals",
    "add_citation",
    "answer_question",
    "append_to_memory",
    "archive_conversation",
    "associate",
    "associate_all",
    "attach_all",
    "attach_file",
    "bulk_edit",
    "change_scope",
    "detach_file",
    "dismiss_question",
    "dissociate",
    "files",
    "find_earlier_answer",
    "folders",
    "forget_memory",
    "pin_memory",
    "propose_memories",
    "purge_memory",
    "reattach_file",
    "remove_citation",
    "reopen_question",
    "restore_citation",
    "restore_memory",
    "revert_memory",
    "run_once",
    "save_each",
    "save_memories",
    "save_memory",
    "save_proposals",
    "set_expiry",
    "sweep_expired",
    "tag_memory",
    "update_memory",
    "verify_memory",
]
