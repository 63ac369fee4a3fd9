"""The operators' pages keep nobody out: each list, each kind of page, form and question, in the light and in the
dark."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.urls import reverse
from playwright.sync_api import Page

from memories import demo
from memories.models import Memory, Revision, TeamFile, Unembedded
from teams.actor import Actor
from teams.models import Admission, Agent, Organization, Team, Token
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.test_every_page import LOOKS, violations
from tests.test_admin import at

pytestmark = pytest.mark.django_db(transaction=True)

# One of each kind: with rows that hang on it, with a form, with buttons, only to be looked at.
CHANGED: tuple[type[Model], ...] = (Memory, Revision, TeamFile, Organization, Agent, Token, User, Group)
ADDED: tuple[type[Model], ...] = (Admission, User, Group)


def addresses() -> Iterator[str]:
    yield reverse("admin:index")
    yield from (at(model) for model in admin.site._registry)
    yield from map(changed, CHANGED)
    yield from (at(model, "add") for model in ADDED)
    yield reverse("admin:memories_by_token", args=[Token.objects.all()[0].pk])
    yield reverse("admin:memories_export", args=["team", Team.objects.all()[0].pk])
    yield at(Group, "delete", Group.objects.all()[0].pk)
    yield act("expire")


def changed(model: type[Model]) -> str:
    return at(model, "change", model._default_manager.all()[0].pk)


def act(name: str) -> str:
    ids = Memory.objects.filter(forgotten_at=None).values_list("pk", flat=True)[:3]
    return f"{reverse('admin:memories_memory_act', args=[name])}?ids={'+'.join(map(str, ids))}"


def furnished() -> User:
    demo.seed()
    memory = Memory.objects.all()[0]
    Unembedded.objects.create(
        organization_id=memory.organization_id, memory=memory, memory_version=1, model="wordllama"
    )
    return User.objects.create_superuser("root")


def flaws(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return violations(page, options) + ([f"{page.url} is {over} pixels wider than its window."] if over else [])


def test_no_page_of_operators_keeps_anybody_out(visit: Visit) -> None:
    root = furnished()
    page = visit(root, "/admin/")
    found = []
    for address in addresses():
        page.goto(address)
        found += flaws(page)
    dark = visit(root, "/admin/", dark=True)
    found += flaws(dark, LOOKS)
    for address in (at(Memory), changed(Memory), changed(User), changed(Group), act("purge")):
        dark.goto(address)
        found += flaws(dark, LOOKS)
    phone = visit(root, at(Memory), phone=True)
    found += flaws(phone)
    assert found == []


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
