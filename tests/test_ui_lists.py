"""The list of memories: searched, narrowed, paged; and what each role may do from it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import operations
from memories.models import Memory, Scope
from teams.actor import Actor
from teams.models import Agent, Project, Role, Team
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return factories.team(factories.organization("acme"), "ops")


@pytest.fixture
def bot(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "deploy-bot"))


@pytest.fixture
def editor(client: Client, team: Team) -> Client:
    client.force_login(factories.member(team, Role.EDITOR, "eddy"))
    return client


@pytest.fixture
def viewer(team: Team) -> Client:
    client = Client()
    client.force_login(factories.member(team, Role.VIEWER, "vera"))
    return client


LIST = "/t/acme/ops/memories/"


def texts(client: Client, asked: str = "") -> list[str]:
    answer = client.get(f"{LIST}?{asked}")
    assert answer.status_code == 200, answer.text
    return [line.memory.content for line in answer.context["found"].lines]


def test_a_team_without_memories_says_how_to_begin(editor: Client, viewer: Client) -> None:
    assert "Write the first memory" in editor.get(LIST).text
    seen = viewer.get(LIST).text
    assert "Nothing is remembered yet" in seen
    assert "memories/new/" not in seen


def test_newest_come_first_unless_another_order_is_asked_for(editor: Client, bot: Actor) -> None:
    first = factories.memory(bot, "first", importance=0.9)
    factories.memory(bot, "second", importance=0.1)
    assert texts(editor) == texts(editor, "sort=created") == ["second", "first"]
    operations.update(actor=bot, memory_id=first.pk, content="first, changed")
    assert texts(editor, "sort=changed") == ["first, changed", "second"]
    assert texts(editor, "sort=importance") == ["first, changed", "second"]


def planted(bot: Actor) -> None:
    factories.memory(bot, "plain")
    factories.memory(
        bot, "chosen", type="decision", category="db", tags=["release", "a, b"], source="wiki", pinned=True
    )


FILTERS = (
    "type=decision",
    "category=db",
    "tags=release",
    "tags=a%2C+b",
    "tag=release",
    "tags=release&tags=a%2C+b",
    "source=wiki",
    "pinned=yes",
    "pinned=true",
)


@pytest.mark.parametrize("asked", FILTERS)
def test_each_filter_narrows_the_list_and_a_search(editor: Client, bot: Actor, asked: str) -> None:
    planted(bot)
    assert texts(editor, asked) == ["chosen"]
    assert texts(editor, f"{asked}&q=chosen") == ["chosen"]
    assert "chosen" not in texts(editor, f"{asked}&q=plain&type=fact")


def test_scopes_authors_and_projects(editor: Client, bot: Actor, team: Team) -> None:
    Project.objects.create(organization=team.organization, team=team, slug="apollo", name="Apollo")
    agent = Agent.objects.get(slug="deploy-bot")
    in_project = factories.actor(Agent.objects.select_related("team__organization").get(pk=agent.pk), project="apollo")
    factories.memory(bot, "the team's")
    factories.memory(in_project, "the project's", scope=Scope.PROJECT)
    factories.memory(factories.actor(factories.agent(team, "other")), "another's")
    assert texts(editor, "scope=project") == texts(editor, "project=apollo") == ["the project's"]
    assert set(texts(editor, "scope=team")) == {"the team's", "another's"}
    assert texts(editor, "agent=other") == ["another's"]
    assert texts(editor, "scope=agent") == texts(editor, "scope=global") == []


def test_what_expires_and_what_is_due_for_review(editor: Client, bot: Actor) -> None:
    now = timezone.now()
    factories.memory(bot, "stays")
    factories.memory(bot, "soon", expires_at=now + timedelta(days=3))
    factories.memory(bot, "later", expires_at=now + timedelta(days=20))
    factories.memory(bot, "due", review_by=now - timedelta(days=1))
    assert texts(editor, "expiring=7") == ["soon"]
    assert texts(editor, "expiring=30") == ["later", "soon"]
    assert texts(editor, "review=due") == ["due"]
    assert texts(editor, "expiring=7&q=soon") == ["soon"]


def test_active_filters_can_be_taken_away_one_by_one(editor: Client, bot: Actor) -> None:
    planted(bot)
    answer = editor.get(f"{LIST}?q=chosen&type=decision&tags=release&tag=a")
    chips = {(chip.name, chip.value): chip.without for chip in answer.context["narrowing"].chips}
    assert chips == {
        ("Type", "Decision"): f"{LIST}?q=chosen&tags=release&tags=a",
        ("Tag", "release"): f"{LIST}?q=chosen&type=decision&tags=a",
        ("Tag", "a"): f"{LIST}?q=chosen&type=decision&tags=release",
    }
    assert "Nothing matches" in answer.text
    assert answer["HX-Replace-Url"] == f"{LIST}?q=chosen&type=decision&tags=release&tags=a"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("type=nonsense", "Type: Select a valid choice."),
        ("agent=nobody", "Written by: Select a valid choice."),
        ("expiring=1e9", "Expires: Select a valid choice."),
        ("sort=best", "Sort: Select a valid choice."),
        ("cursor=abc", "This is no cursor"),
        ("category=" + "x" * 65, "Category: Ensure this value has at most 64 characters"),
        ("tags=" + "x" * 65, "Tags: "),
        ("q=" + "x" * 1001, "at most 1000 characters"),
        ("q=%00", "Null characters are not allowed."),
    ],
)
def test_an_address_that_cannot_be_read_is_told_so(editor: Client, bot: Actor, asked: str, sentence: str) -> None:
    factories.memory(bot)
    answer = editor.get(f"{LIST}?{asked}")
    assert answer.status_code == 400
    assert sentence in answer.text


def test_a_search_marks_what_was_asked_for(editor: Client, bot: Actor) -> None:
    factories.memory(bot, "The rollback took <b>nine</b> minutes.")
    assert "The <mark>rollback</mark> took &lt;b&gt;nine&lt;/b&gt; minutes." in editor.get(f"{LIST}?q=rollback").text


def test_another_order_sorts_what_a_search_found(editor: Client, bot: Actor) -> None:
    factories.memory(bot, "rollback rollback", importance=0.1)
    factories.memory(bot, "A rollback among other words that say much else", importance=0.9)
    assert texts(editor, "q=rollback&sort=importance")[0].startswith("A rollback")


def test_pages_follow_each_other_and_lead_back(editor: Client, bot: Actor) -> None:
    operations.save_many(actor=bot, drafts=[operations.Draft(content=f"number {n}") for n in range(60)])
    first = editor.get(f"{LIST}?type=fact")
    assert [len(first.context["found"].lines), "Back to the start" in first.text] == [50, False]
    following = first.context["found"].next
    factories.memory(bot, "added meanwhile")
    second = editor.get(following)
    assert len(second.context["found"].lines) == 10
    assert "added meanwhile" not in second.text
    assert f'href="{LIST}?type=fact"' in second.text
    assert second.context["found"].next == ""


def test_only_those_who_may_restore_see_what_was_forgotten(
    editor: Client, viewer: Client, bot: Actor, team: Team
) -> None:
    assert "Nothing is forgotten" in editor.get(f"{LIST}?forgotten=yes").text
    gone = factories.memory(bot, "The old pager number.")
    factories.memory(bot, "The new pager number.")
    operations.forget(actor=bot, memory_id=gone.pk, reason="moved")
    assert texts(editor, "forgotten=yes") == texts(editor, "forgotten=yes&q=pager") == ["The old pager number."]
    assert texts(editor, "forgotten=yes&q=nowhere") == []
    assert "forgotten by deploy-bot" in editor.get(f"{LIST}?forgotten=yes").text
    refused = viewer.get(f"{LIST}?forgotten=yes")
    assert refused.status_code == 403
    assert "pager" not in refused.text


def test_a_row_can_be_pinned_by_those_who_may_change_it(editor: Client, viewer: Client, bot: Actor) -> None:
    memory = factories.memory(bot)
    assert 'data-key="p"' not in viewer.get(LIST).text
    assert 'data-key="p"' in editor.get(LIST).text
    done = editor.post(f"{LIST}pin/", {"pin": memory.pk, "next": LIST}, follow=True)
    assert "Pinned." in done.text
    assert Memory.objects.get().pinned
    editor.post(f"{LIST}pin/", {"unpin": memory.pk, "next": LIST})
    assert not Memory.objects.get().pinned
    viewer.post(f"{LIST}pin/", {"pin": memory.pk, "next": LIST})
    assert not Memory.objects.get().pinned
    assert editor.post(f"{LIST}pin/", {"pin": "nonsense"}).status_code == 404


def statements(ask: Callable[[], Any]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as heard:
        ask()
    return len(heard)


@pytest.mark.parametrize("asked", ["", "q=rollback", "forgotten=yes", "tags=x&type=fact&pinned=no"])
def test_no_more_statements_for_more_rows(editor: Client, team: Team, bot: Actor, asked: str) -> None:
    def plant(count: int) -> None:
        for _ in range(count):
            by = factories.actor(factories.agent(team))
            factories.memory(by, "rollback", tags=["x"])
            gone = factories.memory(by, "rollback", tags=["x"])
            operations.forget(actor=by, memory_id=gone.pk)

    plant(2)
    editor.get(f"{LIST}?{asked}")
    few = statements(lambda: editor.get(f"{LIST}?{asked}"))
    plant(10)
    many = statements(lambda: editor.get(f"{LIST}?{asked}"))
    assert many <= few
    assert many < 30
