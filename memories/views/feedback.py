"""Buttons that rate a memory, and decisions about reports in the review inbox."""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest

from memories import operations
from memories.models import Rating
from memories.views.actions import read_param
from teams.team_page import ActionResult, TeamPage, team_action


@team_action
def rate_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Record a rating instead of this person's former one; without a rating, take that back."""
    rating, reason = read_param(request, "rating"), read_param(request, "reason")
    if not rating:
        operations.withdraw_rating(actor=team_page.actor, memory_id=memory_id)
        return ActionResult("Your rating is withdrawn.")
    rated = operations.rate_memory(actor=team_page.actor, memory_id=memory_id, rating=rating, reason=reason)
    undo = f"{team_page.url('memory-feedback', memory_id)}?{urlencode({'rating': ''})}"
    return ActionResult(f"Rated: {Rating(rated.rating).label.lower()}.", undo)


@team_action
def dismiss_reports_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    operations.dismiss_reports(actor=team_page.deciding_actor, memory_id=memory_id)
    return ActionResult(
        "The memory is right: its reports are dismissed.", team_page.url("review-reports-reopen", memory_id)
    )


@team_action
def reopen_reports_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    operations.reopen_reports(actor=team_page.deciding_actor, memory_id=memory_id)
    return ActionResult("The reports wait for a decision again.")
