"""Belongings of memories: the tags, links, sources and attachments that a merge carries from one memory to another, and
its undo back."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.models import TAG_COUNT, Asset, Association, Change, Memory, Source
from memories.operations.legal_holds import refuse_if_held
from memories.operations.revise import revise
from memories.operations.screen import screen_values
from memories.rules.fields import clean_fields
from memories.rules.trust import find_least_trusted, provenance_of_caller
from teams.actor import Actor

CARRIED_ROWS: Mapping[str, type[Asset] | type[Source]] = {"assets": Asset, "sources": Source}
LINK_ENDS = (("origin", "target"), ("target", "origin"))


def merge_memories(
    *, actor: Actor, source: Memory, target: Memory, content: str | None, now: datetime
) -> tuple[Memory, dict[str, list[str]]]:
    """Give the target the joined text and what belongs to the source. Returns the target's next version, and the ids of
    the rows that were moved, by which `return_belongings` takes them back.

    The text is as little trusted as the least trusted of both and of the caller. Screening refuses what it would hold.
    Belongings stay with the audience for which they were written. The caller holds the locks of both.
    """
    together = share_audience(source, target)
    values: dict[str, Any] = {"tags": _join_tags(target.tags, source.tags if together else ())}
    provenance = find_least_trusted(provenance_of_caller(actor), target.provenance, source.provenance)
    if content is not None and content != target.content:
        values |= {"content": content, "summary": ""}
    origin = provenance if actor.agent_id else None  # an agent does not vouch for the words of others
    screened = screen_values(actor, values, provenance=origin, may_hold=False)
    cleaned = clean_fields(screened.values, now=now)
    trust = {"provenance": provenance} if "content" in cleaned else {}
    merged = revise(
        actor=actor,
        memory_id=target.pk,
        change=Change.UPDATED,
        version=target.version,
        now=now,
        values=cleaned | trust,
    )
    merged.screening = screened.report
    return merged, carry_belongings(source, target) if together else {}


def share_audience(one: Memory, other: Memory) -> bool:
    return (one.audience, one.workspace_id) == (other.audience, other.workspace_id)


def _join_tags(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*first, *second]))[:TAG_COUNT]


def carry_belongings(source: Memory, target: Memory) -> dict[str, list[str]]:
    """Give the target the sources, attachments and links of the other memory, unless a legal hold keeps them there.
    Returns the ids of what was moved."""
    refuse_if_held(source.organization_id, source.pk)
    moved: dict[str, list[str]] = {}
    for name, model in CARRIED_ROWS.items():
        rows = model.objects.of_memory(source)
        moved[name] = [str(pk) for pk in rows.values_list("pk", flat=True)]
        rows.update(memory_id=target.pk)
    links = Association.objects.in_organization(source.organization_id)
    for mine, theirs in LINK_ENDS:
        held = set(links.filter(**{mine: target.pk}).values_list(theirs, "relation"))
        others = links.filter(**{mine: source.pk}).exclude(**{theirs: target.pk})
        free = [row.pk for row in others if (getattr(row, f"{theirs}_id"), row.relation) not in held]
        links.filter(pk__in=free).update(**{f"{mine}_id": target.pk})
        moved[mine] = [str(pk) for pk in free]
    return moved


def return_belongings(
    *, organization_id: UUID, moved: Mapping[str, Sequence[str]], source_id: UUID, target_id: UUID
) -> None:
    """Give back what a merge moved from the source, as far as the target still has it."""
    for name, model in CARRIED_ROWS.items():
        rows = model.with_removed.in_organization(organization_id).filter(pk__in=moved.get(name, ()))
        rows.filter(memory=target_id).update(memory_id=source_id)
    for mine, _ in LINK_ENDS:
        links = Association.objects.in_organization(organization_id).filter(pk__in=moved.get(mine, ()))
        links.filter(**{mine: target_id}).update(**{f"{mine}_id": source_id})
