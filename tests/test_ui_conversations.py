"""The pages of archived conversations."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories import operations
from memories.conversations import transcript
from memories.conversations.transcript import Message
from memories.models import Memory
from memories.operations import files
from memories.views.conversations import _find_unattributed
from teams.actor import Actor
from teams.models import Agent, Role
from tests import factories
from tests.cast import Cast
from tests.effort import cpu_seconds
from tests.test_ui_files import Desk, _desk, says

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 5, 4, 12, tzinfo=UTC)
MESSAGES = [
    Message("user", "Where is the **anchor**?", "Jo", NOON, "m-1"),
    Message("assistant", "Aft. <script>x</script>"),
    Message("tool", "{}"),
]


@pytest.fixture
def desk(writer: Actor, client: Client) -> Desk:
    """A viewer's, in the team of an agent in a session."""
    agent = Agent.objects.select_related("team__organization").get(pk=writer.agent_id)
    return _desk(factories.actor(agent, session="s-1"), client, Role.VIEWER)


def archive(desk: Desk, name: str = "The Anchor?", **said: Any) -> operations.ArchivedConversation:
    return operations.archive_conversation(actor=desk.actor, name=name, **{"messages": MESSAGES, "now": NOON, **said})


def test_conversations_are_listed_from_the_newest(desk: Desk) -> None:
    archive(desk, "First", summary="Jo asked.")
    archive(desk, "Second", now=NOON + timedelta(days=1))
    page = says(desk.get("conversations"))
    assert page.index("Second") < page.index("First")
    assert "Jo asked. 4 May 2030" in page
    assert f"{desk.actor.name} 3 messages" in page


def test_a_long_list_comes_in_pages_of_few_statements(desk: Desk) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            desk.get("conversations")
        return len(captured)

    archive(desk, "One")
    desk.get("conversations")
    few = statements()
    for number in range(31):
        archive(desk, f"Talk {number}", now=NOON + timedelta(days=number + 1))
    assert statements() == few
    first = desk.get("conversations").text
    following = re.findall(r'rel="next" href="([^"]*)"', first)[0]
    second = desk.client.get(desk.to("conversations") + unescape(following)).text
    assert (first.count("data-row"), second.count("data-row")) == (30, 2)


def test_what_was_said_is_searched_and_marked(desk: Desk) -> None:
    archive(desk)
    files.write_file(actor=desk.actor, path="notes/anchor.md", content="anchor")
    page = desk.get("conversations", q="anchor")
    assert "<mark>anchor</mark>" in page.text
    assert "notes/anchor.md" not in page.text
    assert "No conversation contains" in desk.get("conversations", q="nonsense").text


def test_nothing_yet_says_how_agents_archive(desk: Desk) -> None:
    assert "/api/v1/sessions/chat-42/archive" in says(desk.get("conversations"))


def test_a_conversation_reads_as_it_was_said(desk: Desk) -> None:
    kept = archive(desk, summary="Jo asked.")
    page = desk.get("conversation", kept.file.path.removeprefix("conversations/"))
    assert "<strong>anchor</strong>" in page.text
    assert "<script>x" not in page.text
    said = says(page)
    assert "Jo user" in said
    assert "4 May 2030, 12:00" in said
    assert "In short Jo asked." in said
    assert all(f'id="message-{number}"' in page.text for number in (1, 2, 3))
    assert desk.to("memory", kept.memory.pk) in page.text
    assert desk.to("file", kept.file.path) in page.text
    assert desk.to("conversation", "2030-05-04-the-anchor.md") in desk.get("file", kept.file.path).text


def test_memories_stand_beside_the_message_that_they_came_of(desk: Desk) -> None:
    kept = archive(desk)
    quoting = factories.memory(desk.actor, "The anchor is aft.")
    operations.add_citation(actor=desk.actor, memory_id=quoting.pk, session="s-1", message_id="m-1", quote="anchor")
    loose = factories.memory(desk.actor, "Jo asks for things.")
    operations.add_citation(actor=desk.actor, memory_id=loose.pk, session="s-1")
    hidden = factories.memory(desk.actor, "Mine alone.", scope="agent")
    operations.add_citation(actor=desk.actor, memory_id=hidden.pk, session="s-1")
    page = desk.get("conversation", kept.file.path.removeprefix("conversations/")).text
    turns = re.split(r'id="message-\d+"', page)
    assert "The anchor is aft." in turns[1]
    assert "Jo asks for things." in page.partition("Remembered from it")[2]
    assert "Mine alone." not in page


def test_a_long_conversation_comes_in_pages_and_each_message_has_an_address(desk: Desk) -> None:
    kept = archive(desk, messages=[Message("user", f"Number {number}.") for number in range(1, 451)])
    path = kept.file.path.removeprefix("conversations/")
    first = desk.get("conversation", path)
    assert first.text.count('class="turn"') == 200
    assert "Messages 1 to 200 of 450." in first.text
    later = desk.get("conversation", path, **{"from": "433"})
    assert "Number 433." in later.text
    assert "Messages 401 to 450 of 450." in later.text
    for odd in ("0", "-1", "x", "9" * 40, "²"):
        assert desk.get("conversation", path, **{"from": odd}).status_code == 200


def test_memories_of_no_message_are_found_without_asking_each_message_for_each() -> None:
    messages = [Message("user", "", id=f"m-{number}") for number in range(50_000)]

    def find(count: int) -> float:
        by_message = {"": [Memory()], **{f"gone-{number}": [Memory()] for number in range(1, count)}}
        assert len(_find_unattributed(messages, by_message)) == count
        return cpu_seconds(lambda: _find_unattributed(messages, by_message))

    assert find(200) < 5 * find(1)


@pytest.mark.parametrize(
    "text",
    [
        "# By hand\n\n**Notes**",
        "",
        "---\nby: x\n---\n\n# Title\n\n## user\n\n**Notes**",
        "---\n---\n\n# Only a title\n",
    ],
)
def test_what_was_changed_by_hand_is_shown_as_text(desk: Desk, text: str) -> None:
    path = archive(desk).file.path
    files.write_file(actor=desk.actor, path=path, content=text)
    page = desk.get("conversation", path.removeprefix("conversations/"))
    assert page.status_code == 200
    assert ("<strong>Notes</strong>" in page.text) == ("**Notes**" in text)
    assert desk.get("conversations").status_code == 200


def test_a_conversation_is_called_by_its_title_or_its_path() -> None:
    kept = transcript.build_conversation(name="The Anchor?", messages=MESSAGES, by='Jo "x"')
    assert transcript.read_title(transcript.render_conversation(kept)[:200], path="x") == transcript.ConversationTitle(
        "The Anchor?", 'Jo "x"'
    )
    assert transcript.read_title("By hand.", path="conversations/2030-05-04-x.md") == transcript.ConversationTitle(
        "2030-05-04-x"
    )
    assert transcript.read_title("---\nby: {\n---\n\n# T\n", path="x") == transcript.ConversationTitle("T")


def test_strangers_and_other_paths_find_nothing(cast: Cast, client: Client) -> None:
    kept = operations.archive_conversation(actor=cast["writer"].actor(), name="x", messages=MESSAGES)
    path = kept.file.path.removeprefix("conversations/")
    client.force_login(cast["mira"].user)  # type: ignore[arg-type]
    desk = Desk(cast.ops, cast["writer"].actor(), client)
    assert desk.get("conversations").status_code == 404
    assert desk.get("conversation", path).status_code == 404
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    client.post(desk.to("choose-workspace"), {"workspace": "blue"})
    assert desk.get("conversation", path).status_code == 200
    for wrong in ("nothing.md", "../a.md", "a\0b"):
        assert desk.get("conversation", wrong).status_code == 404
