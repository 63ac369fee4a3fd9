"""Files and conversations in a browser: by keyboard, without scripts, by two people at once."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, expect

from memories import demo
from memories.models import TeamFile
from tests.browser.conftest import Visit
from tests.browser.pages import TEAM, press

pytestmark = pytest.mark.django_db(transaction=True)

# How far each bar came before its page was replaced.
BARS = """() => {
  window.bars = [];
  const bar = document.querySelector("progress[data-sent]");
  new MutationObserver(() => document.contains(bar) || window.bars.length || window.bars.push(bar.value))
    .observe(document.body, { childList: true, subtree: true });
}"""
RUNBOOK = "runbooks/failover.md"


@pytest.fixture
def owner() -> User:
    """Of the demo's team with its files and conversations, but without memories."""
    story = demo.Story(timezone.now())
    story.introduce()
    story.write_all()
    return User.objects.get(username="demo")


def test_a_file_is_found_edited_and_reverted_by_keyboard_alone(visit: Visit, owner: User) -> None:
    page = visit(owner, f"{TEAM}files/")
    _open(page, "runbooks")
    _open(page, "failover.md")
    press(page, "e")
    text = page.get_by_label("Text", exact=True)
    text.focus()
    press(page, "Control+Home")
    page.keyboard.type("Breathe first. ")
    press(page, "Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("failover.md is saved.")
    expect(page.locator(".prose")).to_contain_text("Breathe first.")
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("version 1")
    expect(page.locator(".prose")).not_to_contain_text("Breathe first.")
    page.get_by_role("link", name="History").press("Enter")
    page.get_by_role("link", name="Version 2").press("Enter")
    expect(page.locator(".diff ins")).to_contain_text("Breathe first.")


def _open(page: Page, name: str) -> None:
    """Goes down a list to the entry, and opens it."""
    for _ in range(20):
        press(page, "j")
        if name in (page.evaluate("document.activeElement.textContent") or ""):
            break
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_a_search_answers_while_one_types(visit: Visit, owner: User) -> None:
    page = visit(owner, f"{TEAM}files/")
    press(page, "/")
    page.keyboard.type("database")
    expect(page.locator("#listing mark").first).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search files")).to_be_focused()
    expect(page).to_have_url(re.compile("q=database"))


def test_files_can_be_dropped_on_a_folder(visit: Visit, owner: User) -> None:
    page = visit(owner, f"{TEAM}files/runbooks/")
    dropped = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['# Dropped'], 'dropped.md')); return data }"
    )
    page.dispatch_event("#listing", "drop", {"dataTransfer": dropped})
    expect(page.get_by_role("heading", level=1)).to_have_text("dropped.md")
    assert TeamFile.objects.filter(path="runbooks/dropped.md", content="# Dropped").exists()


def test_two_who_edit_at_once_put_their_texts_together(visit: Visit, complaints: list[str], owner: User) -> None:
    first, second = (visit(owner, f"{TEAM}file/edit/{RUNBOOK}") for _ in range(2))
    for page, key, words in ((first, "Control+Home", "At the top.\n"), (second, "Control+End", "\nAt the end.")):
        page.get_by_label("Text", exact=True).focus()
        press(page, key)
        page.keyboard.type(words)
    press(first, "Control+Enter")
    expect(first.get_by_role("status")).to_contain_text("saved")
    press(second, "Control+Enter")
    expect(second.get_by_role("alert")).to_contain_text("fit together")
    second.get_by_role("button", name="Save this").press("Enter")
    expect(second.get_by_role("status")).to_contain_text("saved")
    text = TeamFile.objects.get(path=RUNBOOK).content
    assert (text.startswith("At the top.\n"), text.rstrip().endswith("At the end.")) == (True, True)
    complaints[:] = [text for text in complaints if "409 (Conflict)" not in text]


def test_a_deleted_file_comes_back_by_the_toast(visit: Visit, owner: User) -> None:
    page = visit(owner, f"{TEAM}files/{RUNBOOK}")
    page.locator("main summary").press("Enter")
    page.get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_role("link", name="failover.md")).to_have_count(0)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("link", name="failover.md")).to_be_visible()


def test_without_scripts_files_are_browsed_written_and_uploaded(
    visit: Visit, complaints: list[str], owner: User, tmp_path: Path
) -> None:
    page = visit(owner, f"{TEAM}files/", scripts=False)
    page.get_by_role("link", name="runbooks").click()
    page.get_by_role("link", name="failover.md").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Text", exact=True).fill("Shorter.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose")).to_have_text("Shorter.")
    assert TeamFile.objects.get(path=RUNBOOK).content == "Shorter."
    page.goto(f"{TEAM}files/?q=shorter")
    expect(page.locator("mark")).to_have_text("Shorter")
    sent = [tmp_path / name for name in ("one.md", "two words?.md", "photo.png")]
    for file, content in zip(sent, (b"One.", b"Two.", b"\xff\xd8"), strict=True):
        file.write_bytes(content)
    page.goto(f"{TEAM}file/upload/?folder=new")
    page.get_by_label("Files", exact=True).set_input_files(sent)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("new/photo.png is not uploaded. It is not text in UTF-8.")
    page.get_by_role("link", name="new/two words?.md").click()
    expect(page.locator(".prose")).to_have_text("Two.")
    complaints[:] = [text for text in complaints if "400 (Bad Request)" not in text]


def test_files_are_sent_under_a_bar_and_undone(
    visit: Visit, complaints: list[str], owner: User, tmp_path: Path
) -> None:
    sent = {name: tmp_path / name for name in ("tides.md", "photo.png")}
    sent["tides.md"].write_text("High at noon.")
    sent["photo.png"].write_bytes(b"\xff\xd8")
    page = visit(owner, f"{TEAM}file/upload/?folder=notes")
    page.evaluate(BARS)
    page.get_by_label("Files", exact=True).set_input_files(list(sent.values()))
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("notes/photo.png is not uploaded.")
    assert page.evaluate("window.bars") == [100]
    page.get_by_label("Files", exact=True).set_input_files(sent["tides.md"])
    page.get_by_label("Folder", exact=True).fill("copies")
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("tides.md")
    expect(page).to_have_url(re.compile(f"{TEAM}files/copies/tides.md$"))
    press(page, "u")
    expect(page.locator(".toast")).to_contain_text("tides.md is deleted.")
    assert not TeamFile.objects.alive().filter(path="copies/tides.md").exists()
    complaints[:] = [text for text in complaints if "400 (Bad Request)" not in text]


def test_a_replacement_is_confirmed_without_scripts(
    visit: Visit, complaints: list[str], owner: User, tmp_path: Path
) -> None:
    (tmp_path / "failover.md").write_text("Anew.\n\nTwice.\n")
    page = visit(owner, f"{TEAM}file/upload/?folder=runbooks", scripts=False)
    page.get_by_label("Files", exact=True).set_input_files(tmp_path / "failover.md")
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name=f"Replace {RUNBOOK}").click()
    expect(page.locator(".prose")).to_contain_text("Anew.")
    assert TeamFile.objects.get(path=RUNBOOK).content == "Anew.\n\nTwice.\n"
    complaints[:] = [text for text in complaints if "409 (Conflict)" not in text]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_conversation_is_read_from_the_list(visit: Visit, owner: User, *, scripts: bool) -> None:
    page = visit(owner, f"{TEAM}conversations/", scripts=scripts)
    page.get_by_role("link", name="inc-38-skarnes-rollback").press("Enter")
    third = page.get_by_role("article").nth(2)
    expect(third.get_by_role("heading")).to_have_text("swe-1 assistant")
    page.get_by_role("link", name="Link to message #3").press("Enter")
    expect(page).to_have_url(re.compile("#message-3$"))
    page.get_by_role("link", name="File", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("inc-38-skarnes-rollback.md")


def test_a_file_is_written_anew_and_moved_and_moved_back(visit: Visit, owner: User) -> None:
    page = visit(owner, f"{TEAM}files/")
    page.get_by_role("link", name="New file").click()
    page.get_by_label("Path").fill("notes/tides.md")
    page.get_by_label("Text", exact=True).fill("High at noon.")
    press(page, "Control+Enter")
    expect(page.locator(".prose")).to_have_text("High at noon.")
    page.locator("main summary", has_text="More").or_(page.locator("main .actions summary")).first.click()
    page.get_by_role("link", name="Rename or move").click()
    page.get_by_label("Path").fill("archive/tides.md")
    page.get_by_role("button", name="Move").click()
    expect(page.get_by_role("status")).to_contain_text("tides.md is now archive/tides.md.")
    press(page, "u")
    expect(page.get_by_role("status")).to_contain_text("tides.md is now notes/tides.md.")
    assert TeamFile.objects.alive().filter(path="notes/tides.md").exists()
