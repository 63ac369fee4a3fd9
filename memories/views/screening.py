"""The page on which a team's owners choose what becomes of writes in which screening finds something, and how similar
memories are compared."""

from typing import Any

from django import forms
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memories import operations
from memories.rules.pairs import ABOVE_LEAST, ABOVE_MOST, find_own_threshold
from memories.rules.screening_settings import ScreenedWriter, ScreeningAction, list_actions, read_screening
from memories.screening.findings import FindingGroup
from memoryhub.flash import notify
from memoryhub.forms import submit_form
from teams import operations as registry
from teams.models import Team
from teams.team_page import TeamPage, in_team

GROUP_TITLES = {
    FindingGroup.SECRET: ("Secrets", "Keys, tokens, private keys, passwords, numbers of cards and accounts."),
    FindingGroup.PERSONAL: ("Personal data", "E-mail addresses, phone numbers and national numbers."),
    FindingGroup.INJECTION: (
        "Instructions to a model",
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
        self.fields["above"] = forms.FloatField(
            label="Compare from this similarity on",
            required=False,
            min_value=ABOVE_LEAST,
            max_value=ABOVE_MOST,
            step_size=0.01,
            help_text=f"From {ABOVE_LEAST:g} to {ABOVE_MOST:g}. Empty for this hub's own, {settings.PAIRS_ABOVE:g}.",
        )

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
def edit_screening(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    registry.require_owner(team_page.actor)
    policy = team_page.team.policy
    chosen = {f"{group}-{writer}": action for (group, writer), action in read_screening(policy).items()}
    present = {**chosen, "above": find_own_threshold(policy)}
    form = ScreeningForm(request.POST or None, initial=present)

    @transaction.atomic
    def save(**_: str) -> Team:
        operations.set_screening(actor=team_page.actor, settings=form.settings)
        return operations.set_pair_threshold(actor=team_page.actor, above=form.cleaned_data["above"])

    if submit_form(form, save):
        notify(request, "Saved. It holds for every write from now on.")
        return redirect(team_page.url("screening"))
    context = {"section": "screening", "form": form}
    return render(request, "memories/screening.html", context, status=400 if form.errors else 200)
