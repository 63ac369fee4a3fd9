"""The frame around every page: the palette, the shortcuts, the menus."""

import re

import pytest
from playwright.sync_api import Route, expect

from teams.models import Role
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press

pytestmark = pytest.mark.django_db(transaction=True)

CHOSEN = "#palette [aria-selected=true]"


def test_the_palette_goes_to_a_page_by_keyboard_alone(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    press(page, "Control+k")
    page.keyboard.type("core mem")
    expect(page.get_by_role("option", name="Core memory", exact=True)).to_have_attribute("aria-selected", "true")
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Core memory")


def test_the_palette_waits_for_those_who_are_quicker_than_its_script(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    page.add_init_script("const later = setTimeout; window.setTimeout = (act, ...said) => later(act, ...said, 500);")
    page.reload()
    press(page, "Control+k")
    expect(page.locator("#palette")).to_be_visible()
    expect(page.locator(CHOSEN)).to_be_visible()


def test_the_palette_does_things_too(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/", phone=True)
    page.get_by_role("button", name="Search and commands").click()
    page.keyboard.type("theme dark")
    expect(page.locator(CHOSEN)).to_have_text("Dark theme")
    press(page, "Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    press(page, "Control+k")
    page.keyboard.type("new")
    expect(page.locator(CHOSEN)).to_have_text("New memory")
    press(page, "ArrowDown")
    expect(page.locator(CHOSEN)).to_have_text("New file")
    press(page, "ArrowUp", "ArrowUp")
    expect(page.locator(CHOSEN)).to_have_text("Search memories for “new”")
    press(page, "ArrowDown", "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New memory")


def test_an_answer_that_takes_long_is_waited_for_under_a_bar(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    page.goto(f"{page.url}memories/")
    held: list[Route] = []
    page.route("**/memories/?q=*", lambda route: held.append(route))
    page.get_by_label("Search memories").last.fill("tide")
    expect(page.locator("#waiting.long")).to_be_attached()
    expect(page.locator("#main")).to_have_attribute("aria-busy", "true")
    expect(page.get_by_text("Loading …")).to_be_attached()
    for route in held:
        route.continue_()
    expect(page.locator("#waiting.long")).to_have_count(0)
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")


def test_moments_are_told_exactly_by_a_key_and_by_touch(visit: Visit) -> None:
    team = factories.team()
    factories.memory(factories.actor(factories.agent(team)), "Berth 7 is closed.")
    page = visit(factories.member(team, Role.EDITOR), "/")
    page.goto(f"{page.url}memories/")
    moment = page.locator(".memory time")
    expect(moment).to_have_text("just now")
    press(page, "z")
    expect(moment).to_have_text(re.compile(r"20\d\d.*\d:\d\d.* (UTC|GMT)"))
    moment.click()
    expect(moment).to_have_text("just now")
    page.locator(".account summary").click()
    page.get_by_role("button", name="Exact times").click()
    expect(moment).to_have_text(re.compile("UTC|GMT"))


def test_single_keys_can_be_switched_off_where_they_are_listed(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    press(page, "?")
    page.get_by_role("button", name="Turn off single-key shortcuts").click()
    expect(page.locator("html")).to_have_attribute("data-keys", "off")
    press(page, *"?n/gm")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(":focus")).to_have_count(0)
    press(page, "Control+k")
    expect(page.get_by_role("dialog", name="Commands")).to_be_visible()


def test_question_mark_lists_the_shortcuts(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    press(page, "Escape")
    page.keyboard.type("gm")
    expect(page.get_by_role("heading", level=1)).to_have_text("Memories")


def test_two_keys_go_to_each_main_page(visit: Visit) -> None:
    page = visit(factories.member(factories.team(slug="ops"), Role.EDITOR), "/")
    titles = {"m": "Memories", "c": "Core memory", "r": "Recall", "a": "Activity", "f": "Files", "h": "Ops"}
    for key, title in titles.items():
        press(page, "g", key)
        expect(page.get_by_role("heading", level=1)).to_contain_text(title)
