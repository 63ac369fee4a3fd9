"""Core memory and recall with a keyboard, with and without scripts."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from memories import operations
from memories.models import Memory, RecallLog
from memories.recall import log
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press
from tests.browser.test_every_page import violations

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writer(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "writer"))


@pytest.fixture
def owner(team: Team) -> User:
    return factories.member(team, Role.OWNER)


def at(team: Team, path: str) -> str:
    return f"/t/{team.organization.slug}/{team.slug}/{path}"


def test_the_first_core_memory_is_written_by_keyboard_with_a_live_preview(
    visit: Visit, team: Team, owner: User
) -> None:
    page = visit(owner, at(team, ""))
    page.keyboard.type("gc")
    expect(page.get_by_role("heading", name="No core memory yet")).to_be_visible()
    page.get_by_role("link", name="Write it").focus()
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Write the core memory")
    expect(page.locator("#id_content")).to_be_focused()
    page.keyboard.type("# Tone\nWe write **plainly**.")
    expect(page.locator("#preview strong").get_by_text("plainly")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("28 of 50,000 bytes")
    expect(page.locator("#id_content")).to_be_focused()
    press(page, "Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Saved as version 1.")
    assert Memory.objects.get().content == "# Tone\nWe write **plainly**."


def test_an_edit_is_undone_by_keyboard(visit: Visit, team: Team, owner: User, writer: Actor) -> None:
    memory = factories.memory(writer, "We write plainly.", key="core")
    page = visit(owner, at(team, "core/"))
    press(page, "e")
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit core memory")
    expect(page.locator("#id_content")).to_be_focused()
    press(page, "Control+End")
    page.keyboard.type(" And kindly.")
    press(page, "Control+Enter")
    expect(page.get_by_role("article")).to_have_text("We write plainly. And kindly.")
    page.get_by_role("button", name="Undo").focus()
    press(page, "Enter")
    expect(page.get_by_role("article")).to_have_text("We write plainly.")
    memory.refresh_from_db()
    assert memory.version == 3


def test_it_is_edited_previewed_and_reverted_without_scripts(
    visit: Visit, team: Team, owner: User, writer: Actor
) -> None:
    factories.memory(writer, "One.\nTwo.", key="core")
    page = visit(owner, at(team, "core/"), scripts=False)
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Text").fill("One.\n\n**Three.**")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview strong").get_by_text("Three.")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("article")).to_contain_text("Three.")
    assert Memory.objects.get().content == "One.\n\n**Three.**"
    page.get_by_role("link", name="History").click()
    page.get_by_role("link", name="created by writer").click()
    page.get_by_role("button", name="Revert to version").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert Memory.objects.get().content == "One.\nTwo."


def test_leaving_unsaved_words_is_asked_about(visit: Visit, team: Team, owner: User, writer: Actor) -> None:
    memory = factories.memory(writer, "We write plainly.", key="core")
    page = visit(owner, at(team, f"core/{memory.pk}/edit/"))
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.get_by_label("Text").press_sequentially("More.")
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("article")).to_have_text("We write plainly.")
    assert asked == ["confirm"]


def test_two_who_write_at_once_put_it_together_by_keyboard(
    visit: Visit, complaints: list[str], team: Team, owner: User, writer: Actor
) -> None:
    memory = factories.memory(writer, "One.\n\nTwo.\n", key="core")
    page = visit(owner, at(team, f"core/{memory.pk}/edit/"))
    operations.update_memory(actor=factories.owner_actor(team), memory_id=memory.pk, content="One of theirs.\n\nTwo.\n")
    press(page, "Control+End")
    page.keyboard.type("Three.")
    press(page, "Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your changes and theirs fit together")
    assert violations(page) == []
    expect(page.locator("#id_content")).to_be_focused()
    press(page, "Control+Enter")
    expect(page.get_by_role("article")).to_contain_text("Three.")
    assert Memory.objects.get().content == "One of theirs.\n\nTwo.\nThree."
    complaints[:] = [text for text in complaints if "409 (Conflict)" not in text]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.OWNER])
def test_a_new_team_keeps_nobody_out(visit: Visit, team: Team, role: Role, *, dark: bool) -> None:
    paths = ["core/", "core/read/", "recall/", "recall/?query=x", "recall/?query=x&limit=99"]
    page = visit(factories.member(team, role), at(team, ""), dark=dark)
    for path in [*paths, "core/write/"] if role == Role.OWNER else paths:
        page.goto(at(team, path))
        assert violations(page) == []


def test_the_block_is_what_the_agent_gets_to_the_byte(
    visit: Visit, team: Team, owner: User, writer: Actor, client: Client
) -> None:
    factories.memory(writer, "Odd\r\nline ends,\rtabs\t<b>signs</b> &amp; 🚀.\n\n", key="core")
    factories.memory(writer, "The pager\r\nis in the drawer.")
    page = visit(owner, at(team, "core/read/"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Question", exact=True).fill("Where is the pager?")
    press(page, "Enter")
    page.wait_for_url("**query=Where**")
    token = factories.token(writer)
    answer = client.get(
        "/api/v1/context", {"query": "Where is the pager?"}, headers={"Authorization": f"Bearer {token}"}
    )
    expect(page.locator("#block")).to_contain_text("pager")
    assert page.locator("#block").evaluate("block => block.textContent") == answer.json()["text"]
    page.get_by_role("button", name="Copy the prompt").click()
    expect(page.get_by_role("button", name="Copied the prompt")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == answer.json()["text"]


def test_recall_is_asked_by_keyboard_through_other_eyes(visit: Visit, team: Team, owner: User, writer: Actor) -> None:
    factories.agent(team, "reader")
    factories.memory(writer, "The pager is in the left drawer.", key="pager")
    factories.memory(writer, "The spare pager is mine.", scope="agent", key="spare")
    page = visit(owner, at(team, "recall/"))
    press(page, "/")
    expect(page.locator("#id_query")).to_be_focused()
    page.keyboard.type("Where is the pager?")
    press(page, "Enter")
    expect(page.get_by_role("heading", name="2 found")).to_be_visible()
    expect(page.locator("#id_query")).to_be_focused()
    page.get_by_label("Ask as", exact=True).select_option("reader")
    expect(page.get_by_role("heading", name="1 found")).to_be_visible()
    expect(page).to_have_url(re.compile("agent=reader"))
    page.get_by_label("A memory that you expected").focus()
    page.keyboard.type("spare")
    press(page, "Enter")
    expect(page.locator("#ruling")).to_contain_text("It is writer's own, and not for reader.")
    expect(page.locator("#why")).to_be_focused()
    page.reload()
    expect(page.locator("#ruling")).to_contain_text("It is writer's own")
    press(page, "j")
    press(page, "p")
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    press(page, "Enter")
    page.wait_for_url("**/memories/**")
    log.flush()
    assert not RecallLog.objects.exists()


def test_recall_is_asked_without_scripts(visit: Visit, team: Team, owner: User, writer: Actor) -> None:
    factories.memory(writer, "The pager is in the left drawer.", key="pager")
    page = visit(owner, at(team, "recall/"), scripts=False)
    page.get_by_label("Question", exact=True).fill("pager")
    page.get_by_label("Ask as", exact=True).select_option("writer")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("heading", name="1 found")).to_be_visible()
    page.get_by_label("A memory that you expected").fill("pager")
    page.get_by_role("button", name="Why not?").click()
    expect(page.locator("#ruling")).to_contain_text("It is there, as number 1.")
