"""The review inbox in a browser: by keyboard alone, on a phone, and without scripts."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from memories import operations
from memories.models import Memory, Proposal, ProposalState, Status
from teams import rights
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press
from tests.browser.test_every_page import flaws, violations
from tests.test_proposals import hold_everything

pytestmark = pytest.mark.django_db(transaction=True)

REVIEW = "/t/acme/ops/review/"


@pytest.fixture
def bot(team: Team) -> Actor:
    return hold_everything(team, factories.actor(factories.agent(team, "bot")))


@pytest.fixture
def proposals(bot: Actor) -> list[Proposal]:
    saved = [factories.memory(bot, f"Fact number {number}.") for number in range(4)]
    return [Proposal.objects.get(pk=memory.proposal_id) for memory in saved]


def state_of(proposal: Proposal) -> str:
    return Proposal.objects.get(pk=proposal.pk).state


def test_by_keyboard_alone_proposals_are_approved_rejected_and_reopened(
    visit: Visit, eddy: User, proposals: list[Proposal]
) -> None:
    page = visit(eddy, REVIEW)
    items = page.locator(".item")
    expect(items).to_have_count(4)
    press(page, "j", "a")
    expect(page.locator("#toasts").get_by_text("Approved.")).to_be_visible()
    expect(items).to_have_count(3)
    expect(page.locator("#review-count")).to_contain_text("3")
    assert state_of(proposals[0]) == ProposalState.APPROVED
    expect(page.locator(f"#review-{proposals[1].pk} :focus")).to_have_count(1)
    press(page, "r")
    expect(page.get_by_label("Reason").first).to_be_focused()
    page.keyboard.type("Not a mark of a fact")  # whose letters are keys elsewhere
    press(page, "Enter")
    expect(page.locator("#toasts").get_by_text("Rejected.")).to_be_visible()
    assert Proposal.objects.get(pk=proposals[1].pk).decision_note == "Not a mark of a fact"
    press(page, "u")
    expect(page.locator("#toasts").get_by_text("waits for a decision again")).to_be_visible()
    expect(items).to_have_count(3)


def test_by_keyboard_alone_one_is_edited_and_one_merged(
    visit: Visit, eddy: User, team: Team, proposals: list[Proposal]
) -> None:
    target = factories.memory(rights.login_actor(user=eddy, team_id=team.pk), "Fact number one is known.")
    page = visit(eddy, REVIEW)
    press(page, "j", "e")
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit and approve")
    page.get_by_label("What to remember").fill("A better fact.")
    press(page, "Control+Enter")
    expect(page.locator("#toasts").get_by_text("Edited and approved.")).to_be_visible()
    assert Memory.objects.get(pk=proposals[0].memory_id).content == "A better fact."
    press(page, "j", "m")
    expect(page.get_by_role("heading", level=1)).to_have_text("Merge into another memory")
    page.goto(f"{REVIEW}{proposals[1].pk}/merge/?target={target.pk}")
    page.get_by_role("textbox", name="Result").fill("Both facts.")
    page.get_by_role("button", name="Save the merged text").click()
    expect(page.locator("#toasts").get_by_text("Merged.")).to_be_visible()
    assert Memory.objects.get(pk=target.pk).content == "Both facts."


def test_several_are_selected_approved_and_undone(visit: Visit, eddy: User, proposals: list[Proposal]) -> None:
    page = visit(eddy, REVIEW)
    press(page, "j", "x", "j", "x")
    expect(page.get_by_text("2 selected")).to_be_visible()
    press(page, "Shift+A")
    expect(page.get_by_role("button", name="Approve 2 proposals")).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#toasts").get_by_text("Approved 2 proposals.")).to_be_visible()
    assert Memory.objects.filter(status=Status.ACTIVE).count() == 2
    press(page, "u")
    expect(page.locator("#toasts").get_by_text("2 proposals wait again.")).to_be_visible()
    assert not Memory.objects.filter(status=Status.ACTIVE).exists()


def test_every_page_of_a_decision_is_for_everybody(
    visit: Visit, eddy: User, team: Team, proposals: list[Proposal]
) -> None:
    ed = rights.login_actor(user=eddy, team_id=team.pk)
    target = factories.memory(ed, "Fact number 2, known before.")
    older, newer = (factories.memory(ed, f"The mail server listens on port {port}.") for port in (25, 587))
    page = visit(eddy, REVIEW)
    assert flaws(page) == []
    press(page, "j", "r")
    expect(page.get_by_label("Reason").first).to_be_focused()
    assert violations(page) == []
    item = f"{REVIEW}{proposals[0].pk}/"
    for path in ("", "edit/", "merge/", f"merge/?target={target.pk}"):
        page.goto(f"{item}{path}")
        assert flaws(page) == [], path
    page.goto(f"{REVIEW}?kind=contradictions")
    page.locator(".item h2 a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Two memories contradict each other")
    assert flaws(page) == []
    assert {older.pk, newer.pk} == set(Memory.objects.filter(content__contains="mail").values_list("pk", flat=True))


def test_without_scripts_buttons_do_the_same(visit: Visit, eddy: User, proposals: list[Proposal]) -> None:
    page = visit(eddy, REVIEW, scripts=False)
    page.locator(".item").first.get_by_role("button", name="Approve").click()
    expect(page.locator("#toasts").get_by_text("Approved.")).to_be_visible()
    page.locator("summary", has_text="Reject").first.click()
    page.get_by_label("Reason").first.fill("No.")
    page.get_by_role("button", name="Reject it").first.click()
    expect(page.locator("#toasts").get_by_text("Rejected.")).to_be_visible()
    assert [state_of(proposal) for proposal in proposals[:2]] == [ProposalState.APPROVED, ProposalState.REJECTED]


def test_a_person_who_comes_second_is_told(visit: Visit, eddy: User, team: Team, proposals: list[Proposal]) -> None:
    page = visit(eddy, REVIEW, phone=True)
    other = rights.login_actor(user=factories.member(team, Role.EDITOR, "otto"), team_id=team.pk)
    operations.approve_proposal(actor=other, proposal_id=proposals[0].pk)
    page.locator(".item").first.get_by_role("button", name="Approve").click()
    expect(page.locator("#toasts").get_by_text("otto has approved this proposal already.")).to_be_visible()
    expect(page.locator(".item")).to_have_count(3)
