"""Proposals: what a policy holds waits for a person, and nobody else sees it before."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import operations
from memories.models import Association, Memory, Proposal, ProposalState, Revision, Source, Status
from memories.operations import Draft, decide_many
from memories.prompts.context import build_context
from memories.queries.lookup import find_proposal
from memories.recall import recall
from memories.rules import policies
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge
from teams import rights
from teams.actor import Actor
from teams.models import Organization, Project, Role, Team, Verb, Workspace
from tests import factories
from tests.caller import Caller

pytestmark = pytest.mark.django_db
START = datetime(2026, 5, 1, tzinfo=UTC)
HOLD_ALL = {"rules": [{"who": ["agent"], "then": "propose", "reason": "People decide here."}]}


@pytest.fixture
def agent(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "scribe"))


@pytest.fixture
def teammate(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "reader"))


@pytest.fixture
def editor(team: Team) -> Actor:
    return rights.login_actor(user=factories.member(team, Role.EDITOR, "ed"), team_id=team.pk)


def hold_everything(team: Team, agent: Actor) -> Actor:
    """Return the agent under a policy that holds what agents write."""
    Team.objects.filter(pk=team.pk).update(policy=HOLD_ALL)
    return factories.actor(factories.Agent.objects.select_related("team__organization").get(pk=agent.agent_id))


def propose_new(team: Team, agent: Actor, content: str = "The pump runs at night.", **fields: Any) -> Proposal:
    memory = factories.memory(hold_everything(team, agent), content, **fields)
    return Proposal.objects.get(pk=memory.proposal_id)


def propose_change(agent: Actor, editor: Actor, content: str = "Line one.\nLine two.") -> tuple[Memory, Proposal]:
    """Return a pinned memory and a change of its first line that an agent proposed."""
    memory = factories.memory(editor, content, pinned=True)
    held = operations.update_memory(
        actor=agent, memory_id=memory.pk, content=content.replace("one", "1"), tags=["changed"]
    )
    return memory, Proposal.objects.get(pk=held.proposal_id)


def read(memory: Memory) -> Memory:
    return Memory.objects.defer("search").get(pk=memory.pk)


def test_a_new_memory_that_is_held_is_seen_by_its_proposer_alone(team: Team, agent: Actor, teammate: Actor) -> None:
    proposal = propose_new(team, agent, key="pump")
    memory = proposal.memory
    assert (memory.status, memory.owns_key, proposal.reason) == (Status.PROPOSED, False, "People decide here.")
    own, others = recall(actor=agent, query="pump at night").hits, recall(actor=teammate, query="pump at night").hits
    assert [hit.memory.status for hit in own] == [Status.PROPOSED]
    assert not others
    assert "pump" not in build_context(actor=teammate, query="pump at night").text
    assert not Memory.objects.visible_to(teammate).filter(pk=memory.pk).exists()
    assert not Revision.objects.visible_to(teammate).filter(memory=memory.pk).exists()


def test_an_approved_memory_is_everybodys_and_its_author_stays(
    team: Team, agent: Actor, teammate: Actor, editor: Actor
) -> None:
    proposal = propose_new(team, agent, key="pump")
    approved = operations.approve_proposal(actor=editor, proposal_id=proposal.pk, note="Checked on site.")
    assert (approved.status, approved.owns_key, approved.agent_id) == (Status.ACTIVE, True, agent.agent_id)
    assert [hit.memory.pk for hit in recall(actor=teammate, query="pump at night").hits] == [approved.pk]
    decided = Proposal.objects.get(pk=proposal.pk)
    assert (decided.state, decided.decided_by_id) == (ProposalState.APPROVED, editor.user_id)
    assert decided.decision_note == "Checked on site."


def test_what_was_edited_before_approval_does_not_keep_the_proposed_text(
    team: Team, agent: Actor, teammate: Actor, editor: Actor
) -> None:
    proposal = propose_new(team, agent, "The door code is on the board.")
    edits = {"content": "The door has a code."}
    approved = operations.approve_proposal(actor=editor, proposal_id=proposal.pk, edits=edits)
    assert [version.content for version in Revision.objects.of_memory(approved)] == ["The door has a code."]
    with pytest.raises(NotFound, match="no version 1"):
        operations.revert_memory(actor=teammate, memory_id=approved.pk, to_version=1)


def test_a_rejected_memory_is_gone_and_cannot_be_restored(team: Team, agent: Actor, editor: Actor) -> None:
    proposal = propose_new(team, agent)
    operations.reject_proposal(actor=editor, proposal_id=proposal.pk, note="It runs by day.")
    assert not Memory.objects.visible_to(agent).filter(pk=proposal.memory_id).exists()
    for actor in (agent, editor):
        with pytest.raises(NotFound):
            operations.restore_memory(actor=actor, memory_id=proposal.memory_id)


def test_a_change_of_a_pinned_memory_waits_and_leaves_it_as_it_is(agent: Actor, editor: Actor) -> None:
    memory, proposal = propose_change(agent, editor)
    assert (read(memory).version, read(memory).content) == (1, "Line one.\nLine two.")
    assert (proposal.operation, proposal.base_version) == ("update", 1)
    changed = operations.approve_proposal(actor=editor_beside(editor), proposal_id=proposal.pk)
    assert (changed.version, changed.content, changed.tags) == (2, "Line 1.\nLine two.", ["changed"])
    assert changed.provenance == "agent"


def editor_beside(editor: Actor) -> Actor:
    team = Team.objects.select_related("organization").get(pk=editor.team_id)
    return rights.login_actor(user=factories.member(team, Role.EDITOR), team_id=team.pk)


def test_a_base_that_changed_elsewhere_is_merged(agent: Actor, editor: Actor) -> None:
    memory, proposal = propose_change(agent, editor, "Line one.\nLine two.\nLine three.")
    operations.update_memory(actor=editor, memory_id=memory.pk, content="Line one.\nLine two.\nLine 3.")
    merged = operations.approve_proposal(actor=editor, proposal_id=proposal.pk)
    assert merged.content == "Line 1.\nLine two.\nLine 3."


def test_a_base_that_changed_in_the_same_place_is_not_overwritten(agent: Actor, editor: Actor) -> None:
    memory, proposal = propose_change(agent, editor)
    operations.update_memory(actor=editor, memory_id=memory.pk, content="Line I.\nLine two.")
    with pytest.raises(operations.MergeNeeded) as refusal:
        operations.approve_proposal(actor=editor, proposal_id=proposal.pk)
    assert (refusal.value.base, refusal.value.proposed) == ("Line one.\nLine two.", "Line 1.\nLine two.")
    assert Proposal.objects.get(pk=proposal.pk).state == ProposalState.OPEN
    edits = {"content": "Line 1 (I).\nLine two."}
    assert operations.approve_proposal(actor=editor, proposal_id=proposal.pk, edits=edits).content == edits["content"]


HELD: dict[str, Callable[[Actor, Memory], Memory]] = {
    "append": lambda actor, memory: operations.append_to_memory(actor=actor, memory_id=memory.pk, text="More."),
    "pin": lambda actor, memory: operations.pin_memory(actor=actor, memory_id=memory.pk, pinned=False),
    "tag": lambda actor, memory: operations.tag_memory(actor=actor, memory_id=memory.pk, add=["new"]),
    "expire": lambda actor, memory: operations.set_expiry(
        actor=actor, memory_id=memory.pk, expires_at=timezone.now() + timedelta(days=3)
    ),
    "forget": lambda actor, memory: operations.forget_memory(actor=actor, memory_id=memory.pk, reason="Old."),
    "revert": lambda actor, memory: operations.revert_memory(actor=actor, memory_id=memory.pk, to_version=1),
    "supersede": lambda actor, memory: operations.supersede_memory(
        actor=actor, memory_id=memory.pk, by=factories.memory(actor, "What holds instead.").pk
    ),
    "supersede at a moment": lambda actor, memory: operations.supersede_memory(
        actor=actor, memory_id=memory.pk, by=factories.memory(actor, "What holds instead.").pk, at=START
    ),
}
EFFECTS: dict[str, Callable[[Memory], object]] = {
    "append": lambda memory: memory.content.endswith("\nMore."),
    "pin": lambda memory: not memory.pinned,
    "tag": lambda memory: memory.tags == ["new"],
    "expire": lambda memory: memory.expires_at is not None,
    "forget": lambda memory: memory.forget_reason == "Old.",
    "revert": lambda memory: memory.content == "First.",
    "supersede": lambda memory: memory.superseded_by is not None,
    "supersede at a moment": lambda memory: memory.valid_until == START,
}


@pytest.mark.parametrize("name", HELD)
def test_every_change_of_a_pinned_memory_can_be_proposed_and_approved(name: str, agent: Actor, editor: Actor) -> None:
    memory = factories.memory(editor, "First.", pinned=True)
    operations.update_memory(actor=editor, memory_id=memory.pk, content="Second.")
    held = HELD[name](agent, memory)
    assert read(memory).version == 2
    assert not EFFECTS[name](read(memory))
    operations.approve_proposal(actor=editor, proposal_id=held.proposal_id)  # type: ignore[arg-type]
    assert EFFECTS[name](read(memory))


def test_the_same_change_proposed_twice_is_one_proposal(agent: Actor, editor: Actor) -> None:
    memory, proposal = propose_change(agent, editor)
    again = operations.update_memory(actor=agent, memory_id=memory.pk, content="Line 1.\nLine two.", tags=["changed"])
    assert again.proposal_id == proposal.pk


def test_a_save_of_a_guarded_key_is_a_proposal_to_its_owner(agent: Actor, editor: Actor) -> None:
    core = factories.memory(editor, "We ship on Fridays.", key="core")
    held = factories.memory(agent, "We ship on Mondays.", key="core")
    assert (held.pk, held.version, held.content) == (core.pk, 1, "We ship on Fridays.")
    approved = operations.approve_proposal(actor=editor, proposal_id=held.proposal_id)  # type: ignore[arg-type]
    assert (approved.pk, approved.version, approved.content) == (core.pk, 2, "We ship on Mondays.")


def test_many_held_changes_take_as_many_statements_as_a_few(agent: Actor, editor: Actor) -> None:
    numbers, keys = [], [f"gate/{number}" for number in range(12)]
    for key in keys:
        factories.memory(editor, "The gate is closed.", key=key, pinned=True)
    for some in (keys[:2], keys):
        drafts = [Draft(content=f"{key} is open in {len(some)} days.", key=key) for key in some]
        with CaptureQueriesContext(connection) as queries:
            saved = operations.save_memories(actor=agent, drafts=drafts)
        again = operations.save_memories(actor=agent, drafts=drafts)
        assert len({memory.proposal_id for memory in saved}) == len(some)
        assert [memory.proposal_id for memory in again] == [memory.proposal_id for memory in saved]
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


def test_in_a_batch_only_what_is_guarded_waits(agent: Actor, editor: Actor) -> None:
    factories.memory(editor, "We ship on Fridays.", key="core")
    drafts = [Draft(content="We ship on Mondays.", key="core"), Draft(content="Tea at four.", key="tea")]
    core, tea = operations.save_memories(actor=agent, drafts=drafts)
    assert (core.proposal_id is not None, tea.proposal_id, tea.version) == (True, None, 1)


def test_agents_create_a_core_memory_where_there_is_none(agent: Actor) -> None:
    assert factories.memory(agent, "We ship on Fridays.", key="core").proposal_id is None


def test_people_change_pinned_memories_at_once(editor: Actor) -> None:
    memory = factories.memory(editor, "Pinned.", pinned=True)
    assert operations.update_memory(actor=editor, memory_id=memory.pk, content="Still pinned.").version == 2


def test_a_proposed_key_that_was_taken_meanwhile_becomes_a_version_of_its_owner(
    team: Team, agent: Actor, editor: Actor
) -> None:
    proposal = propose_new(team, agent, "By night.", key="pump")
    owner = factories.memory(editor, "By day.", key="pump")
    approved = operations.approve_proposal(actor=editor, proposal_id=proposal.pk)
    assert (approved.pk, approved.content, approved.version) == (owner.pk, "By night.", 2)
    assert read(proposal.memory).status == Status.REJECTED


# Who decides


def test_no_agent_decides(team: Team, agent: Actor, teammate: Actor) -> None:
    proposal = propose_new(team, agent)
    with pytest.raises(Forbidden, match="Only people"):
        operations.approve_proposal(actor=agent, proposal_id=proposal.pk)
    with pytest.raises(NotFound):
        operations.approve_proposal(actor=teammate, proposal_id=proposal.pk)


def test_nobody_decides_about_their_own(team: Team, editor: Actor) -> None:
    Team.objects.filter(pk=team.pk).update(policy={"rules": [{"who": ["person"], "then": "propose"}]})
    again = rights.login_actor(user=factories.User.objects.get(pk=editor.user_id), team_id=team.pk)
    proposal_id = factories.memory(again, "Mine.").proposal_id
    assert proposal_id
    for decide in (operations.approve_proposal, operations.reject_proposal):
        with pytest.raises(Forbidden, match="their own"):
            decide(actor=again, proposal_id=proposal_id)
    assert operations.approve_proposal(actor=editor_beside(editor), proposal_id=proposal_id).status == Status.ACTIVE


def test_viewers_and_strangers_do_not_decide(team: Team, agent: Actor) -> None:
    proposal = propose_new(team, agent)
    viewer = rights.login_actor(user=factories.member(team, Role.VIEWER), team_id=team.pk)
    stranger = factories.owner_actor(factories.team())
    for actor in (viewer, stranger):
        with pytest.raises(NotFound):
            operations.approve_proposal(actor=actor, proposal_id=proposal.pk)


def test_the_second_of_two_decisions_is_told_of_the_first(team: Team, agent: Actor, editor: Actor) -> None:
    proposal = propose_new(team, agent)
    operations.approve_proposal(actor=editor, proposal_id=proposal.pk)
    with pytest.raises(Conflict, match="ed has approved this proposal already"):
        operations.reject_proposal(actor=editor_beside(editor), proposal_id=proposal.pk)


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_approve_at_once_one_is_told(team: Team, agent: Actor, editor: Actor) -> None:
    memory, proposal = propose_change(agent, editor)
    people = [editor, editor_beside(editor)]
    results: list[str] = []
    barrier = threading.Barrier(2)

    def decide(actor: Actor) -> None:
        barrier.wait()
        try:
            operations.approve_proposal(actor=actor, proposal_id=proposal.pk)
            results.append("approved")
        except Conflict as refusal:
            results.append(refusal.message.partition(" ")[2])
        finally:
            connection.close()

    threads = [threading.Thread(target=decide, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["approved", "has approved this proposal already."]
    assert read(memory).version == 2


# Withdrawn, reopened and expired


def test_a_proposer_withdraws_and_nobody_else(team: Team, agent: Actor, teammate: Actor) -> None:
    proposal = propose_new(team, agent)
    with pytest.raises(NotFound):
        operations.withdraw_proposal(actor=teammate, proposal_id=proposal.pk)
    assert operations.withdraw_proposal(actor=agent, proposal_id=proposal.pk).state == ProposalState.WITHDRAWN
    assert not Memory.objects.visible_to(agent).filter(pk=proposal.memory_id).exists()


def test_whoever_may_not_read_is_not_shown_what_they_withdraw(agent: Actor, editor: Actor) -> None:
    _, proposal = propose_change(agent, editor)
    caller = Caller(factories.Agent.objects.get(pk=agent.agent_id), (Verb.WRITE,))
    withdrawn = caller("DELETE", f"proposals/{proposal.pk}").json()
    assert (withdrawn["state"], withdrawn["arguments"]) == ("withdrawn", {})


def test_a_proposal_in_another_workspace_is_not_there() -> None:
    slugs, one = ("blue", "green"), factories.agent()
    for slug in slugs:
        Workspace.objects.create(organization_id=one.organization_id, slug=slug, name=slug)
    Organization.objects.update(workspaces_enabled=True)
    agent = factories.Agent.objects.select_related("team__organization").get(pk=one.pk)
    blue, green = (factories.actor(agent, workspace=slug) for slug in slugs)
    memory = factories.memory(blue, "Line one.", pinned=True)
    held = operations.update_memory(actor=blue, memory_id=memory.pk, content="Line two.")
    for act in (operations.withdraw_proposal, find_proposal):
        with pytest.raises(NotFound):
            act(actor=green, proposal_id=held.proposal_id)
    assert operations.withdraw_proposal(actor=blue, proposal_id=held.proposal_id).state == ProposalState.WITHDRAWN


@pytest.mark.parametrize("decide", [operations.approve_proposal, operations.reject_proposal])
def test_a_decision_about_a_new_memory_can_be_undone(
    decide: Callable[..., Any], team: Team, agent: Actor, teammate: Actor, editor: Actor
) -> None:
    proposal = propose_new(team, agent, key="pump")
    decide(actor=editor, proposal_id=proposal.pk)
    operations.reopen_proposal(actor=editor, proposal_id=proposal.pk)
    assert read(proposal.memory).status == Status.PROPOSED
    assert not Memory.objects.visible_to(teammate).filter(pk=proposal.memory_id).exists()
    assert operations.approve_proposal(actor=editor, proposal_id=proposal.pk).owns_key


def test_an_approved_change_can_be_undone_until_somebody_changes_the_memory(agent: Actor, editor: Actor) -> None:
    memory, proposal = propose_change(agent, editor)
    operations.approve_proposal(actor=editor, proposal_id=proposal.pk)
    operations.reopen_proposal(actor=editor, proposal_id=proposal.pk)
    assert read(memory).content == "Line one.\nLine two."
    operations.approve_proposal(actor=editor, proposal_id=proposal.pk)
    operations.tag_memory(actor=editor, memory_id=memory.pk, add=["since"])
    with pytest.raises(Conflict, match="changed this memory since"):
        operations.reopen_proposal(actor=editor, proposal_id=proposal.pk)


def test_a_proposal_expires(team: Team, agent: Actor, editor: Actor) -> None:
    proposal = propose_new(team, agent)
    later = proposal.expires_at + timedelta(seconds=1)
    with pytest.raises(Conflict, match="expired"):
        operations.approve_proposal(actor=editor, proposal_id=proposal.pk, now=later)
    assert operations.expire_proposals(now=later) == 1
    assert Proposal.objects.get(pk=proposal.pk).state == ProposalState.EXPIRED
    assert not Memory.objects.visible_to(agent).filter(pk=proposal.memory_id).exists()


def test_a_proposal_can_be_merged_into_another_memory(team: Team, agent: Actor, editor: Actor) -> None:
    proposal = propose_new(team, agent, "The pump runs at night.")
    target = factories.memory(editor, "The pump is loud.")
    merged = operations.merge_proposal(
        actor=editor, proposal_id=proposal.pk, target_id=target.pk, content="The pump is loud and runs at night."
    )
    assert (merged.pk, merged.version) == (target.pk, 2)
    assert read(proposal.memory).superseded_by == target.pk


def test_a_merged_proposal_brings_its_belongings_and_the_undo_takes_them_back(
    team: Team, agent: Actor, editor: Actor
) -> None:
    pump = factories.memory(editor, "The pump is loud.", tags=["pumps"])
    third = factories.memory(editor, "Grapes ripen late.")
    proposal = propose_new(team, agent, "The pump runs at night.", tags=["night"], provenance="tool")
    operations.associate(actor=agent, origin_id=proposal.memory_id, target_id=third.pk, relation="caused_by")
    operations.add_citation(actor=agent, memory_id=proposal.memory_id, url="https://example.org/pump")
    operations.merge_proposal(actor=editor, proposal_id=proposal.pk, target_id=pump.pk, content="Loud, at night.")
    merged = read(pump)
    assert (merged.tags, merged.provenance, merged.version) == (["pumps", "night"], "tool", 2)
    assert Source.objects.get().memory_id == Association.objects.get(relation="caused_by").origin_id == pump.pk
    operations.reopen_proposal(actor=editor, proposal_id=proposal.pk)
    again, waiting = read(pump), read(proposal.memory)
    assert (again.content, again.tags, again.provenance) == ("The pump is loud.", ["pumps"], "person")
    assert (waiting.content, waiting.tags, waiting.status) == ("The pump runs at night.", ["night"], Status.PROPOSED)
    assert Source.objects.get().memory_id == Association.objects.get(relation="caused_by").origin_id == waiting.pk


def test_what_belongs_to_another_audience_stays_there(team: Team, agent: Actor) -> None:
    hold_everything(team, agent)
    scribe = factories.Agent.objects.select_related("team__organization").get(pk=agent.agent_id)
    Project.objects.create(organization=team.organization, team=team, slug="barn")
    builder = factories.actor(scribe, project="barn")
    held = factories.memory(builder, "The pump is ours.", scope="project", tags=["barn"])
    editor = rights.login_actor(user=factories.member(team, Role.EDITOR), team_id=team.pk)
    operations.add_citation(actor=builder, memory_id=held.pk, url="https://example.org/pump")
    pump = factories.memory(editor, "The pump is loud.", tags=["pumps"])
    proposal = Proposal.objects.get(memory=held.pk)
    operations.merge_proposal(actor=editor, proposal_id=proposal.pk, target_id=pump.pk, content="Loud and ours.")
    assert (read(pump).tags, Source.objects.get().memory_id) == (["pumps"], held.pk)


def test_a_purge_takes_the_proposals_along(agent: Actor, editor: Actor, team: Team) -> None:
    memory, _ = propose_change(agent, editor)
    operations.purge_memory(actor=factories.owner_actor(team), memory_id=memory.pk)
    assert not Proposal.objects.filter(memory=memory.pk).exists()


# Rules


def actor_with(policy: dict[str, Any], **options: Any) -> Actor:
    made = factories.team()
    Team.objects.filter(pk=made.pk).update(policy=policy)
    return factories.actor(factories.agent(made, **options))


@pytest.mark.parametrize(
    ("rule", "held", "saved"),
    [
        ({"types": ["decision"]}, {"type": "decision"}, {"type": "fact"}),
        ({"categories": ["legal"]}, {"category": "legal"}, {}),
        ({"key_prefixes": ["prod/"]}, {"key": "prod/db"}, {"key": "test/db"}),
        ({"keys": ["db"]}, {"key": "db"}, {"key": "db2"}),
        ({"sources": ["web"]}, {"source": "web"}, {}),
        ({"pinned": True}, {"pinned": True}, {}),
        ({"writes": ["new"]}, {}, None),
        ({"agents": ["bot"]}, {}, None),
        ({"levels": ["member"]}, {}, None),
    ],
)
def test_a_rule_holds_what_it_is_about(
    rule: dict[str, Any], held: dict[str, Any], saved: dict[str, Any] | None
) -> None:
    actor = actor_with({"rules": [rule | {"then": "propose"}]}, slug="bot")
    assert factories.memory(actor, "One.", **held).proposal_id
    if saved is not None:
        assert factories.memory(actor, "Two.", **saved).proposal_id is None


def test_the_first_matching_rule_decides() -> None:
    rules = [{"types": ["fact"], "then": "save"}, {"then": "refuse", "reason": "Facts only."}]
    actor = actor_with({"rules": rules})
    memory = factories.memory(actor, "A fact.")
    operations.update_memory(actor=actor, memory_id=memory.pk, content="Another fact.")
    with pytest.raises(Forbidden, match="Facts only"):
        factories.memory(actor, "A plan.", type="goal")


def test_a_change_that_is_refused_changes_nothing() -> None:
    rules = [{"writes": ["forget"], "then": "refuse", "reason": "Nothing is forgotten here."}]
    actor = actor_with({"rules": rules})
    memory = factories.memory(actor, "A fact.")
    with pytest.raises(Forbidden, match="Nothing is forgotten"):
        operations.forget_memory(actor=actor, memory_id=memory.pk)
    assert operations.update_memory(actor=actor, memory_id=memory.pk, content="Changed.").version == 2


@pytest.mark.parametrize(
    "policy", [{"rules": 3}, {"rules": [{"then": "maybe"}]}, {"rules": [{"then": "save", "x": 1}]}]
)
def test_a_policy_that_cannot_be_read_refuses_every_write(policy: dict[str, Any]) -> None:
    with pytest.raises(Forbidden, match="cannot be read"):
        factories.memory(actor_with(policy), "Anything.")


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ([{"then": "save", "types": ["gossip"]}], "rules.0.types"),
        ([{"then": "save", "pinned": "yes"}], "rules.0.pinned"),
        ([{"then": "save"}, {"types": []}], "rules.1.then"),
        ([{"then": "save", "keys": "k" * 3, "levels": [1]}], "rules.0.levels"),
        ([{"then": "save"}] * 51, "rules"),
    ],
)
def test_a_rule_that_makes_no_sense_is_named(rules: list[Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        policies.clean_rules(rules)
    assert list(refusal.value.fields) == [field]


def test_decisions_about_more_bytes_than_one_request_may_touch_are_refused(
    team: Team, agent: Actor, editor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposals = [propose_new(team, agent, f"Pump {number} runs at night.") for number in range(3)]
    ids = [proposal.pk for proposal in proposals]
    monkeypatch.setattr(decide_many, "DECISION_BYTES", 60)
    for decide in (operations.approve_proposals, operations.reject_proposals, operations.reopen_proposals):
        with pytest.raises(TooLarge, match="At most 60 bytes of text at once"):
            decide(actor=editor, proposal_ids=ids)
    assert operations.approve_proposals(actor=editor, proposal_ids=ids[:2]).decided == ids[:2]
