"""Digests by e-mail: for those who asked for one, about what they decide, once, and ended by a link."""

import re
from datetime import timedelta
from email import message_from_string
from email.policy import default

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from memories import jobs, operations
from memories.operations import send_digests
from memories.queries.review_digest import count_for_digest
from memoryhub.errors import Invalid, NotFound
from teams.models import Digest, Membership, Role, Team
from teams.operations import digests
from tests import factories
from tests.smtp_server import mail_server

pytestmark = pytest.mark.django_db
NOW = timezone.now()
OLD, NEW = "The staging server listens on port 8080.", "The staging server listens on port 1933."


@pytest.fixture(autouse=True)
def _mail(settings: Settings) -> None:
    settings.EMAIL_URL, settings.PUBLIC_URL = "smtp://mail.example.org", "https://hub.example.org"


@pytest.fixture
def team() -> Team:
    """A team in which two memories contradict each other."""
    team = factories.team(slug="care")
    actor = factories.actor(factories.agent(team))
    factories.memory(actor, OLD)
    factories.memory(actor, NEW)
    return team


def add_member(team: Team, name: str, role: Role = Role.EDITOR, digest: Digest = Digest.DAILY) -> Membership:
    user = factories.member(team, role, name)
    user.email = f"{name}@example.org"
    user.save()
    Membership.objects.filter(team=team, user=user).update(digest=digest)
    return Membership.objects.select_related("user", "team__organization").get(team=team, user=user)


def list_recipients() -> list[str]:
    return sorted(message.to[0] for message in mail.outbox)


def find_end_link() -> str:
    (link,) = re.findall(r"https://hub\.example\.org(/digest/\S+/)", str(mail.outbox[0].body))
    return str(link)


def test_who_asked_for_it_gets_mail_once(team: Team) -> None:
    for name, digest in (("ann", Digest.DAILY), ("wim", Digest.WEEKLY), ("off", Digest.OFF)):
        add_member(team, name, digest=digest)
    add_member(team, "viewer", Role.VIEWER)  # decides about nothing
    assert jobs.digest_job() == "2 digests sent; all are"
    assert list_recipients() == ["ann@example.org", "wim@example.org"]
    assert jobs.digest_job() == "0 digests sent; all are"


def test_a_daily_mail_comes_each_day_and_a_weekly_one_each_week(team: Team) -> None:
    add_member(team, "ann")
    add_member(team, "wim", digest=Digest.WEEKLY)
    for day in range(8):
        send_digests.send_digests(now=NOW + timedelta(days=day), within=60)
    assert list_recipients() == ["ann@example.org"] * 8 + ["wim@example.org"] * 2


def test_it_has_counts_and_links_and_no_texts(team: Team) -> None:
    add_member(team, "ann")
    jobs.digest_job()
    (message,) = mail.outbox
    assert isinstance(message, EmailMultiAlternatives)
    assert message.subject == f"{team.name}: 1 contradictions"
    html = str(message.alternatives[0].content)  # type: ignore[attr-defined]
    for text in (str(message.body), html):
        assert f"https://hub.example.org/t/{team.organization.slug}/care/review/?kind=contradictions" in text
        assert "staging" not in text
        assert "8080" not in text
    assert message.extra_headers["List-Unsubscribe"] == f"<https://hub.example.org{find_end_link()}>"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_names_are_data_in_the_mail(team: Team) -> None:
    Team.objects.filter(pk=team.pk).update(name="<b>Care</b> & Co")
    add_member(team, "ann")
    jobs.digest_job()
    (message,) = mail.outbox
    assert "In <b>Care</b> & Co (" in str(message.body)
    assert "In &lt;b&gt;Care&lt;/b&gt; &amp; Co (" in str(message.alternatives[0].content)  # type: ignore[attr-defined]


def test_nothing_of_others_is_counted(team: Team) -> None:
    other = factories.team(team.organization)
    stranger, neighbour = add_member(factories.team(), "stranger"), add_member(other, "neighbour")
    for membership in (stranger, neighbour):
        assert count_for_digest(membership=membership, now=NOW) == []
    agent = factories.agent(team)
    for text in (OLD, NEW):
        factories.memory(factories.actor(agent), text, scope="agent")
    editor, owner = add_member(team, "ed"), add_member(team, "owner", Role.OWNER)
    assert [one.count for one in count_for_digest(membership=editor, now=NOW)] == [1]
    assert [one.count for one in count_for_digest(membership=owner, now=NOW)] == [2]


def test_the_counts_are_those_of_the_page(team: Team) -> None:
    membership = add_member(team, "ann")
    memory = factories.memory(factories.actor(factories.agent(team)), "The berth is closed.")
    operations.update_memory(
        actor=factories.owner_actor(team), memory_id=memory.pk, review_by=timezone.now() + timedelta(days=1)
    )
    later = timezone.now() + timedelta(days=2)
    counts = {one.label: one.number for one in count_for_digest(membership=membership, now=later)}
    assert counts == {"Contradictions": "1", "Due for review": "1"}


@pytest.mark.parametrize("change", [{"email": ""}, {"is_active": False}])
def test_without_an_address_or_a_login_nothing_is_sent(team: Team, change: dict[str, object]) -> None:
    membership = add_member(team, "ann")
    type(membership.user).objects.filter(pk=membership.user_id).update(**change)
    assert jobs.digest_job() == "0 digests sent; all are"


def test_without_a_server_nothing_is_sent_or_offered(team: Team, settings: Settings) -> None:
    settings.EMAIL_URL = ""
    membership = add_member(team, "ann")
    browser = factories.logged_in(membership.user)
    assert jobs.digest_job() == "0 digests sent; all are"
    assert "Review by e-mail" not in browser.get("/account/").content.decode()
    assert browser.post(f"/account/digest/{membership.pk}/", {"digest": "weekly"}).status_code == 404
    assert not mail.outbox


def test_one_chooses_on_the_account_page(team: Team) -> None:
    membership = add_member(team, "ann", digest=Digest.OFF)
    browser = factories.logged_in(membership.user)
    assert "Review by e-mail" in browser.get("/account/").content.decode()
    page = browser.post(f"/account/digest/{membership.pk}/", {"digest": "weekly"}, follow=True).content.decode()
    assert f"You get a weekly mail about {team.name}." in page
    assert '<option value="weekly" selected>' in page
    membership.refresh_from_db()
    assert membership.digest == Digest.WEEKLY


def test_nobody_chooses_for_others(team: Team) -> None:
    membership, other = add_member(team, "ann"), add_member(team, "bob")
    with pytest.raises(NotFound):
        digests.choose_digest(user=other.user, membership_id=membership.pk, digest="off")
    with pytest.raises(Invalid, match="off, daily, weekly"):
        digests.choose_digest(user=membership.user, membership_id=membership.pk, digest="hourly")
    assert (
        factories.logged_in(other.user).post(f"/account/digest/{membership.pk}/", {"digest": "off"}).status_code == 404
    )
    assert Client().post(f"/account/digest/{membership.pk}/", {"digest": "off"}).status_code == 302
    membership.refresh_from_db()
    assert membership.digest == Digest.DAILY


def test_the_link_ends_it_without_a_login(team: Team) -> None:
    membership = add_member(team, "ann")
    jobs.digest_job()
    browser = Client(enforce_csrf_checks=True)
    asked = browser.get(find_end_link())
    membership.refresh_from_db()
    assert (asked.status_code, membership.digest) == (200, Digest.DAILY)
    assert "Send no more" in asked.content.decode()
    done = browser.post(find_end_link(), {"List-Unsubscribe": "One-Click"})
    membership.refresh_from_db()
    assert (done.status_code, membership.digest) == (200, Digest.OFF)
    assert "Send no more" not in browser.get(find_end_link()).content.decode()


def test_a_made_up_link_ends_nothing(team: Team) -> None:
    membership = add_member(team, "ann")
    jobs.digest_job()
    for link in (f"/digest/{membership.pk}/", find_end_link()[:-3] + "x/", "/digest/a:b/"):
        assert Client().post(link).status_code == 404
    membership.refresh_from_db()
    assert membership.digest == Digest.DAILY
    membership.delete()
    assert Client().get(find_end_link()).status_code == 404


def test_a_killed_job_sends_nothing_twice(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ann", "bob"):
        add_member(team, name)

    def die(*arguments: object, **options: object) -> None:
        raise SystemExit

    with monkeypatch.context() as killed:
        killed.setattr(EmailMultiAlternatives, "send", die)
        with pytest.raises(SystemExit):
            jobs.digest_job()
    assert jobs.digest_job() == "1 digests sent; all are"  # the other one was marked before it was to be sent


def test_a_long_list_is_sent_in_turns(team: Team) -> None:
    for name in ("ann", "bob", "cem"):
        add_member(team, name)
    assert jobs.digest_job(within=-1) == "1 digests sent; more wait"
    job = ProcrastinateJob.objects.get(task_name="digest")
    assert jobs.digest_job(after=job.args["after"]) == "2 digests sent; all are"
    assert len(set(list_recipients())) == 3


def test_a_mail_server_gets_the_whole_mail(team: Team, settings: Settings) -> None:
    add_member(team, "ann")
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with mail_server() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        assert jobs.digest_job() == "1 digests sent; all are"
    (received,) = server.mails
    message = message_from_string(received, policy=default)
    assert message["To"] == "ann@example.org"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


def test_a_refused_mail_keeps_no_other_from_its_way(team: Team, settings: Settings) -> None:
    for name in ("ann", "bob"):
        add_member(team, name)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with mail_server() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT, server.refuses = "127.0.0.1", server.port, True
        assert jobs.digest_job() == "0 digests sent; all are"
    assert not server.mails


def test_a_server_that_does_not_answer_costs_nobody_a_digest(team: Team, settings: Settings) -> None:
    add_member(team, "ann")
    with mail_server() as server:
        port = server.port
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with pytest.raises(OSError, match="refused"):
        jobs.digest_job()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert jobs.digest_job() == "1 digests sent; all are"
