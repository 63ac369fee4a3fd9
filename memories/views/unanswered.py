"""Questions that found nothing: answer, dismiss or reopen them."""

from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memories import operations
from memories.models import Type
from memories.queries.unanswered import list_dismissed, list_unanswered, normalize_question
from memoryhub.errors import Invalid
from memoryhub.flash import notify
from memoryhub.forms import TextField, add_refusal
from teams.team_page import ActionResult, TeamPage, in_team, team_action


class AnswerForm(forms.Form):
    question = forms.CharField(widget=forms.HiddenInput, required=False)
    content = TextField(
        required=False,
        label="What should they have found?",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    type = forms.ChoiceField(choices=Type.choices, initial=Type.FACT)


@in_team
def show_questions(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    form = AnswerForm(request.POST if request.method == "POST" else None)
    if form.is_bound and (settled := _answer_question(team_page, form)):
        notify(request, "Saved. Agents find it from now on.", undo=team_page.url("question-reopen", settled))
        return redirect(team_page.url("activity-questions"))
    return _render_questions(request, team_page, form)


def _answer_question(team_page: TeamPage, form: AnswerForm) -> UUID | None:
    if not form.is_valid():
        return None
    values = form.cleaned_data
    draft = operations.Draft(content=values["content"], type=values["type"])
    try:
        return operations.answer_question(actor=team_page.actor, question=values["question"], draft=draft).pk
    except Invalid as refusal:
        add_refusal(form, refusal)
        return None


def _render_questions(request: HttpRequest, team_page: TeamPage, form: AnswerForm) -> HttpResponse:
    """Render each question with its form; the submitted form keeps its text."""
    submitted_key = normalize_question(form.data.get("question", "")) if form.is_bound else None
    rows = [
        (
            question,
            form
            if question.key == submitted_key
            else AnswerForm(initial={"question": question.key}, auto_id=f"q{n}-%s"),
        )
        for n, question in enumerate(list_unanswered(actor=team_page.actor))
    ]
    lost = bool(form.errors) and not any(
        answer is form for _, answer in rows
    )  # its question has left the list meanwhile
    context = {"section": "activity", "tab": "questions", "rows": rows, "form": form, "lost": lost}
    context |= {"dismissed": list_dismissed(actor=team_page.actor)}
    return render(request, "memories/questions.html", context, status=400 if form.errors else 200)


@team_action
def dismiss_question_view(request: HttpRequest, team_page: TeamPage) -> ActionResult:
    settled = operations.dismiss_question(actor=team_page.actor, question=request.POST.get("question", ""))
    return ActionResult("Dismissed.", team_page.url("question-reopen", settled.pk), team_page.url("activity-questions"))


@team_action
def reopen_question_view(request: HttpRequest, team_page: TeamPage, settled_id: UUID) -> ActionResult:
    operations.reopen_question(actor=team_page.actor, settled_id=settled_id)
    return ActionResult("It is on the list again.", to=team_page.url("activity-questions"))
