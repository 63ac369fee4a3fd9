"""Cost of a call beyond an ordinary request, counted in ordinary requests: the rate limit counts work, not calls."""

from collections.abc import Mapping
from typing import Any

MEMORIES_PER_REQUEST = 10  # memories of a batch that cost about as much as one save
BYTES_PER_REQUEST = 20_000  # bytes of their content that count as one request
FILE_BYTES_PER_REQUEST = 100_000  # of files that are renamed or deleted: they are not embedded
EXTRACTION = 20
MESSAGES_PER_REQUEST = 500  # messages that count as one request: short ones cost more to check than to read
EXPORT = 50


def weigh_batch(body: Mapping[str, Any]) -> int:
    """Return one for each ten memories, or 20,000 bytes of content if that is more, after the first."""
    memories = body["memories"]
    contents = [memory.get("content") for memory in memories if isinstance(memory, dict)]
    size = sum(len(content.encode()) for content in contents if isinstance(content, str))
    return max((len(memories) - 1) // MEMORIES_PER_REQUEST, (size - 1) // BYTES_PER_REQUEST, 0)


def weigh_extraction(body: Mapping[str, Any]) -> int:
    return EXTRACTION - 1 + len(body.get("messages") or ()) // MESSAGES_PER_REQUEST


def weigh_files(size: int) -> int:
    return max(size - 1, 0) // FILE_BYTES_PER_REQUEST
