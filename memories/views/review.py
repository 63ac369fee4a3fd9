"""The review inbox: what waits for a person's decision, one queue for a team."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories import operations, recall
from memories.models import Feedback, Memory, Pair, PairKind, Proposal, Source
from memories.queries.anchors import diff_anchor_lines
from memories.queries.feedback import list_reports
from memories.queries.pairs import find_pair_differences
from memories.queries.proposed_change import ChangePreview, preview_proposals
from memories.queries.review import MOST_COUNTED, REVIEW_KINDS, ReviewItem, count_by_kind, list_review_items
from memories.text.comparison import Difference
from memories.text.diff import DiffBudget, DiffPart
from memories.views.actions import read_param
from memoryhub.errors import NotFound
from teams.team_page import ActionResult, TeamPage, in_team, team_action

ITEMS_PER_PAGE = 20
SOURCES, SIMILAR = 20, 5  # that the page of a proposal shows
SIMILAR_QUERY = 1_000  # characters of a text by which similar ones are looked for


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """An item as its page shows it."""

    item: ReviewItem
    preview: ChangePreview | None = None
    reports: Sequence[Feedback] = ()
    line_changes: Sequence[DiffPart] = ()  # of a failed anchor

    @property
    def template(self) -> str:
        name = {Proposal: "proposals", Pair: "pairs"}.get(type(self.item.row), self.item.kind)
        return f"memories/review/_{name}.html"

    @property
    def memory(self) -> Memory:
        """The memory that it is about; of two, the newer one."""
        row = self.item.row
        memory: Memory = row.newer if isinstance(row, Pair) else getattr(row, "memory", row)
        return memory

    @property
    def differences(self) -> Sequence[Difference]:
        """The words in which two memories contradict each other."""
        row = self.item.row
        return find_pair_differences(row) if isinstance(row, Pair) and row.kind == PairKind.CONTRADICTION else ()


@dataclass(frozen=True, slots=True)
class KindTab:
    """A filter of the queue, with how many items are behind it."""

    name: str
    label: str
    count: int

    @property
    def count_text(self) -> str:
        return describe_count(self.count)


def describe_count(count: int) -> str:
    return f"{MOST_COUNTED}+" if count > MOST_COUNTED else str(count)


@in_team
def show_review(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    kind, cursor, now = request.GET.get("kind", ""), request.GET.get("cursor"), timezone.now()
    if kind and kind not in REVIEW_KINDS:
        raise NotFound("There is no such kind of thing to review.")
    page = list_review_items(
        actor=team_page.deciding_actor, now=now, kinds=[kind] if kind else (), limit=ITEMS_PER_PAGE, cursor=cursor
    )
    context = {
        "section": "review",
        "kind": kind,
        "tabs": _list_tabs(team_page),
        "cards": build_cards(page.items),
        "first": f"{team_page.url('review')}?{urlencode({'kind': kind})}" if kind else team_page.url("review"),
        "next": f"{team_page.url('review')}?{urlencode({'kind': kind, 'cursor': page.next})}" if page.next else "",
        "paged": bool(cursor),
        "back": request.get_full_path(),
    }
    return render(request, "memories/review/review.html", context)


def _list_tabs(team_page: TeamPage) -> list[KindTab]:
    counts = count_by_kind(actor=team_page.deciding_actor, now=timezone.now())
    return [KindTab(name, kind.label, counts[name]) for name, kind in REVIEW_KINDS.items()]


def build_cards(items: Sequence[ReviewItem], *, budget: DiffBudget | None = None) -> list[ReviewCard]:
    """Return the items with their differences, which share one budget."""
    budget = budget or DiffBudget()
    previews = preview_proposals(_list_proposals(items), budget=budget)
    reports = list_reports([item.row for item in items if isinstance(item.row, Feedback)])
    lines = {item.row.pk: diff_anchor_lines(item.row, budget=budget) for item in items if isinstance(item.row, Source)}
    return [
        ReviewCard(item, previews.get(item.row.pk), reports.get(item.row.pk, ()), lines.get(item.row.pk, ()))
        for item in items
    ]


def _list_proposals(items: Iterable[ReviewItem]) -> list[Proposal]:
    return [item.row for item in items if isinstance(item.row, Proposal)]


@require_safe
@in_team
def show_proposal(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> HttpResponse:
    """Show a proposal in full with what speaks for and against it: its sources, and memories that say similar."""
    proposal = find_reviewable(team_page, proposal_id)
    preview = preview_proposals([proposal])[proposal.pk]
    context: dict[str, Any] = {"section": "review", "proposal": proposal, "preview": preview}
    context |= {"memory": proposal.memory, "back": team_page.url("review")}
    context |= {"decidable": is_decidable(team_page, proposal), "own": is_own(team_page, proposal)}
    context |= {"sources": list_sources(proposal), "similar": find_similar(team_page, proposal)}
    return render(request, "memories/review/proposal.html", context)


def find_reviewable(team_page: TeamPage, proposal_id: UUID) -> Proposal:
    found = Proposal.objects.visible_to(team_page.actor).with_memories().filter(pk=proposal_id).first()
    if found is None:
        raise NotFound("There is no such proposal.")
    return found


def is_own(team_page: TeamPage, proposal: Proposal) -> bool:
    return proposal.agent_id is None and proposal.user_id == team_page.actor.user_id


def is_decidable(team_page: TeamPage, proposal: Proposal) -> bool:
    return Proposal.objects.decidable_by(team_page.actor).filter(pk=proposal.pk).exists()


def list_sources(proposal: Proposal) -> list[Source]:
    return list(Source.objects.of_memory(proposal.memory).select_related("session", "agent", "user").newest()[:SOURCES])


def find_similar(team_page: TeamPage, proposal: Proposal) -> list[Memory]:
    """Return memories that say something similar, without the proposed one."""
    text = str(proposal.arguments.get("content") or proposal.memory.content)[:SIMILAR_QUERY]
    hits = recall.recall(actor=team_page.actor, query=text, limit=SIMILAR + 1, noted=False, fold=False).hits
    return [hit.memory for hit in hits if hit.memory.pk != proposal.memory_id][:SIMILAR]


@team_action
def approve_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> ActionResult:
    undo = team_page.url("review-reopen", proposal_id)
    try:
        operations.approve_proposal(actor=team_page.actor, proposal_id=proposal_id, note=read_param(request, "note"))
    except operations.MergeNeeded as conflict:
        return ActionResult(conflict.message, to=team_page.url("review-edit", proposal_id), is_warning=True)
    return ActionResult("Approved.", undo)


@team_action
def reject_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> ActionResult:
    operations.reject_proposal(actor=team_page.actor, proposal_id=proposal_id, note=read_param(request, "reason"))
    return ActionResult("Rejected.", team_page.url("review-reopen", proposal_id))


@team_action
def withdraw_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> ActionResult:
    operations.withdraw_proposal(actor=team_page.actor, proposal_id=proposal_id)
    return ActionResult("Withdrawn.", to=team_page.url("review"))


@team_action
def reopen_proposal_view(request: HttpRequest, team_page: TeamPage, proposal_id: UUID) -> ActionResult:
    operations.reopen_proposal(actor=team_page.actor, proposal_id=proposal_id)
    return ActionResult("It waits for a decision again.")
