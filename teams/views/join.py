"""The pages behind an invitation's link, for people with an account and for those who create one.

The link contains a secret. Opening it stores the secret in a cookie and redirects to an address without it, so that the
secret stays in no address bar, browser history or log.
"""

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_post_parameters

from memoryhub.errors import Conflict, NotFound
from memoryhub.flash import notify
from teams import operations
from teams.forms import ROLE_DESCRIPTIONS, NewAccount
from teams.models import Invitation, Membership, Role

INVITATION_COOKIE = "invitation"
INVITATION_COOKIE_AGE = 3_600  # seconds, to create an account or log in
JOIN_PATH = "/join/"


def follow_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Move the secret from the link's address to a cookie, if the invitation is open."""
    operations.invitations.get_open_invitation(secret=secret)
    response = redirect("join-page")
    response.set_cookie(
        INVITATION_COOKIE,
        secret,
        max_age=INVITATION_COOKIE_AGE,
        path=JOIN_PATH,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )
    return response


@sensitive_post_parameters()
def show_invitation(request: HttpRequest) -> HttpResponse:
    """Show the invitation that the cookie identifies, or accept it."""
    if not (secret := request.COOKIES.get(INVITATION_COOKIE, "")):
        raise NotFound("Open the link of your invitation again. This page needs cookies.")
    invitation = operations.invitations.get_open_invitation(secret=secret)
    if request.method == "POST":
        _refuse_other(invitation, request.POST.get("invitation", ""))
        if isinstance(request.user, User):
            return _redirect_to_joined_team(
                request, operations.invitations.accept_invitation(user=request.user, secret=secret)
            )
    form = NewAccount(request.POST or None)
    if request.method == "POST" and form.is_valid():
        membership = _register_and_join(form, secret)
        login(request, membership.user)
        return _redirect_to_joined_team(request, membership)
    return _render_invitation(request, invitation, form)


def _refuse_other(invitation: Invitation, submitted_id: str) -> None:
    """Refuse a form of one invitation after the link of another was opened: nobody joins a team unseen."""
    if submitted_id != str(invitation.pk):
        raise Conflict("You have since opened another invitation. Open the link of the one that you want again.")


@transaction.atomic
def _register_and_join(form: NewAccount, secret: str) -> Membership:
    """Create an account and join, or do neither."""
    return operations.invitations.accept_invitation(user=form.save(), secret=secret)


def _redirect_to_joined_team(request: HttpRequest, membership: Membership) -> HttpResponse:
    team = membership.team
    notify(request, f"Welcome to {team.name}. You are {Role(membership.role).label.lower()} here.")
    response = redirect("team-home", team.organization.slug, team.slug)
    response.delete_cookie(INVITATION_COOKIE, path=JOIN_PATH, samesite="Lax")
    return response


def _render_invitation(request: HttpRequest, invitation: Invitation, form: NewAccount) -> HttpResponse:
    context = {"invitation": invitation, "form": form, "means": ROLE_DESCRIPTIONS[Role(invitation.role)]}
    response = render(request, "teams/join.html", context)
    add_never_cache_headers(response)
    return response
