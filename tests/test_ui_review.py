"""The review inbox: who decides about what, and what a decision does."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Memory, Pair, Proposal, ProposalState, Scope, Status
from teams import rights
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.test_proposals import HOLD_ALL, editor_beside, hold_everything, propose_new

pytestmark = pytest.mark.django_db

REVIEW = "/t/acme/ops/review/"


@pytest.fixture
def ed(eddy: User, team: Team) -> Actor:
    return rights.login_actor(user=eddy, team_id=team.pk)


def propose_change(bot: Actor, ed: Actor, content: str = "Line one.\nLine two.", **changes: Any) -> Proposal:
    """Return an agent's change of a pinned memory, which waits for a person."""
    memory = factories.memory(ed, content, pinned=True)
    changes = changes or {"content": content.replace("one", "1")}
    held = operations.update_memory(actor=bot, memory_id=memory.pk, **changes)
    return Proposal.objects.get(pk=held.proposal_id)


def state_of(proposal: Proposal) -> str:
    return Proposal.objects.get(pk=proposal.pk).state


def address(proposal: Proposal, action: str = "") -> str:
    return f"{REVIEW}{proposal.pk}/{action}/" if action else f"{REVIEW}{proposal.pk}/"


def test_an_empty_queue_says_what_comes_here(editor: Client, viewer: Client) -> None:
    for client in (editor, viewer):
        page = client.get(REVIEW).text
        assert "Nothing waits for you" in page
        assert "waiting</span>" not in page


def test_it_shows_what_was_proposed_and_counts_it_on_every_page(
    editor: Client, viewer: Client, bot: Actor, ed: Actor, team: Team
) -> None:
    propose_change(bot, ed)
    propose_new(team, bot, "The pump runs at night.", key="pump")
    page = editor.get(REVIEW).text
    assert "The pump runs at night." in page
    assert "<del>one</del><ins>1</ins>" in page
    assert "Changes of agents to pinned memories need a person" in page
    assert '2<span class="visually-hidden"> waiting' in editor.get("/t/acme/ops/").text
    seen = viewer.get(REVIEW).text
    assert "pump" not in seen
    assert "Nothing waits for you" in seen
    assert "waiting</span>" not in viewer.get("/t/acme/ops/").text


def test_what_waits_longest_comes_first_in_pages(editor: Client, bot: Actor, team: Team) -> None:
    agent = hold_everything(team, bot)
    for number in range(25):
        factories.memory(agent, f"Fact number {number:02}.")
    first = editor.get(REVIEW)
    assert [card.memory.content for card in first.context["cards"]] == [f"Fact number {n:02}." for n in range(20)]
    second = editor.get(first.context["next"])
    assert [card.memory.content for card in second.context["cards"]] == [f"Fact number {n}." for n in range(20, 25)]
    assert not second.context["next"]
    assert "Back to the start" in second.text


def test_due_memories_are_in_the_queue(editor: Client, viewer: Client, bot: Actor) -> None:
    due = factories.memory(bot, "The lease ends in March.", review_by=timezone.now() - timedelta(days=1))
    factories.memory(bot, "Not due.", review_by=timezone.now() + timedelta(days=1))
    page = editor.get(REVIEW).text
    assert "The lease ends in March." in page
    assert "Not due." not in page
    assert "The lease" not in viewer.get(REVIEW).text
    editor.post(f"/t/acme/ops/reviewed/{due.pk}/", {"next": REVIEW})
    assert "Nothing waits for you" in editor.get(REVIEW).text


def test_a_kind_is_shown_alone(editor: Client, bot: Actor, ed: Actor) -> None:
    factories.memory(bot, "The lease ends in March.", review_by=timezone.now() - timedelta(days=1))
    propose_change(bot, ed)
    assert "The lease" not in editor.get(f"{REVIEW}?kind=proposals").text
    assert "Line" not in editor.get(f"{REVIEW}?kind=due").text
    assert "nothing of this kind" in editor.get(f"{REVIEW}?kind=screened").text
    assert editor.get(f"{REVIEW}?kind=gossip").status_code == 404
    assert editor.get(f"{REVIEW}?cursor=x").status_code == 400


# Deciding


def test_an_approval_is_made_and_undone(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    proposal = propose_new(team, bot, key="pump")
    answer = editor.post(address(proposal, "approve"), {"next": REVIEW}, follow=True)
    assert "Approved." in answer.text
    assert address(proposal, "reopen") in answer.text
    assert Memory.objects.visible_to(ed).filter(key="pump").exists()
    assert "waits for a decision again" in editor.post(address(proposal, "reopen"), follow=True).text
    assert not Memory.objects.visible_to(ed).filter(key="pump").exists()


def test_a_rejection_has_a_reason_that_the_proposer_reads(editor: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    editor.post(address(proposal, "reject"), {"reason": "It runs by day."})
    decided = Proposal.objects.get(pk=proposal.pk)
    assert (decided.state, decided.decision_note) == (ProposalState.REJECTED, "It runs by day.")
    assert "It runs by day." in editor.get(address(proposal)).text


def test_the_second_of_two_people_is_told(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    operations.approve_proposal(actor=editor_beside(ed), proposal_id=proposal.pk)
    answer = editor.post(address(proposal, "reject"), {"next": REVIEW}, follow=True)
    assert "has approved this proposal already" in answer.text
    assert state_of(proposal) == ProposalState.APPROVED


def test_nobody_is_asked_about_their_own(editor: Client, team: Team, eddy: User) -> None:
    Team.objects.filter(pk=team.pk).update(policy={"rules": [{"who": ["person"], "then": "propose"}]})
    own = rights.login_actor(user=eddy, team_id=team.pk)
    proposal = Proposal.objects.get(pk=factories.memory(own, "Mine.").proposal_id)
    assert "Mine." not in editor.get(REVIEW).text
    page = editor.get(address(proposal)).text
    assert "somebody else decides" in page
    assert 'data-key="a"' not in page
    assert "their own" in editor.post(address(proposal, "approve"), follow=True).text
    assert state_of(proposal) == ProposalState.OPEN
    editor.post(address(proposal, "withdraw"))
    assert state_of(proposal) == ProposalState.WITHDRAWN


def test_a_hidden_proposal_has_no_page(viewer: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot, "The pump runs at night.")
    stranger = factories.log_in_member(factories.team(factories.organization("beta"), "ops"), Role.OWNER, "sam")
    for path in ("", "approve", "reject", "edit", "merge", "replace", "reopen"):
        assert viewer.post(address(proposal, path), {"next": REVIEW}).status_code in (404, 405)
        assert viewer.get(address(proposal, path)).status_code in (404, 405)
        assert stranger.post(address(proposal, path)).status_code in (404, 405)
        assert stranger.post(address(proposal, path).replace("acme", "beta")).status_code in (404, 405)
    assert state_of(proposal) == ProposalState.OPEN


def test_an_agents_own_memories_wait_for_owners(editor: Client, bot: Actor, team: Team) -> None:
    propose_new(team, bot, "A private plan.", scope=Scope.AGENT)
    assert "A private plan." not in editor.get(REVIEW).text
    assert "A private plan." in factories.log_in_member(team, Role.OWNER, "olga").get(REVIEW).text


def test_other_teams_have_queues_of_their_own(bot: Actor, team: Team) -> None:
    other = factories.team(team.organization, "sales")
    user = factories.member(team, Role.EDITOR)
    factories.member(other, Role.EDITOR, user)
    propose_new(team, bot, "The pump runs at night.")
    client = factories.logged_in(user)
    assert "The pump" in client.get(REVIEW).text
    assert "The pump" not in client.get("/t/acme/sales/review/").text


# Editing


def form_of(client: Client, proposal: Proposal, **changes: Any) -> dict[str, Any]:
    form = client.get(address(proposal, "edit")).context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in (values | changes).items() if value not in (None, False)}


def test_a_new_memory_is_edited_and_approved(editor: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot, "The door code is 4711.")
    form = form_of(editor, proposal, content="The door has a code.", tags="doors, ops")
    answer = editor.post(address(proposal, "edit"), form, follow=True)
    assert "Edited and approved." in answer.text
    memory = Memory.objects.get(pk=proposal.memory_id)
    assert (memory.content, memory.tags, memory.status) == ("The door has a code.", ["doors", "ops"], Status.ACTIVE)


def test_a_change_is_edited_and_approved(editor: Client, bot: Actor, ed: Actor) -> None:
    proposal = propose_change(bot, ed)
    form = form_of(editor, proposal, content="Line 1, checked.\nLine two.")
    editor.post(address(proposal, "edit"), form)
    memory = Memory.objects.get(pk=proposal.memory_id)
    assert (memory.content, memory.version, state_of(proposal)) == (
        "Line 1, checked.\nLine two.",
        2,
        ProposalState.APPROVED,
    )


def test_an_addition_is_edited_and_approved(editor: Client, bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed, "First.", pinned=True)
    held = operations.append_to_memory(actor=bot, memory_id=memory.pk, text="Second.")
    proposal = Proposal.objects.get(pk=held.proposal_id)
    form = form_of(editor, proposal)
    assert form["content"] == "First.\nSecond."
    editor.post(address(proposal, "edit"), form | {"content": "First, then second."})
    assert Memory.objects.get(pk=memory.pk).content == "First, then second."


def test_a_change_beside_another_one_is_joined_before_it_is_shown(editor: Client, bot: Actor, ed: Actor) -> None:
    proposal = propose_change(bot, ed, "Line one.\nLine two.\nLine three.")
    operations.update_memory(actor=ed, memory_id=proposal.memory_id, content="Line one.\nLine two.\nLine 3.")
    page = editor.get(address(proposal)).text
    assert "it is now version 2, the proposal was made for version 1" in page
    assert form_of(editor, proposal)["content"] == "Line 1.\nLine two.\nLine 3."


def test_a_change_of_the_same_place_leads_to_the_editor(editor: Client, bot: Actor, ed: Actor) -> None:
    proposal = propose_change(bot, ed)
    operations.update_memory(actor=ed, memory_id=proposal.memory_id, content="Line I.\nLine two.")
    answer = editor.post(address(proposal, "approve"), {"next": REVIEW}, follow=True)
    assert answer.redirect_chain[-1][0] == address(proposal, "edit")
    assert "Both changed the same place" in answer.text
    assert state_of(proposal) == ProposalState.OPEN


def test_what_changes_while_somebody_edits_is_not_overwritten(editor: Client, bot: Actor, ed: Actor) -> None:
    proposal = propose_change(bot, ed)
    form = form_of(editor, proposal, content="Line 1, checked.\nLine two.")
    operations.update_memory(actor=ed, memory_id=proposal.memory_id, content="Line I.\nLine two.")
    answer = editor.post(address(proposal, "edit"), form)
    assert answer.status_code == 409
    assert "Approve on top of version 2" in answer.text
    assert "Line 1, checked." in answer.text
    assert Memory.objects.get(pk=proposal.memory_id).content == "Line I.\nLine two."


def test_bad_fields_come_back_with_what_was_typed(editor: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    answer = editor.post(address(proposal, "edit"), form_of(editor, proposal, content="kept as typed", type="gossip"))
    assert answer.status_code == 400
    assert "kept as typed" in answer.text
    assert state_of(proposal) == ProposalState.OPEN


# Merging and replacing


def test_a_new_memory_is_merged_into_another_and_taken_out_again(
    editor: Client, bot: Actor, ed: Actor, team: Team
) -> None:
    target = factories.memory(ed, "The pump is loud at night.")
    proposal = propose_new(team, bot, "The pump runs at night.")
    assert str(target.pk) in editor.get(address(proposal, "merge")).text
    page = editor.get(f"{address(proposal, 'merge')}?target={target.pk}")
    form = {name: page.context["form"][name].value() for name in ("content", "target", "version")}
    assert form["content"] == "The pump is loud at night.\n\nThe pump runs at night."
    answer = editor.post(address(proposal, "merge"), form | {"content": "The pump runs loudly."}, follow=True)
    assert "Merged." in answer.text
    assert Memory.objects.get(pk=target.pk).content == "The pump runs loudly."
    editor.post(address(proposal, "reopen"))
    assert Memory.objects.get(pk=target.pk).content == "The pump is loud at night."
    assert state_of(proposal) == ProposalState.OPEN
    assert "The pump runs at night." in editor.get(REVIEW).text


def test_a_target_that_changed_meanwhile_is_not_overwritten(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    target = factories.memory(ed, "The pump is loud.")
    proposal = propose_new(team, bot)
    operations.append_to_memory(actor=ed, memory_id=target.pk, text="Very.")
    answer = editor.post(address(proposal, "merge"), {"content": "Joined.", "target": target.pk, "version": "1"})
    assert answer.status_code == 400
    assert "it is now version 2" in answer.text
    assert "Joined." in answer.text
    assert Memory.objects.get(pk=target.pk).content == "The pump is loud.\nVery."


def test_a_new_memory_replaces_another_and_gives_way_again(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    old = factories.memory(ed, "The server listens on port 8080.", key="port")
    proposal = propose_new(team, bot, "The server listens on port 1933.")
    answer = editor.post(address(proposal, "replace"), {"target": old.pk, "next": REVIEW}, follow=True)
    assert "it replaces the other one" in answer.text
    assert Memory.objects.get(pk=old.pk).superseded_by == proposal.memory_id
    assert Memory.objects.get(pk=proposal.memory_id).owns_key
    editor.post(address(proposal, "reopen"))
    again = Memory.objects.get(pk=old.pk)
    assert (again.superseded_by, again.valid_until, again.owns_key) == (None, None, True)
    assert state_of(proposal) == ProposalState.OPEN


@pytest.mark.parametrize("change", ["forget", "supersede"])
def test_the_approval_of_every_kind_of_change_is_undone(change: str, editor: Client, bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed, "First.", pinned=True)
    if change == "forget":
        held = operations.forget_memory(actor=bot, memory_id=memory.pk, reason="Old.")
    else:
        held = operations.supersede_memory(
            actor=bot, memory_id=memory.pk, by=factories.memory(bot, "What holds instead.").pk
        )
    proposal = Proposal.objects.get(pk=held.proposal_id)
    assert ("Old." if change == "forget" else "What holds instead.") in editor.get(REVIEW).text
    editor.post(address(proposal, "approve"))
    assert not Memory.objects.alive().holding().filter(pk=memory.pk).exists()
    editor.post(address(proposal, "reopen"))
    assert Memory.objects.alive().holding().filter(pk=memory.pk).exists()
    assert state_of(proposal) == ProposalState.OPEN


# Several at once


def test_several_are_previewed_approved_and_undone(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    change = propose_change(bot, ed)
    new = propose_new(team, bot)
    ticked = {"proposal": [change.pk, new.pk]}
    preview = editor.post(f"{REVIEW}preview/", ticked | {"decision": "approve"})
    assert "Approve 2 proposals?" in preview.text
    assert state_of(new) == ProposalState.OPEN
    answer = editor.post(f"{REVIEW}decide/", ticked | {"decision": "approve"}, follow=True)
    assert "Approved 2 proposals." in answer.text
    assert (state_of(change), state_of(new)) == (ProposalState.APPROVED, ProposalState.APPROVED)
    undo = f"{REVIEW}reopen/?ids={change.pk},{new.pk}"
    assert undo in answer.text
    assert "2 proposals wait again." in editor.post(undo, follow=True).text
    assert (state_of(change), state_of(new)) == (ProposalState.OPEN, ProposalState.OPEN)


def test_of_several_those_that_cannot_be_decided_are_left_alone(
    editor: Client, bot: Actor, ed: Actor, team: Team
) -> None:
    overtaken, new, decided = propose_change(bot, ed), propose_new(team, bot, "One."), propose_new(team, bot, "Two.")
    operations.update_memory(actor=ed, memory_id=overtaken.memory_id, content="Line I.\nLine two.")
    operations.reject_proposal(actor=editor_beside(ed), proposal_id=decided.pk)
    ticked = {"proposal": [overtaken.pk, new.pk, decided.pk], "decision": "approve"}
    preview = editor.post(f"{REVIEW}preview/", ticked).text
    assert "1 of them cannot be approved without editing" in preview
    assert "1 of those you selected does not wait for you any more" in preview
    answer = editor.post(f"{REVIEW}decide/", ticked, follow=True).text
    assert "Approved 1 proposal." in answer
    assert "2 proposals left alone." in answer
    assert state_of(overtaken) == ProposalState.OPEN


def test_several_are_rejected_with_one_reason(editor: Client, bot: Actor, team: Team) -> None:
    proposals = [propose_new(team, bot, text) for text in ("One.", "Two.")]
    ticked = {"proposal": [proposal.pk for proposal in proposals], "decision": "reject", "reason": "Not ours."}
    editor.post(f"{REVIEW}decide/", ticked)
    assert set(Proposal.objects.values_list("state", "decision_note")) == {(ProposalState.REJECTED, "Not ours.")}


@pytest.mark.parametrize("body", [{}, {"proposal": "x", "decision": "approve"}, {"decision": "approve"}])
def test_a_selection_that_makes_no_sense_is_refused(body: dict[str, str], editor: Client) -> None:
    assert editor.post(f"{REVIEW}preview/", body).status_code == 400


def test_a_viewers_selection_decides_nothing(viewer: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    viewer.post(f"{REVIEW}decide/", {"proposal": [proposal.pk], "decision": "approve"})
    assert state_of(proposal) == ProposalState.OPEN
    assert Team.objects.get(pk=team.pk).policy == HOLD_ALL


# Contradictions and duplicates


OLD, NEW = "The staging server listens on port 8080.", "The staging server listens on port 1933."


def save_pair(actor: Actor, older: str = OLD, newer: str = NEW) -> Pair:
    first, second = factories.memory(actor, older), factories.memory(actor, newer)
    return Pair.objects.get(older=first.pk, newer=second.pk)


def pair_address(pair: Pair, action: str = "") -> str:
    return f"{REVIEW}pairs/{pair.pk}/{action}/" if action else f"{REVIEW}pairs/{pair.pk}/"


def test_a_contradiction_waits_and_is_settled(editor: Client, viewer: Client, bot: Actor) -> None:
    pair = save_pair(bot)
    page = editor.get(f"{REVIEW}?kind=contradictions").text
    assert OLD in page
    assert "8080 ≠ 1933" in page
    assert OLD not in viewer.get(REVIEW).text
    answer = editor.post(pair_address(pair, "settle"), {"decision": "supersede", "keep": pair.newer_id}, follow=True)
    assert "The other one no longer holds." in answer.text
    assert Memory.objects.get(pk=pair.older_id).superseded_by == pair.newer_id
    assert OLD not in editor.get(REVIEW).text
    editor.post(pair_address(pair, "reopen"))
    assert Memory.objects.get(pk=pair.older_id).superseded_by is None
    assert OLD in editor.get(REVIEW).text


def test_that_both_hold_needs_a_reason(editor: Client, bot: Actor) -> None:
    pair = save_pair(bot)
    refused = editor.post(pair_address(pair, "settle"), {"decision": "both-hold", "next": REVIEW}, follow=True)
    assert "Say why both hold." in refused.text
    editor.post(pair_address(pair, "settle"), {"decision": "both-hold", "reason": "One is for tests."})
    assert OLD not in editor.get(REVIEW).text
    assert "One is for tests." in editor.get(pair_address(pair)).text


def test_a_pair_is_merged(editor: Client, bot: Actor) -> None:
    pair = save_pair(bot)
    form = editor.get(pair_address(pair)).context["form"].initial
    assert form["content"] == f"{NEW}\n{OLD}"
    answer = editor.post(pair_address(pair), form | {"content": "Ports: 1933, before 8080."}, follow=True)
    assert "Merged." in answer.text
    assert Memory.objects.get(pk=pair.newer_id).content == "Ports: 1933, before 8080."


def test_a_pair_that_changed_meanwhile_is_looked_at_again(editor: Client, bot: Actor, ed: Actor) -> None:
    pair = save_pair(bot)
    form = editor.get(pair_address(pair)).context["form"].initial
    operations.pin_memory(actor=ed, memory_id=pair.newer_id)
    answer = editor.post(pair_address(pair), form | {"content": "Kept as typed."})
    assert answer.status_code == 400
    assert "has changed meanwhile" in answer.text
    assert "Kept as typed." in answer.text
    assert Memory.objects.get(pk=pair.newer_id).content == NEW


def test_the_second_of_two_who_settle_a_pair_is_told(editor: Client, bot: Actor, ed: Actor) -> None:
    pair = save_pair(bot)
    settlement = operations.Settlement(decision="both-hold", reason="Both.")
    operations.settle_pair(actor=editor_beside(ed), pair_id=pair.pk, settlement=settlement)
    body = {"decision": "keep", "keep": pair.newer_id, "next": REVIEW}
    assert "has settled this pair already" in editor.post(pair_address(pair, "settle"), body, follow=True).text


def test_a_pair_that_may_not_be_seen_does_not_exist(bot: Actor, viewer: Client) -> None:
    pair = save_pair(bot)
    stranger = factories.log_in_member(factories.team(factories.organization("beta"), "ops"), Role.OWNER, "sam")
    for action in ("", "settle", "reopen"):
        assert stranger.post(pair_address(pair, action).replace("acme", "beta")).status_code == 404
    viewer.post(pair_address(pair, "settle"), {"decision": "keep"})
    assert Pair.objects.get(pk=pair.pk).state == "open"
