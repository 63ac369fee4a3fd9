"""Team home: what each role sees of it and can do there."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from memories import operations
from memories.models import Memory, Scope
from teams.actor import Actor
from teams.models import Agent, Role, Team
from tests import factories

pytestmark = pytest.mark.django_db

HOME = "/t/acme/ops/"


def test_it_shows_what_the_team_knows_by_heart(viewer: Client, bot: Actor) -> None:
    soon = timezone.now() + timedelta(days=3)
    factories.memory(bot, "# We are **ops**", key="core")
    factories.memory(bot, "The pager is in the left drawer.", pinned=True)
    factories.memory(bot, "The freeze lasts until Monday.", expires_at=soon)
    factories.memory(bot, "Far away.", expires_at=soon + timedelta(days=60))
    factories.memory(bot, "The lease ends in March.", review_by=timezone.now() - timedelta(days=1))
    page = viewer.get(HOME).text
    assert "<strong>ops</strong>" in page
    for title, text in (("Pinned", "left drawer"), ("Expiring soon", "until Monday"), ("Due for review", "lease ends")):
        assert text in page.split(f">{title}</h2>")[1].split("</section>")[0]
    assert "Far away" not in page.split(">Expiring soon</h2>")[1]


def test_a_long_core_memory_is_folded(viewer: Client, bot: Actor, team: Team) -> None:
    factories.memory(bot, "Short.", key="core")
    assert "Read all" not in viewer.get(HOME).text
    factories.memory(factories.owner_actor(team), "Long. " * 300, key="core")
    assert "Read all" in viewer.get(HOME).text


def test_it_tells_who_did_what(viewer: Client, bot: Actor, team: Team) -> None:
    memory = factories.memory(bot, "The pager rings.", key="pager")
    owner = factories.owner_actor(team)
    operations.append_to_memory(actor=owner, memory_id=memory.pk, text="Loudly.")
    operations.pin_memory(actor=owner, memory_id=memory.pk)
    told = viewer.get(HOME).text.split("Recent changes")[1]
    assert "Today" in told
    assert "appended to and pinned" in told
    assert told.index(owner.name) < told.index("deploy-bot")


def test_what_is_forgotten_is_named_only_to_those_who_may_restore_it(
    viewer: Client, editor: Client, bot: Actor
) -> None:
    memory = factories.memory(bot, "A secret that slipped.")
    operations.forget_memory(actor=bot, memory_id=memory.pk)
    assert "that slipped" in editor.get(HOME).text
    seen = viewer.get(HOME).text
    assert "that slipped" not in seen
    assert "a memory that no longer exists, or that you may not see" in seen


def test_an_agents_own_memories_are_for_owners_alone(viewer: Client, bot: Actor, team: Team) -> None:
    factories.memory(bot, "My own note.", scope=Scope.AGENT, pinned=True)
    factories.memory(factories.actor(), "Of another organization.", pinned=True)
    assert "My own note." not in viewer.get(HOME).text
    seen = factories.log_in_member(team, Role.OWNER, "olga").get(HOME).text
    assert "My own note." in seen
    assert "another organization" not in seen


def test_a_new_team_is_told_what_to_do_first(editor: Client, viewer: Client, bot: Actor) -> None:
    assert "First steps" in editor.get(HOME).text
    assert "First steps" not in viewer.get(HOME).text
    factories.memory(bot, "We are ops.", key="core")
    assert "First steps" in editor.get(HOME).text
    factories.token(bot)
    assert "First steps" not in editor.get(HOME).text


def test_something_is_saved_in_passing_and_taken_back(editor: Client) -> None:
    answer = editor.post(HOME, {"content": "Ship on Tuesdays.", "type": "decision", "pinned": "on"}, follow=True)
    memory = Memory.objects.get()
    assert (memory.content, memory.type, memory.pinned, memory.importance) == (
        "Ship on Tuesdays.",
        "decision",
        True,
        0.8,
    )
    undo = f"{HOME}memories/{memory.pk}/forget/?version=1"
    assert undo in answer.text
    assert "Forgotten." in editor.post(undo, follow=True).text
    assert not Memory.objects.alive().exists()


def test_what_somebody_made_more_of_is_not_taken_back(editor: Client, bot: Actor) -> None:
    editor.post(HOME, {"content": "Ship on Tuesdays.", "type": "decision"})
    memory = Memory.objects.get()
    operations.append_to_memory(actor=bot, memory_id=memory.pk, text="Not in August.")
    refused = editor.post(f"{HOME}memories/{memory.pk}/forget/?version=1", follow=True)
    assert "it is now version 2" in refused.text
    assert Memory.objects.alive().exists()


def test_lines_end_as_everywhere_else(editor: Client) -> None:
    editor.post(HOME, {"content": "One.\r\nTwo.", "type": "fact"})
    assert Memory.objects.get().content == "One.\nTwo."


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"content": "  ", "type": "fact"}, "There must be something to remember"),
        ({"content": "x" * 50_001, "type": "fact"}, "At most 50,000 bytes"),
        ({"content": "nul\0", "type": "fact"}, "Null characters are not allowed"),
        ({"content": "kept as typed", "type": "rumour"}, "is not one of the available choices"),
        ({"content": "kept as typed"}, "This field is required"),
    ],
)
def test_what_cannot_be_saved_is_said_beside_its_field(editor: Client, said: dict[str, str], sentence: str) -> None:
    answer = editor.post(HOME, said)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert said["content"].replace("\0", "")[:10] in answer.text
    assert not Memory.objects.exists()


def test_viewers_change_nothing_at_home(viewer: Client, bot: Actor) -> None:
    memory = factories.memory(bot, "Due.", review_by=timezone.now() - timedelta(days=1))
    assert 'id="quick-save"' not in viewer.get(HOME).text
    assert "Confirm it's still true" not in viewer.get(HOME).text
    assert viewer.post(HOME, {"content": "x", "type": "fact"}).status_code == 403
    viewer.post(f"{HOME}reviewed/{memory.pk}/")
    viewer.post(f"{HOME}memories/{memory.pk}/revert/?to=1&version=1")
    memory.refresh_from_db()
    assert (memory.version, memory.forgotten_at) == (1, None)


def test_strangers_find_nothing(team: Team, bot: Actor) -> None:
    memory = factories.memory(bot)
    stranger = factories.log_in_member(factories.team(), Role.OWNER, "sam")
    assert stranger.get(HOME).status_code == 404
    for path in ("", f"reviewed/{memory.pk}/"):
        assert stranger.post(f"{HOME}{path}", {"content": "x"}).status_code == 404
    assert Memory.objects.get().version == 1


def test_still_true_can_be_said_and_taken_back(editor: Client, bot: Actor) -> None:
    due = timezone.now() - timedelta(days=1)
    memory = factories.memory(bot, "The lease ends in March.", review_by=due)
    answer = editor.post(f"{HOME}reviewed/{memory.pk}/", follow=True)
    assert "Due for review" not in answer.text
    memory.refresh_from_db()
    assert memory.verified_by == "eddy"
    undo = f"{HOME}memories/{memory.pk}/revert/?to=1&version=2"
    assert escape(undo) in answer.text
    assert "Due for review" in editor.post(undo, follow=True).text
    memory.refresh_from_db()
    assert (memory.review_by, memory.verified_at, memory.verified_by) == (due, None, "")


def test_what_changed_meanwhile_is_not_taken_back(editor: Client, bot: Actor) -> None:
    memory = factories.memory(bot, review_by=timezone.now() - timedelta(days=1))
    editor.post(f"{HOME}reviewed/{memory.pk}/")
    later = timezone.now() + timedelta(days=7)
    operations.update_memory(actor=bot, memory_id=memory.pk, review_by=later)
    answer = editor.post(f"{HOME}memories/{memory.pk}/revert/?to=1&version=2", follow=True)
    assert "You saw version 2; it is now version 3." in answer.text
    memory.refresh_from_db()
    assert memory.review_by == later


def test_more_memories_take_no_more_statements(viewer: Client, bot: Actor) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as statements:
            viewer.get(HOME)
        return len(statements)

    factories.memory(bot, "We are ops.", key="core")
    viewer.get(HOME)
    few = asked()
    for number in range(8):
        agent = Agent.objects.select_related("team__organization").get(pk=bot.agent_id)
        due = timezone.now() - timedelta(days=1)
        factories.memory(factories.actor(agent), f"Number {number}.", pinned=True, review_by=due)
    assert asked() == few <= 20
