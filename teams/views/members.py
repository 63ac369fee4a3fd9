"""The pages of a team's members and of the links by which others join."""

from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from memoryhub.errors import Conflict, NotFound
from memoryhub.forms import submit_form
from memoryhub.show_once import forget_secret, read_secret, redirect_to_secret
from teams import operations
from teams.forms import ROLE_DESCRIPTIONS, NewInvitation
from teams.models import Invitation, Membership, Role
from teams.team_page import ActionResult, TeamPage, in_team, team_action

MAX_MEMBERS_SHOWN = 500
PUT_BACK_MEMBER_WITHIN = timedelta(hours=1)  # of being removed


@in_team
def list_members(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    members = Membership.objects.of_team(team_page.team.pk).with_logins()
    context = {"section": "members", "members": members[:MAX_MEMBERS_SHOWN], "roles": ROLE_DESCRIPTIONS}
    return render(request, "teams/members.html", context | (_invitations_context(team_page) if team_page.owns else {}))


@in_team
def invite_member(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    operations.require_owner(team_page.actor)
    form = NewInvitation(request.POST or None)
    secret = submit_form(form, partial(operations.invitations.create_invitation, actor=team_page.actor))
    if secret:
        return redirect_to_secret(request, secret=secret, at=team_page.url("link-shown"))
    return render(request, "teams/invite.html", {"section": "members", "form": form})


@in_team
def show_invitation_link(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    operations.require_owner(team_page.actor)
    secret = read_secret(request)
    link = request.build_absolute_uri(reverse("join", args=[secret])) if secret else ""
    return forget_secret(request, render(request, "teams/link.html", {"section": "members", "link": link}))


@team_action
def change_role_action(request: HttpRequest, team_page: TeamPage, membership_id: UUID, role: str) -> ActionResult:
    if role not in Role.values:
        raise NotFound("There is no such role.")
    before = operations.members.get_member(actor=team_page.actor, membership_id=membership_id).role
    changed = operations.members.change_role(actor=team_page.actor, membership_id=membership_id, role=Role(role))
    undo = team_page.url("member-role", membership_id, before)
    return ActionResult(
        f"{display_name(changed)} is now {Role(role).label.lower()}.", undo=undo, to=team_page.url("members")
    )


@team_action
def remove_member_action(request: HttpRequest, team_page: TeamPage, membership_id: UUID) -> ActionResult:
    removed = operations.members.remove_member(actor=team_page.actor, membership_id=membership_id)
    if removed.user_id == team_page.actor.user_id:
        return ActionResult(f"You have left {team_page.team.name}.", to=reverse("home"))
    undo = team_page.url("member-return", sign_removal(removed))
    return ActionResult(
        f"{display_name(removed)} is no longer in {team_page.team.name}.", undo=undo, to=team_page.url("members")
    )


@team_action
def put_back_member_action(request: HttpRequest, team_page: TeamPage, note: str) -> ActionResult:
    """Put back a removed member. The note is signed: an owner who could forge one could add anybody."""
    try:
        user_id, role, joined_at = signing.loads(
            note, salt=_removal_salt(team_page.team.pk), max_age=PUT_BACK_MEMBER_WITHIN
        )
        user = User.objects.get(pk=user_id)
    except (signing.BadSignature, User.DoesNotExist) as error:
        raise Conflict("They can no longer be put back. Invite them again.") from error
    joined = datetime.fromisoformat(joined_at)
    restored = operations.members.add_member(actor=team_page.actor, user=user, role=Role(role), joined_at=joined)
    undo = team_page.url("member-remove", restored.pk)
    return ActionResult(
        f"{display_name(restored)} is in {team_page.team.name} again.", undo=undo, to=team_page.url("members")
    )


def sign_removal(removed: Membership) -> str:
    return signing.dumps(
        [removed.user_id, removed.role, removed.created_at.isoformat()], salt=_removal_salt(removed.team_id)
    )


def _removal_salt(team_id: UUID) -> str:
    return f"removed from {team_id}"


@team_action
def revoke_invitation_action(request: HttpRequest, team_page: TeamPage, invitation_id: UUID) -> ActionResult:
    operations.invitations.revoke_invitation(actor=team_page.actor, invitation_id=invitation_id)
    return ActionResult("The link no longer works.", to=team_page.url("members"))


def display_name(membership: Membership) -> str:
    return membership.user.get_full_name() or membership.user.get_username()


def _invitations_context(team_page: TeamPage) -> dict[str, object]:
    open_invitations = Invitation.objects.open(now=timezone.now()).of_team(team_page.team.pk)
    return {"invitations": open_invitations.select_related("made_by").order_by("expires_at")[:MAX_MEMBERS_SHOWN]}
