"""The frame around every page: the palette, the shortcuts, the menus."""

import pytest
from playwright.sync_api import expect

from teams.models import Role
from tests import factories
from tests.browser.conftest import Visit

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_palette_goes_to_a_page_by_keyboard_alone(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    page.keyboard.press("Control+k")
    page.keyboard.type("core mem")
    expect(page.get_by_role("option", name="Core memory")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Core memory")


def test_single_keys_can_be_switched_off_where_they_are_listed(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    page.keyboard.press("?")
    page.get_by_role("button", name="Switch single keys off").click()
    expect(page.locator("html")).to_have_attribute("data-keys", "off")
    page.keyboard.type("?n/gm")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(":focus")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Commands")).to_be_visible()


def test_question_mark_lists_the_shortcuts(visit: Visit) -> None:
    page = visit(factories.member(factories.team(), Role.EDITOR), "/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("gm")
    expect(page.get_by_role("heading", level=1)).to_have_text("Memories")
