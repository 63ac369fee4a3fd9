"""Members: who is in a team, and as what; links by which others join."""

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
from memoryhub.forms import carried_out
from memoryhub.reveals import conceal, reveal, revealed
from teams import operations
from teams.forms import ROLES, NewInvitation
from teams.models import Invitation, Membership, Role
from teams.place import Done, Place, action, in_team

MOST = 500  # members on the page
PUT_BACK_WITHIN = timedelta(hours=1)  # whoever was removed


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    members = Membership.objects.filter(team=place.team.pk).select_related("user").order_by("user__username")
    shown = {"section": "members", "members": members[:MOST], "roles": ROLES}
    return render(request, "teams/members.html", shown | (_invitations(place) if place.owns else {}))


@in_team
def invite(request: HttpRequest, place: Place) -> HttpResponse:
    operations.refuse_others(place.actor)
    form = NewInvitation(request.POST or None)
    secret = carried_out(form, partial(operations.invitations.make, actor=place.actor))
    if secret:
        return reveal(request, secret=secret, at=place.to("link-shown"))
    return render(request, "teams/invite.html", {"section": "members", "form": form})


@in_team
def link_shown(request: HttpRequest, place: Place) -> HttpResponse:
    operations.refuse_others(place.actor)
    secret = revealed(request)
    link = request.build_absolute_uri(reverse("join", args=[secret])) if secret else ""
    return conceal(request, render(request, "teams/link.html", {"section": "members", "link": link}))


@action
def change_role(request: HttpRequest, place: Place, membership_id: UUID, role: str) -> Done:
    if role not in Role.values:
        raise NotFound("There is no such role.")
    before = operations.members.one(actor=place.actor, membership_id=membership_id).role
    changed = operations.members.change_role(actor=place.actor, membership_id=membership_id, role=Role(role))
    undo = place.to("member-role", membership_id, before)
    return Done(f"{called(changed)} is {Role(role).label.lower()} now.", undo=undo, to=place.to("members"))


@action
def remove(request: HttpRequest, place: Place, membership_id: UUID) -> Done:
    gone = operations.members.remove(actor=place.actor, membership_id=membership_id)
    if gone.user_id == place.actor.user_id:
        return Done(f"You have left {place.team.name}.", to=reverse("home"))
    undo = place.to("member-return", note_of(gone))
    return Done(f"{called(gone)} is not in {place.team.name} any more.", undo=undo, to=place.to("members"))


@action
def put_back(request: HttpRequest, place: Place, note: str) -> Done:
    """Whoever removed somebody was given the note; an owner who could make one up could add anybody."""
    try:
        user_id, role, joined_at = signing.loads(note, salt=_salt(place.team.pk), max_age=PUT_BACK_WITHIN)
        user = User.objects.get(pk=user_id)
    except (signing.BadSignature, User.DoesNotExist) as error:
        raise Conflict("They cannot be put back any more. Invite them again.") from error
    joined = datetime.fromisoformat(joined_at)
    back = operations.members.add(actor=place.actor, user=user, role=Role(role), joined_at=joined)
    undo = place.to("member-remove", back.pk)
    return Done(f"{called(back)} is in {place.team.name} again.", undo=undo, to=place.to("members"))


def note_of(gone: Membership) -> str:
    return signing.dumps([gone.user_id, gone.role, gone.created_at.isoformat()], salt=_salt(gone.team_id))


def _salt(team_id: UUID) -> str:
    return f"removed from {team_id}"


@action
def revoke(request: HttpRequest, place: Place, invitation_id: UUID) -> Done:
    operations.invitations.revoke(actor=place.actor, invitation_id=invitation_id)
    return Done("The link does not work any more.", to=place.to("members"))


def called(membership: Membership) -> str:
    return membership.user.get_full_name() or membership.user.get_username()


def _invitations(place: Place) -> dict[str, object]:
    known = Invitation.objects.open(now=timezone.now()).filter(team=place.team.pk)
    return {"invitations": known.select_related("made_by").order_by("expires_at")[:MOST]}
