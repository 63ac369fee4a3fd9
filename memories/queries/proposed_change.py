"""Previews of proposals: what an approval would make of the memory as it is now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.models import Memory, Proposal, ProposedOperation, Revision
from memories.queries.revision_diff import FieldChange, format_value
from memories.rules.fields import MEMORY_FIELDS, clean_fields
from memories.text.diff import DiffBudget
from memories.text.merge import merge_text
from memoryhub.errors import Invalid

TITLES: Mapping[str, str] = {
    ProposedOperation.SAVE: "New memory",
    ProposedOperation.UPDATE: "Change",
    ProposedOperation.APPEND: "Addition",
    ProposedOperation.PIN: "Pin",
    ProposedOperation.TAG: "Tags",
    ProposedOperation.EXPIRE: "Expiry",
    ProposedOperation.REVERT: "Revert",
    ProposedOperation.SUPERSEDE: "Replacement",
    ProposedOperation.FORGET: "Forget",
}


@dataclass(frozen=True, slots=True)
class ChangePreview:
    """What a proposal would change, in the memory as it is now and in the version that it was meant for."""

    proposal: Proposal
    values: Mapping[str, Any] = field(default_factory=dict)  # that an approval would write
    changes: list[FieldChange] = field(default_factory=list)  # from the present version to the approved one
    meant: list[FieldChange] = field(default_factory=list)  # from the base, if the memory has changed since
    conflict: bool = False  # both changed the same place of the text
    successor: Memory | None = None

    @property
    def title(self) -> str:
        if self.proposal.operation == ProposedOperation.PIN:
            return "Pin" if self.proposal.arguments.get("pinned", True) else "Unpin"
        return TITLES[self.proposal.operation]

    @property
    def editable(self) -> bool:
        return self.proposal.operation in (ProposedOperation.SAVE, ProposedOperation.UPDATE, ProposedOperation.APPEND)

    @property
    def is_rebased(self) -> bool:
        return not self.proposal.is_new_memory and self.proposal.base_version != self.proposal.memory.version


def preview_proposals(proposals: Iterable[Proposal], *, budget: DiffBudget | None = None) -> dict[UUID, ChangePreview]:
    """Return the preview of each proposal, by its id. All of them together take no more than one budget."""
    changing = [proposal for proposal in proposals if not proposal.is_new_memory]
    budget, versions = budget or DiffBudget(), _load_versions(changing)
    previews = {one.pk: ChangePreview(one) for one in proposals if one.is_new_memory}
    successors = _load_successors(changing)
    for proposal in changing:
        previews[proposal.pk] = _preview_change(proposal, versions, successors, budget)
    return previews


def _load_versions(proposals: Iterable[Proposal]) -> dict[tuple[UUID, int], Revision]:
    """Return the versions that the proposals were meant for or go back to, as far as the memory's readers see them."""
    wanted = []
    for proposal in proposals:
        memory = proposal.memory
        numbers = {proposal.base_version, _read_number(proposal.arguments.get("to_version"))} - {memory.version, 0}
        wanted.append((memory, numbers))
    found = Revision.objects.of_versions(wanted) if wanted else ()
    return {(revision.memory_id, revision.version): revision for revision in found}


def _read_number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _load_successors(proposals: Iterable[Proposal]) -> dict[UUID, Memory]:
    """Return the memories that would replace others; they are beside what they replace."""
    wanted = {proposal.read_arguments()["by"]: proposal.memory for proposal in proposals if "by" in proposal.arguments}
    rows = Memory.objects.alive().filter(pk__in=wanted).defer("search") if wanted else ()
    return {row.pk: row for row in rows if _slot(row) == _slot(wanted[row.pk])}


def _slot(memory: Memory) -> tuple[UUID, UUID | None]:
    return memory.audience, memory.workspace_id


def _preview_change(
    proposal: Proposal,
    versions: Mapping[tuple[UUID, int], Revision],
    successors: Mapping[UUID, Memory],
    budget: DiffBudget,
) -> ChangePreview:
    memory, arguments = proposal.memory, proposal.read_arguments()
    base = versions.get((memory.pk, proposal.base_version)) if proposal.operation == ProposedOperation.UPDATE else None
    values, conflict = _proposed_values(proposal, arguments, versions), False
    meant = _compare(base, values, budget) if base else []
    if base and "content" in values:
        merged = merge_text(base=base.content, theirs=memory.content, yours=values["content"], budget=budget)
        values, conflict = values | {"content": merged.together}, merged.conflict
    return ChangePreview(
        proposal,
        values=values,
        changes=_compare(memory, values, budget),
        meant=meant,
        conflict=conflict,
        successor=successors.get(arguments["by"]) if "by" in arguments else None,
    )


def _proposed_values(
    proposal: Proposal, arguments: Mapping[str, Any], versions: Mapping[tuple[UUID, int], Revision]
) -> dict[str, Any]:
    """Return the fields that the held call would write."""
    memory = proposal.memory
    match proposal.operation:
        case ProposedOperation.UPDATE:
            return _clean(arguments)
        case ProposedOperation.APPEND:
            return {"content": f"{memory.content}\n{_clean({'content': arguments['text']})['content']}"}
        case ProposedOperation.TAG:
            dropped = {str(name).strip().lower() for name in arguments.get("remove", ())}
            kept = [tag for tag in memory.tags if tag not in dropped]
            return _clean({"tags": [*kept, *arguments.get("add", ())]})
        case ProposedOperation.PIN:
            return {"pinned": arguments.get("pinned", True)}
        case ProposedOperation.EXPIRE:
            return {"expires_at": arguments["expires_at"]}
        case ProposedOperation.REVERT:
            old = versions.get((memory.pk, _read_number(arguments.get("to_version"))))
            return {name: getattr(old, name) for name in MEMORY_FIELDS} if old else {}
    return {}


def _clean(arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return dict(clean_fields(arguments, now=timezone.now()))
    except Invalid:  # a moment has passed meanwhile, which the approval will say
        return {name: value for name, value in arguments.items() if name in MEMORY_FIELDS}


def _compare(old: Memory | Revision, values: Mapping[str, Any], budget: DiffBudget) -> list[FieldChange]:
    return [
        FieldChange(name, format_value(getattr(old, name)), format_value(value), budget)
        for name, value in values.items()
        if name in MEMORY_FIELDS and value != getattr(old, name)
    ]
