"""Tests of the operators' view of what was done, and of what they may have done again or export."""

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from memories import jobs, operations
from memories.models import FileVersion, Memory, RecallLog, Revision
from memories.recall import recall
from memoryhub.ids import uuid7
from teams import auth
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Organization, Team, Token
from tests import factories
from tests.test_admin import act, at, follow_action_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def token(bot: Actor) -> Token:
    """Return a token by which a memory was saved, a file written and something recalled."""
    secret = registry.issue_token(agent=Agent.objects.get(pk=bot.agent_id))
    actor = auth.authenticate_agent(token=secret.text)
    factories.memory(actor, "The Skarnes crane stalls.", key="crane")
    operations.files.write_file(actor=actor, path="notes/crane.md", content="It stalls.")
    recall(actor=actor, query="Does the crane stall?")
    return Token.objects.get(prefix=secret.prefix)


def test_a_token_leads_to_all_that_it_did(support: Client, bot: Actor, token: Token) -> None:
    factories.memory(bot, "Of somebody else.")
    page = support.get(at(Token, "change", token.pk)).text
    address = reverse("admin:memories_by_token", args=[token.pk])
    assert address in page
    told_of = support.get(address)
    assert [deed["did"] for deed in told_of.context["deeds"]] == ["Recalled", "Created", "Created"]
    assert "Does the crane stall?: 1 given" in told_of.text
    for deed in told_of.context["deeds"]:
        assert support.get(deed["link"]).status_code == 200
    assert support.get(address, {"after": "nonsense"}).status_code == 404
    assert support.get(reverse("admin:memories_by_token", args=[uuid7()])).status_code == 404
    assert factories.logged_in(factories.staff_member("nora")).get(address).status_code == 403


def test_a_long_trace_goes_on_page_by_page(support: Client, token: Token, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.admin.token_activity.PER_PAGE", 2)
    first = support.get(reverse("admin:memories_by_token", args=[token.pk]))
    after = support.get(first.request["PATH_INFO"], {"after": first.context["following"]})
    assert (len(first.context["deeds"]), len(after.context["deeds"])) == (2, 1)


@pytest.mark.parametrize("model", [Revision, FileVersion, RecallLog])
def test_what_was_done_names_its_token_and_is_found_by_it(
    support: Client, bot: Actor, token: Token, model: Any
) -> None:
    other = factories.memory(bot, "Of somebody else.", key="other")
    operations.files.write_file(actor=bot, path="notes/other.md", content="Other.")
    recall(actor=bot, query=other.content)
    for said in (token.prefix, f"{token.prefix}and-the-rest-of-it"):
        found = support.get(at(model), {"q": said})
        assert [row.token_id for row in found.context["cl"].result_list] == [token.pk]
        assert str(token) in found.text
    assert "0 " in support.get(at(model), {"q": "mh_unknown00"}).text


def test_a_memory_says_who_changed_it(support: Client, token: Token) -> None:
    memory = Memory.objects.get()
    page = support.get(at(Memory, "change", memory.pk)).text
    assert str(token) in page
    assert f"{at(Revision)}?q={memory.pk}" in page


def test_new_vectors_are_in_the_operators_log(operator: Client, bot: Actor) -> None:
    memory = factories.memory(bot)
    act(operator, "reembed", memory)
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.object_id, entry.change_message) == (
        "olga", str(memory.pk), "Had its vectors made anew."
    )  # fmt: skip
    assert "Had its vectors made anew." in operator.get(at(Memory, "history", memory.pk)).text


# Jobs


def make_failed_job(job_id: int) -> ProcrastinateJob:
    with connection.cursor() as cursor:  # as a worker would
        for status in ("doing", "failed"):
            cursor.execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", [status, job_id])
    return ProcrastinateJob.objects.get(pk=job_id)


def test_jobs_that_failed_are_listed_and_done_again_by_operators(operator: Client, support: Client) -> None:
    job = make_failed_job(jobs.sweep_job.defer())
    jobs.mend_job.defer()
    listed = support.get(at(ProcrastinateJob), {"status__exact": "failed"})
    assert [row.pk for row in listed.context["cl"].result_list] == [job.pk]
    assert "failed" in support.get(at(ProcrastinateJob, "change", job.pk)).text
    chosen = {"action": "retry", "_selected_action": [str(job.pk)]}
    support.post(at(ProcrastinateJob), chosen)
    assert ProcrastinateJob.objects.get(pk=job.pk).status == "failed"
    assert "Put in again: 1." in follow_action_text(operator, operator.post(at(ProcrastinateJob), chosen))
    assert ProcrastinateJob.objects.get(pk=job.pk).status == "todo"
    assert LogEntry.objects.get().user.username == "olga"


def test_a_job_whose_like_waits_is_left_as_it_is(operator: Client) -> None:
    job = make_failed_job(jobs.sweep_job.defer())
    jobs.sweep_job.defer()
    chosen = {"action": "retry", "_selected_action": [str(job.pk)]}
    assert "1 left as before" in follow_action_text(operator, operator.post(at(ProcrastinateJob), chosen))
    assert ProcrastinateJob.objects.get(pk=job.pk).status == "failed"


# Export


def test_operators_carry_an_organization_or_a_team_away(operator: Client, team: Team, bot: Actor) -> None:
    factories.memory(bot)
    for row in (team.organization, team):
        page = operator.get(at(type(row), "change", row.pk)).text
        (address,) = set(re.findall(r'href="([^"]+/export/[^"]+)"', page))
        assert operator.get(address).context["held"]["memories"].number == 1
        sent = operator.post(address)
        archive = ZipFile(BytesIO(b"".join(sent.streaming_content)))  # type: ignore[arg-type]
        assert b"The queue runs on Postgres." in archive.read("rows/memories_memory.jsonl")
        assert sent["Content-Disposition"].startswith("attachment")
    assert LogEntry.objects.filter(user__username="olga", change_message="Exported.").count() == 2
    assert operator.get(reverse("admin:memories_export", args=["agent", team.pk])).status_code == 404


def test_support_carries_nothing_away(support: Client, team: Team) -> None:
    assert "/export/" not in support.get(at(Team, "change", team.pk)).text
    for row in (team.organization, team):
        address = reverse("admin:memories_export", args=[row._meta.model_name, row.pk])
        assert support.get(address).status_code == support.post(address).status_code == 403


def test_teams_agents_and_organizations_show_what_belongs_to_them(support: Client, team: Team, token: Token) -> None:
    factories.agent(factories.team(within=team.organization), slug="elsewhere")
    page = support.get(at(Team, "change", team.pk)).text
    assert token.agent.slug in page
    assert "elsewhere" not in page
    assert token.prefix in support.get(at(Agent, "change", token.agent_id)).text
    assert team.slug in support.get(at(Organization, "change", team.organization_id)).text
