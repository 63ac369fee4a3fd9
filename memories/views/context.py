"""What each agent will read: the block of its prompt, byte for byte, and what each part of it costs."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories import context
from memories.models import Memory
from memories.recall import QUERY_LENGTH
from memories.views.core import the_core
from memories.views.onlooking import Standpoint
from memoryhub.errors import Trouble
from memoryhub.forms import refuse
from teams.onlooking import Sight
from teams.place import Place, in_team

TITLES = {
    context.Name.CORE: "Core memory",
    context.Name.PINNED: "Pinned",
    context.Name.RECENT: "Newest",
    context.Name.RELEVANT: "Relevant",
}


class Reading(Standpoint):
    query = forms.CharField(
        label="Question",
        required=False,
        max_length=QUERY_LENGTH,
        widget=forms.TextInput({"placeholder": "What the agent works on"}),
    )
    budget = forms.IntegerField(
        label="Tokens at most",
        widget=forms.NumberInput({"min": context.LEAST_BUDGET, "max": context.MOST_BUDGET}),
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """One section of the block, as the page tells of it."""

    title: str
    tokens: int
    memories: int
    cut: bool
    omitted: list[Memory]


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    asked = {"agent": place.agents[0].slug if place.agents else "", "budget": context.BUDGET}
    form = Reading(asked | {name: value for name, value in request.GET.items() if value}, place=place)
    found = _read(request, form) if place.agents and form.is_valid() else {}
    return render(
        request, "memories/core_read.html", {"section": "core", "form": form, "memory": the_core(place), **found}
    )


def _read(request: HttpRequest, form: Reading) -> dict[str, Any]:
    sight = form.sight()
    if sight is None:
        return {}
    said = {name: form.cleaned_data[name] for name in ("query", "budget")}
    try:
        made = context.context(actor=sight.actor, noted=False, **said)
    except Trouble as refusal:
        refuse(form, refusal)
        return {}
    return {
        "text": made.text,
        "hidden": sight.hidden,
        "costs": _costs(sight, made),
        "fits": not any(section.omitted or section.cut for section in made.sections),
        "total": context.tokens(made.text),
        "budget": said["budget"],
        "curl": _curl(request, form, said),
    }


def _costs(sight: Sight, made: context.Context) -> list[Cost]:
    ids = [memory_id for section in made.sections for memory_id in section.omitted]
    left = _memories(sight, ids) if ids else {}
    return [
        Cost(
            TITLES[section.name],
            context.tokens(section.text),
            len(section.memory_ids),
            section.cut,
            [left[memory_id] for memory_id in section.omitted if memory_id in left],
        )
        for section in made.sections
    ]


def _memories(sight: Sight, ids: list[UUID]) -> dict[UUID, Memory]:
    return Memory.objects.visible_to(sight.actor).defer("search").in_bulk(ids)


def _curl(request: HttpRequest, form: Reading, said: Mapping[str, Any]) -> str:
    """The call by which the agent itself gets this."""
    given = {name: value for name, value in said.items() if value}
    address = request.build_absolute_uri(f"/api/v1/context?{urlencode(given)}")
    headers = ["Authorization: Bearer $MEMORYHUB_TOKEN", *form.headers()]
    return " \\\n  ".join([f"curl {shlex.quote(address)}", *(f'-H "{header}"' for header in headers)])
