"""Tables: memories and their versions, attachments, a team's files, vectors, and logs."""

from memories.models.attachments import Asset, Association, Attachment, Source, asset_path
from memories.models.bulk_edits import Batch, BatchQuerySet
from memories.models.constants import (
    CONTENT_BYTES,
    CORE_CATEGORY,
    CORE_KEY,
    FILE_BYTES,
    KEY_LENGTH,
    LABEL_LENGTH,
    METADATA_BYTES,
    PATH_LENGTH,
    QUESTION_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    TRIMMED_SIGNS,
    Change,
    Deed,
    Provenance,
    Relation,
    Scope,
    Status,
    Type,
    octet_length,
)
from memories.models.disputes import disputed_sql
from memories.models.embeddings import Embedding, EmbeddingModel, Unembedded, UnembeddedQuerySet
from memories.models.files import FileVersion, TeamFile, TeamFileQuerySet
from memories.models.idempotency import Answer
from memories.models.memory import Conflicting, Memory, MemoryFields, MemoryQuerySet, Similar
from memories.models.pairs import Pair, PairDecision, PairKind, PairQuerySet, PairState
from memories.models.proposals import (
    MOMENT_ARGUMENTS,
    Proposal,
    ProposalCause,
    ProposalQuerySet,
    ProposalState,
    ProposedOperation,
)
from memories.models.recall_log import RecallLog, SettledQuestion
from memories.models.revision import Revision, RevisionQuerySet
from memories.models.usage import Day, Growth, Usage
from memories.models.word_counts import Lexeme, Vocabulary

__all__ = [
    "CONTENT_BYTES",
    "CORE_CATEGORY",
    "CORE_KEY",
    "FILE_BYTES",
    "KEY_LENGTH",
    "LABEL_LENGTH",
    "METADATA_BYTES",
    "MOMENT_ARGUMENTS",
    "PATH_LENGTH",
    "QUESTION_LENGTH",
    "SUMMARY_LENGTH",
    "TAG_COUNT",
    "TRIMMED_SIGNS",
    "Answer",
    "Asset",
    "Association",
    "Attachment",
    "Batch",
    "BatchQuerySet",
    "Change",
    "Conflicting",
    "Day",
    "Deed",
    "Embedding",
    "EmbeddingModel",
    "FileVersion",
    "Growth",
    "Lexeme",
    "Memory",
    "MemoryFields",
    "MemoryQuerySet",
    "Pair",
    "PairDecision",
    "PairKind",
    "PairQuerySet",
    "PairState",
    "Proposal",
    "ProposalCause",
    "ProposalQuerySet",
    "ProposalState",
    "ProposedOperation",
    "Provenance",
    "RecallLog",
    "Relation",
    "Revision",
    "RevisionQuerySet",
    "Scope",
    "SettledQuestion",
    "Similar",
    "Source",
    "Status",
    "TeamFile",
    "TeamFileQuerySet",
    "Type",
    "Unembedded",
    "UnembeddedQuerySet",
    "Usage",
    "Vocabulary",
    "asset_path",
    "disputed_sql",
    "octet_length",
]
