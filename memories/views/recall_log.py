"""Recalls of a team's agents: which agent asked what, which versions it got, and what it knew on a day."""

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone

from memories.queries.recall_log import RecallLogPage, list_recalls, load_knowledge
from memories.views.activity import ActivityFilterForm, DayField, end_of_day, render_activity, start_of_day
from memoryhub.errors import Invalid
from teams.team_page import TeamPage, in_team

RECALLS_PER_PAGE = 20


@in_team
def show_recalls(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    filters = ActivityFilterForm(request.GET, team_page=team_page)
    ledger = RecallLogPage([], None)
    if filters.is_valid():
        try:
            ledger = list_recalls(
                actor=team_page.actor,
                limit=RECALLS_PER_PAGE,
                rule=filters.condition(),
                cursor=filters.cleaned_data["cursor"] or None,
            )
        except Invalid as refusal:
            filters.add_error(None, refusal.fields["cursor"])
    context = {"tab": "recalls", "ledger": ledger, "next": filters.next_page_url(ledger.next)}
    return render_activity(request, "memories/recalls.html", filters, context)


class KnowledgeForm(forms.Form):
    """Choice of the agent and the day whose knowledge is shown."""

    agent = forms.ChoiceField(error_messages={"invalid_choice": "There is no agent %(value)s here."})
    day = DayField()

    def __init__(self, params: QueryDict, *, team_page: TeamPage) -> None:
        values = {"agent": params.get("agent") or next((agent.slug for agent in team_page.agents), "")}
        values |= {"day": params.get("day") or f"{timezone.now():%Y-%m-%d}"}
        super().__init__(values, auto_id="known-%s")
        self.agents = {agent.slug: agent for agent in team_page.agents}
        self.fields["agent"].choices = [(slug, slug) for slug in self.agents]  # type: ignore[attr-defined]


@in_team
def show_knowledge(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    if not team_page.agents:
        return render_activity(request, "memories/agent_day.html", forms.Form(), {"tab": "known"})
    form = KnowledgeForm(request.GET, team_page=team_page)
    context: dict[str, object] = {"tab": "known"}
    if form.is_valid():
        agent, day = form.agents[form.cleaned_data["agent"]], form.cleaned_data["day"]
        context |= {"agent": agent, "day": day}
        context["knowledge"] = load_knowledge(
            actor=team_page.actor, agent=agent, since=start_of_day(day), until=end_of_day(day)
        )
    return render_activity(request, "memories/agent_day.html", form, context)
