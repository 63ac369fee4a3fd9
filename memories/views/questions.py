"""Questions that found nothing, as a list to work through."""

from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memories import operations
from memories.models import Type
from memories.questions import dismissed, plain, unanswered
from memoryhub.errors import Invalid
from memoryhub.forms import TextField, refuse
from memoryhub.notices import notify
from teams.place import Done, Place, action, in_team


class AnswerForm(forms.Form):
    question = forms.CharField(widget=forms.HiddenInput, required=False)
    content = TextField(
        required=False,
        label="What should they have found?",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    type = forms.ChoiceField(choices=Type.choices, initial=Type.FACT)


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    form = AnswerForm(request.POST if request.method == "POST" else None)
    if form.is_bound and (settled := _settled(place, form)):
        notify(request, "Saved. Agents find it from now on.", undo=place.to("question-reopen", settled))
        return redirect(place.to("activity-questions"))
    return _shown(request, place, form)


def _settled(place: Place, form: AnswerForm) -> UUID | None:
    if not form.is_valid():
        return None
    said = form.cleaned_data
    draft = operations.Draft(content=said["content"], type=said["type"])
    try:
        return operations.answer(actor=place.actor, question=said["question"], draft=draft).pk
    except Invalid as refusal:
        refuse(form, refusal)
        return None


def _shown(request: HttpRequest, place: Place, form: AnswerForm) -> HttpResponse:
    """Each question with its form; the one that was sent keeps what was typed."""
    sent = plain(form.data.get("question", "")) if form.is_bound else None
    rows = [
        (question, form if question.key == sent else AnswerForm(initial={"question": question.key}, auto_id=f"q{n}-%s"))
        for n, question in enumerate(unanswered(actor=place.actor))
    ]
    lost = bool(form.errors) and not any(answer is form for _, answer in rows)  # it is off the list meanwhile
    shown = {"section": "activity", "tab": "questions", "rows": rows, "form": form, "lost": lost}
    shown |= {"dismissed": dismissed(actor=place.actor)}
    return render(request, "memories/questions.html", shown, status=400 if form.errors else 200)


@action
def dismiss(request: HttpRequest, place: Place) -> Done:
    settled = operations.dismiss(actor=place.actor, question=request.POST.get("question", ""))
    return Done("Dismissed.", place.to("question-reopen", settled.pk), place.to("activity-questions"))


@action
def reopen(request: HttpRequest, place: Place, settled_id: UUID) -> Done:
    operations.reopen(actor=place.actor, settled_id=settled_id)
    return Done("It is on the list again.", to=place.to("activity-questions"))
