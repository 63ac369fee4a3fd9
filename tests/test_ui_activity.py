"""Activity: who changed what, who asked what and got which versions, and what nobody has answered yet."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import operations, recall
from memories.models import Memory, RecallLog, Scope, SettledQuestion
from memories.queries import unanswered
from memories.recall import log
from memoryhub.errors import Forbidden, Invalid, NotFound
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.cast import Cast

pytestmark = pytest.mark.django_db

ACTIVITY = "/t/acme/ops/activity/"
RECALLS, KNOWN, QUESTIONS = f"{ACTIVITY}recalls/", f"{ACTIVITY}known/", f"{ACTIVITY}questions/"


def record_recall(by: Actor, query: str, mode: str = "keyword", ago: timedelta = timedelta(0)) -> None:
    recall.recall(actor=by, query=query, mode=mode, now=timezone.now() - ago)
    log.flush()


def statements(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    return len(asked)


# Changes


def test_changes_show_every_word_that_changed(viewer: Client, bot: Actor) -> None:
    memory = factories.memory(bot, "The queue runs on RabbitMQ.", key="queue")
    operations.update_memory(actor=bot, memory_id=memory.pk, content="The queue runs on Postgres.")
    page = viewer.get(ACTIVITY).text
    assert "<del>RabbitMQ</del><ins>Postgres</ins>" in page
    assert f"/memories/{memory.pk}/history/?version=2" in page
    assert "deploy-bot" in page


def test_changes_are_narrowed(viewer: Client, bot: Actor, team: Team) -> None:
    other = factories.actor(factories.agent(team, "swe-1"))
    person = factories.owner_actor(team)
    factories.memory(bot, "By the bot.")
    factories.memory(person, "By a person.")
    pinned = factories.memory(other, "By the other.")
    operations.pin_memory(actor=other, memory_id=pinned.pk)
    operations.save_memory(
        actor=bot, draft=operations.Draft(content="Long ago."), now=timezone.now() - timedelta(days=9)
    )
    today = f"{timezone.now():%Y-%m-%d}"
    shown = {
        "agent=deploy-bot": {"By the bot.", "Long ago."},
        f"person={person.name}": {"By a person."},
        "change=pinned": {"By the other."},
        f"since={today}&agent=deploy-bot": {"By the bot."},
        f"until={today}&agent=deploy-bot": {"By the bot.", "Long ago."},
        "change=purged": set(),
    }
    texts = {"By the bot.", "By a person.", "By the other.", "Long ago."}
    for asked, expected in shown.items():
        page = viewer.get(f"{ACTIVITY}?{asked}")
        assert page.status_code == 200
        assert {text for text in texts if text in page.text} == expected, asked
    assert "No change fits these filters." in viewer.get(f"{ACTIVITY}?change=purged").text


def test_older_changes_are_a_page_further(viewer: Client, bot: Actor) -> None:
    for number in range(40):
        factories.memory(bot, f"Number {number}.")
    first = viewer.get(f"{ACTIVITY}?agent=deploy-bot")
    assert "Number 10." in first.text
    assert "Number 9." not in first.text
    second = viewer.get(ACTIVITY + first.context["next"])
    assert "Number 9." in second.text
    assert second.context["next"] == ""


@pytest.mark.parametrize("path", [ACTIVITY, RECALLS])
@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("agent=nobody", "There is no agent nobody here."),
        ("since=yesterday", "This is no day. Write it like 2026-05-20."),
        ("until=9999-12-31", "This day is too far away."),
        ("since=2026-05-20&until=2026-05-19", "The last day is before the first one."),
        ("cursor=forged", "This is not a cursor"),
        (f"cursor={'x' * 3000}", "at most 2000 characters"),
        ("agent=%00", "There is no agent"),
    ],
)
def test_what_cannot_be_read_is_said(viewer: Client, bot: Actor, path: str, asked: str, sentence: str) -> None:
    answer = viewer.get(f"{path}?{asked}")
    assert answer.status_code == 400
    assert sentence in answer.text


def test_strange_people_and_kinds_are_said_too(viewer: Client) -> None:
    assert "There is no person admin here." in viewer.get(f"{ACTIVITY}?person=admin").text
    assert viewer.get(f"{ACTIVITY}?change=stolen").status_code == 400


def test_strangers_find_no_activity(team: Team, bot: Actor) -> None:
    stranger = factories.log_in_member(factories.team(), Role.OWNER, "sam")
    for path in (ACTIVITY, RECALLS, KNOWN, QUESTIONS):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"{QUESTIONS}dismiss/", {"question": "x"}).status_code == 404


def test_more_activity_takes_no_more_statements(viewer: Client, bot: Actor) -> None:
    def happen() -> None:
        memory = factories.memory(bot, f"Something {timezone.now()}.")
        operations.pin_memory(actor=bot, memory_id=memory.pk)
        record_recall(bot, "something")
        record_recall(bot, f"nothing {timezone.now()}")

    happen()
    paths = (ACTIVITY, RECALLS, KNOWN, QUESTIONS)
    few = [statements(viewer, path) for path in paths]
    for _ in range(5):
        happen()
    assert [statements(viewer, path) for path in paths] == few
    assert max(few) <= 20


# Recalls


def test_recalls_show_what_came_back_as_it_was_then(viewer: Client, bot: Actor) -> None:
    memory = factories.memory(bot, "The pager is in the left drawer.")
    record_recall(bot, "where is the pager")
    operations.update_memory(actor=bot, memory_id=memory.pk, content="The pager is on the roof.")
    page = viewer.get(RECALLS).text
    assert "where is the pager" in page
    assert "left drawer" in page
    assert "on the roof" not in page
    version = f"/t/acme/ops/memories/{memory.pk}/history/?version=1"
    assert version in page
    assert "left drawer" in viewer.get(version).text


def test_what_one_may_not_see_is_counted_and_not_shown(cast: Cast) -> None:
    writer = cast["writer"].actor()
    cast.memory(Scope.TEAM, "The pager is in the left drawer.")
    cast.memory(Scope.AGENT, "My own pager is broken.")
    cast.memory(Scope.GLOBAL, "Mira's pager is red.")
    record_recall(replace(writer, person_id=None), "pager")  # or it would be Mira's question
    seen = {}
    for name in ("viewer", "owner"):
        client = Client()
        client.force_login(cast[name].user)  # type: ignore[arg-type]
        client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
        seen[name] = client.get(RECALLS).text
    assert "left drawer" in seen["viewer"]
    assert "My own pager" not in seen["viewer"]
    assert "2 more that no longer exist, or that you may not see." in seen["viewer"]
    assert "My own pager" in seen["owner"]
    assert "Mira&#x27;s pager" not in seen["owner"]
    assert "1 more that no longer exists" in seen["owner"]


def test_another_workspaces_memories_are_not_shown(cast: Cast) -> None:
    record_recall(cast["writer"].actor(), "pager")
    cast.memory(content="The pager is in the left drawer.")
    record_recall(cast["writer"].actor(), "pager")
    client = Client()
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    client.post("/t/acme/ops/workspace/", {"workspace": "green"})
    page = client.get(RECALLS).text
    assert "left drawer" not in page
    assert "pager" not in page
    assert "left drawer" not in client.get(ACTIVITY).text


def test_what_was_forgotten_since_is_told_to_those_who_may_restore(viewer: Client, editor: Client, bot: Actor) -> None:
    memory = factories.memory(bot, "The pager is in the left drawer.")
    record_recall(bot, "pager")
    operations.forget_memory(actor=bot, memory_id=memory.pk)
    assert "forgotten since" in editor.get(RECALLS).text
    assert "left drawer" in editor.get(RECALLS).text
    page = viewer.get(RECALLS).text
    assert "left drawer" not in page
    assert "1 that no longer exists" in page


def test_another_teams_recalls_are_its_own(viewer: Client, team: Team) -> None:
    record_recall(factories.actor(factories.agent(factories.team(team.organization))), "a question of theirs")
    record_recall(factories.actor(), "a question of strangers")
    assert "a question of" not in viewer.get(RECALLS).text
    assert "a question of" not in viewer.get(QUESTIONS).text


def test_recalls_are_narrowed_to_an_agent(viewer: Client, bot: Actor, team: Team) -> None:
    record_recall(bot, "asked by the bot")
    record_recall(factories.actor(factories.agent(team, "swe-1")), "asked by the other")
    page = viewer.get(f"{RECALLS}?agent=swe-1").text
    assert "asked by the other" in page
    assert "asked by the bot" not in page


# What an agent knew


def test_what_an_agent_knew_on_a_day(viewer: Client, bot: Actor, team: Team) -> None:
    now = timezone.now()
    long_ago, yesterday = now - timedelta(days=3), now - timedelta(days=1)
    core = operations.save_memory(actor=bot, draft=operations.Draft(content="Old core.", key="core"), now=long_ago)
    operations.update_memory(actor=bot, memory_id=core.pk, content="New core.", now=now)
    memory = operations.save_memory(actor=bot, draft=operations.Draft(content="The pager was here."), now=long_ago)
    record_recall(bot, "pager", ago=timedelta(days=1))
    operations.update_memory(actor=bot, memory_id=memory.pk, content="The pager is there now.")
    page = viewer.get(f"{KNOWN}?agent=deploy-bot&day={yesterday:%Y-%m-%d}").text
    assert "The pager was here." in page
    assert "there now" not in page
    assert "Old core." in page
    assert "New core." not in page
    assert "It asked nothing that day." in viewer.get(f"{KNOWN}?day={now:%Y-%m-%d}").text
    assert "There was none." in viewer.get(f"{KNOWN}?day=2020-01-01").text


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("agent=nobody", "There is no agent nobody here."),
        ("day=soon", "This is no day."),
        ("day=9999-12-31", "This day is too far away."),
    ],
)
def test_a_day_that_cannot_be_read_is_said(viewer: Client, bot: Actor, asked: str, sentence: str) -> None:
    answer = viewer.get(f"{KNOWN}?{asked}")
    assert (answer.status_code, sentence in answer.text) == (400, True)


def test_a_team_without_agents_is_told_to_connect_one(viewer: Client) -> None:
    assert "No agents yet" in viewer.get(KNOWN).text
    assert "Nobody has asked yet" in viewer.get(RECALLS).text
    assert "Nothing is left unanswered" in viewer.get(QUESTIONS).text


# Unanswered questions


def test_the_same_question_stands_there_once(viewer: Client, bot: Actor, team: Team) -> None:
    record_recall(bot, "VPN  password")
    record_recall(bot, "vpn password")
    record_recall(factories.actor(factories.agent(team, "swe-1")), "Vpn password ")
    (question,) = unanswered.list_unanswered(actor=bot)
    assert (question.times, question.askers) == (3, ["swe-1", "deploy-bot"])
    page = viewer.get(QUESTIONS).text
    assert "asked 3 times by swe-1, deploy-bot" in page
    assert "dismiss/" not in page


def test_what_found_something_is_no_question(bot: Actor) -> None:
    factories.memory(bot, "The VPN password is in the vault.")
    record_recall(bot, "vpn password")
    recall.recall(actor=bot, mode="recent")
    log.flush()
    assert unanswered.list_unanswered(actor=bot) == []


def test_a_question_is_answered_and_that_is_taken_back(editor: Client, bot: Actor) -> None:
    record_recall(bot, "vpn password", ago=timedelta(minutes=1))
    answer = editor.post(
        QUESTIONS, {"question": "vpn password", "content": "In the vault.", "type": "fact"}, follow=True
    )
    assert "Nothing is left unanswered" in answer.text
    assert Memory.objects.get().content == "In the vault."
    settled = SettledQuestion.objects.get()
    undo = f"{QUESTIONS}{settled.pk}/reopen/"
    assert undo in answer.text
    assert "vpn password" in editor.post(undo, follow=True).text
    assert not Memory.objects.alive().exists()


def test_an_answered_question_that_is_asked_again_in_vain_comes_back(bot: Actor, team: Team) -> None:
    person = factories.owner_actor(team)
    record_recall(bot, "vpn password", ago=timedelta(minutes=2))
    draft = operations.Draft(content="In the vault.")
    operations.answer_question(
        actor=person, question="vpn password", draft=draft, now=timezone.now() - timedelta(minutes=1)
    )
    assert unanswered.list_unanswered(actor=bot) == []
    record_recall(bot, "vpn password")
    assert [question.key for question in unanswered.list_unanswered(actor=bot)] == ["vpn password"]


def test_a_dismissed_question_stays_away_and_can_be_brought_back(editor: Client, bot: Actor) -> None:
    record_recall(bot, "what time is it")
    answer = editor.post(f"{QUESTIONS}dismiss/", {"question": "What time is it"}, follow=True)
    assert "Dismissed." in answer.text
    record_recall(bot, "what time is it")
    assert unanswered.list_unanswered(actor=bot) == []
    assert "Bring back" in editor.get(QUESTIONS).text
    editor.post(f"{QUESTIONS}{SettledQuestion.objects.get().pk}/reopen/")
    assert unanswered.list_unanswered(actor=bot)[0].times == 2


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"content": " ", "type": "fact"}, "There must be something to remember"),
        ({"content": "x", "type": "rumour"}, "is not one of the available choices"),
        ({"content": "x" * 50_001, "type": "fact"}, "At most 50,000 bytes"),
    ],
)
def test_an_answer_that_cannot_be_saved_is_kept_as_typed(
    editor: Client, bot: Actor, said: dict[str, str], sentence: str
) -> None:
    record_recall(bot, "vpn password")
    answer = editor.post(QUESTIONS, {"question": "vpn password", **said})
    assert answer.status_code == 400
    assert sentence in answer.text
    assert '<details class="answer" open>' in answer.text
    assert not Memory.objects.exists()
    assert not SettledQuestion.objects.exists()


def test_an_answer_to_no_question_is_refused(editor: Client) -> None:
    answer = editor.post(QUESTIONS, {"question": " ", "content": "x", "type": "fact"})
    assert "Say which question." in answer.text
    assert not Memory.objects.exists()
    assert "Say which question." in editor.post(f"{QUESTIONS}dismiss/", follow=True).text


def test_viewers_neither_answer_nor_dismiss(viewer: Client, bot: Actor, team: Team) -> None:
    record_recall(bot, "vpn password")
    assert viewer.post(QUESTIONS, {"question": "vpn password", "content": "x", "type": "fact"}).status_code == 403
    viewer.post(f"{QUESTIONS}dismiss/", {"question": "vpn password"})
    assert not SettledQuestion.objects.exists()
    settled = operations.dismiss_question(actor=bot, question="vpn password")
    viewer.post(f"{QUESTIONS}{settled.pk}/reopen/")
    assert SettledQuestion.objects.exists()


def test_the_operations_say_no_themselves(bot: Actor) -> None:
    reader = replace(bot, writes=frozenset())
    settled = operations.dismiss_question(actor=bot, question="vpn password")
    with pytest.raises(Forbidden):
        operations.dismiss_question(actor=reader, question="vpn password")
    with pytest.raises(Forbidden):
        operations.reopen_question(actor=reader, settled_id=settled.pk)
    with pytest.raises(NotFound):
        operations.reopen_question(actor=factories.actor(), settled_id=settled.pk)
    for bad in ("", "\0", "x" * 10_001):
        with pytest.raises(Invalid):
            operations.dismiss_question(actor=bot, question=bad)


def test_settling_twice_leaves_one(bot: Actor) -> None:
    first = operations.dismiss_question(actor=bot, question="vpn password")
    again = operations.answer_question(
        actor=bot, question="VPN password", draft=operations.Draft(content="In the vault.")
    )
    assert SettledQuestion.objects.get() == again
    assert again.memory_id == Memory.objects.get().pk
    with pytest.raises(NotFound):
        operations.reopen_question(actor=bot, settled_id=first.pk)
    assert Memory.objects.alive().exists()


def test_an_answer_that_somebody_made_more_of_stays(bot: Actor) -> None:
    settled = operations.answer_question(actor=bot, question="vpn", draft=operations.Draft(content="In the vault."))
    assert settled.memory_id
    operations.append_to_memory(actor=bot, memory_id=settled.memory_id, text="On the second page.")
    operations.reopen_question(actor=bot, settled_id=settled.pk)
    assert Memory.objects.alive().exists()
    assert not SettledQuestion.objects.exists()


def test_long_and_odd_questions_are_told_apart_by_their_beginning(bot: Actor) -> None:
    for query in ("İ" * 500, "漢" * 9_000, "漢" * 8_000, "\n"):
        RecallLog.objects.create(
            organization_id=bot.organization_id,
            team_id=bot.team_id,
            audience=bot.team_id,
            query=query,
            mode="keyword",
            total_found=0,
        )
    keys = [question.key for question in unanswered.list_unanswered(actor=bot)]
    assert len(keys) == 2
    for key in keys:
        operations.dismiss_question(actor=bot, question=key)
    assert unanswered.list_unanswered(actor=bot) == []
