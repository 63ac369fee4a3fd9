"""Preview of an agent's context: the exact prompt block, and what each section of it costs in tokens."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.models import Memory
from memories.prompts import context
from memories.recall import AUTO, QUERY_LENGTH, Hit, recall
from memories.views.core import find_team_core
from memories.views.view_as import ViewAsForm
from memoryhub.errors import Trouble
from memoryhub.forms import add_refusal
from teams.team_page import TeamPage, in_team
from teams.view_as import ViewAs

SECTION_TITLES = {
    context.SectionName.CORE: "Core memory",
    context.SectionName.PINNED: "Pinned",
    context.SectionName.RECENT: "Newest",
    context.SectionName.RELEVANT: "Relevant",
}


class AgentContextForm(ViewAsForm):
    query = forms.CharField(
        label="Question",
        required=False,
        max_length=QUERY_LENGTH,
        widget=forms.TextInput({"placeholder": "What the agent works on"}),
    )
    budget = forms.IntegerField(
        label="Token limit",
        widget=forms.NumberInput({"min": context.MIN_BUDGET, "max": context.MAX_BUDGET}),
    )


@dataclass(frozen=True, slots=True)
class SectionCost:
    """Cost of one section of the prompt block."""

    title: str
    tokens: int
    memories: int
    cut: bool
    omitted: list[Memory]


@in_team
def show_agent_context(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    defaults = {"agent": team_page.agents[0].slug if team_page.agents else "", "budget": context.DEFAULT_BUDGET}
    form = AgentContextForm(
        defaults | {name: value for name, value in request.GET.items() if value}, team_page=team_page
    )
    preview = _build_context(request, form) if team_page.agents and form.is_valid() else {}
    return render(
        request,
        "memories/agent_context.html",
        {"section": "core", "form": form, "memory": find_team_core(team_page), **preview},
    )


def _build_context(request: HttpRequest, form: AgentContextForm) -> dict[str, Any]:
    view = form.resolve_view()
    if view is None:
        return {}
    arguments = {name: form.cleaned_data[name] for name in ("query", "budget")}
    try:
        built = context.build_context(actor=view.actor, noted=False, **arguments)
    except Trouble as refusal:
        add_refusal(form, refusal)
        return {}
    return {
        "text": built.text,
        "hidden": view.hidden,
        "costs": _section_costs(view, built),
        "doubtful": _find_doubtful(view, arguments["query"]),
        "fits": not any(section.omitted or section.cut for section in built.sections),
        "total": context.estimate_tokens(built.text),
        "budget": arguments["budget"],
        "curl": _context_curl(request, form, arguments),
    }


def _section_costs(view: ViewAs, built: context.PromptContext) -> list[SectionCost]:
    ids = [memory_id for section in built.sections for memory_id in section.omitted]
    omitted = _load_omitted(view, ids) if ids else {}
    return [
        SectionCost(
            SECTION_TITLES[section.name],
            context.estimate_tokens(section.text),
            len(section.memory_ids),
            section.cut,
            [omitted[memory_id] for memory_id in section.omitted if memory_id in omitted],
        )
        for section in built.sections
    ]


def _find_doubtful(view: ViewAs, query: str) -> list[Hit]:
    """Return the nearest memories for a question to which none is sure enough."""
    if not query.strip():
        return []
    found = recall(actor=view.actor, query=query, limit=context.MAX_RELEVANT, min_confidence=AUTO, noted=False)
    return [] if found.hits else list(found.doubtful)


def _load_omitted(view: ViewAs, ids: list[UUID]) -> dict[UUID, Memory]:
    return Memory.objects.visible_to(view.actor).defer("search").in_bulk(ids)


def _context_curl(request: HttpRequest, form: AgentContextForm, arguments: Mapping[str, Any]) -> str:
    """Return the API call that gives the agent this context."""
    params = {name: value for name, value in arguments.items() if value}
    address = request.build_absolute_uri(f"/api/v1/context?{urlencode(params)}")
    headers = ["Authorization: Bearer $MEMORYHUB_TOKEN", *form.headers()]
    return " \\\n  ".join([f"curl {shlex.quote(address)}", *(f'-H "{header}"' for header in headers)])
