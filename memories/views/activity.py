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

from memories.changes import WORDS, History, changes
from memories.models import Change
from memoryhub.errors import Invalid
from teams.models import Membership
from teams.place import CHOICES, Place, in_team

PAGE = 30
CURSOR_LENGTH = 2_000
LAST_DAY = date(2999, 12, 31)


class DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def __init__(self, **options: Any) -> None:
        far = MaxValueValidator(LAST_DAY, "This day is too far away.")
        wrong = {"invalid": "This is no day. Write it like 2026-05-20."}
        super().__init__(input_formats=["%Y-%m-%d"], validators=[far], error_messages=wrong, **options)


def begins(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def ends(day: date) -> datetime:
    return begins(day) + timedelta(days=1)


class Narrowing(forms.Form):
    """What of the activity is asked for: an agent's, from one day to another."""

    agent = forms.ChoiceField(required=False)
    since = DayField(required=False, label="From")
    until = DayField(required=False, label="To")
    cursor = forms.CharField(required=False, max_length=CURSOR_LENGTH, widget=forms.HiddenInput)

    def __init__(self, said: QueryDict, *, place: Place) -> None:
        super().__init__(said, auto_id="narrow-%s")
        self.agents = {agent.slug: agent for agent in place.agents}
        self.offer("agent", self.agents, everything="Every agent")

    def offer(self, name: str, choices: Iterable[str], *, everything: str) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", everything), *((choice, choice) for choice in choices)]
        field.error_messages["invalid_choice"] = f"There is no {name} %(value)s here."

    def clean(self) -> None:
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            self.add_error("until", "The last day is before the first one.")

    def rule(self) -> Q:
        said, rule = self.cleaned_data, Q()
        if said["agent"]:
            rule &= Q(agent=self.agents[said["agent"]].pk)
        if said["since"]:
            rule &= Q(created_at__gte=begins(said["since"]))
        if said["until"]:
            rule &= Q(created_at__lt=ends(said["until"]))
        return rule

    @property
    def shown(self) -> list[forms.BoundField]:
        return [field for field in self if not field.is_hidden]

    @property
    def narrow(self) -> bool:
        return any(self.cleaned_data.get(field.name) for field in self.shown)

    def further(self, cursor: str | None) -> str:
        """The same, a page further; nothing if there is none."""
        said = {field.name: self.data.get(field.name, "") for field in self.shown}
        kept = {name: value for name, value in said.items() if value}
        return f"?{urlencode(kept | {'cursor': cursor})}" if cursor else ""


class ChangesNarrowing(Narrowing):
    person = forms.ChoiceField(required=False)
    change = forms.ChoiceField(
        required=False, label="Change", choices=[("", "Every change"), *((kind, WORDS[kind]) for kind in Change)]
    )
    field_order = ("agent", "person", "change", "since", "until")

    def __init__(self, said: QueryDict, *, place: Place) -> None:
        super().__init__(said, place=place)
        members = Membership.objects.filter(team=place.team.pk).select_related("user").order_by("user__username")
        self.people = {member.user.get_username(): member.user_id for member in members[:CHOICES]}
        self.offer("person", self.people, everything="Everybody")

    def rule(self) -> Q:
        said, rule = self.cleaned_data, super().rule()
        if said["person"]:
            rule &= Q(user=self.people[said["person"]])
        if said["change"]:
            rule &= Q(change=said["change"])
        return rule


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    narrowing = ChangesNarrowing(request.GET, place=place)
    history = History([], None)
    if narrowing.is_valid():
        try:
            history = changes(
                actor=place.here, limit=PAGE, rule=narrowing.rule(), cursor=narrowing.cleaned_data["cursor"] or None
            )
        except Invalid as refusal:
            narrowing.add_error(None, refusal.fields["cursor"])
    shown = {"tab": "changes", "history": history, "next": narrowing.further(history.next)}
    return answer(request, "memories/activity.html", narrowing, shown)


def answer(request: HttpRequest, template: str, narrowing: forms.Form, shown: dict[str, Any]) -> HttpResponse:
    status = 400 if narrowing.errors else 200
    return render(request, template, {"section": "activity", "narrowing": narrowing, **shown}, status=status)
