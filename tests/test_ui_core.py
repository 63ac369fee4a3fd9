"""Core memory in the browser: reading, writing, its history, and what each agent reads."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories import operations
from memories.models import CONTENT_BYTES, Memory, RecallLog, Scope, Usage
from memories.recall import log
from memories.views.core import CORE_EXAMPLE
from teams.models import Role, Team
from tests import factories
from tests.cast import Cast

pytestmark = pytest.mark.django_db
TEXT = "# Tone\n\nWe write **plainly**.\n"


def enter_core_pages(client: Client, team: Team, role: Role) -> str:
    """The address of the team's pages, for somebody with that role who is logged in."""
    client.force_login(factories.member(team, role))
    return f"/t/{team.organization.slug}/{team.slug}/"


def core_of(team: Team, content: str = TEXT, **said: Any) -> Memory:
    return factories.memory(factories.actor(factories.agent(team)), content, key="core", category="core", **said)


# Reading it


@pytest.mark.parametrize("role", Role)
def test_everybody_reads_it_and_editors_may_change_it(client: Client, team: Team, role: Role) -> None:
    memory = core_of(team)
    page = client.get(enter_core_pages(client, team, role) + "core/").text
    assert "<strong>plainly</strong>" in page
    assert f"<strong>{len(TEXT)}</strong> of 50,000 bytes" in page
    assert (f"core/{memory.pk}/edit/" in page) == (role != Role.VIEWER)


def test_a_team_without_one_is_told_what_it_is(client: Client, team: Team) -> None:
    at = enter_core_pages(client, team, Role.EDITOR)
    page = client.get(at + "core/").text
    assert "No core memory yet" in page
    assert "small clinics" in page
    assert CORE_EXAMPLE.splitlines()[0] in client.get(at + "core/write/?example").text


def test_a_viewer_of_a_team_without_one_is_not_asked_to_write(client: Client, team: Team) -> None:
    at = enter_core_pages(client, team, Role.VIEWER)
    assert "core/write/" not in client.get(at + "core/").text
    assert client.get(at + "core/write/").status_code == 403
    assert client.post(at + "core/write/", {"content": "x"}).status_code == 403
    assert not Memory.objects.exists()


def test_others_that_are_filed_as_core_are_listed_with_it(client: Client, team: Team) -> None:
    core_of(team)
    actor = factories.actor(factories.agent(team))
    other = factories.memory(actor, "Invoices go out on Mondays.", key="invoices", category="core")
    private = factories.memory(actor, "My own.", key="own", category="core", scope=Scope.AGENT)
    page = client.get(enter_core_pages(client, team, Role.EDITOR) + "core/").text
    assert f"core/{other.pk}/edit/" in page
    assert str(private.pk) not in page


def test_a_summary_that_agents_read_instead_is_pointed_out(client: Client, team: Team) -> None:
    core_of(team, summary="Write plainly.")
    assert "agents read that instead" in client.get(enter_core_pages(client, team, Role.VIEWER) + "core/").text


# Writing it


def test_writing_the_first_one(client: Client, team: Team) -> None:
    at = enter_core_pages(client, team, Role.EDITOR)
    answer = client.post(at + "core/write/", {"content": "One.\r\nTwo.\r\n"}, follow=True)
    memory = Memory.objects.get()
    assert (memory.key, memory.category, memory.scope, memory.content) == ("core", "core", Scope.TEAM, "One.\nTwo.\n")
    assert "Saved as version 1." in answer.text
    undo = re.search(r'action="([^"]+/forget/[^"]*)"', answer.text)
    assert undo
    assert "No core memory yet" in client.post(undo[1], {"next": at + "core/"}, follow=True).text


def edit(client: Client, at: str, memory: Memory, content: str, version: int, **more: str) -> Any:
    return client.post(f"{at}core/{memory.pk}/edit/", {"content": content, "version": version, **more})


def test_editing_makes_a_version_that_can_be_undone(client: Client, team: Team) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.EDITOR)
    edit(client, at, memory, "New.", 1)
    memory.refresh_from_db()
    assert (memory.content, memory.version) == ("New.", 2)
    page = client.get(at + "core/").text
    undo = re.search(r'action="([^"]+/revert/1/\?seen=2)"', page)
    assert undo
    client.post(undo[1])
    memory.refresh_from_db()
    assert (memory.content, memory.version) == (TEXT, 3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("", "this is empty"), (" \n", "this is empty"), ("é" * CONTENT_BYTES, "these are 100,000"), ("\0", "Null")],
)
def test_what_cannot_be_saved_is_said_and_kept(client: Client, team: Team, content: str, sentence: str) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.EDITOR)
    answer = edit(client, at, memory, content, 1)
    assert sentence in answer.text
    assert content.strip("\0 \n") in answer.text
    memory.refresh_from_db()
    assert memory.version == 1


def test_a_preview_saves_nothing_and_needs_no_scripts(client: Client, team: Team) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.EDITOR)
    page = edit(client, at, memory, "Some **bold** words.", 1, preview="1").text
    assert "<strong>bold</strong>" in page
    assert "Some **bold** words.</textarea>" in page
    memory.refresh_from_db()
    assert memory.version == 1


def test_the_preview_alone_is_sent_where_scripts_ask_for_it(client: Client, team: Team) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.EDITOR)
    said = {"content": "x" * (CONTENT_BYTES + 7), "version": 1}
    part = client.post(f"{at}core/{memory.pk}/edit/", said, headers={"HX-Request": "true"}).text
    assert "<textarea" not in part
    assert "7 bytes too many" in part
    assert "<strong>12,502</strong> of 2,000 tokens" in part
    assert Memory.objects.get().version == 1


def test_two_who_write_at_once_get_both_together(client: Client, team: Team) -> None:
    memory, at = core_of(team, "One.\n\nTwo.\n"), enter_core_pages(client, team, Role.EDITOR)
    edit(client, at, memory, "One changed.\n\nTwo.\n", 1)
    answer = edit(client, at, memory, "One.\n\nTwo, mine.\n", 1)
    assert answer.status_code == 409
    assert "<ins> changed</ins>" in answer.text
    assert "<ins>, mine</ins>" in answer.text
    assert "One changed.\n\nTwo, mine.\n</textarea>" in answer.text
    assert 'name="version" value="2"' in answer.text
    memory.refresh_from_db()
    assert memory.content == "One changed.\n\nTwo.\n"
    assert edit(client, at, memory, "Both.", 2).status_code == 302


def test_where_two_changed_the_same_line_it_is_said(client: Client, team: Team) -> None:
    memory, at = core_of(team, "One.\n"), enter_core_pages(client, team, Role.EDITOR)
    edit(client, at, memory, "Theirs.\n", 1)
    answer = edit(client, at, memory, "Mine.\n", 1)
    assert "You both changed the same lines" in answer.text
    assert "Mine.\n</textarea>" in answer.text
    assert edit(client, at, memory, "Mine.\n", 2).status_code == 302


def test_two_who_write_the_first_one_at_once_are_told(client: Client, team: Team) -> None:
    at = enter_core_pages(client, team, Role.EDITOR)
    memory = core_of(team, "Theirs.")
    answer = client.post(at + "core/write/", {"content": "Mine."})
    assert answer.status_code == 409
    assert "<ins>Theirs.</ins>" in answer.text
    assert f'action="{at}core/{memory.pk}/edit/"' in answer.text
    assert Memory.objects.get().content == "Theirs."


def test_what_was_forgotten_meanwhile_keeps_what_was_typed(client: Client, team: Team) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.OWNER)
    operations.forget_memory(actor=factories.owner_actor(team), memory_id=memory.pk)
    answer = edit(client, at, memory, "My long work.", 1)
    assert answer.status_code == 409
    assert "Restore it first" in answer.text
    assert "My long work." in answer.text


def test_viewers_change_nothing_and_strangers_see_nothing(client: Client, team: Team) -> None:
    memory = core_of(team)
    client.force_login(factories.member(team, Role.VIEWER))
    at = f"/t/{team.organization.slug}/{team.slug}/core/{memory.pk}/"
    assert client.get(at + "history/").status_code == 200
    assert "Revert" not in client.get(at + "history/").text
    for path in ("edit/",):
        assert client.get(at + path).status_code == client.post(at + path, {"content": "x"}).status_code == 403
    client.post(at + "revert/1/")
    elsewhere = enter_core_pages(client, factories.team(team.organization), Role.OWNER)
    for path in ("edit/", "history/"):
        assert client.get(f"{elsewhere}core/{memory.pk}/{path}").status_code == 404
    assert client.post(f"{elsewhere}core/{memory.pk}/revert/1/").status_code == 404
    assert Memory.objects.get().version == 1


def test_only_core_memories_are_edited_here(client: Client, team: Team) -> None:
    other = factories.memory(factories.actor(factories.agent(team)))
    assert client.get(f"{enter_core_pages(client, team, Role.OWNER)}core/{other.pk}/edit/").status_code == 404


# What was


def test_the_history_tells_who_changed_which_words(client: Client, team: Team) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.EDITOR)
    edit(client, at, memory, TEXT.replace("plainly", "kindly"), 1)
    page = client.get(f"{at}core/{memory.pk}/history/").text
    assert "<del>plainly</del><ins>kindly</ins>" in page
    assert User.objects.get().username in page
    first = client.get(f"{at}core/{memory.pk}/history/?version=1").text
    assert TEXT.splitlines()[0] in first
    assert f"core/{memory.pk}/revert/1/?seen=2" in first
    for wrong in ("9", "99999999999", "x", ""):
        assert client.get(f"{at}core/{memory.pk}/history/", {"version": wrong}).status_code in (200, 404)


def test_an_old_version_is_said_again_unless_somebody_was_faster(client: Client, team: Team) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.EDITOR)
    edit(client, at, memory, "Second.", 1)
    stale = client.post(f"{at}core/{memory.pk}/revert/1/?seen=1", {"next": f"{at}core/"}, follow=True)
    assert "it is now version 2" in stale.text
    done = client.post(f"{at}core/{memory.pk}/revert/1/?seen=2", {"next": f"{at}core/"}, follow=True)
    assert "says again what version 1 said" in done.text
    memory.refresh_from_db()
    assert (memory.content, memory.version) == (TEXT, 3)


# What each agent reads


def block(page: str) -> str:
    found = re.search(r'<pre class="code" id="block"[^>]*>(.*?)</pre>', page, re.DOTALL)
    return html.unescape(found[1]) if found else ""


def by_api(client: Client, token: str, asked: dict[str, Any], **headers: str) -> str:
    said = {"Authorization": f"Bearer {token}"} | {f"X-Memory-{name.title()}": text for name, text in headers.items()}
    return str(client.get("/api/v1/context", asked, headers=said).json()["text"])


CONTEXT_OPTIONS: list[dict[str, Any]] = [
    {},
    {"query": "Where is the pager?"},
    {"budget": 100},
    {"budget": 150, "query": "drawer <b> & 'quotes'"},
]


@pytest.mark.parametrize("asked", CONTEXT_OPTIONS, ids=str)
def test_an_owner_sees_byte_for_byte_what_the_agent_gets(client: Client, cast: Cast, asked: dict[str, Any]) -> None:
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    cast.memory(
        key="core", content='Odd\r\nline ends,\rtabs\tand <b>signs</b> & "quotes".\n## Pinned Memory\n' + "x " * 200
    )
    cast.memory(content="Pinned\r\nand long. " + "word " * 60, pinned=True)
    for scope in (Scope.TEAM, Scope.PROJECT, Scope.AGENT):
        cast.memory(scope, content=f"The pager of the {scope} is in the drawer. <script>")
    page = client.get("/t/acme/ops/core/read/", {"agent": "writer", "project": "apollo", **asked}).text
    token = cast["writer"].token()
    assert block(page) == by_api(client, token, asked, project="apollo", workspace="blue") != ""
    assert "You may not see" not in page


@pytest.mark.parametrize("name", ["viewer", "editor", "owner"])
def test_nobody_sees_more_of_an_agents_block_than_they_may(client: Client, cast: Cast, name: str) -> None:
    client.force_login(cast[name].user)  # type: ignore[arg-type]
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    for scope in Scope:
        cast.memory(scope, content=f"secret of {scope}", pinned=True)
    above = factories.actor(factories.agent(cast.executive), workspace="blue")
    factories.memory(above, "secret of above", pinned=True)
    said = {"project": "apollo", "user": "mira", "query": "secret"}
    seen = {
        agent: client.get("/t/acme/ops/core/read/", {"agent": agent, **said}).text for agent in ("writer", "director")
    }
    expected = {"team", "project", *(["agent"] if name == "owner" else [])}
    assert set(re.findall(r"secret of (\w+)", seen["writer"])) == expected
    assert "mira alone" in seen["writer"]
    assert ("keeps for itself" in seen["writer"]) == (name != "owner")
    assert "secret of above" not in seen["director"]
    assert "the teams above" in seen["director"]


def test_looking_is_not_a_recall(client: Client, team: Team) -> None:
    core_of(team)
    factories.memory(factories.actor(factories.agent(team)), "The pager is in the drawer.")
    at = enter_core_pages(client, team, Role.OWNER)
    assert "pager" in client.get(at + "core/read/", {"query": "Where is the pager?"}).text
    log.flush()
    assert (RecallLog.objects.count(), Usage.objects.count()) == (0, 0)


def test_what_does_not_fit_is_listed(client: Client, team: Team) -> None:
    actor = factories.actor(factories.agent(team))
    large = factories.memory(actor, "Too long to fit. " * 100, key="large", pinned=True)
    core_of(team, "A line of it.\n" * 100)
    page = client.get(enter_core_pages(client, team, Role.OWNER) + "core/read/", {"budget": "100"}).text
    assert "The end of the core memory is cut off" in page
    assert str(large.pk) in page
    assert "Everything fits" not in page


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"budget": "7"}, "from 100 to 100,000"),
        ({"budget": "many"}, "whole number"),
        ({"agent": "nobody"}, "not one of the available choices"),
        ({"project": "nothing"}, "not one of the available choices"),
        ({"user": "a\tb"}, "control characters"),
        ({"user": "x" * 200}, "at most 128"),
    ],
)
def test_what_cannot_be_asked_is_said(client: Client, team: Team, asked: dict[str, str], sentence: str) -> None:
    core_of(team)
    answer = client.get(enter_core_pages(client, team, Role.VIEWER) + "core/read/", asked)
    assert answer.status_code == 200
    assert sentence in answer.text
    assert 'id="block"' not in answer.text


def test_a_team_without_agents_is_told_so(client: Client, team: Team) -> None:
    assert "No agents yet" in client.get(enter_core_pages(client, team, Role.VIEWER) + "core/read/").text


# How much it takes


@pytest.mark.parametrize("path", ["core/", "core/read/?query=line", "core/{}/history/", "core/{}/edit/"])
def test_statements_of_the_core_page_do_not_grow(client: Client, team: Team, path: str) -> None:
    memory, at = core_of(team), enter_core_pages(client, team, Role.OWNER)
    actor = factories.actor(memory.agent)

    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(at + path.format(memory.pk)).status_code == 200
        return len(queries)

    statements()  # what a process learns once
    few = statements()
    for number in range(5):
        factories.memory(factories.actor(factories.agent(team)), f"line {number}", key=f"k{number}", category="core")
        operations.append_to_memory(actor=actor, memory_id=memory.pk, text=f"line {number}")
    assert statements() == few <= 30
