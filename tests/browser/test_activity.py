"""Activity in a browser: narrowed, unfolded, and unanswered questions worked through, with scripts and without."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from memories import operations, recall
from memories.models import Memory, SettledQuestion
from memories.recall import log
from teams.actor import Actor
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press

pytestmark = pytest.mark.django_db(transaction=True)

ACTIVITY = "/t/acme/ops/activity/"


def recall_each(by: Actor, *queries: str) -> None:
    """The last one is the newest."""
    for number, query in enumerate(queries):
        then = timezone.now() - timedelta(minutes=len(queries) - number)
        recall.recall(actor=by, query=query, mode="keyword", now=then)
    log.flush()


def test_a_change_is_found_and_unfolded(visit: Visit, eddy: User, bot: Actor) -> None:
    memory = factories.memory(bot, "The queue runs on RabbitMQ.", key="queue")
    operations.update_memory(actor=bot, memory_id=memory.pk, content="The queue runs on Postgres.")
    factories.memory(bot, "Something else.")
    page = visit(eddy, ACTIVITY)
    page.get_by_label("Change", exact=True).select_option("updated")
    page.get_by_role("button", name="Show", exact=True).click()
    changes = page.get_by_role("region", name="Changes").get_by_role("listitem")
    expect(changes).to_have_count(1)
    changes.get_by_text("What changed").click()
    expect(changes.locator("del")).to_have_text("RabbitMQ")
    expect(changes.locator("ins")).to_have_text("Postgres")


def test_what_an_agent_was_given_leads_to_its_day(visit: Visit, eddy: User, bot: Actor) -> None:
    factories.memory(bot, "The pager is in the left drawer.")
    recall_each(bot, "where is the pager")
    page = visit(eddy, ACTIVITY)
    page.get_by_role("link", name="Recalls").click()
    page.get_by_text("Returned 1").click()
    expect(page.get_by_role("link", name="left drawer")).to_be_visible()
    page.get_by_role("link", name="that day").click()
    expect(page.get_by_role("heading", name="Given to deploy-bot")).to_be_visible()
    expect(page.get_by_role("link", name="left drawer")).to_be_visible()


def test_questions_are_dismissed_one_after_the_other_by_keyboard(visit: Visit, eddy: User, bot: Actor) -> None:
    recall_each(bot, "the first question", "the second question", "the third question")
    page = visit(eddy, f"{ACTIVITY}questions/")
    page.evaluate("window.stayed = true")
    page.get_by_role("button", name="Dismiss the third question").focus()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Dismiss the third question")).to_have_count(0)
    expect(page.get_by_role("button", name="Dismiss the second question")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Dismiss the first question")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("Nothing is left unanswered")).to_be_visible()
    expect(page.get_by_role("main")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Dismiss the first question")).to_be_visible()
    assert page.evaluate("window.stayed")
    assert SettledQuestion.objects.count() == 2


def test_a_question_is_answered_in_place(visit: Visit, eddy: User, bot: Actor, complaints: list[str]) -> None:
    recall_each(bot, "an older question", "vpn password")
    page = visit(eddy, f"{ACTIVITY}questions/")
    page.get_by_text("Answer vpn password").click()
    page.get_by_role("button", name="Save as a memory").click()
    expect(page.get_by_text("There must be something to remember")).to_be_visible()
    box = page.get_by_label("What should they have found?").first
    box.fill("In the vault.")
    box.press("Control+Enter")
    expect(page.get_by_text("Agents find it from now on.")).to_be_visible()
    expect(page.get_by_text("Answer vpn password")).to_have_count(0)
    expect(page.get_by_text("an older question").first).to_be_visible()
    expect(page.get_by_label("What should they have found?")).to_be_hidden()
    assert Memory.objects.get().content == "In the vault."
    complaints[:] = [text for text in complaints if "400 (Bad Request)" not in text]


def test_activity_works_without_scripts(visit: Visit, eddy: User, bot: Actor) -> None:
    recall_each(bot, "an older question", "vpn password")
    page = visit(eddy, f"{ACTIVITY}questions/", scripts=False)
    page.get_by_text("Answer vpn password").click()
    page.get_by_label("What should they have found?").first.fill("In the vault.")
    page.get_by_role("button", name="Save as a memory").first.click()
    expect(page.get_by_text("Agents find it from now on.")).to_be_visible()
    page.get_by_role("button", name="Dismiss an older question").click()
    expect(page.get_by_text("Nothing is left unanswered")).to_be_visible()
    page.get_by_text("Dismissed questions").click()
    page.get_by_role("button", name="Bring back").click()
    expect(page.get_by_role("button", name="Dismiss an older question")).to_be_visible()
    page.get_by_role("link", name="Recalls").click()
    page.get_by_label("Agent").select_option("deploy-bot")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("found nothing").first).to_be_visible()
