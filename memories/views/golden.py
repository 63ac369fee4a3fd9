"""Golden questions: choose the memory that should have been found, remove a question, and ask them all again."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories import operations
from memories.models import Memory, RecallLog
from memories.operations.golden import require_testing
from memories.recall import QUERY_LENGTH, recall
from memories.views.actions import read_param
from memoryhub.errors import Invalid, NotFound
from memoryhub.ids import parse_uuid
from teams.team_page import ActionResult, TeamPage, in_team, team_action

MOST_CANDIDATES = 10  # memories to choose from


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, and the audience in whose context it was asked, if that is known."""

    query: str
    audience: UUID | None


@require_safe
@in_team
def choose_expected_memory(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """Show memories of which one should have been found by a question."""
    require_testing(team_page.actor)
    asked = _read_asked_question(request, team_page)
    find = request.GET.get("find", "").strip()[:QUERY_LENGTH]
    context = {"section": "insights", "asked": asked, "find": find, "recall_id": request.GET.get("recall", "")}
    context |= {"candidates": _find_candidates(team_page, asked, find)}
    return render(request, "memories/golden_choice.html", context)


def _read_asked_question(request: HttpRequest, team_page: TeamPage) -> AskedQuestion:
    """Return the question that the address names: a logged recall's, or any text."""
    if "recall" not in request.GET:
        return AskedQuestion(request.GET.get("query", "").strip(), parse_uuid(request.GET.get("audience", "")))
    logs = RecallLog.objects.visible_to(team_page.actor).of_team(team_page.team.pk)
    recall_id = parse_uuid(request.GET["recall"])
    log = logs.filter(pk=recall_id).first() if recall_id else None
    if log is None:
        raise NotFound("There is no such recall.")
    return AskedQuestion(log.query, log.audience)


def _find_candidates(team_page: TeamPage, asked: AskedQuestion, find: str) -> list[Memory]:
    """Return the memories that these words find, or else the question, of those that may be expected."""
    words = (find or asked.query)[:QUERY_LENGTH]
    if not words:
        return []
    contexts = {project.pk for project in team_page.projects} if asked.audience is None else {asked.audience}
    reader = replace(team_page.actor, reads=team_page.actor.reads & ({team_page.team.pk} | contexts))
    return [hit.memory for hit in recall(actor=reader, query=words, limit=MOST_CANDIDATES, noted=False).hits]


@team_action
def add_golden_question_view(request: HttpRequest, team_page: TeamPage) -> ActionResult:
    memory_id = parse_uuid(read_param(request, "memory"))
    if memory_id is None:
        raise Invalid({"memory_id": "Choose a memory."})
    question = operations.add_golden_question(
        actor=team_page.actor,
        query=read_param(request, "query"),
        memory_id=memory_id,
        audience=parse_uuid(read_param(request, "audience")),
    )
    undo = team_page.url("golden-remove", question.pk)
    return ActionResult("It is a golden question now, asked every night.", undo, team_page.url("insights"))


@team_action
def remove_golden_question_view(request: HttpRequest, team_page: TeamPage, question_id: UUID) -> ActionResult:
    operations.remove_golden_question(actor=team_page.actor, question_id=question_id)
    return ActionResult("Removed.", team_page.url("golden-restore", question_id), team_page.url("insights"))


@team_action
def restore_golden_question_view(request: HttpRequest, team_page: TeamPage, question_id: UUID) -> ActionResult:
    operations.restore_golden_question(actor=team_page.actor, question_id=question_id)
    return ActionResult("It is asked again.", team_page.url("golden-remove", question_id), team_page.url("insights"))


@team_action
def run_golden_questions_view(request: HttpRequest, team_page: TeamPage) -> ActionResult:
    operations.request_golden_run(actor=team_page.actor)
    return ActionResult("A worker asks them now. Load this page again in a moment.", to=team_page.url("insights"))
