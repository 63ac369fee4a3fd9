"""The operators' pages keep nobody out: each kind of list, page, form and question, in the light, in the dark, on a
phone and by keys alone."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from memories.models import Asset, Memory
from teams.actor import Actor
from teams.models import Admission, Agent, Organization, Team, Token
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press
from tests.browser.test_every_page import LOOKS, violations
from tests.test_admin import at, furnish

pytestmark = pytest.mark.django_db(transaction=True)
TABS = 120  # from one end of a page to the other and round again

# One of each kind of page: with filters and deeds, with rows that hang on it, with a form, with buttons, only to be
# looked at.
LISTED: tuple[type[Model], ...] = (Memory, Organization, Token)
CHANGED: tuple[type[Model], ...] = (Memory, Asset, Agent, Token, User, Group)
ADDED: tuple[type[Model], ...] = (Admission, User)


def light() -> Iterator[str]:
    yield reverse("admin:index")
    yield from map(at, LISTED)
    yield from map(change_address, CHANGED)
    yield from (at(model, "add") for model in ADDED)
    yield reverse("admin:memories_by_token", args=[Token.objects.all()[0].pk])
    yield reverse("admin:memories_export", args=["team", Team.objects.all()[0].pk])
    yield at(Group, "delete", Group.objects.all()[0].pk)
    yield act("expire")


def dark() -> Iterator[str]:
    yield reverse("admin:index")
    yield at(Memory)
    yield from map(change_address, (Memory, User, Group))
    yield act("purge")


def narrow() -> Iterator[str]:
    yield at(Memory)
    yield from map(change_address, (Memory, Asset))


def change_address(model: type[Model]) -> str:
    return at(model, "change", model._default_manager.all()[0].pk)


def act(name: str) -> str:
    ids = Memory.objects.filter(forgotten_at=None).values_list("pk", flat=True)[:3]
    return f"{reverse('admin:memories_memory_act', args=[name])}?ids={'+'.join(map(str, ids))}"


def flaws(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return violations(page, options) + ([f"{page.url} is {over} pixels wider than its window."] if over else [])


def walk_admin_pages(page: Page, addresses: Iterable[str], options: dict[str, Any] | None = None) -> list[str]:
    found = []
    for address in addresses:
        page.goto(address)
        found += flaws(page, options)
    return found


def test_no_page_of_operators_keeps_anybody_out(visit: Visit, team: Team, bot: Actor) -> None:
    furnish(team, bot)
    page = visit(User.objects.create_superuser("root"), "/admin/")
    assert walk_admin_pages(page, light()) == []


def test_no_page_of_operators_keeps_anybody_out_in_the_dark_or_on_a_phone(visit: Visit, team: Team, bot: Actor) -> None:
    furnish(team, bot)
    root = User.objects.create_superuser("root")
    found = walk_admin_pages(visit(root, "/admin/", dark=True), dark(), LOOKS)
    found += walk_admin_pages(visit(root, "/admin/", phone=True), narrow())
    assert found == []


def test_keys_open_what_a_page_of_operators_hides(visit: Visit, team: Team, bot: Actor) -> None:
    memory = factories.memory(bot)
    page = visit(User.objects.create_superuser("root"), at(Memory))
    filters, apply = (page.get_by_role("button", name=name, exact=True) for name in ("Filters", "Apply Filters"))
    reach(page, filters)
    press(page, "Enter")
    expect(page.get_by_role("region", name="Filters")).to_be_focused()
    reach(page, apply)
    press(page, "Escape")
    expect(filters).to_be_focused()
    expect(apply).to_be_hidden()
    page.goto(at(Memory, "change", memory.pk))
    reach(page, page.get_by_role("button", name="Act", exact=True))
    press(page, " ")
    expect(page.get_by_role("link", name="Pin", exact=True)).to_be_focused()
    lists, menu = (
        page.get_by_role(role, name=name) for role, name in (("navigation", "Lists"), ("button", "Side menu"))
    )
    reach(page, menu)
    press(page, "Enter")
    expect(lists).to_be_hidden()


def reach(page: Page, wanted: Locator) -> None:
    """By Tab alone, from wherever one is."""
    expect(wanted).to_be_visible()
    for _ in range(TABS):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        press(page, "Tab")
    raise AssertionError(f"No key leads to {wanted}.")


def test_what_opens_on_a_page_of_operators_keeps_nobody_out(visit: Visit, team: Team, bot: Actor) -> None:
    factories.memory(bot)
    page = visit(User.objects.create_superuser("root"), at(Memory))
    page.get_by_text("Filters").first.click()
    page.get_by_role("button", name="Apply Filters").wait_for()
    found = flaws(page)
    page.goto(at(Admission, "add"))
    page.get_by_role("combobox", name="Organization").click()
    page.get_by_role("option", name=str(team.organization)).wait_for()
    found += flaws(page)
    assert found == []
