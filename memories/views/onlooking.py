"""Whose eyes a page looks through: one of the team's agents, in a project, for a person."""

from typing import Any
from urllib.parse import quote

from django import forms

from memoryhub.errors import Trouble
from memoryhub.forms import refuse
from teams.circumstances import Context
from teams.models import HANDLE_LENGTH
from teams.onlooking import Sight, looking_as
from teams.place import Place


class Standpoint(forms.Form):
    agent = forms.ChoiceField(label="As")
    project = forms.ChoiceField(label="In project", required=False)
    user = forms.CharField(
        label="For person", required=False, max_length=HANDLE_LENGTH, widget=forms.TextInput({"placeholder": "anyone"})
    )

    def __init__(self, data: Any, *, place: Place) -> None:
        super().__init__(data)
        self.place = place
        self.choosing("agent").choices = [(agent.slug, agent.slug) for agent in place.agents]
        projects = [(project.slug, project.name) for project in place.projects]
        self.choosing("project").choices = [("", "No project"), *projects]

    def choosing(self, name: str) -> forms.ChoiceField:
        found = self.fields[name]
        assert isinstance(found, forms.ChoiceField)
        return found

    @property
    def context(self) -> Context:
        workspace = self.place.workspace
        said = {name: self.cleaned_data.get(name, "") for name in ("project", "user")}
        return Context(**said, workspace=workspace.slug if workspace else "")

    def sight(self) -> Sight | None:
        """What can be seen from there; None if there is no such place, which the fields say then."""
        agent = next((agent for agent in self.place.agents if agent.slug == self.cleaned_data["agent"]), None)
        try:
            if agent is None:
                return Sight(self.place.here)
            agent.team = self.place.team
            return looking_as(person=self.place.actor, agent=agent, context=self.context)
        except Trouble as refusal:
            refuse(self, refusal)
            return None

    def headers(self) -> list[str]:
        """Those by which a call to the API says the same."""
        said = {"Project": self.context.project, "User": self.context.user, "Workspace": self.context.workspace}
        return [f"X-Memory-{name}: {quote(value)}" for name, value in said.items() if value]
