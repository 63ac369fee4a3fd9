"""The list of memories in a browser: as one types, by keyboard alone, and without scripts."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from memories.models import Batch, Memory
from teams.actor import Actor
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press
from tests.browser.test_every_page import violations

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/t/acme/ops/memories/"
TEXTS = (
    "The rollback took nine minutes.",
    "Berth 7 is closed until Friday.",
    "The pager is in the left drawer.",
    "Invoices go out on the first.",
)


@pytest.fixture
def planted(bot: Actor) -> list[Memory]:
    return [factories.memory(bot, text, tags=["a"]) for text in TEXTS]


def rows(page: Page) -> Locator:
    return page.locator(".memory .said")


def test_a_search_answers_while_one_types_and_keeps_the_focus(visit: Visit, eddy: User, planted: list[Memory]) -> None:
    page = visit(eddy, LIST)
    press(page, "/")
    page.keyboard.type("rollback")
    page.wait_for_url(f"**{LIST}?q=rollback", timeout=30_000)  # the first recall reads the model
    expect(page.locator(".memory mark").first).to_have_text("rollback")
    page.keyboard.type(" minutes")
    page.wait_for_url(f"**{LIST}?q=rollback+minutes")
    expect(page.get_by_label("Search memories").nth(1)).to_be_focused()
    expect(page.locator("#narrow-q")).to_have_value("rollback minutes")
    page.reload()
    expect(page.locator("#narrow-q")).to_have_value("rollback minutes")


def test_filters_answer_at_once_and_can_be_taken_away(visit: Visit, eddy: User, bot: Actor) -> None:
    factories.memory(bot, "a decision", type="decision", tags=["x"])
    factories.memory(bot, "a fact", tags=["x"])
    page = visit(eddy, LIST)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Type").focus()
    page.keyboard.type("Dec")
    page.wait_for_url(f"**{LIST}?type=decision")
    expect(page.locator(".memory")).to_have_count(1)
    expect(page.get_by_label("Type")).to_be_focused()
    page.get_by_label("Tags").fill("x")
    press(page, "Enter")
    page.wait_for_url(f"**{LIST}?type=decision&tags=x")
    page.locator(".chip", has_text="Decision").click()
    page.wait_for_url(f"**{LIST}?tags=x")
    expect(page.locator(".memory")).to_have_count(2)
    page.get_by_label("Sort").focus()
    page.keyboard.type("Most")
    page.wait_for_url(f"**{LIST}?sort=importance&tags=x")
    expect(page.get_by_label("Sort")).to_be_focused()
    expect(rows(page)).to_have_text(["a decision", "a fact"])


def test_by_keyboard_alone_some_are_selected_pinned_and_unpinned(
    visit: Visit, eddy: User, planted: list[Memory]
) -> None:
    page = visit(eddy, LIST)
    press(page, "j", "x", "j", "j", "x")
    expect(page.get_by_text("2 selected")).to_be_visible()
    press(page, "Shift+P")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pin 2 memories?")
    expect(page.get_by_role("button", name="Pin 2 memories")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("Pinned 2 memories.")).to_be_visible()
    pinned = Memory.objects.filter(pinned=True).values_list("content", flat=True)
    assert set(pinned) == {TEXTS[3], TEXTS[1]}
    press(page, "u")
    expect(page.get_by_text("Undone: 2 memories as before.")).to_be_visible()
    assert not Memory.objects.filter(pinned=True).exists()
    assert Batch.objects.get().undone_by == "eddy"


def test_by_keyboard_alone_some_are_forgotten_and_restored(visit: Visit, eddy: User, planted: list[Memory]) -> None:
    page = visit(eddy, LIST)
    for at, key, kind in ((LIST, "F", "Forget"), (f"{LIST}?forgotten=yes", "R", "Restore")):
        page.goto(at)
        press(page, "j", "x", "j", "x", f"Shift+{key}")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{kind} 2 memories?")
        page.get_by_role("button", name=f"{kind} 2 memories").press("Enter")
        expect(page.locator(".toast")).to_contain_text("2 memories.")
        assert Memory.objects.filter(forgotten_at=None).count() == (2 if key == "F" else 4)


def test_a_row_is_pinned_by_a_key_and_stays_the_current_one(visit: Visit, eddy: User, planted: list[Memory]) -> None:
    page = visit(eddy, LIST)
    press(page, "j", "j", "p")
    expect(page.locator("#toasts").get_by_text("Pinned.")).to_be_visible()
    assert list(Memory.objects.filter(pinned=True)) == [planted[2]]
    expect(page.locator(f"#memory-{planted[2].pk} a.said")).to_be_focused()
    press(page, "u")
    expect(page.locator("#toasts").get_by_text("Unpinned.")).to_be_visible()
    assert not Memory.objects.filter(pinned=True).exists()
    press(page, "j", "Enter")
    page.wait_for_url(f"**/memories/{planted[1].pk}/")
    page.goto(LIST)
    press(page, "j", "e")
    page.wait_for_url(f"**/memories/{planted[3].pk}/edit/")


def test_all_of_a_page_and_ranges_are_selected_at_once(visit: Visit, eddy: User, planted: list[Memory]) -> None:
    page = visit(eddy, LIST)
    boxes = page.locator(".memory > input")
    expect(page.locator("#batch")).to_be_hidden()
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(page.get_by_text("3 selected")).to_be_visible()
    page.locator("#select-all").click()
    expect(page.get_by_text("4 selected")).to_be_visible()
    page.locator("#select-all").click()
    expect(page.locator("#batch")).to_be_hidden()
    press(page, "Shift+P")
    expect(page.get_by_role("heading", level=1)).to_have_text("Memories")


Do = Callable[..., None]


@pytest.fixture
def do(visit: Visit, eddy: User, planted: list[Memory]) -> tuple[Page, Do]:
    """A page without scripts, and what one does there with the first two rows."""
    page = visit(eddy, LIST, scripts=False)

    def act(button: str, *, field: str = "", value: str = "", confirm: str, at: str = LIST) -> None:
        page.goto(at)
        for number in (0, 1):
            page.locator(".memory > input").nth(number).check()
        page.locator("#batch").get_by_role("button", name=button, exact=True).click()
        if field and button != "Forget":
            page.get_by_label(field).fill(value)
            page.get_by_role("button", name="Preview", exact=True).click()
        elif field:
            page.get_by_label(field).fill(value)
        page.get_by_role("button", name=confirm, exact=True).click()
        expect(page.locator(".toast")).to_be_visible()

    return page, act


def test_everything_works_without_scripts(do: tuple[Page, Do]) -> None:
    page, act = do
    act("Pin", confirm="Pin 2 memories")
    assert Memory.objects.filter(pinned=True).count() == 2
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone: 2 memories as before.")).to_be_visible()
    assert not Memory.objects.filter(pinned=True).exists()
    act("Add tags", field="Tags", value="Harbour, b", confirm="Add tags to 2 memories")
    assert Memory.objects.filter(tags=["a", "harbour", "b"]).count() == 2
    act("Remove tags", field="Tags", value="a", confirm="Remove tags from 2 memories")
    soon = (timezone.now() + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M")
    act("Set expiry", field="Expires", value=soon, confirm="Set the expiry of 2 memories")
    page.goto(f"{LIST}?expiring=7")
    expect(rows(page)).to_have_count(2)
    act("Forget", field="Reason", value="moved on", confirm="Forget 2 memories")
    expect(rows(page)).to_have_count(2)
    act("Restore", confirm="Restore 2 memories", at=f"{LIST}?forgotten=yes")
    page.goto(LIST)
    expect(rows(page)).to_have_count(4)


def test_one_browses_searches_and_narrows_without_scripts(visit: Visit, eddy: User, bot: Actor) -> None:
    for number in range(52):
        factories.memory(bot, f"number {number}", type="lesson" if number == 7 else "fact")
    page = visit(eddy, LIST, scripts=False)
    page.get_by_role("link", name="Next 50").click()
    expect(rows(page)).to_have_text(["number 1", "number 0"])
    page.get_by_role("link", name="Back to the start").click()
    page.locator("#narrow-q").fill("number 33")
    page.get_by_role("button", name="Search").click()
    expect(rows(page).first).to_contain_text("number 33")
    page.get_by_role("link", name="Active").click()
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Type").select_option("lesson")
    page.get_by_role("button", name="Apply").click()
    expect(rows(page)).to_have_text(["number 7"])
    page.locator(".chip").click()
    expect(rows(page)).to_have_count(50)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_batches_keep_nobody_out(visit: Visit, eddy: User, planted: list[Memory], *, dark: bool) -> None:
    page = visit(eddy, LIST, dark=dark)
    page.locator("#select-all").evaluate("box => box.click()")
    found = violations(page)
    page.get_by_role("button", name="Add tags").click()
    expect(page.get_by_role("button", name="Preview", exact=True)).to_be_visible()
    found += violations(page)
    page.get_by_label("Tags").fill("a, b")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_role("heading", name="Will change")).to_be_visible()
    found += violations(page)
    page.get_by_role("button", name="Add tags to 4 memories").click()
    expect(page.get_by_text("Added tags to 4 memories.")).to_be_visible()
    found += violations(page)
    page.goto(f"{LIST}batches/{Batch.objects.get().pk}/")
    assert [*found, *violations(page)] == []


def test_many_are_tagged_by_keyboard_alone(visit: Visit, eddy: User, planted: list[Memory]) -> None:
    page = visit(eddy, LIST)
    press(page, "j", "j", "j", "k", "x", "k", "x", "T")
    page.get_by_label("Tags").fill("harbour")
    press(page, "Enter")
    page.get_by_role("button", name="Add tags to 2 memories").press("Enter")
    expect(page.locator(".toast")).to_contain_text("Added tags to 2 memories.")
    assert Memory.objects.filter(tags__contains=["harbour"]).count() == 2
