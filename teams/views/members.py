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
def list_members(request: HttpRequest, place: TeamPage) -> HttpResponse:
    members = Membership.objects.of_team(place.team.pk).with_logins()
    context = {"section": "members", "members": members[:MAX_MEMBERS_SHOWN], "roles": ROLE_DESCRIPTIONS}
    return render(request, "teams/members.html", context | (_invitations_context(place) if place.owns else {}))


@in_team
def invite_member(request: HttpRequest, place: TeamPage) -> HttpResponse:
    operations.require_owner(place.actor)
    form = NewInvitation(request.POST or None)
    secret = submit_form(form, partial(operations.invitations.create_invitation, actor=place.actor))
    if secret:
        return redirect_to_secret(request, secret=secret, at=place.url("link-shown"))
    return render(request, "teams/invite.html", {"section": "members", "form": form})


@in_team
def show_invitation_link(request: HttpRequest, place: TeamPage) -> HttpResponse:
    operations.require_owner(place.actor)
    secret = read_secret(request)
    link = request.build_absolute_uri(reverse("join", args=[secret])) if secret else ""
    return forget_secret(request, render(request, "teams/link.html", {"section": "members", "link": link}))


@team_action
def change_role_action(request: HttpRequest, place: TeamPage, membership_id: UUID, role: str) -> ActionResult:
    if role not in Role.values:
        raise NotFound("There is no such role.")
    before = operations.members.get_member(actor=place.actor, membership_id=membership_id).role
    changed = operations.members.change_role(actor=place.actor, membership_id=membership_id, role=Role(role))
    undo = place.url("member-role", membership_id, before)
    return ActionResult(
        f"{display_name(changed)} is now {Role(role).label.lower()}.", undo=undo, to=place.url("members")
    )


@team_action
def remove_member_action(request: HttpRequest, place: TeamPage, membership_id: UUID) -> ActionResult:
    removed = operations.members.remove_member(actor=place.actor, membership_id=membership_id)
    if removed.user_id == place.actor.user_id:
        return ActionResult(f"You have left {place.team.name}.", to=reverse("home"))
    undo = place.url("member-return", sign_removal(removed))
    return ActionResult(
        f"{display_name(removed)} is no longer in {place.team.name}.", undo=undo, to=place.url("members")
    )


@team_action
def put_back_member_action(request: HttpRequest, place: TeamPage, note: str) -> ActionResult:
    """Put back a removed member. The note is signed: an owner who could forge one could add anybody."""
    try:
        user_id, role, joined_at = signing.loads(
            note, salt=_removal_salt(place.team.pk), max_age=PUT_BACK_MEMBER_WITHIN
        )
        user = User.objects.get(pk=user_id)
    except (signing.BadSignature, User.DoesNotExist) as error:
        raise Conflict("They can no longer be put back. Invite them again.") from error
    joined = datetime.fromisoformat(joined_at)
    restored = operations.members.add_member(actor=place.actor, user=user, role=Role(role), joined_at=joined)
    undo = place.url("member-remove", restored.pk)
    return ActionResult(f"{display_name(restored)} is in {place.team.name} again.", undo=undo, to=place.url("members"))


def sign_removal(removed: Membership) -> str:
    return signing.dumps(
        [removed.user_id, removed.role, removed.created_at.isoformat()], salt=_removal_salt(removed.team_id)
    )


def _removal_salt(team_id: UUID) -> str:
    return f"removed from {team_id}"


@team_action
def revoke_invitation_action(request: HttpRequest, place: TeamPage, invitation_id: UUID) -> ActionResult:
    operations.invitations.revoke_invitation(actor=place.actor, invitation_id=invitation_id)
    return ActionResult("The link no longer works.", to=place.url("members"))


def display_name(membership: Membership) -> str:
    return membership.user.get_full_name() or membership.user.get_username()


def _invitations_context(place: TeamPage) -> dict[str, object]:
    open_invitations = Invitation.objects.open(now=timezone.now()).of_team(place.team.pk)
    return {"invitations": open_invitations.select_related("made_by").order_by("expires_at")[:MAX_MEMBERS_SHOWN]}
