"""Decisions about pairs in the review inbox: contradictions and duplicates."""

from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories import operations
from memories.forms import MultilineField
from memories.models import Pair, PairDecision
from memories.operations import Settlement
from memories.queries.pairs import find_pair, find_pair_differences
from memories.rules import access
from memories.text.diff import DiffBudget, diff_texts, shorten_diff_parts
from memories.views.actions import read_param
from memoryhub.errors import Conflict, Forbidden, Trouble
from memoryhub.flash import notify
from memoryhub.forms import add_refusal
from memoryhub.ids import parse_uuid
from teams.team_page import ActionResult, TeamPage, in_team, team_action

SETTLED_TEXTS = {
    PairDecision.KEEP: "The other one is forgotten.",
    PairDecision.SUPERSEDE: "The other one no longer holds.",
    PairDecision.BOTH_HOLD: "Both hold.",
    PairDecision.NOT_DUPLICATE: "They are not duplicates.",
    PairDecision.MERGE: "Merged.",
}


class PairMergeForm(forms.Form):
    content = MultilineField(label="Result", widget=forms.Textarea(attrs={"rows": 12}))
    keep = forms.CharField(required=False, widget=forms.HiddenInput)
    seen = forms.CharField(required=False, widget=forms.HiddenInput)


@team_action
def settle_pair_view(request: HttpRequest, team_page: TeamPage, pair_id: UUID) -> ActionResult:
    settlement = Settlement(
        decision=read_param(request, "decision"),
        keep=parse_uuid(read_param(request, "keep")),
        reason=read_param(request, "reason"),
    )
    pair = operations.settle_pair(actor=team_page.deciding_actor, pair_id=pair_id, settlement=settlement)
    return ActionResult(SETTLED_TEXTS[PairDecision(pair.decision)], team_page.url("review-pair-reopen", pair_id))


@team_action
def reopen_pair_view(request: HttpRequest, team_page: TeamPage, pair_id: UUID) -> ActionResult:
    operations.reopen_pair(actor=team_page.deciding_actor, pair_id=pair_id)
    return ActionResult("They wait for a decision again.")


@in_team
def show_pair(request: HttpRequest, team_page: TeamPage, pair_id: UUID) -> HttpResponse:
    """Show both memories of a pair, and a form that joins their texts."""
    pair = find_pair(actor=team_page.actor, pair_id=pair_id)
    if request.method != "POST":
        return _render_pair(request, team_page, pair, PairMergeForm(initial=_initial_merge(pair)))
    if not access.may_write(team_page.actor, pair.audience):
        raise Forbidden("You may read these memories, but not change them.")
    form = PairMergeForm(request.POST)
    if form.is_valid() and _merge_pair(team_page, pair, form):
        notify(request, SETTLED_TEXTS[PairDecision.MERGE], undo=team_page.url("review-pair-reopen", pair_id))
        return HttpResponseRedirect(team_page.url("review"))
    form.data = request.POST.copy()
    form.data["seen"] = describe_versions(pair)  # both are on screen again
    return _render_pair(request, team_page, pair, form, status=400)


def _merge_pair(team_page: TeamPage, pair: Pair, form: PairMergeForm) -> bool:
    values = form.cleaned_data
    try:
        if values["seen"] != describe_versions(pair):
            raise Conflict("One of them has changed meanwhile: look at both once more.")
        settlement = Settlement(decision=PairDecision.MERGE, keep=parse_uuid(values["keep"]), content=values["content"])
        operations.settle_pair(actor=team_page.deciding_actor, pair_id=pair.pk, settlement=settlement)
    except Trouble as refusal:
        add_refusal(form, refusal)
        return False
    return True


def describe_versions(pair: Pair) -> str:
    return f"{pair.older.version}:{pair.newer.version}"


def _initial_merge(pair: Pair) -> dict[str, object]:
    """Return the newer text, and below it what only the older one says."""
    said = set(pair.newer.content.splitlines())
    rest = [line for line in pair.older.content.splitlines() if line not in said]
    joined = "\n".join([pair.newer.content.rstrip(), *rest]) if rest else pair.newer.content
    return {"content": joined, "keep": pair.newer_id, "seen": describe_versions(pair)}


def _render_pair(
    request: HttpRequest, team_page: TeamPage, pair: Pair, form: PairMergeForm, *, status: int = 200
) -> HttpResponse:
    parts = diff_texts(pair.older.content, pair.newer.content, budget=DiffBudget())
    context = {"section": "review", "pair": pair, "form": form, "back": team_page.url("review")}
    context |= {"action": team_page.url("review-pair", pair.pk), "cancel_url": team_page.url("review")}
    context |= {"difference": shorten_diff_parts(parts), "differences": find_pair_differences(pair)}
    decidable = access.may_write(team_page.actor, pair.audience) and pair.state == "open"
    context |= {"unsaved": form.is_bound, "decidable": decidable}
    return render(request, "memories/review/pair.html", context, status=status)
