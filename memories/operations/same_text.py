"""Same text: a memory without a key whose text an audience has already is not saved twice."""

from collections.abc import Collection, Iterable
from datetime import datetime
from hashlib import md5
from typing import Any
from uuid import UUID

from memories.models import TRIMMED_SIGNS, Memory, Proposal, Status
from teams.actor import Actor

TextSlot = tuple[UUID, UUID | None, str]  # audience, workspace and hash of a text

# Leaves out the rows of a save whose text is there already and holds. Index: memory_same_text.
IS_NEW_TEXT = """
WHERE row.text_hash IS NULL OR NOT EXISTS (
    SELECT FROM memories_memory AS same
    WHERE same.organization_id = row.organization_id AND same.audience = row.audience
        AND md5(btrim(same.content, E' \\t\\n\\r')) = row.text_hash AND same.forgotten_at IS NULL
        AND same.workspace_id IS NOT DISTINCT FROM row.workspace_id
        AND (same.expires_at IS NULL OR same.expires_at > %(now)s::timestamptz)
        AND (same.valid_from IS NULL OR same.valid_from <= %(now)s::timestamptz)
        AND (same.valid_until IS NULL OR same.valid_until > %(now)s::timestamptz)
        AND (same.status = 'active' OR (
            same.status = 'proposed' AND row.status = 'proposed'
            AND same.agent_id IS NOT DISTINCT FROM row.agent_id AND same.user_id IS NOT DISTINCT FROM row.user_id
        ))
)
"""


def hash_text(content: str) -> str:
    """Return the hash by which a text is known, as Postgres computes it in the index."""
    return md5(content.strip(TRIMMED_SIGNS).encode(), usedforsecurity=False).hexdigest()


def find_same_texts(actor: Actor, slots: Collection[TextSlot], *, now: datetime) -> dict[TextSlot, Memory]:
    """Return the memory that has each of these texts already: an active one, or else a proposal of the actor's own."""
    rows = Memory.objects.in_organization(actor.organization_id).active_or_proposed_by(actor)
    here = rows.filter(audience__in={audience for audience, _, _ in slots}, workspace=actor.workspace_id)
    texts = here.annotate(text_hash=Memory.TEXT_HASH).filter(text_hash__in=[text for _, _, text in slots])
    known = texts.filter(forgotten_at=None).not_expired(now=now).holding(now).with_usage().defer("search")
    found: dict[TextSlot, Memory] = {}
    for memory in sorted(known, key=lambda one: (one.status == Status.ACTIVE, -one.created_at.timestamp())):
        found[memory.audience, memory.workspace_id, hash_text(memory.content)] = memory  # the oldest active one stays
    _name_proposals(actor, found.values(), now=now)
    return found


def _name_proposals(actor: Actor, memories: Iterable[Memory], *, now: datetime) -> None:
    """Mark the memories as duplicates, with the proposal that each of them waits in, if it does."""
    for memory in memories:
        memory.duplicate = True
        if memory.status == Status.PROPOSED:
            mine: Any = Proposal.objects.made_by_caller(actor).open(now=now).filter(memory=memory.pk)
            memory.proposal_id = mine.values_list("pk", flat=True).first()
