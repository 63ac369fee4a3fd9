"""Feedback: who may rate a memory, what ratings do to recall, and what becomes of reports."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Feedback, Memory, Rating, Scope
from memories.queries.feedback import summarize_feedback
from memories.queries.review import list_review_items
from memories.recall import recall, why_not
from memories.recall.adjustments import find_feedback_factor
from memoryhub.errors import Forbidden, Invalid, NotFound
from teams import rights
from teams.actor import Actor
from teams.models import Role, Team, Verb
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import Messenger

pytestmark = pytest.mark.django_db
REPORTED = "/t/acme/ops/review/?kind=reports"


@pytest.fixture
def ed(eddy: User, team: Team) -> Actor:
    return rights.login_actor(user=eddy, team_id=team.pk)


def rate(actor: Actor, memory: Memory, rating: str, reason: str = "") -> Feedback:
    return operations.rate_memory(actor=actor, memory_id=memory.pk, rating=rating, reason=reason)


def counts(actor: Actor, memory: Memory) -> dict[str, int]:
    return {name: count for name, count in summarize_feedback(actor=actor, memory_id=memory.pk).counts.items() if count}


def factor_of(actor: Actor, memory: Memory, query: str) -> float:
    (hit,) = [hit for hit in recall(actor=actor, query=query).hits if hit.memory.pk == memory.pk]
    assert hit.scored
    return find_feedback_factor(hit.scored.feedback)


def reported_to(actor: Actor) -> list[str]:
    page = list_review_items(actor=actor, now=timezone.now(), kinds=["reports"], limit=50)
    return [item.row.memory.content for item in page.items]


def test_a_later_word_replaces_the_former_and_can_be_withdrawn(bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed, "The pump runs at night.")
    rate(bot, memory, "helpful")
    rate(bot, memory, "wrong", "It runs by day.")
    rate(ed, memory, "helpful")
    assert counts(bot, memory) == {"helpful": 1, "wrong": 1}
    own = summarize_feedback(actor=bot, memory_id=memory.pk).own
    assert own
    assert (own.rating, own.reason) == ("wrong", "It runs by day.")
    operations.withdraw_rating(actor=bot, memory_id=memory.pk)
    operations.withdraw_rating(actor=bot, memory_id=memory.pk)
    assert counts(bot, memory) == {"helpful": 1}


def test_rest_and_mcp_rate_and_refuse_alike(bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed)
    agent = factories.agent(memory.team, "second")
    rest, address = Caller(agent), f"memories/{memory.pk}/feedback"
    assert rest("POST", address, {"rating": "outdated"}).json()["counts"]["outdated"] == 1
    assert rest("GET", address).json()["own"]["rating"] == "outdated"
    assert rest("POST", address, {"rating": "great"}).status_code == 400
    messenger = Messenger(agent)
    assert messenger.call("memory_feedback", memory_id=str(memory.pk), rating="helpful")["own"]["rating"] == "helpful"
    assert "own" not in messenger.call("memory_feedback", memory_id=str(memory.pk))
    assert rest("DELETE", address).json()["own"] is None


def test_whoever_reads_a_memory_may_rate_it_but_no_token_that_only_reads(team: Team, ed: Actor) -> None:
    memory, private = factories.memory(ed), factories.memory(factories.actor(factories.agent(team)), scope=Scope.AGENT)
    viewer = rights.login_actor(user=factories.member(team, Role.VIEWER), team_id=team.pk)
    rate(viewer, memory, "wrong")
    reader = factories.actor(factories.agent(team), verbs=frozenset({Verb.READ}))
    with pytest.raises(Forbidden):
        rate(reader, memory, "helpful")
    for stranger, seen in ((factories.actor(), memory), (viewer, private)):
        with pytest.raises(NotFound):
            rate(stranger, seen, "helpful")
    with pytest.raises(Forbidden):
        operations.dismiss_reports(actor=viewer, memory_id=memory.pk)


def test_a_reason_is_screened(bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed)
    key = "AKIA" + "QYLPMN5HFIQR7XYA"
    assert key not in rate(bot, memory, "wrong", f"The key is {key} now.").reason
    with pytest.raises(Invalid):
        rate(bot, memory, "wrong", "x" * 1_001)


# In recall


def test_feedback_moves_a_memory_among_its_equals_and_says_so(team: Team, bot: Actor) -> None:
    first, second = (factories.memory(bot, f"The pump of pier {pier} is serviced in May.") for pier in ("six", "nine"))
    query = "When is the pump serviced?"
    before = [hit.memory.pk for hit in recall(actor=bot, query=query).hits]
    best, worse = (first, second) if before[0] == first.pk else (second, first)
    relevances = [hit.relevance for hit in recall(actor=bot, query=query).hits]
    for _ in range(3):
        rate(factories.actor(factories.agent(team)), best, "not-helpful")
        rate(factories.actor(factories.agent(team)), worse, "helpful")
    hits = recall(actor=bot, query=query).hits
    assert [hit.memory.pk for hit in hits] == [worse.pk, best.pk]
    assert [hit.relevance for hit in hits] == pytest.approx(relevances)
    told = Caller(factories.agent(team))("POST", "recall", {"query": query, "explain": True}).json()["memories"]
    assert told[0]["explain"]["feedback_factor"] > 1 > told[1]["explain"]["feedback_factor"]
    assert why_not(actor=bot, memory_id=worse.pk, query=query).rank == 1


def test_no_amount_of_feedback_lifts_the_unrelated(team: Team, bot: Actor) -> None:
    answer = factories.memory(bot, "The backup runs at two in the morning.")
    other = factories.memory(bot, "Lunch is served at noon, and the morning coffee at nine.")
    for _ in range(12):
        person = rights.login_actor(user=factories.member(team, Role.VIEWER), team_id=team.pk)
        rate(person, other, "helpful")
        rate(person, answer, "not-helpful")
    assert recall(actor=bot, query="When does the backup run?").hits[0].memory.pk == answer.pk
    assert 0.9 < factor_of(bot, answer, "backup") < 0.92


def test_people_count_more_than_agents_and_own_praise_counts_nothing(team: Team, bot: Actor, ed: Actor) -> None:
    query, factors = "pump", []
    for rater, author in ((ed, bot), (bot, ed), (bot, bot), (ed, ed)):
        memory = factories.memory(author, f"The pump number {len(factors)} is loud.")
        for _ in range(3):
            rate(rater, memory, "helpful")
        factors.append(factor_of(bot, memory, query))
        operations.forget_memory(actor=author, memory_id=memory.pk)
    assert factors == pytest.approx([1 + 0.1 / 3, 1 + 0.05 / 2.5, 1.0, 1.0])


def test_what_was_said_of_an_earlier_text_counts_no_more(bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed, "The pump runs at night.")
    rate(bot, memory, "wrong")
    assert factor_of(bot, memory, "pump") < 1
    assert reported_to(ed) == ["The pump runs at night."]
    operations.update_memory(actor=ed, memory_id=memory.pk, tags=["pumps"])
    assert reported_to(ed) == ["The pump runs at night."]
    operations.update_memory(actor=ed, memory_id=memory.pk, content="The pump runs by day.")
    assert (factor_of(bot, memory, "pump"), counts(bot, memory), reported_to(ed)) == (1.0, {}, [])


# Reports


def test_reports_wait_once_for_each_memory_until_a_person_decides(team: Team, bot: Actor, ed: Actor) -> None:
    memory = factories.memory(ed, "The pump runs at night.")
    others = [factories.actor(factories.agent(team)) for _ in range(2)]
    for rater, rating in zip((bot, *others), ("wrong", "outdated", "helpful"), strict=True):
        rate(rater, memory, rating)
    assert reported_to(ed) == ["The pump runs at night."]
    assert reported_to(bot) == reported_to(factories.owner_actor(factories.team())) == []
    operations.dismiss_reports(actor=ed, memory_id=memory.pk)
    rate(bot, memory, "outdated", "I insist.")
    assert (reported_to(ed), counts(bot, memory)) == ([], {"helpful": 1})
    own = summarize_feedback(actor=bot, memory_id=memory.pk).own
    assert own
    assert own.settled_at
    operations.reopen_reports(actor=ed, memory_id=memory.pk)
    assert counts(bot, memory) == {"helpful": 1, "outdated": 2}
    with pytest.raises(Forbidden):
        operations.dismiss_reports(actor=bot, memory_id=memory.pk)
    with pytest.raises(NotFound):
        operations.reopen_reports(actor=ed, memory_id=memory.pk)


def test_reports_follow_a_memory_to_another_scope_and_go_with_it(team: Team, bot: Actor, ed: Actor) -> None:
    memory = factories.memory(bot, "The pump runs at night.")
    rate(ed, memory, Rating.WRONG)
    operations.change_scope(actor=bot, memory_id=memory.pk, scope=Scope.AGENT)
    assert reported_to(ed) == []
    owner = factories.owner_actor(team)
    assert reported_to(owner) == ["The pump runs at night."]
    operations.purge_memory(actor=owner, memory_id=memory.pk)
    assert not Feedback.objects.exists()


def test_people_rate_and_decide_in_the_browser(editor: Client, viewer: Client, ed: Actor) -> None:
    memory = factories.memory(ed, "The pump runs at night.", key="pump")
    page = f"/t/acme/ops/memories/{memory.pk}/"
    assert "Nobody has rated this text yet." in viewer.get(page).text
    answer = viewer.post(f"{page}feedback/", {"rating": "wrong", "reason": "By day.", "next": page}, follow=True)
    assert "Rated: wrong." in answer.text
    assert 'aria-pressed="true"' in answer.text
    queue = editor.get(REPORTED).text
    assert "By day." in queue
    assert "The pump runs at night." in queue
    assert "By day." not in viewer.get(REPORTED).text
    operate: Any = editor.post(f"/t/acme/ops/review/reports/{memory.pk}/dismiss/", {"next": REPORTED}, follow=True)
    assert "Nothing waits for you" in operate.text
    editor.post(f"/t/acme/ops/review/reports/{memory.pk}/reopen/")
    told = editor.get("/api/v1/teams/acme/ops/review?kind=reports").json()["items"]
    assert [item["reports"][0]["reason"] for item in told] == ["By day."]
    assert 'value="helpful"' in editor.get("/t/acme/ops/recall/?query=pump").text
    viewer.post(f"{page}feedback/", {"rating": ""})
    assert editor.get(REPORTED).context["cards"] == []
