"""One's own account: the name, the password, the sessions."""

from functools import partial
from typing import Any

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth import views as login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from memoryhub.forms import carried_out
from memoryhub.notices import notify
from teams import auth, operations, throttling
from teams.forms import Confirmation, NewPassword, Profile


@login_required
def page(request: HttpRequest) -> HttpResponse:
    user = _user(request)
    form = Profile(request.POST or None, initial={"name": user.get_full_name(), "email": user.email})
    if carried_out(form, partial(operations.accounts.introduce, user=user)):
        notify(request, "Your account was saved.")
        return redirect("account")
    return _shown(request, profile=form, confirmation=Confirmation())


@sensitive_post_parameters()
@require_POST
@login_required
def log_out_elsewhere(request: HttpRequest) -> HttpResponse:
    user, form = _user(request), Confirmation(request.POST)
    act = partial(operations.accounts.log_out_elsewhere, user=user, address=throttling.address_of(request))
    carried_out(form, act)
    if form.errors:
        profile = Profile(initial={"name": user.get_full_name(), "email": user.email})
        return _shown(request, profile=profile, confirmation=form)
    update_session_auth_hash(request, user)
    notify(request, "You are logged out everywhere else.")
    return redirect("account")


class PasswordPage(login.PasswordChangeView):
    template_name = "teams/password.html"
    form_class = NewPassword
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"address": throttling.address_of(self.request)}

    def form_valid(self, form: Any) -> HttpResponse:
        notify(self.request, "Your password was changed. You are logged out everywhere else.")
        return super().form_valid(form)


def _shown(request: HttpRequest, *, profile: Form, confirmation: Form) -> HttpResponse:
    shown = {"profile": profile, "confirmation": confirmation, "memberships": auth.memberships_of(_user(request))}
    return render(request, "teams/account.html", shown)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
