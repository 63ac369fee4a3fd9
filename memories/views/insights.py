"""Insights: how well a team's memory serves. Each section of the page is a template of its own."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.queries.golden import report_golden_questions
from teams.team_page import TeamPage, in_team


@require_safe
@in_team
def show_insights(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    context = {"section": "insights", "golden": report_golden_questions(actor=team_page.actor)}
    return render(request, "memories/insights.html", context)
