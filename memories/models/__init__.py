"""What: memories with every version of them, what hangs on them, a team's files, and the ledgers."""

from memories.models.attached import Asset, Association, Hanging, Source, asset_path
from memories.models.batches import Batch, BatchQuerySet
from memories.models.embeddings import Embedding, EmbeddingModel, Unembedded
from memories.models.files import FileVersion, TeamFile, TeamFileQuerySet
from memories.models.ledgers import Answer, Day, Growth, RecallLog, SettledQuestion, Usage
from memories.models.memory import Described, Memory, MemoryQuerySet, Revision, Similar
from memories.models.statistics import Lexeme, Vocabulary
from memories.models.vocabulary import (
    CONTENT_BYTES,
    FILE_BYTES,
    KEY_LENGTH,
    LABEL_LENGTH,
    METADATA_BYTES,
    PATH_LENGTH,
    QUESTION_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    Change,
    Deed,
    Relation,
    Scope,
    Type,
    octets,
)

__all__ = [
    "CONTENT_BYTES",
    "FILE_BYTES",
    "KEY_LENGTH",
    "LABEL_LENGTH",
    "METADATA_BYTES",
    "PATH_LENGTH",
    "QUESTION_LENGTH",
    "SUMMARY_LENGTH",
    "TAG_COUNT",
    "Answer",
    "Asset",
    "Association",
    "Batch",
    "BatchQuerySet",
    "Change",
    "Day",
    "Deed",
    "Described",
    "Embedding",
    "EmbeddingModel",
    "FileVersion",
    "Growth",
    "Hanging",
    "Lexeme",
    "Memory",
    "MemoryQuerySet",
    "RecallLog",
    "Relation",
    "Revision",
    "Scope",
    "SettledQuestion",
    "Similar",
    "Source",
    "TeamFile",
    "TeamFileQuerySet",
    "Type",
    "Unembedded",
    "Usage",
    "Vocabulary",
    "asset_path",
    "octets",
]
