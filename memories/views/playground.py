"""The recall playground: ask as an agent would, see why each hit ranks where it does, and why another memory is
absent."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories import recall
from memories.models import Memory, Scope, Type
from memories.queries.feedback import list_own_ratings
from memories.recall import ASKING, AUTO, DEFAULT_LIMIT, MOST, QUERY_LENGTH, Filters, Hit, Mode
from memories.recall.adjustments import find_anchor_factor, find_feedback_factor
from memories.recall.confidence import describe_confidence
from memories.recall.log import find_context_audience
from memories.rules import access
from memories.views.view_as import ViewAsForm
from memoryhub.errors import NotFound, Trouble
from memoryhub.forms import WordsField, add_refusal
from memoryhub.ids import parse_uuid
from teams.team_page import TeamPage, in_team
from teams.view_as import ViewAs

MODE_LABELS = {
    Mode.HYBRID: "Words and meaning",
    Mode.KEYWORD: "Words alone",
    Mode.SEMANTIC: "Meaning alone",
    Mode.RECENT: "The newest",
    Mode.IMPORTANT: "The most important",
    Mode.TYPED: "Of one type",
}
SCORE_PART_LABELS = {
    "words": "words",
    "meaning": "meaning",
    "lead": "starts with a query word",
    "length": "its length",
    "neighbours": "what was saved just before and after",
    "exact": "has it letter by letter",
    "links": "links",
}
EXAMPLE_QUESTIONS = ("What did we decide?", "Which lessons did we learn?")
EXAMPLES, LOOKED_AT = 3, 20  # keys to suggest, taken from this many of the newest memories
MAX_AGENT_LINKS = 8  # agents with a link that asks as them
DEFAULT_LIMITS = {mode.value: limit for mode, limit in DEFAULT_LIMIT.items()}
SMALLEST_SHOWN_SCORE = 0.005  # smaller parts of a score get no number
MAX_PICKS = 5  # suggestions, if the words name no single memory


class PlaygroundForm(ViewAsForm):
    agent = forms.ChoiceField(label="Ask as", required=False)
    query = forms.CharField(
        label="Question",
        required=False,
        max_length=QUERY_LENGTH,
        widget=forms.TextInput({"type": "search", "placeholder": "Words, a question, an identifier"}),
    )
    mode = forms.ChoiceField(label="Search by", choices=[(mode.value, words) for mode, words in MODE_LABELS.items()])
    limit = forms.IntegerField(label="Results", widget=forms.NumberInput({"min": 1, "max": MOST}))
    type = forms.ChoiceField(label="Type", required=False, choices=[("", "Any"), *Type.choices])
    tags = WordsField(label="Tags (all of)", widget=forms.TextInput({"placeholder": "a, b"}))

    def __init__(self, data: Any, *, team_page: TeamPage) -> None:
        super().__init__(data, team_page=team_page)
        field = self.choice_field("agent")
        field.choices = [("", "Yourself"), *field.choices]  # type: ignore[misc]

    def clean(self) -> None:
        values = self.cleaned_data
        if not values.get("agent") and (values.get("project") or values.get("user")):
            self.add_error("agent", "Choose an agent: a project and a person are what an agent works in and for.")

    def recall_arguments(self) -> dict[str, Any]:
        values = self.cleaned_data
        filters = Filters(type=values["type"], tags=values["tags"])
        asked = {name: values[name] for name in ("query", "mode", "limit")}
        return {**asked, "filters": filters, "min_confidence": AUTO}


PLAYGROUND_PARAMS = (*PlaygroundForm.base_fields, "why")


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """One part of a score: its amount, its place on a scale of a hundred, and the rank by it."""

    name: str
    words: str
    amount: float | None  # None if it adds nothing, or more than a score can have
    start: float
    width: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit with its score bars, and sentences on why it is sure or doubtful."""

    hit: Hit
    bars: list[ScoreBar]
    reasons: list[str]
    changeable: bool
    own_rating: str = ""

    @property
    def feedback_factor(self) -> float:
        """The factor that feedback is worth among the hits."""
        return find_feedback_factor(self.hit.scored.feedback if self.hit.scored else 0.0)

    @property
    def anchor_factor(self) -> float:
        """The factor of a failed anchor among the hits."""
        return find_anchor_factor(self.hit.memory.anchor_state)


@dataclass(frozen=True, slots=True)
class AbsenceReason:
    """The reason why a memory is not among the hits, or suggestions of which memory was meant."""

    memory: Memory | None = None
    sentence: str = ""
    rank: int | None = None
    picks: list[Hit] | None = None


@in_team
def show_playground(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    params = {name: value for name in PLAYGROUND_PARAMS if (value := request.GET.get(name, "").strip())}
    mode = params.get("mode", Mode.HYBRID)
    takes_query = mode in ASKING
    form = PlaygroundForm(
        {"mode": mode, "limit": DEFAULT_LIMITS.get(mode, DEFAULT_LIMITS[Mode.HYBRID])} | params, team_page=team_page
    )
    has_question = "query" in params or not takes_query
    context = {
        "section": "playground",
        "form": form,
        "params": params,
        "takes_query": takes_query,
        "has_question": has_question,
    }
    if not has_question:
        context["examples"] = _example_questions(team_page)
    elif form.is_valid():
        context |= _run_recall(request, team_page, form, params)
    return render(request, "memories/playground.html", context)


def _run_recall(
    request: HttpRequest, team_page: TeamPage, form: PlaygroundForm, params: Mapping[str, str]
) -> dict[str, Any]:
    view = form.resolve_view()
    if view is None:
        return {}
    try:
        arguments = form.recall_arguments()
        result = recall.recall(actor=view.actor, explain=True, snippets=True, noted=False, **arguments)
        why = params.get("why", "").strip()
        absence = _explain_absence(team_page, view, why=why[:QUERY_LENGTH], arguments=arguments) if why else None
    except Trouble as refusal:
        add_refusal(form, refusal)
        return {}
    return {
        "result": result,
        "answers": _hit_rows(team_page, result.hits, floor=result.floor),
        "doubtful": _hit_rows(team_page, result.doubtful, floor=result.floor),
        "hidden": view.hidden,
        "again": _ask_as_links(team_page, params),
        "why": why,
        "absence": absence,
        **_test_parameters(team_page, view, form),
        "curl": _recall_curl(request, form, arguments),
    }


def _test_parameters(team_page: TeamPage, view: ViewAs, form: PlaygroundForm) -> dict[str, Any]:
    """Say whether the question may become a golden one, and in whose context it is asked: an agent's, if one is
    chosen."""
    audience = find_context_audience(view.actor) if form.cleaned_data["agent"] else team_page.team.pk
    return {
        "testable": team_page.may_write and access.may_read(team_page.actor, audience),
        "context_audience": audience if form.cleaned_data["agent"] else None,
    }


def _hit_rows(team_page: TeamPage, hits: Sequence[Hit], *, floor: float) -> list[HitRow]:
    ratings = list_own_ratings(actor=team_page.actor, memory_ids=[hit.memory.pk for hit in hits])
    return [
        HitRow(
            hit,
            _score_bars(hit),
            describe_confidence(hit.certainty, floor=floor),
            access.may_write(team_page.actor, hit.memory.audience),
            ratings.get(hit.memory.pk, ""),
        )
        for hit in hits
    ]


def _score_bars(hit: Hit) -> list[ScoreBar]:
    if hit.scored is None:
        return []
    bars, start = [], 0.0
    ranks = {"words": hit.scored.words_rank, "meaning": hit.scored.meaning_rank, "links": hit.scored.links_rank}
    for name, amount in hit.scored.parts.items():
        if amount >= SMALLEST_SHOWN_SCORE or ranks.get(name):
            shown_amount = amount if SMALLEST_SHOWN_SCORE <= amount <= 1 else None
            bars.append(
                ScoreBar(
                    name, SCORE_PART_LABELS[name], shown_amount, start, min(100 * amount, 100 - start), ranks.get(name)
                )
            )
        start = min(100.0, start + 100 * amount)
    return bars


def _ask_as_links(team_page: TeamPage, params: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Link to the same question asked as others: a name, an address, and True for the present one."""
    as_yourself = {name: value for name, value in params.items() if name not in ("agent", "project", "user")}
    yourself = ("yourself", f"?{urlencode(as_yourself)}", "agent" not in params)
    agents = [agent.slug for agent in team_page.agents[:MAX_AGENT_LINKS]]
    return [
        yourself,
        *((name, f"?{urlencode({**params, 'agent': name})}", params.get("agent") == name) for name in agents),
    ]


def _example_questions(team_page: TeamPage) -> list[str]:
    """List questions that this team's memories answer."""
    newest = Memory.objects.visible_to(team_page.team_only_actor).filter(audience=team_page.team.pk).newest()
    keys = [key for key in newest.values_list("key", flat=True)[:LOOKED_AT] if key]
    return [*keys[:EXAMPLES], *EXAMPLE_QUESTIONS]


def _recall_curl(request: HttpRequest, form: PlaygroundForm, arguments: Mapping[str, Any]) -> str:
    """Return the API call with which the agent asks this."""
    body = {name: arguments[name] for name in ("query", "mode", "limit") if arguments[name]}
    body |= arguments["filters"].set_values() | {"min_confidence": arguments["min_confidence"], "explain": True}
    headers = ["Authorization: Bearer $MEMORYHUB_TOKEN", "Content-Type: application/json", *form.headers()]
    parts = [f"curl {shlex.quote(request.build_absolute_uri('/api/v1/recall'))}"]
    parts += [f'-H "{header}"' for header in headers]
    return " \\\n  ".join([*parts, f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}"])


# Why not this one?


def _explain_absence(team_page: TeamPage, view: ViewAs, *, why: str, arguments: Mapping[str, Any]) -> AbsenceReason:
    memory = _find_named_memory(team_page, why)
    if memory is None:
        suggestions = recall.recall(
            actor=team_page.team_only_actor, query=why, limit=MAX_PICKS, snippets=True, noted=False
        )
        return AbsenceReason(picks=suggestions.hits)
    try:
        verdict = recall.why_not(actor=view.actor, memory_id=memory.pk, **arguments)
    except NotFound:
        return AbsenceReason(memory, _explain_not_visible(memory, view))
    return AbsenceReason(memory, verdict.reason, verdict.rank)


def _find_named_memory(team_page: TeamPage, name: str) -> Memory | None:
    """Find a memory by id or key; a forgotten one too, for those who may restore it."""
    for rows in (Memory.objects.visible_to(team_page.actor), Memory.objects.restorable_by(team_page.actor)):
        rows = rows.defer("search").select_related("team", "project", "agent")
        memory_id = parse_uuid(name)
        if memory := rows.filter(pk=memory_id).first() if memory_id else rows.with_key(name).first():
            return memory
    return None


def _explain_not_visible(memory: Memory, view: ViewAs) -> str:
    """Explain whose memory it is, if the asking agent may not see it."""
    name = view.actor.name
    return {
        Scope.TEAM: f"It is the memory of the team {memory.team}, which {name} does not read.",
        Scope.PROJECT: f"It belongs to the project {memory.project}. {name} sees it only in that project.",
        Scope.AGENT: f"It is {memory.agent}'s own, and not for {name}.",
        Scope.GLOBAL: f"It is about one person alone. {name} sees it only when it works for them.",
    }[Scope(memory.scope)]
