"""Decisions about failed anchors in the review inbox."""

from uuid import UUID

from django.http import HttpRequest

from memories import operations
from memories.views.actions import read_param
from teams.team_page import ActionResult, TeamPage, team_action


@team_action
def accept_anchor_view(request: HttpRequest, team_page: TeamPage, source_id: UUID) -> ActionResult:
    """Say that the memory is still true, with what the check found as its anchor."""
    sha256 = read_param(request, "sha256")
    operations.accept_anchor(actor=team_page.deciding_actor, source_id=source_id, sha256=sha256)
    return ActionResult("The memory is still true.", team_page.url("review-anchor-reopen", source_id))


@team_action
def reopen_anchor_view(request: HttpRequest, team_page: TeamPage, source_id: UUID) -> ActionResult:
    operations.reopen_anchor(actor=team_page.deciding_actor, source_id=source_id)
    return ActionResult("The anchor waits for a decision again.")
