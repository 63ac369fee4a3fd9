"""Team home in a browser: saved in passing by keyboard, reviewed in place, and all of it without scripts."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from memories.models import Memory
from teams.models import Team
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press

pytestmark = pytest.mark.django_db(transaction=True)

HOME = "/t/acme/ops/"
# What has more text than it shows.
HELD_BACK = """() => [...document.querySelectorAll("main *:not(svg *, select, option, .visually-hidden)")]
  .filter((part) => part.checkVisibility() && getComputedStyle(part).overflow !== "visible")
  .filter((part) => part.scrollHeight > part.clientHeight + 2)
  .map((part) => part.outerHTML.slice(0, 120))"""


def test_one_saves_by_keyboard_alone_and_goes_on(visit: Visit, eddy: User) -> None:
    page = visit(eddy, HOME)
    page.evaluate("window.stayed = true")
    press(page, "n")
    page.keyboard.type("Ship on Tuesdays.")
    press(page, "Control+Enter")
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_role("link", name="Ship on Tuesdays.")).to_be_visible()
    box = page.get_by_label("What should the team remember?")
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    page.keyboard.type("Never on Fridays.")
    press(page, "Control+Enter")
    expect(page.get_by_role("link", name="Never on Fridays.")).to_be_visible()
    assert page.evaluate("window.stayed")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").get_by_text("Forgotten.")).to_be_visible()
    assert [memory.content for memory in Memory.objects.alive()] == ["Ship on Tuesdays."]


def test_a_refusal_stands_beside_the_field_and_keeps_what_was_typed(
    visit: Visit, eddy: User, complaints: list[str]
) -> None:
    page = visit(eddy, HOME)
    box = page.get_by_label("What should the team remember?")
    box.fill("x" * 50_001)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("At most 50,000 bytes of UTF-8; these are 50,001.")).to_be_visible()
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(box).to_have_value("x" * 50_001)
    assert not Memory.objects.exists()
    complaints[:] = [text for text in complaints if "400 (Bad Request)" not in text]


def test_what_is_due_is_reviewed_in_place(visit: Visit, eddy: User, team: Team) -> None:
    bot = factories.actor(factories.agent(team, "bot"))
    factories.memory(bot, "The lease ends in March.", review_by=timezone.now() - timedelta(days=1))
    page = visit(eddy, HOME)
    page.get_by_role("button", name="Confirm it's still true").click()
    expect(page.get_by_text("It comes up again in 90 days.")).to_be_visible()
    expect(page.get_by_role("heading", name="Due for review")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Due for review")).to_be_visible()


def test_a_long_core_memory_unfolds(visit: Visit, eddy: User, team: Team) -> None:
    bot = factories.actor(factories.agent(team, "bot"))
    factories.memory(bot, "\n\n".join(f"Rule {number}." for number in range(40)), key="core")
    page = visit(eddy, HOME, scripts=False)
    expect(page.get_by_text("Rule 39.")).not_to_be_in_viewport()
    height = "document.querySelector('.core .prose').clientHeight"
    folded = page.evaluate(height)
    page.get_by_text("Read all").click()
    assert page.evaluate(height) > 2 * folded


def test_on_paper_nothing_is_folded(visit: Visit, eddy: User, team: Team) -> None:
    bot = factories.actor(factories.agent(team, "bot"))
    core = factories.memory(bot, "\n\n".join(f"Rule {number}." for number in range(80)), key="core")
    page = visit(eddy, HOME)
    page.emulate_media(media="print")
    assert page.evaluate(HELD_BACK) == []
    expect(page.get_by_role("button")).to_have_count(0)
    for path in (f"core/{core.pk}/edit/", "core/read/", f"memories/{core.pk}/", "memories/?q=rule"):
        page.goto(f"{HOME}{path}")
        assert page.evaluate(HELD_BACK) == [], path
    page.goto(f"{HOME}memories/{core.pk}/")
    expect(page.locator(".readers li", has_text="eddy")).to_be_visible()


def test_home_works_without_scripts(visit: Visit, eddy: User) -> None:
    page = visit(eddy, HOME, scripts=False)
    page.get_by_label("What should the team remember?").fill("Ship on Tuesdays.")
    page.get_by_label("Type").select_option("decision")
    page.get_by_label("Pin it").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    memory = Memory.objects.get()
    assert (memory.type, memory.pinned) == ("decision", True)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").get_by_text("Forgotten.")).to_be_visible()
    assert not Memory.objects.alive().exists()
