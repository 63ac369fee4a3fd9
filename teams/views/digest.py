"""The choice of a digest on the account page, and the page behind the link that ends one."""

from functools import partial
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.errors import NotFound
from memoryhub.flash import notify
from teams import operations
from teams.models import Digest


@require_POST
@login_required
def choose_digest_view(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    if not settings.EMAIL_URL:
        raise NotFound("This hub sends no mail.")
    assert isinstance(request.user, User)
    choose = partial(operations.digests.choose_digest, user=request.user, membership_id=membership_id)
    membership = choose(digest=request.POST.get("digest", ""))
    often = "no mail" if membership.digest == Digest.OFF else f"a {membership.digest} mail"
    notify(request, f"You get {often} about {membership.team.name}.")
    return redirect("account")


@csrf_exempt  # mail programs post here by themselves (RFC 8058): the signed link is the proof
@require_http_methods(["GET", "HEAD", "POST"])
def end_digest_view(request: HttpRequest, signature: str) -> HttpResponse:
    """Show the button that ends a digest. Opening the link alone changes nothing: programs that check mail open it."""
    ends = request.method == "POST"
    act = operations.digests.end_digest if ends else operations.digests.find_signed_membership
    membership = act(signature=signature)
    context = {"membership": membership, "ended": membership.digest == Digest.OFF}
    return render(request, "teams/digest_end.html", context)
