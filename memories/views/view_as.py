"""Form to view a page as one of the team's agents, in a project, for a person."""

from typing import Any
from urllib.parse import quote

from django import forms

from memoryhub.errors import Trouble
from memoryhub.forms import add_refusal
from teams.call_context import CallContext
from teams.models import HANDLE_LENGTH
from teams.team_page import TeamPage
from teams.view_as import ViewAs, view_as_agent


class ViewAsForm(forms.Form):
    agent = forms.ChoiceField(label="View as")
    project = forms.ChoiceField(label="In project", required=False)
    user = forms.CharField(
        label="For person", required=False, max_length=HANDLE_LENGTH, widget=forms.TextInput({"placeholder": "anyone"})
    )

    def __init__(self, data: Any, *, team_page: TeamPage) -> None:
        super().__init__(data)
        self.team_page = team_page
        self.choice_field("agent").choices = [(agent.slug, agent.slug) for agent in team_page.agents]
        projects = [(project.slug, project.name) for project in team_page.projects]
        self.choice_field("project").choices = [("", "No project"), *projects]

    def choice_field(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    @property
    def context(self) -> CallContext:
        workspace = self.team_page.workspace
        names = {name: self.cleaned_data.get(name, "") for name in ("project", "user")}
        return CallContext(**names, workspace=workspace.slug if workspace else "")

    def resolve_view(self) -> ViewAs | None:
        """Return what the chosen agent can see; None, with errors on the form, if the choice is invalid."""
        agent = next((agent for agent in self.team_page.agents if agent.slug == self.cleaned_data["agent"]), None)
        try:
            if agent is None:
                return ViewAs(self.team_page.team_only_actor)
            agent.team = self.team_page.team
            return view_as_agent(person=self.team_page.actor, agent=agent, context=self.context)
        except Trouble as refusal:
            add_refusal(self, refusal)
            return None

    def headers(self) -> list[str]:
        """Return the headers that give an API call the same context."""
        names = {"Project": self.context.project, "User": self.context.user, "Workspace": self.context.workspace}
        return [f"X-Memory-{name}: {quote(value)}" for name, value in names.items() if value]
