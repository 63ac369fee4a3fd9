"""The recall playground: ask as an agent would, see why each answer stands where it does, and why another does not."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories import recall
from memories.models import Memory, Scope, Type
from memories.recall import ASKING, DEFAULT_LIMIT, MOST, QUERY_LENGTH, Filters, Hit, Mode, Recalled
from memories.views.onlooking import Standpoint
from memoryhub.errors import NotFound, Trouble
from memoryhub.forms import WordsField, refuse
from memoryhub.ids import as_uuid
from teams.onlooking import Sight
from teams.place import Place, in_team

MODES = {
    Mode.HYBRID: "Words and meaning",
    Mode.KEYWORD: "Words alone",
    Mode.SEMANTIC: "Meaning alone",
    Mode.RECENT: "The newest",
    Mode.IMPORTANT: "The most important",
    Mode.TYPED: "Of one type",
}
PARTS = {
    "words": "words",
    "meaning": "meaning",
    "lead": "begins with an asked word",
    "exact": "has it letter by letter",
    "links": "links",
}
QUESTIONS = ("What did we decide?", "Which lessons did we learn?")
EXAMPLES, LOOKED_AT = 3, 20  # keys of the newest memories, and among how many of them they are looked for
AGAIN = 8  # agents to ask again as, by a link each
LIMITS = {mode.value: limit for mode, limit in DEFAULT_LIMIT.items()}
LEAST = 0.005  # of a score, that is worth a number
PICKED = 5  # memories to choose from, where a few words name none


class Asking(Standpoint):
    agent = forms.ChoiceField(label="As", required=False)
    query = forms.CharField(
        label="Question",
        required=False,
        max_length=QUERY_LENGTH,
        widget=forms.TextInput({"type": "search", "placeholder": "Words, a question, an identifier"}),
    )
    mode = forms.ChoiceField(label="By", choices=[(mode.value, words) for mode, words in MODES.items()])
    limit = forms.IntegerField(label="At most", widget=forms.NumberInput({"min": 1, "max": MOST}))
    type = forms.ChoiceField(label="Type", required=False, choices=[("", "Any"), *Type.choices])
    tags = WordsField(label="With all tags", widget=forms.TextInput({"placeholder": "a, b"}))

    def __init__(self, data: Any, *, place: Place) -> None:
        super().__init__(data, place=place)
        field = self.choosing("agent")
        field.choices = [("", "Yourself"), *field.choices]  # type: ignore[misc]

    def clean(self) -> None:
        said = self.cleaned_data
        if not said.get("agent") and (said.get("project") or said.get("user")):
            self.add_error("agent", "Choose an agent: a project and a person are what an agent works in and for.")

    def question(self) -> dict[str, Any]:
        said = self.cleaned_data
        filters = Filters(type=said["type"], tags=said["tags"])
        return {"query": said["query"], "mode": said["mode"], "limit": said["limit"], "filters": filters}


NAMES = (*Asking.base_fields, "why")


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a score: what it is, how much, from where to where on a scale of a hundred, and the rank by it."""

    name: str
    words: str
    amount: float | None  # None where it tells nothing: it adds nothing, or more than a score can have
    start: float
    width: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit as the page shows it."""

    hit: Hit
    bars: list[Bar]
    changeable: bool


@dataclass(frozen=True, slots=True)
class Ruling:
    """Why a memory is not there: what rules it out, or which ones may have been meant."""

    memory: Memory | None = None
    sentence: str = ""
    rank: int | None = None
    picks: list[Hit] | None = None


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    said = {name: value for name in NAMES if (value := request.GET.get(name, "").strip())}
    mode = said.get("mode", Mode.HYBRID)
    asking = mode in ASKING
    form = Asking({"mode": mode, "limit": LIMITS.get(mode, LIMITS[Mode.HYBRID])} | said, place=place)
    wanted = "query" in said or not asking
    told = {"section": "playground", "form": form, "said": said, "asking": asking, "wanted": wanted}
    if not wanted:
        told["examples"] = _examples(place)
    elif form.is_valid():
        told |= _asked(request, place, form, said)
    return render(request, "memories/playground.html", told)


def _asked(request: HttpRequest, place: Place, form: Asking, said: Mapping[str, str]) -> dict[str, Any]:
    sight = form.sight()
    if sight is None:
        return {}
    try:
        question = form.question()
        found = recall.recall(actor=sight.actor, explain=True, snippets=True, noted=False, **question)
        why = said.get("why", "").strip()
        ruling = _ruling(place, sight, why=why[:QUERY_LENGTH], question=question) if why else None
    except Trouble as refusal:
        refuse(form, refusal)
        return {}
    return {
        "found": found,
        "answers": _answers(place, found),
        "hidden": sight.hidden,
        "again": _again(place, said),
        "why": why,
        "ruling": ruling,
        "curl": _curl(request, form, question),
    }


def _answers(place: Place, found: Recalled) -> list[Answer]:
    return [Answer(hit, _bars(hit), place.may_change(hit.memory.audience)) for hit in found.hits]


def _bars(hit: Hit) -> list[Bar]:
    if hit.scored is None:
        return []
    bars, start = [], 0.0
    ranks = {"words": hit.scored.words_rank, "meaning": hit.scored.meaning_rank, "links": hit.scored.links_rank}
    for name, amount in hit.scored.parts.items():
        if amount >= LEAST or ranks.get(name):
            told = amount if LEAST <= amount <= 1 else None
            bars.append(Bar(name, PARTS[name], told, start, min(100 * amount, 100 - start), ranks.get(name)))
        start = min(100.0, start + 100 * amount)
    return bars


def _again(place: Place, said: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """The same question through other eyes: a name, an address, and whether it is asked so now."""
    alone = {name: value for name, value in said.items() if name not in ("agent", "project", "user")}
    yourself = ("yourself", f"?{urlencode(alone)}", "agent" not in said)
    agents = [agent.slug for agent in place.agents[:AGAIN]]
    return [yourself, *((name, f"?{urlencode({**said, 'agent': name})}", said.get("agent") == name) for name in agents)]


def _examples(place: Place) -> list[str]:
    """Questions that this team's memories answer."""
    newest = Memory.objects.visible_to(place.here).filter(audience=place.team.pk).newest()
    keys = [key for key in newest.values_list("key", flat=True)[:LOOKED_AT] if key]
    return [*keys[:EXAMPLES], *QUESTIONS]


def _curl(request: HttpRequest, form: Asking, question: Mapping[str, Any]) -> str:
    """The call by which the agent itself asks this."""
    body = {name: question[name] for name in ("query", "mode", "limit") if question[name]}
    body |= question["filters"].said() | {"explain": True}
    headers = ["Authorization: Bearer $MEMORYHUB_TOKEN", "Content-Type: application/json", *form.headers()]
    parts = [f"curl {shlex.quote(request.build_absolute_uri('/api/v1/recall'))}"]
    parts += [f'-H "{header}"' for header in headers]
    return " \\\n  ".join([*parts, f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}"])


# Why not this one?


def _ruling(place: Place, sight: Sight, *, why: str, question: Mapping[str, Any]) -> Ruling:
    memory = _named(place, why)
    if memory is None:
        looked = recall.recall(actor=place.here, query=why, limit=PICKED, snippets=True, noted=False)
        return Ruling(picks=looked.hits)
    try:
        verdict = recall.why_not(actor=sight.actor, memory_id=memory.pk, **question)
    except NotFound:
        return Ruling(memory, _unseen(memory, sight))
    return Ruling(memory, verdict.reason, verdict.rank)


def _named(place: Place, name: str) -> Memory | None:
    """By its id or its key; a forgotten one too, for those who may restore it."""
    for rows in (Memory.objects.visible_to(place.actor), Memory.objects.restorable_by(place.actor)):
        rows = rows.defer("search").select_related("team", "project", "agent")
        number = as_uuid(name)
        if found := rows.filter(pk=number).first() if number else rows.keyed(name).first():
            return found
    return None


def _unseen(memory: Memory, sight: Sight) -> str:
    """Whose it is, if it is not for whoever asks."""
    who = sight.actor.name
    return {
        Scope.TEAM: f"It is the memory of the team {memory.team}, which {who} does not read.",
        Scope.PROJECT: f"It belongs to the project {memory.project}. {who} sees it only in that project.",
        Scope.AGENT: f"It is {memory.agent}'s own, and not for {who}.",
        Scope.GLOBAL: f"It is about one person alone. {who} sees it only when it works for them.",
    }[Scope(memory.scope)]
