"""Advisory locks of Postgres have numbers; ours have names."""

from hashlib import sha256


def number(name: str) -> int:
    """The same for the same name, in every process."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)
