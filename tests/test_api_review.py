"""The review queue by REST: for people who are logged in, and for no token."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memories import operations
from memories.models import Memory, Proposal, ProposalState
from teams import rights
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.test_proposals import editor_beside, propose_new
from tests.test_ui_review import propose_change, save_pair, state_of

pytestmark = pytest.mark.django_db

API = "/api/v1/teams/acme/ops/"


@pytest.fixture
def ed(eddy: User, team: Team) -> Actor:
    return rights.login_actor(user=eddy, team_id=team.pk)


def post(client: Client, proposal: Proposal, decision: str, **body: Any) -> Any:
    return client.post(f"{API}proposals/{proposal.pk}/{decision}", body, content_type="application/json")


def test_the_queue_says_what_would_change(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    change = propose_change(bot, ed)
    new = propose_new(team, bot, "The pump runs at night.")
    queue = editor.get(f"{API}review").json()
    assert [item["id"] for item in queue["items"]] == [str(change.pk), str(new.pk)]
    assert (queue["counts"]["proposals"], queue["counts"]["due"], queue["next"]) == (2, 0, None)
    (changed,) = queue["items"][0]["changes"]
    assert changed == {"field": "content", "old": "Line one.\nLine two.", "new": "Line 1.\nLine two."}
    first = editor.get(f"{API}review?limit=1").json()
    rest = editor.get(f"{API}review", {"limit": 1, "cursor": first["next"]}).json()
    assert [item["id"] for item in (*first["items"], *rest["items"])] == [str(change.pk), str(new.pk)]
    assert editor.get(f"{API}review?kind=due").json()["items"] == []
    assert editor.get(f"{API}review?kind=gossip").status_code == 400


def test_people_decide(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    edited, rejected, merged = (propose_new(team, bot, text) for text in ("One.", "Two.", "Three."))
    approved = post(editor, edited, "approve", edits={"content": "1.", "tags": ["a"]}, note="Checked.")
    assert (approved.status_code, approved.json()["content"], approved.json()["status"]) == (200, "1.", "active")
    answer = post(editor, rejected, "reject", reason="No.").json()
    assert (answer["state"], answer["decided_by"], answer["decision_note"]) == ("rejected", "eddy", "No.")
    target = factories.memory(ed, "Drei.")
    joined = post(editor, merged, "merge", target_id=str(target.pk), content="Drei (three).", version=1)
    assert (joined.json()["id"], joined.json()["content"]) == (str(target.pk), "Drei (three).")
    for proposal in (edited, rejected, merged):
        assert post(editor, proposal, "reopen").json()["state"] == "open"
    assert Memory.objects.get(pk=target.pk).content == "Drei."


def test_the_second_of_two_decisions_is_told(editor: Client, bot: Actor, ed: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    operations.reject_proposal(actor=editor_beside(ed), proposal_id=proposal.pk)
    answer = post(editor, proposal, "approve")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert "has rejected this proposal already" in answer.json()["detail"]


def test_a_change_of_the_same_place_has_to_be_joined(editor: Client, bot: Actor, ed: Actor) -> None:
    proposal = propose_change(bot, ed)
    operations.update_memory(actor=ed, memory_id=proposal.memory_id, content="Line I.\nLine two.")
    assert editor.get(f"{API}review").json()["items"][0]["conflict"]
    answer = post(editor, proposal, "approve")
    assert (answer.status_code, answer.json()["code"]) == (409, "merge_needed")
    assert answer.json()["current"]["content"] == "Line I.\nLine two."
    assert post(editor, proposal, "approve", edits={"content": "Line 1 (I)."}, version=1).status_code == 409
    assert post(editor, proposal, "approve", edits={"content": "Line 1 (I)."}, version=2).status_code == 200


def test_no_token_decides_and_no_visitor(client: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    for headers in ({}, {"Authorization": f"Bearer {factories.token(bot)}"}):
        assert client.get(f"{API}review", headers=headers).status_code == 401
        path = f"{API}proposals/{proposal.pk}/approve"
        answer = client.post(path, {}, content_type="application/json", headers=headers)
        assert answer.status_code == 401
        assert "needs a person's session" in answer.json()["detail"]
    assert state_of(proposal) == ProposalState.OPEN


def test_a_session_needs_its_token_to_change_something(eddy: User, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    client = Client(enforce_csrf_checks=True)
    client.force_login(eddy)
    assert client.get(f"{API}review").status_code == 200
    assert post(client, proposal, "approve").status_code == 403
    assert state_of(proposal) == ProposalState.OPEN


def test_what_may_not_be_seen_does_not_exist(viewer: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    stranger = factories.log_in_member(factories.team(factories.organization("beta"), "ops"), Role.OWNER, "sam")
    assert viewer.get(f"{API}review").json()["items"] == []
    assert stranger.get(f"{API}review").status_code == 404
    for decision in ("approve", "reject", "reopen"):
        assert post(viewer, proposal, decision).status_code == 404
        assert post(stranger, proposal, decision).status_code == 404
    body = {"target_id": str(proposal.memory_id), "content": "x"}
    assert post(viewer, proposal, "merge", **body).status_code == 404
    assert state_of(proposal) == ProposalState.OPEN


def test_a_retry_is_answered_the_same(editor: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    path, headers = f"{API}proposals/{proposal.pk}/approve", {"Idempotency-Key": "once"}
    first, again = (editor.post(path, {}, content_type="application/json", headers=headers).content for _ in range(2))
    assert first == again


def test_nobody_decides_about_their_own_by_the_api(editor: Client, eddy: User, team: Team) -> None:
    Team.objects.filter(pk=team.pk).update(policy={"rules": [{"who": ["person"], "then": "propose"}]})
    own = rights.login_actor(user=eddy, team_id=team.pk)
    proposal = Proposal.objects.get(pk=factories.memory(own, "Mine.").proposal_id)
    assert editor.get(f"{API}review").json()["items"] == []
    assert post(editor, proposal, "approve").status_code == 403


def test_bad_input_changes_nothing(editor: Client, bot: Actor, team: Team) -> None:
    proposal = propose_new(team, bot)
    for body in ({"edits": {"content": ""}}, {"edits": {"type": "gossip"}}, {"unknown": 1}, {"note": "x" * 1_001}):
        assert post(editor, proposal, "approve", **body).status_code == 400, body
    assert state_of(proposal) == ProposalState.OPEN


def test_pairs_are_in_the_queue_and_settled(editor: Client, viewer: Client, bot: Actor) -> None:
    pair = save_pair(bot)
    (item,) = editor.get(f"{API}review?kind=contradictions").json()["items"]
    assert item["pair"]["differences"] == [{"kind": "number", "older": "8080", "newer": "1933"}]
    path, body = f"{API}pairs/{pair.pk}", {"decision": "both-hold", "reason": "One is for tests."}
    assert viewer.post(f"{path}/settle", body, content_type="application/json").status_code == 403
    settled = editor.post(f"{path}/settle", body, content_type="application/json").json()
    assert (settled["state"], settled["settled_by"]) == ("settled", "eddy")
    assert editor.post(f"{path}/settle", body, content_type="application/json").status_code == 409
    assert editor.post(f"{path}/reopen", {}, content_type="application/json").json()["state"] == "open"
