"""One memory's page in a browser: by keyboard alone, by two people at once, by dropping files, without scripts."""

import base64
import re
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from memories import operations
from memories.models import Asset, Memory
from teams import rights
from teams.models import Role, Team
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press

pytestmark = pytest.mark.django_db(transaction=True)

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BASE = "The crane comes on Friday.\n\nBerth 4 is closed."
DROP = """
([selector, name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name, { type: "text/plain" }));
    const event = (kind) => new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: files });
    const onto = document.querySelector(selector);
    for (const kind of ["dragenter", "dragover", "drop"]) onto.dispatchEvent(event(kind));
}
"""

DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"  # and focused by the browser


@pytest.fixture
def pilots() -> Team:
    return factories.team(factories.organization("harbour"), "pilots")


@pytest.fixture
def user(pilots: Team) -> User:
    return factories.member(pilots, Role.OWNER, "mira")


@pytest.fixture
def memory(pilots: Team) -> Memory:
    return factories.memory(factories.actor(factories.agent(pilots, "writer")), BASE, key="crane", tags=["crane"])


def path(memory: Memory, part: str = "") -> str:
    return f"/t/harbour/pilots/memories/{memory.pk}/{part}"


def again(memory_id: UUID) -> Memory:
    return Memory.objects.get(pk=memory_id)


def toast(page: Page) -> None:
    expect(page.locator(".toast").last).to_be_visible()


def test_one_edits_and_pins_by_keyboard_alone(visit: Visit, user: User, memory: Memory) -> None:
    page = visit(user, path(memory))
    press(page, "e")
    expect(page.get_by_label("What to remember")).to_be_focused()
    press(page, "Control+End")
    page.keyboard.type(" Call the pilot.")
    press(page, "Control+Enter")
    expect(page.locator(".toast")).to_contain_text("Saved.")
    expect(page.locator("#memory-text")).to_contain_text("Call the pilot.")
    press(page, "p")
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    saved = again(memory.pk)
    assert (saved.content, saved.pinned) == (f"{BASE} Call the pilot.", True)


def test_escape_leaves_and_asks_before_it_loses_anything(visit: Visit, user: User, memory: Memory) -> None:
    page = visit(user, path(memory))
    press(page, "e")
    expect(page.get_by_label("What to remember")).to_be_focused()
    page.evaluate(DRAWN)
    press(page, "Escape", "Escape")
    expect(page.locator("article#memory-text")).to_contain_text("Berth 4 is closed.")
    press(page, "e")
    expect(page.get_by_label("What to remember")).to_be_focused()
    page.evaluate(DRAWN)
    page.keyboard.type("Unsaved. ")
    press(page, "Escape")
    questions: list[str] = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    press(page, "Escape")
    expect(page.get_by_label("What to remember")).to_have_value(re.compile("^Unsaved. "))
    assert questions == ["Leave without saving what you wrote?"]


def test_what_was_refused_can_be_mended(visit: Visit, user: User, memory: Memory, complaints: list[str]) -> None:
    page = visit(user, path(memory))
    press(page, "e")
    page.locator("#id_importance").fill("7")
    page.get_by_label("What to remember").fill("Written with care.")
    press(page, "Control+Enter")
    expect(page.locator(".wrong")).to_contain_text("from 0.0 to 1.0")
    expect(page.get_by_label("What to remember")).to_have_value("Written with care.")
    page.locator("#id_importance").fill("0.7")
    press(page, "Control+Enter")
    expect(page.locator(".toast")).to_contain_text("Saved.")
    expect(page.locator("#memory-text")).to_contain_text("Written with care.")
    complaints[:] = [text for text in complaints if "400 (Bad Request)" not in text]


def test_two_people_at_once_lose_nothing(
    visit: Visit, user: User, pilots: Team, memory: Memory, complaints: list[str]
) -> None:
    mine = visit(user, path(memory))
    theirs = visit(factories.member(pilots, Role.EDITOR, "joao"), path(memory))
    for page in (mine, theirs):
        press(page, "e")
        expect(page.get_by_label("What to remember")).to_be_focused()
    theirs.get_by_label("What to remember").fill(BASE.replace("Friday", "Monday"))
    press(theirs, "Control+Enter")
    expect(theirs.locator(".toast")).to_contain_text("Saved.")
    mine.get_by_label("What to remember").fill(BASE.replace("Friday", "Sunday"))
    mine.get_by_label("Tags").fill("crane, friday")
    press(mine, "Control+Enter")
    expect(mine.get_by_role("heading", level=1)).to_contain_text("Someone else edited")
    expect(mine.get_by_role("region", name="Theirs").first).to_contain_text("Monday")
    text = mine.get_by_role("group", name="Text", exact=True)
    text.get_by_role("radio", name="Theirs").check()
    expect(text.get_by_label("Result", exact=True)).to_have_value(BASE.replace("Friday", "Monday"))
    text.get_by_label("Result", exact=True).fill("The crane comes on Monday, not on Sunday.")
    expect(text.get_by_label("The result below")).to_be_checked()
    mine.get_by_role("button", name="Save merged version").click()
    expect(mine.locator(".toast")).to_contain_text("Saved.")
    saved = again(memory.pk)
    assert (saved.content, saved.version) == ("The crane comes on Monday, not on Sunday.", 3)
    assert saved.tags == ["crane", "friday"]
    complaints[:] = [text for text in complaints if "409 (Conflict)" not in text]


def test_files_are_dropped_and_looked_at(visit: Visit, user: User, memory: Memory) -> None:
    page = visit(user, path(memory))
    page.evaluate(DROP, ["#drop", "tides.txt", "High water at noon."])
    expect(page.locator(".toast")).to_contain_text("Attached tides.txt.")
    page.get_by_text("Preview of tides.txt").click()
    expect(page.locator("#attachments pre")).to_have_text("High water at noon.")
    page.locator("#attachments summary").filter(has_text="Remove tides.txt").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.locator(".toast").last).to_contain_text("Removed tides.txt.")
    assert not Asset.objects.exists()
    press(page, "u")
    expect(page.locator(".toast").last).to_contain_text("Put back tides.txt.")
    expect(page.locator(".asset")).to_have_count(1)
    some = [{"name": name, "mimeType": "text/plain", "buffer": b"Some."} for name in ("a.txt", "b.txt")]
    page.locator("#file").set_input_files(some)  # type: ignore[arg-type]
    expect(page.locator(".asset")).to_have_count(3)
    press(page, "u")
    expect(page.locator(".asset")).to_have_count(1)


def test_a_link_is_found_while_one_types(visit: Visit, user: User, pilots: Team, memory: Memory) -> None:
    factories.memory(factories.actor(factories.agent(pilots, "writer")), "The pilot boards at the outer buoy.")
    page = visit(user, path(memory))
    press(page, "l")
    page.get_by_label("Which memory?").fill("outer buoy")
    expect(page.get_by_role("radio")).to_have_count(1)
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("Linked.")
    page.locator(".graph a").click()
    expect(page.locator("#memory-text")).to_contain_text("outer buoy")


def test_everything_can_be_done_without_scripts(visit: Visit, user: User, memory: Memory) -> None:
    page = visit(user, path(memory), scripts=False)
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("What to remember").fill("The crane came.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#memory-text")).to_contain_text("The crane came.")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    page.get_by_label("Add tags").fill("harbour")
    page.get_by_label("Add tags").press("Enter")
    expect(page.locator("#memory-text")).to_contain_text("harbour")
    page.get_by_text("Change when it expires").click()
    page.get_by_role("button", name="In a week").click()
    toast(page)
    assert again(memory.pk).expires_at
    page.locator("summary").filter(has_text="Forget").click()
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_text("This memory was forgotten by mira")).to_be_visible()
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="Revert to version 1", exact=True).click()
    toast(page)
    reverted = again(memory.pk)
    assert (reverted.content, reverted.pinned, reverted.tags) == (BASE, False, ["crane"])


def test_undoing_takes_it_back_where_one_is(visit: Visit, user: User, memory: Memory) -> None:
    page = visit(user, path(memory))
    page.locator("#forgetting > summary").click()
    expect(page.locator("#forgetting > .sheet")).to_have_css("display", "block")  # and pushes nothing aside
    page.get_by_role("button", name="Remove the tag crane").click()
    expect(page.locator(".toast")).to_contain_text("Tags changed.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Remove the tag crane")).to_be_visible()


def test_a_viewer_reads(visit: Visit, pilots: Team, memory: Memory) -> None:
    actor = rights.login_actor(user=factories.member(pilots, Role.OWNER))
    operations.add_citation(actor=actor, memory_id=memory.pk, quote="Said so.")
    page = visit(factories.member(pilots, Role.VIEWER, "guest"), path(memory))
    expect(page.locator("main form:not(#rating)")).to_have_count(0)
    press(page, "e")
    expect(page.get_by_text("Said so.")).to_be_visible()
    assert page.url.endswith(path(memory))


def test_a_picture_is_shown_where_it_is_attached(visit: Visit, user: User, memory: Memory) -> None:
    operations.attach_file(
        actor=rights.login_actor(user=user), memory_id=memory.pk, file=ContentFile(PICTURE), name="crane.png"
    )
    page = visit(user, path(memory))
    picture = page.get_by_role("img", name="crane.png")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 1)
    page.locator(".picture").click()
    expect(page).to_have_url(re.compile(f"/assets/{Asset.objects.get().pk}/$"))


def test_history_and_tags_are_a_key_away(visit: Visit, user: User, memory: Memory) -> None:
    page = visit(user, path(memory))
    press(page, "t")
    expect(page.get_by_label("Add tags")).to_be_focused()
    page.keyboard.type("harbour")
    press(page, "Enter")
    expect(page.get_by_role("button", name="Remove the tag harbour")).to_be_visible()
    press(page, "Escape", "h")
    expect(page.get_by_role("heading", level=1)).to_contain_text("History")


def test_two_people_at_once_lose_nothing_without_scripts(
    visit: Visit, user: User, pilots: Team, memory: Memory, complaints: list[str]
) -> None:
    page = visit(user, path(memory, "edit/"), scripts=False)
    theirs = BASE.replace("Friday", "Monday")
    other = rights.login_actor(user=factories.member(pilots, Role.EDITOR, "joao"))
    operations.update_memory(actor=other, memory_id=memory.pk, content=theirs)
    page.get_by_label("What to remember").fill(BASE.replace("Friday", "Sunday"))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("region", name="Theirs").first).to_contain_text("Monday")
    page.get_by_role("group", name="Text", exact=True).get_by_role("radio", name="Theirs").check()
    page.get_by_role("button", name="Save merged version").click()
    expect(page.locator("#memory-text")).to_contain_text("Monday")
    assert again(memory.pk).content == theirs
    complaints[:] = [text for text in complaints if "409 (Conflict)" not in text]
