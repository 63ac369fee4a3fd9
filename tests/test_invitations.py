"""Links by which people join a team."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound
from teams import operations
from teams.models import Invitation, Membership, Role, Team
from tests import factories
from tests.cast import Cast
from tests.test_races import at_once

WEEK = timedelta(days=7)
NEW = {"username": "nadia", "password1": "a fine long one 9", "password2": "a fine long one 9"}


@pytest.fixture
def secret(cast: Cast) -> str:
    return operations.invitations.create_invitation(actor=cast["owner"].actor(), role=Role.EDITOR, lasts=WEEK)


def join(client: Client, link: str, said: dict[str, str] | None = None) -> Any:
    """Opens the link and sends the form of the page that it leads to."""
    page = client.get(link, follow=True).text
    hidden = re.search(r'name="invitation" value="([^"]+)"', page)
    return client.post("/join/", {"invitation": hidden[1] if hidden else "", **(said or {})})


def role(user: User) -> str:
    return Membership.objects.get(user=user).role


def test_an_owner_is_shown_a_link_once_and_it_leads_into_the_team(client: Client, cast: Cast) -> None:
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    asked = client.post("/t/acme/ops/members/invite/", {"role": "editor", "lasts": "7"})
    shown = client.get(asked["Location"])
    assert "no-store" in shown["Cache-Control"]
    link = re.search(r"http://testserver(/join/[\w-]{43}/)", shown.text)[1]  # type: ignore[index]
    assert link not in client.get(asked["Location"]).text
    visitor = Client()
    assert '<span class="badge accent">Editor</span>' in visitor.get(link, follow=True).text
    joined = join(visitor, link, NEW)
    assert joined["Location"] == "/t/acme/ops/"
    assert role(User.objects.get(username="nadia")) == Role.EDITOR
    assert visitor.get("/t/acme/ops/members/").status_code == 200


def test_somebody_with_an_account_joins_with_it(client: Client, secret: str) -> None:
    user = factories.login("tomas")
    page = client.get(f"/join/{secret}/", follow=True).text
    assert 'href="/login/?next=/join/"' in page
    answer = client.post("/login/", {"username": "tomas", "password": "correct horse battery", "next": "/join/"})
    assert answer["Location"] == "/join/"
    assert "Join as tomas" in client.get("/join/").text
    join(client, f"/join/{secret}/")
    assert role(user) == Role.EDITOR


def test_the_secret_leaves_the_address_at_once_and_the_cookie_once_one_has_joined(client: Client, secret: str) -> None:
    opened = client.get(f"/join/{secret}/")
    assert (opened.status_code, opened["Location"]) == (302, "/join/")
    assert "no-store" in opened["Cache-Control"]
    cookie = opened.cookies["invitation"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/join/", True, "Lax")
    page = client.get("/join/")
    assert "no-store" in page["Cache-Control"]
    assert secret not in page.text
    joined = join(client, f"/join/{secret}/", NEW)
    assert joined.cookies["invitation"].value == ""
    assert "Open the link of your invitation again" in Client().get("/join/").text


def test_somebody_else_at_the_same_browser_logs_out_and_joins_by_the_same_link(client: Client, secret: str) -> None:
    client.force_login(factories.login("tomas"))
    client.get(f"/join/{secret}/")
    assert client.post("/logout/", {"next": "/join/"})["Location"] == "/join/"
    assert "Log in to join" in client.get("/join/").text


def test_nobody_joins_by_a_page_of_another_invitation(client: Client, cast: Cast, secret: str) -> None:
    page = client.get(f"/join/{secret}/", follow=True).text
    hidden = re.search(r'name="invitation" value="([^"]+)"', page)[1]  # type: ignore[index]
    other = operations.invitations.create_invitation(
        actor=factories.owner_actor(cast.sales), role=Role.OWNER, lasts=WEEK
    )
    client.get(f"/join/{other}/")
    refused = client.post("/join/", {"invitation": hidden, **NEW})
    assert (refused.status_code, "another invitation" in refused.text) == (409, True)
    assert not User.objects.filter(username="nadia").exists()


def test_a_link_that_leads_nowhere_sets_no_cookie(client: Client, secret: str) -> None:
    Invitation.objects.update(revoked_at=timezone.now())
    for link in (f"/join/{secret}/", f"/join/{'x' * 43}/"):
        assert "invitation" not in client.get(link).cookies


def test_nothing_that_a_visitor_sends_changes_the_role_or_the_team(client: Client, cast: Cast, secret: str) -> None:
    more = {"role": "owner", "team": str(cast.sales.pk), "organization": "globex", "is_staff": "1", "is_superuser": "1"}
    join(client, f"/join/{secret}/?role=owner", {**NEW, **more})
    user = User.objects.get(username="nadia")
    membership = Membership.objects.get(user=user)
    assert (membership.role, membership.team) == (Role.EDITOR, cast.ops)
    assert not user.is_staff
    assert not user.is_superuser


def test_links_that_are_used_expired_or_revoked_say_so(client: Client, cast: Cast, secret: str) -> None:
    changes = {
        "has already been used": {"used_at": timezone.now()},
        "was revoked": {"used_at": None, "revoked_at": timezone.now()},
        "has expired": {"revoked_at": None, "expires_at": timezone.now() - timedelta(seconds=1)},
    }
    client.get(f"/join/{secret}/")
    for sentence, values in changes.items():
        Invitation.objects.update(**values)
        for answer in (client.get(f"/join/{secret}/"), client.get("/join/"), client.post("/join/", NEW)):
            assert answer.status_code == 409
            assert sentence in answer.text
    assert not User.objects.filter(username="nadia").exists()
    unknown = client.get(f"/join/{secret[:-1]}x/")
    assert (unknown.status_code, "is not valid" in unknown.text) == (404, True)


def test_a_weak_password_makes_no_account_and_keeps_the_name(client: Client, secret: str) -> None:
    answer = join(client, f"/join/{secret}/", {"username": "nadia", "password1": "password", "password2": "password"})
    assert "too common" in answer.text
    assert 'value="nadia"' in answer.text
    assert not User.objects.filter(username="nadia").exists()
    assert Invitation.objects.get().used_at is None


def test_members_stay_as_they_are_and_the_link_too(client: Client, cast: Cast, secret: str) -> None:
    viewer = cast["viewer"].user
    assert viewer
    client.force_login(viewer)
    assert "The link was not used" in join(client, f"/join/{secret}/").text
    assert role(viewer) == Role.VIEWER
    assert Invitation.objects.get().used_at is None


def test_only_owners_invite_and_revoke(cast: Cast, secret: str) -> None:
    invitation = Invitation.objects.get()
    for name in ("viewer", "editor"):
        with pytest.raises(Forbidden):
            operations.invitations.create_invitation(actor=cast[name].actor(), role=Role.OWNER, lasts=WEEK)
        with pytest.raises(Forbidden):
            operations.invitations.revoke_invitation(actor=cast[name].actor(), invitation_id=invitation.pk)
    with pytest.raises(NotFound):
        operations.invitations.revoke_invitation(actor=factories.owner_actor(cast.sales), invitation_id=invitation.pk)
    operations.invitations.revoke_invitation(actor=cast["owner"].actor(), invitation_id=invitation.pk)
    with pytest.raises(Conflict, match="revoked"):
        operations.invitations.accept_invitation(user=factories.login(), secret=secret)


def test_a_link_lasts_a_month_at_most(cast: Cast) -> None:
    for lasts in (timedelta(days=31), timedelta(0), timedelta(days=-1)):
        with pytest.raises(Invalid):
            operations.invitations.create_invitation(actor=cast["owner"].actor(), role=Role.VIEWER, lasts=lasts)


def test_the_links_of_an_owner_end_with_their_ownership(cast: Cast, secret: str) -> None:
    other = factories.owner_actor(cast.ops)
    mine = Membership.objects.get(user=cast["owner"].user)
    operations.members.change_role(actor=other, membership_id=mine.pk, role=Role.EDITOR)
    with pytest.raises(Conflict, match="revoked"):
        operations.invitations.accept_invitation(user=factories.login(), secret=secret)


def test_only_a_digest_is_kept(cast: Cast, secret: str) -> None:
    row = Invitation.objects.values().get()
    assert secret not in str(row)
    assert secret.encode() not in bytes(row["digest"])


@pytest.mark.django_db(transaction=True)
def test_of_many_who_use_a_link_at_once_one_joins() -> None:
    team = factories.team()
    secret = operations.invitations.create_invitation(actor=factories.owner_actor(team), role=Role.VIEWER, lasts=WEEK)
    users = [factories.login() for _ in range(8)]
    results = at_once(8, lambda n: operations.invitations.accept_invitation(user=users[n], secret=secret))
    assert [type(result) for result in results].count(Membership) == 1
    assert Membership.objects.filter(team=team).count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_remove_each_other_leave_one() -> None:
    for _ in range(5):
        team: Team = factories.team()
        actors = [factories.owner_actor(team) for _ in range(2)]
        rows = [Membership.objects.get(user=actor.user_id) for actor in actors]

        def remove(n: int) -> object:
            try:
                return operations.members.remove_member(actor=actors[n], membership_id=rows[1 - n].pk)  # noqa: B023
            except NotFound as refusal:
                return refusal

        at_once(2, remove)
        assert Membership.objects.filter(team=team, role=Role.OWNER).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_leave_at_once_leave_one() -> None:
    for _ in range(5):
        team: Team = factories.team()
        actors = [factories.owner_actor(team) for _ in range(2)]
        rows = [Membership.objects.get(user=actor.user_id) for actor in actors]
        results = at_once(2, lambda n: operations.members.remove_member(actor=actors[n], membership_id=rows[n].pk))  # noqa: B023
        assert [type(result) for result in results].count(Conflict) == 1
        assert Membership.objects.filter(team=team, role=Role.OWNER).count() == 1
