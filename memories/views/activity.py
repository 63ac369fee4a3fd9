"""Activity: who changed what, and when."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from memories.models import Change
from memories.queries.activity import CHANGE_VERBS, ActivityPage, list_changes
from memories.views.list_filters import CURSOR_LENGTH
from memoryhub.errors import Invalid
from teams.models import Membership
from teams.team_page import MAX_CHOICES, TeamPage, in_team

CHANGES_PER_PAGE = 30
LAST_DAY = date(2999, 12, 31)


class DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def __init__(self, **options: Any) -> None:
        far = MaxValueValidator(LAST_DAY, "This day is too far away.")
        wrong = {"invalid": "This is no day. Write it like 2026-05-20."}
        super().__init__(input_formats=["%Y-%m-%d"], validators=[far], error_messages=wrong, **options)


def start_of_day(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def end_of_day(day: date) -> datetime:
    return start_of_day(day) + timedelta(days=1)


class ActivityFilterForm(forms.Form):
    """Filters of the activity: an agent, and a first and a last day."""

    agent = forms.ChoiceField(required=False)
    since = DayField(required=False, label="From")
    until = DayField(required=False, label="To")
    cursor = forms.CharField(required=False, max_length=CURSOR_LENGTH, widget=forms.HiddenInput)

    def __init__(self, params: QueryDict, *, team_page: TeamPage) -> None:
        super().__init__(params, auto_id="narrow-%s")
        self.agents = {agent.slug: agent for agent in team_page.agents}
        self.set_choices("agent", self.agents, any_label="Every agent")

    def set_choices(self, name: str, choices: Iterable[str], *, any_label: str) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", any_label), *((choice, choice) for choice in choices)]
        field.error_messages["invalid_choice"] = f"There is no {name} %(value)s here."

    def clean(self) -> None:
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            self.add_error("until", "The last day is before the first one.")

    def condition(self) -> Q:
        values, condition = self.cleaned_data, Q()
        if values["agent"]:
            condition &= Q(agent=self.agents[values["agent"]].pk)
        if values["since"]:
            condition &= Q(created_at__gte=start_of_day(values["since"]))
        if values["until"]:
            condition &= Q(created_at__lt=end_of_day(values["until"]))
        return condition

    @property
    def is_filtered(self) -> bool:
        return any(self.cleaned_data.get(field.name) for field in self.visible_fields())

    def next_page_url(self, cursor: str | None) -> str:
        """Return the query string of the next page with the same filters; empty if there is none."""
        values = {field.name: self.data.get(field.name, "") for field in self.visible_fields()}
        filled = {name: value for name, value in values.items() if value}
        return f"?{urlencode(filled | {'cursor': cursor})}" if cursor else ""


class ChangesFilterForm(ActivityFilterForm):
    person = forms.ChoiceField(required=False)
    change = forms.ChoiceField(
        required=False, label="Change", choices=[("", "Every change"), *((kind, CHANGE_VERBS[kind]) for kind in Change)]
    )
    field_order = ("agent", "person", "change", "since", "until")

    def __init__(self, params: QueryDict, *, team_page: TeamPage) -> None:
        super().__init__(params, team_page=team_page)
        members = Membership.objects.of_team(team_page.team.pk).with_logins()
        self.people = {member.user.get_username(): member.user_id for member in members[:MAX_CHOICES]}
        self.set_choices("person", self.people, any_label="Everybody")

    def condition(self) -> Q:
        values, condition = self.cleaned_data, super().condition()
        if values["person"]:
            condition &= Q(user=self.people[values["person"]])
        if values["change"]:
            condition &= Q(change=values["change"])
        return condition


@in_team
def show_activity(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """Show who changed what, newest first."""
    filters = ChangesFilterForm(request.GET, team_page=team_page)
    history = ActivityPage([], None)
    if filters.is_valid():
        try:
            history = list_changes(
                actor=team_page.team_only_actor,
                limit=CHANGES_PER_PAGE,
                rule=filters.condition(),
                cursor=filters.cleaned_data["cursor"] or None,
            )
        except Invalid as refusal:
            filters.add_error(None, refusal.fields["cursor"])
    context = {"tab": "changes", "history": history, "next": filters.next_page_url(history.next)}
    return render_activity(request, "memories/activity.html", filters, context)


def render_activity(request: HttpRequest, template: str, filters: forms.Form, context: dict[str, Any]) -> HttpResponse:
    """Render a page of the activity section; status 400 if the filters are invalid."""
    status = 400 if filters.errors else 200
    return render(request, template, {"section": "activity", "filters": filters, **context}, status=status)
