"""Anchors for tests: hashes of lines, as clients make them."""

from hashlib import sha256
from typing import Any

from memories import operations
from memories.models import Memory, Source
from memories.operations.anchors import RecordedAnchors
from memories.rules.anchors import NewAnchor, PlaceHashes
from teams.actor import Actor

GRAINS = "00112233445566778899aabbccddeeff"
CRANE_LINES = ("[crane]", "limit = 40", "unit = 'tons'")


def hash_bytes(text: str, salt: str = GRAINS) -> str:
    return sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def hash_lines(*lines: str, first: int | None = 1, commit: str = "") -> dict[str, Any]:
    """Return the fields of a place with these lines; without a first one, of a whole file."""
    return {
        "sha256": hash_bytes("".join(f"{line}\n" for line in lines)),
        "line_hashes": "".join(hash_bytes(f"{line}\n")[:4] for line in lines),
        "first_line": first,
        "last_line": first and first + len(lines) - 1,
        "commit": commit,
    }


def lines_at(*lines: str, first: int | None = 1) -> PlaceHashes:
    return PlaceHashes(**hash_lines(*lines, first=first))


def anchor(*lines: str, repository: str = "acme/berths", path: str = "config/cranes.toml", **said: Any) -> NewAnchor:
    return NewAnchor(repository=repository, path=path, salt=GRAINS, **hash_lines(*(lines or CRANE_LINES)), **said)


def anchor_memory(actor: Actor, memory: Memory, *lines: str, **said: Any) -> Source:
    return operations.add_citation(actor=actor, memory_id=memory.pk, anchor=anchor(*lines, **said))


def report_lines(actor: Actor, source: Source, *lines: str, first: int | None = 1) -> RecordedAnchors:
    """Report that these lines are there now; without lines, that nothing is."""
    return operations.record_anchor_checks(
        actor=actor, places={source.pk: lines_at(*lines, first=first) if lines else None}
    )
