"""Which agent asked what and got which versions, and what it knew on a day."""

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone

from memories.recalls import Ledger, knowledge, recalls
from memories.views.activity import DayField, Narrowing, answer, begins, ends
from memoryhub.errors import Invalid
from teams.place import Place, in_team

PAGE = 20


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    narrowing = Narrowing(request.GET, place=place)
    ledger = Ledger([], None)
    if narrowing.is_valid():
        try:
            ledger = recalls(
                actor=place.actor, limit=PAGE, rule=narrowing.rule(), cursor=narrowing.cleaned_data["cursor"] or None
            )
        except Invalid as refusal:
            narrowing.add_error(None, refusal.fields["cursor"])
    shown = {"tab": "recalls", "ledger": ledger, "next": narrowing.further(ledger.next)}
    return answer(request, "memories/recalls.html", narrowing, shown)


class Day(forms.Form):
    """Whose knowledge, on which day."""

    agent = forms.ChoiceField(error_messages={"invalid_choice": "There is no agent %(value)s here."})
    day = DayField()

    def __init__(self, said: QueryDict, *, place: Place) -> None:
        asked = {"agent": said.get("agent") or next((agent.slug for agent in place.agents), "")}
        asked |= {"day": said.get("day") or f"{timezone.now():%Y-%m-%d}"}
        super().__init__(asked, auto_id="known-%s")
        self.agents = {agent.slug: agent for agent in place.agents}
        self.fields["agent"].choices = [(slug, slug) for slug in self.agents]  # type: ignore[attr-defined]


@in_team
def known(request: HttpRequest, place: Place) -> HttpResponse:
    if not place.agents:
        return answer(request, "memories/known.html", forms.Form(), {"tab": "known"})
    asked = Day(request.GET, place=place)
    shown: dict[str, object] = {"tab": "known"}
    if asked.is_valid():
        agent, day = asked.agents[asked.cleaned_data["agent"]], asked.cleaned_data["day"]
        shown |= {"agent": agent, "day": day}
        shown["knowledge"] = knowledge(actor=place.actor, agent=agent, since=begins(day), until=ends(day))
    return answer(request, "memories/known.html", asked, shown)
