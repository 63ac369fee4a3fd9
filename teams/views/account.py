"""The account page: name, password, sessions."""

from functools import partial
from typing import Any

from django.conf import settings
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

from memoryhub.flash import notify
from memoryhub.forms import submit_form
from teams import login_throttle, operations, rights
from teams.forms import Confirmation, NewPassword, Profile
from teams.known_devices import remember_device
from teams.models import Digest


@login_required
def show_account(request: HttpRequest) -> HttpResponse:
    user = _user(request)
    form = Profile(request.POST or None, initial={"name": user.get_full_name(), "email": user.email})
    if submit_form(form, partial(operations.accounts.change_profile, user=user)):
        notify(request, "Your account was saved.")
        return redirect("account")
    return _render_account(request, profile=form, confirmation=Confirmation())


@sensitive_post_parameters()
@require_POST
@login_required
def log_out_elsewhere(request: HttpRequest) -> HttpResponse:
    user, form = _user(request), Confirmation(request.POST)
    attempt = login_throttle.read_attempt(request, name=user.get_username())
    act = partial(operations.accounts.end_other_sessions, user=user, attempt=attempt)
    submit_form(form, act)
    if form.errors:
        profile = Profile(initial={"name": user.get_full_name(), "email": user.email})
        return _render_account(request, profile=profile, confirmation=form)
    update_session_auth_hash(request, user)
    remember_device(request=request, user=user)
    notify(request, "You are logged out everywhere else.")
    return redirect("account")


class PasswordPage(login.PasswordChangeView):
    template_name = "teams/password.html"
    form_class = NewPassword
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        attempt = login_throttle.read_attempt(self.request, name=_user(self.request).get_username())
        return super().get_form_kwargs() | {"attempt": attempt}

    def form_valid(self, form: Any) -> HttpResponse:
        notify(self.request, "Your password was changed. You are logged out everywhere else.")
        response = super().form_valid(form)
        remember_device(request=self.request, user=form.user)
        return response


def _render_account(request: HttpRequest, *, profile: Form, confirmation: Form) -> HttpResponse:
    context = {
        "profile": profile,
        "confirmation": confirmation,
        "memberships": rights.memberships_of(_user(request)),
        "digests": Digest.choices if settings.EMAIL_URL else (),
    }
    return render(request, "teams/account.html", context)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
