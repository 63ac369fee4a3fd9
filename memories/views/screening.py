"""The page on which a team's owners choose what becomes of writes in which screening finds something."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memories import operations
from memories.rules.screening_settings import ScreenedWriter, ScreeningAction, list_actions, read_screening
from memories.screening.findings import FindingGroup
from memoryhub.flash import notify
from memoryhub.forms import submit_form
from teams import operations as registry
from teams.team_page import TeamPage, in_team

GROUP_TITLES = {
    FindingGroup.SECRET: ("Secrets", "Keys, tokens, private keys, passwords, numbers of cards and accounts."),
    FindingGroup.PERSONAL: ("Personal data", "E-mail addresses, phone numbers and national numbers."),
    FindingGroup.INJECTION: (
        "Orders to a model",
        "Texts that set instructions aside, forge roles, hide characters, or carry data away.",
    ),
}
ACTION_TITLES = {
    ScreeningAction.REFUSE: "Refuse the write",
    ScreeningAction.ASK: "Ask whether it is meant",
    ScreeningAction.HOLD: "Hold it until somebody approves",
    ScreeningAction.REDACT: "Replace it by a note",
    ScreeningAction.ALLOW: "Save it as it is",
}


class ScreeningForm(forms.Form):
    """A choice for each group and each kind of writer."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for group in FindingGroup:
            for writer in ScreenedWriter:
                choices = [(action.value, ACTION_TITLES[action]) for action in list_actions(group, writer)]
                self.fields[f"{group}-{writer}"] = forms.ChoiceField(label=f"From {writer}", choices=choices)

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Return each group's title, what belongs to it, and its fields."""
        return [
            (*titles, [self[f"{group}-{writer}"] for writer in ScreenedWriter])
            for group, titles in GROUP_TITLES.items()
        ]

    @property
    def settings(self) -> dict[str, dict[str, str]]:
        return {
            group.value: {writer.value: self.cleaned_data[f"{group}-{writer}"] for writer in ScreenedWriter}
            for group in FindingGroup
        }


@in_team
def edit_screening(request: HttpRequest, place: TeamPage) -> HttpResponse:
    registry.require_owner(place.actor)
    present = {f"{group}-{writer}": action for (group, writer), action in read_screening(place.team.policy).items()}
    form = ScreeningForm(request.POST or None, initial=present)

    def save(**_: str) -> dict[str, Any]:
        return operations.set_screening(actor=place.actor, settings=form.settings)

    if submit_form(form, save):
        notify(request, "Saved. It holds for every write from now on.")
        return redirect(place.url("screening"))
    context = {"section": "screening", "form": form}
    return render(request, "memories/screening.html", context, status=400 if form.errors else 200)
