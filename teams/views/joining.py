"""The page that an invitation's link leads to: for those who have an account, and those who make one."""

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_post_parameters

from memoryhub.notices import notify
from teams import operations
from teams.forms import ROLES, NewAccount
from teams.models import Invitation, Membership, Role


@sensitive_post_parameters()
def page(request: HttpRequest, secret: str) -> HttpResponse:
    """The link says which invitation; all else is read from there."""
    invitation = operations.invitations.open_one(secret=secret)
    if request.method == "POST" and isinstance(request.user, User):
        return _welcomed(request, operations.invitations.accept(user=request.user, secret=secret))
    form = NewAccount(request.POST or None)
    if request.method == "POST" and form.is_valid():
        membership = _registered(form, secret)
        login(request, membership.user)
        return _welcomed(request, membership)
    return _shown(request, invitation, form)


@transaction.atomic
def _registered(form: NewAccount, secret: str) -> Membership:
    """Whoever cannot join gets no account either."""
    return operations.invitations.accept(user=form.save(), secret=secret)


def _welcomed(request: HttpRequest, membership: Membership) -> HttpResponse:
    team = membership.team
    notify(request, f"Welcome to {team.name}. You are {Role(membership.role).label.lower()} here.")
    return redirect("team-home", team.organization.slug, team.slug)


def _shown(request: HttpRequest, invitation: Invitation, form: NewAccount) -> HttpResponse:
    shown = {"invitation": invitation, "form": form, "means": ROLES[Role(invitation.role)]}
    response = render(request, "teams/join.html", shown)
    add_never_cache_headers(response)
    return response
