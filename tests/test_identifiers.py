"""An exact identifier that occurs in a visible memory is found, and first."""

from collections.abc import Iterator, Mapping

import pytest
from django.db import connection

from memories import operations
from memories.recall import Mode, recall
from teams.actor import Actor
from tests.identifiers import FIRST, MEMORIES, NEAR


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
def test_every_identifier_is_found_and_comes_first(writer: Actor, mode: Mode) -> None:
    drafts = [operations.Draft(content=content) for content in MEMORIES]
    for start in range(0, len(drafts), 500):
        operations.save_memories(actor=writer, drafts=drafts[start : start + 500])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_memory, memories_embedding")  # as autovacuum would: five times as quick
    late = [*find_misses(writer, FIRST, mode=mode, within=1), *find_misses(writer, NEAR, mode=mode, within=3)]
    assert len(FIRST) + len(NEAR) >= 320
    assert not late, "\n".join([f"{len(late)} of {len(FIRST) + len(NEAR)} came too late:", *late])


def find_misses(actor: Actor, wanted: Mapping[str, str], *, mode: Mode, within: int) -> Iterator[str]:
    """A line for each query whose memory is not among so many first."""
    for query, memory in wanted.items():
        found = [hit.memory.content for hit in recall(actor=actor, query=query, mode=mode, limit=5).hits]
        if memory not in found[:within]:
            place = found.index(memory) + 1 if memory in found else "not found"
            yield f"{query!r} ({place}): {memory!r}, but first {found[:1]}"
