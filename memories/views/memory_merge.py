"""Editing the fields of a memory, and merging them field by field when somebody else has saved meanwhile."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.forms import BoundField
from django.http import HttpRequest, QueryDict

from memories.forms import MEMORY_FORM_FIELDS, EditMemoryForm, MemoryForm, as_submitted, form_values
from memories.models import Memory
from memories.queries.revision_diff import field_label
from memories.text import merge
from memories.text.diff import DiffBudget, DiffPart, diff_texts
from memories.views.edit_flow import EditFlow
from memories.views.history import memory_versions
from memories.views.memory import gone_reason
from memoryhub.errors import Conflict
from teams.team_page import TeamPage


class MemoryFieldsEdit(EditFlow[EditMemoryForm]):
    """An editing page with the fields of a memory."""

    def __init__(self, request: HttpRequest, team_page: TeamPage, memory: Memory) -> None:
        super().__init__(request, team_page)
        self.memory = memory

    def read_form(self) -> EditMemoryForm:
        return EditMemoryForm(resolve_merge_choices(self.request.POST))

    def merge(self, form: EditMemoryForm, conflict: Conflict) -> dict[str, Any] | None:
        memory = conflict.current
        if not isinstance(memory, Memory) or gone_reason(memory) or memory.pk != self.memory.pk:
            return None
        latest = memory_versions(memory).filter(version=memory.version).first()
        fields = merge_fields(base=self.read_base_values(form), theirs=form_values(memory), yours=form.values)
        return {"memory": memory, "latest": latest, "version": memory.version, **fields}

    def read_base_values(self, form: EditMemoryForm) -> dict[str, Any]:
        """Return the values that the user began with; the present ones, if that version is not for these readers."""
        return form_values(memory_versions(self.memory).filter(version=form.seen_version).first() or self.memory)

    def find_changes(self, form: EditMemoryForm) -> dict[str, Any]:
        """Return the values that differ from those that the user began with."""
        base = self.read_base_values(form)
        return {name: value for name, value in form.values.items() if value != base[name]}


@dataclass(frozen=True, slots=True)
class MergeSide:
    """A field with different edits, in the form in which a browser submits and shows it."""

    name: str
    base: str
    theirs: str
    yours: str
    conflict: bool
    together: BoundField
    budget: DiffBudget = field(repr=False)

    @property
    def their_changes(self) -> list[DiffPart]:
        return diff_texts(self.base, self.theirs, budget=self.budget)

    @property
    def your_changes(self) -> list[DiffPart]:
        return diff_texts(self.base, self.yours, budget=self.budget)

    @property
    def label(self) -> str:
        return field_label(self.name)

    @property
    def is_merged(self) -> bool:
        """Return True if both changed it without a conflict."""
        return not self.conflict and self.base not in (self.theirs, self.yours)


def merge_fields(*, base: dict[str, Any], theirs: dict[str, Any], yours: dict[str, Any]) -> dict[str, Any]:
    """Merge field by field. Returns the sides of each field that the two made different, and the other fields."""
    budget = DiffBudget()
    merge_text = partial(merge.merge_text, budget=budget)
    functions: dict[str, Any] = {"content": merge_text, "summary": merge_text, "tags": merge.merge_tags}
    merges = {
        name: functions.get(name, merge.merge_value)(base=base[name], theirs=theirs[name], yours=yours[name])
        for name in MEMORY_FORM_FIELDS
    }
    form = MemoryForm(initial={name: merged.together for name, merged in merges.items()})
    before, others, own = as_submitted(base), as_submitted(theirs), as_submitted(yours)
    sides = [
        MergeSide(name, before[name], others[name], own[name], merges[name].conflict, form[name], budget)
        for name in MEMORY_FORM_FIELDS
        if not merges[name].same
    ]
    return {"sides": sides, "same": [form[name] for name in MEMORY_FORM_FIELDS if merges[name].same]}


def resolve_merge_choices(form: QueryDict) -> QueryDict:
    """Replace each field for which the user chose `theirs` or `yours` on the merge screen."""
    resolved = form.copy()
    for name in MEMORY_FORM_FIELDS:
        choice = form.get(f"choice-{name}", "")
        if choice in ("theirs", "yours"):
            resolved[name] = form.get(f"{choice}-{name}", "")
    return resolved
