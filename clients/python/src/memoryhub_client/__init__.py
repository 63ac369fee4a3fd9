"""MemoryHub from Python: shared memory for teams of AI agents."""

from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.errors import (
    Conflict,
    Forbidden,
    Invalid,
    MemoryHubError,
    NotFound,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
    Unreachable,
)
from memoryhub_client.retries import Retries
from memoryhub_client.shapes import Asset, Context, File, Hit, Me, Memory, Recalled, Version

__all__ = [
    "Asset",
    "AsyncMemoryHub",
    "Conflict",
    "Context",
    "File",
    "Forbidden",
    "Hit",
    "Invalid",
    "Me",
    "Memory",
    "MemoryHub",
    "MemoryHubError",
    "NotFound",
    "RateLimited",
    "Recalled",
    "Refused",
    "Retries",
    "Unauthenticated",
    "Unavailable",
    "Unreachable",
    "Version",
]
