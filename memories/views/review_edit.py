"""Decisions of the review inbox that need a page: edit and approve, merge, replace, and several at once."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories import operations, recall
from memories.forms import EditMemoryForm, MultilineField, form_values, parse_version
from memories.models import SUMMARY_LENGTH, Memory, Proposal
from memories.queries.lookup import find_memory
from memories.queries.proposed_change import preview_proposals
from memories.queries.review import ReviewItem
from memories.rules import access
from memories.views.actions import read_param
from memories.views.memory_merge import MemoryFieldsEdit
from memories.views.review import build_cards, find_reviewable, find_similar, is_decidable
from memoryhub.errors import Forbidden, Invalid, Trouble
from memoryhub.flash import notify, warn
from memoryhub.forms import add_refusal
from memoryhub.ids import parse_uuid
from teams.team_page import ActionResult, TeamPage, in_team, team_action

CANDIDATES = 8  # memories to merge with that a search offers


def find_decidable(team_page: TeamPage, proposal_id: UUID) -> Proposal:
    proposal = find_reviewable(team_page, proposal_id)
    if not is_decidable(team_page, proposal):
        raise Forbidden("This proposal does not wait for a decision of yours.")
    return proposal


@in_team
def edit_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> HttpResponse:
    proposal = find_reviewable(team_page, proposal_id)
    if request.method != "POST" and not is_decidable(team_page, proposal):
        return HttpResponseRedirect(team_page.url("review-item", proposal_id))
    return ProposalEdit(request, team_page, proposal).respond()


class ProposalEdit(MemoryFieldsEdit):
    """Changes what was proposed, and approves it."""

    editor_template = "memories/review/edit.html"
    merge_template = "memories/review/edit_merge.html"

    def __init__(self, request: HttpRequest, team_page: TeamPage, proposal: Proposal) -> None:
        super().__init__(request, team_page, proposal.memory)
        self.proposal = proposal
        self.preview = preview_proposals([proposal])[proposal.pk]
        if not self.preview.editable:
            raise Forbidden("This proposal has no text that could be edited: approve or reject it.")

    def build_form(self) -> EditMemoryForm:
        proposed = {name: value for name, value in self.preview.values.items() if name in EditMemoryForm.base_fields}
        return EditMemoryForm(initial={**form_values(self.memory), **proposed, "version": self.memory.version})

    def save(self, form: EditMemoryForm) -> ActionResult:
        edits = self.find_changes(form) | {
            name: form.values[name] for name in self.preview.values if name in form.values
        }
        if "content" in edits:
            edits["summary"] = form.values["summary"]  # it was on screen beside the content
        seen = None if self.proposal.is_new_memory else form.seen_version
        operations.approve_proposal(actor=self.team_page.actor, proposal_id=self.proposal.pk, edits=edits, version=seen)
        undo = self.team_page.url("review-reopen", self.proposal.pk)
        return ActionResult("Edited and approved.", undo, self.team_page.url("review"))

    def page_context(self) -> dict[str, Any]:
        return {
            "section": "review",
            "memory": self.memory,
            "proposal": self.proposal,
            "preview": self.preview,
            "action": self.team_page.url("review-edit", self.proposal.pk),
            "cancel_url": self.team_page.url("review-item", self.proposal.pk),
        }


class MergeForm(forms.Form):
    content = MultilineField(label="Result", widget=forms.Textarea(attrs={"rows": 12}))
    target = forms.CharField(widget=forms.HiddenInput)
    version = forms.CharField(required=False, widget=forms.HiddenInput)


@in_team
def merge_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> HttpResponse:
    """Choose another memory, then give it the joined text."""
    proposal = find_decidable(team_page, proposal_id)
    if not proposal.is_new_memory:
        raise Forbidden("Only a new memory can be merged into another one.")
    target_id = parse_uuid(read_param(request, "target"))
    if target_id is None:
        return _render_candidates(request, team_page, proposal)
    target = find_memory(actor=team_page.actor, memory_id=target_id)
    if not access.may_write(team_page.actor, target.audience):
        raise Forbidden("You may read this memory, but not change it.")
    if request.method != "POST":
        joined = f"{target.content.rstrip()}\n\n{proposal.memory.content}"
        form = MergeForm(initial={"content": joined, "target": target.pk, "version": target.version})
        return _render_merge(request, team_page, proposal, target, form)
    form = MergeForm(request.POST)
    if form.is_valid() and _merge(team_page, proposal, target, form):
        notify(request, "Merged.", undo=team_page.url("review-reopen", proposal_id))
        return HttpResponseRedirect(team_page.url("review"))
    return _render_merge(request, team_page, proposal, target, form, status=400)


def _merge(team_page: TeamPage, proposal: Proposal, target: Memory, form: MergeForm) -> bool:
    version = parse_version(form.cleaned_data["version"])
    try:
        operations.merge_proposal(
            actor=team_page.actor,
            proposal_id=proposal.pk,
            target_id=target.pk,
            content=form.cleaned_data["content"],
            version=version,
        )
    except Trouble as refusal:
        add_refusal(form, refusal)
        return False
    return True


def _render_merge(
    request: HttpRequest, team_page: TeamPage, proposal: Proposal, target: Memory, form: MergeForm, *, status: int = 200
) -> HttpResponse:
    beside = (target.audience, target.workspace_id) == (proposal.memory.audience, proposal.memory.workspace_id)
    context = {"section": "review", "proposal": proposal, "memory": proposal.memory, "target": target, "form": form}
    context |= {
        "action": team_page.url("review-merge", proposal.pk),
        "cancel_url": team_page.url("review-item", proposal.pk),
    }
    context |= {"unsaved": form.is_bound, "replaceable": beside and not target.superseded_by}
    return render(request, "memories/review/merge.html", context, status=status)


def _render_candidates(request: HttpRequest, team_page: TeamPage, proposal: Proposal) -> HttpResponse:
    find = read_param(request, "find").strip()[: recall.QUERY_LENGTH]
    found = (
        [hit.memory for hit in recall.recall(actor=team_page.actor, query=find, limit=CANDIDATES, noted=False).hits]
        if find
        else find_similar(team_page, proposal)
    )
    others = [
        memory
        for memory in found
        if memory.pk != proposal.memory_id and access.may_write(team_page.actor, memory.audience)
    ]
    context = {"section": "review", "proposal": proposal, "memory": proposal.memory, "find": find, "others": others}
    return render(request, "memories/review/merge_choice.html", context)


@team_action
def replace_by_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> ActionResult:
    """Approve the new memory, and close the one that it replaces."""
    find_decidable(team_page, proposal_id)
    target = parse_uuid(read_param(request, "target"))
    if target is None:
        raise Invalid({"target": "Choose a memory."})
    operations.approve_proposal(actor=team_page.actor, proposal_id=proposal_id, replaces=target)
    return ActionResult("Approved: it replaces the other one.", team_page.url("review-reopen", proposal_id))


# Several at once


DECISIONS = {"approve": "Approve", "reject": "Reject"}
DECISIONS_DONE = {"approve": "Approved", "reject": "Rejected"}


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(choices=list(DECISIONS.items()), widget=forms.HiddenInput)
    reason = forms.CharField(
        required=False, max_length=SUMMARY_LENGTH, help_text="The proposers read it.", label="Reason"
    )


@in_team
def preview_decisions(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """Show what the decision would do to each of the ticked proposals."""
    if request.method != "POST":
        return HttpResponseRedirect(team_page.url("review"))
    ids, form = read_proposal_ids(request), DecisionForm(request.POST)
    decision = read_param(request, "decision")
    if not ids or decision not in DECISIONS:
        raise Invalid({"proposals": "Select some proposals first, and what to do with them."})
    rows = (
        Proposal.objects.decidable_by(team_page.actor).filter(pk__in=ids).with_memories().order_by("created_at", "id")
    )
    cards = build_cards([ReviewItem("proposals", row, row.created_at) for row in rows])
    conflicting = [card for card in cards if decision == "approve" and card.preview and card.preview.conflict]
    context = {"section": "review", "decision": decision, "form": form, "cards": cards, "conflicting": conflicting}
    context |= {"title": f"{DECISIONS[decision]} {describe_proposals(len(cards))}", "missing": len(ids) - len(cards)}
    return render(request, "memories/review/preview.html", context)


def read_proposal_ids(request: HttpRequest) -> list[UUID]:
    ids = [pk for pk in map(parse_uuid, request.POST.getlist("proposal")) if pk]
    if len(ids) > operations.MOST_DECISIONS:
        raise Invalid({"proposals": f"At most {operations.MOST_DECISIONS} at once."})
    return ids


@in_team
def decide_about_many(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(team_page.url("review"))
    ids, form = read_proposal_ids(request), DecisionForm(request.POST)
    if not form.is_valid():
        raise Invalid({name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()})
    decision, reason = form.cleaned_data["decision"], form.cleaned_data["reason"]
    act = operations.approve_proposals if decision == "approve" else operations.reject_proposals
    made = act(actor=team_page.actor, proposal_ids=ids, note=reason)
    if made.decided:
        undo = f"{team_page.url('review-reopen-many')}?ids={','.join(map(str, made.decided))}"
        notify(request, f"{DECISIONS_DONE[decision]} {describe_proposals(len(made.decided))}.", undo=undo)
    _warn_about_refused(request, made)
    return HttpResponseRedirect(team_page.url("review"))


@team_action
def reopen_many(request: HttpRequest, team_page: TeamPage) -> ActionResult:
    ids = [pk for pk in map(parse_uuid, read_param(request, "ids").split(",")) if pk]
    made = operations.reopen_proposals(actor=team_page.actor, proposal_ids=ids)
    _warn_about_refused(request, made)
    return ActionResult(f"{describe_proposals(len(made.decided)).capitalize()} wait again.", to=team_page.url("review"))


def _warn_about_refused(request: HttpRequest, made: operations.DecisionsMade) -> None:
    if made.refused:
        reasons = " ".join(dict.fromkeys(made.refused.values()))
        warn(request, f"{describe_proposals(len(made.refused)).capitalize()} left alone. {reasons}")


def describe_proposals(number: int) -> str:
    return "1 proposal" if number == 1 else f"{number} proposals"
