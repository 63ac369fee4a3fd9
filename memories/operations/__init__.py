"""Every write. Each operation is one transaction: it checks, changes, records the revision, then answers."""

from memories.operations import bulk_edit, files, folders, team_rules
from memories.operations.anchors import accept_anchor, record_anchor_checks, reopen_anchor
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
from memories.operations.decide import (
    MergeNeeded,
    approve_proposal,
    expire_proposals,
    merge_proposal,
    reject_proposal,
    reopen_proposal,
    withdraw_proposal,
)
from memories.operations.decide_many import (
    MOST_DECISIONS,
    DecisionsMade,
    approve_proposals,
    reject_proposals,
    reopen_proposals,
)
from memories.operations.extract import KnownProposal, SavedProposals, propose_memories, save_proposals
from memories.operations.feedback import dismiss_reports, rate_memory, reopen_reports, withdraw_rating
from memories.operations.forget import forget_memory, purge_memory, restore_memory
from memories.operations.golden import (
    MOST_GOLDEN_QUESTIONS,
    add_golden_question,
    remove_golden_question,
    request_golden_run,
    restore_golden_question,
)
from memories.operations.idempotency import IdempotentResult, find_earlier_answer, run_once
from memories.operations.keys import sweep_expired
from memories.operations.legal_holds import place_hold, release_hold
from memories.operations.redact_stored import RedactionCounts, redact_stored_texts
from memories.operations.save import (
    BATCH_BYTES,
    BATCH_LIMIT,
    Dedupe,
    Draft,
    save_each,
    save_memories,
    save_memory,
)
from memories.operations.screen import Hold, ScreeningRefusal, screen_digest
from memories.operations.set_pairs import set_pair_threshold
from memories.operations.set_screening import set_screening
from memories.operations.settle import Settlement, reopen_pair, settle_pair
from memories.operations.supersede import reinstate_memory, supersede_by_link, supersede_memory
from memories.operations.unanswered import answer_question, dismiss_question, reopen_question
from memories.rules.preconditions import ExpectedVersion

__all__ = [
    "BATCH_BYTES",
    "BATCH_LIMIT",
    "MOST_DECISIONS",
    "MOST_GOLDEN_QUESTIONS",
    "ArchivedConversation",
    "DecisionsMade",
    "Dedupe",
    "Draft",
    "ExpectedVersion",
    "FileUpload",
    "Hold",
    "IdempotentResult",
    "KnownProposal",
    "Link",
    "LinkTargetNotFound",
    "MergeNeeded",
    "RedactionCounts",
    "SavedProposals",
    "ScreeningRefusal",
    "Settlement",
    "accept_anchor",
    "add_citation",
    "add_golden_question",
    "answer_question",
    "append_to_memory",
    "approve_proposal",
    "approve_proposals",
    "archive_conversation",
    "associate",
    "associate_all",
    "attach_all",
    "attach_file",
    "bulk_edit",
    "change_scope",
    "detach_file",
    "dismiss_question",
    "dismiss_reports",
    "dissociate",
    "expire_proposals",
    "files",
    "find_earlier_answer",
    "folders",
    "forget_memory",
    "merge_proposal",
    "pin_memory",
    "place_hold",
    "propose_memories",
    "purge_memory",
    "rate_memory",
    "reattach_file",
    "record_anchor_checks",
    "redact_stored_texts",
    "reinstate_memory",
    "reject_proposal",
    "reject_proposals",
    "release_hold",
    "remove_citation",
    "remove_golden_question",
    "reopen_anchor",
    "reopen_pair",
    "reopen_proposal",
    "reopen_proposals",
    "reopen_question",
    "reopen_reports",
    "request_golden_run",
    "restore_citation",
    "restore_golden_question",
    "restore_memory",
    "revert_memory",
    "run_once",
    "save_each",
    "save_memories",
    "save_memory",
    "save_proposals",
    "screen_digest",
    "set_expiry",
    "set_pair_threshold",
    "set_screening",
    "settle_pair",
    "supersede_by_link",
    "supersede_memory",
    "sweep_expired",
    "tag_memory",
    "team_rules",
    "update_memory",
    "verify_memory",
    "withdraw_proposal",
    "withdraw_rating",
]
