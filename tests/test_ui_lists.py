"""The list of memories: searched, narrowed, paged; and what each role may do from it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import operations
from memories.models import Batch, Memory, Revision, Scope
from memories.rules.policies import bypass_policy
from teams.actor import Actor
from teams.models import Agent, Project, Team
from tests import factories

pytestmark = pytest.mark.django_db


LIST = "/t/acme/ops/memories/"


def texts(client: Client, asked: str = "") -> list[str]:
    answer = client.get(f"{LIST}?{asked}")
    assert answer.status_code == 200, answer.text
    return [line.memory.content for line in answer.context["listing"].lines]


def test_a_team_without_memories_says_how_to_begin(editor: Client, viewer: Client) -> None:
    assert "Write the first memory" in editor.get(LIST).text
    seen = viewer.get(LIST).text
    assert "Nothing is remembered yet" in seen
    assert "Write the first memory" not in seen


def test_newest_come_first_unless_another_order_is_asked_for(editor: Client, bot: Actor) -> None:
    first = factories.memory(bot, "first", importance=0.9)
    factories.memory(bot, "second", importance=0.1)
    assert texts(editor) == texts(editor, "sort=created") == ["second", "first"]
    operations.update_memory(actor=bot, memory_id=first.pk, content="first, changed")
    assert texts(editor, "sort=changed") == ["first, changed", "second"]
    assert texts(editor, "sort=importance") == ["first, changed", "second"]


def plant_memories(bot: Actor) -> None:
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
    plant_memories(bot)
    assert texts(editor, asked) == ["chosen"]
    assert texts(editor, f"{asked}&q=chosen") == ["chosen"]
    assert "chosen" not in texts(editor, f"{asked}&q=plain&type=fact")


@pytest.mark.parametrize(
    "label",
    ["c++", "v1.2.3", "rm -rf", "the", "it's", "a/b", "user@host", "#1", "-", "running fast", "日本語", "über", "x_y"],
)
def test_whatever_a_label_is_made_of_it_is_found_by_it(editor: Client, bot: Actor, label: str) -> None:
    factories.memory(bot, "plain")
    factories.memory(bot, "labelled", tags=["other", label], category=label)
    assert texts(editor, urlencode({"tags": label})) == ["labelled"]
    assert texts(editor, urlencode({"category": label})) == ["labelled"]
    assert texts(editor, urlencode({"category": label, "tags": label, "tag": "other"})) == ["labelled"]


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
    plant_memories(bot)
    answer = editor.get(f"{LIST}?q=chosen&type=decision&tags=release&tag=a")
    chips = {(chip.name, chip.value): chip.remove_url for chip in answer.context["filters"].chips}
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
        ("cursor=abc", "This is not a cursor"),
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
    factories.memory(bot, "Run `make tides` for **all** harbours.")
    assert "Run make <mark>tides</mark> for all harbours." in editor.get(f"{LIST}?q=tides").text


def test_while_one_types_only_the_part_that_changes_is_sent(editor: Client, bot: Actor) -> None:
    factories.memory(bot, "The rollback took nine minutes.")
    part = editor.get(f"{LIST}?q=rollback", headers={"HX-Target": "section#memory-list"})
    assert "<mark>rollback</mark>" in part.text
    assert 'id="narrow-sort"' in part.text
    assert "<html" not in part.text
    assert "HX-Target" in part["Vary"]
    assert "<html" in editor.get(f"{LIST}?q=rollback", headers={"HX-Target": "main#main"}).text


def test_another_order_sorts_what_a_search_found(editor: Client, bot: Actor) -> None:
    factories.memory(bot, "rollback rollback", importance=0.1)
    factories.memory(bot, "A rollback among other words that say much else", importance=0.9)
    assert texts(editor, "q=rollback&sort=importance")[0].startswith("A rollback")


def test_in_another_order_a_search_goes_on_for_as_long_as_it_finds(editor: Client, bot: Actor) -> None:
    drafts = [operations.Draft(content=f"Berth {n} is closed.", importance=n / 100) for n in range(60)]
    operations.save_memories(actor=bot, drafts=[*drafts, operations.Draft(content="Something else.")])
    first = editor.get(f"{LIST}?q=closed+berth&sort=importance")
    assert "<mark>Berth</mark> 59 is <mark>closed</mark>." in first.text
    assert len(first.context["listing"].lines) == 50
    second = editor.get(first.context["listing"].next)
    assert [line.memory.content for line in second.context["listing"].lines][-1] == "Berth 0 is closed."
    assert len(second.context["listing"].lines) == 10
    vague = texts(editor, "q=which+berth+is+closed+yes&sort=importance")  # not all of these words are there
    assert vague[0] == "Berth 59 is closed."


def test_pages_follow_each_other_and_lead_back(editor: Client, bot: Actor) -> None:
    operations.save_memories(actor=bot, drafts=[operations.Draft(content=f"number {n}") for n in range(60)])
    first = editor.get(f"{LIST}?type=fact")
    assert [len(first.context["listing"].lines), "Back to the start" in first.text] == [50, False]
    following = first.context["listing"].next
    factories.memory(bot, "added meanwhile")
    second = editor.get(following)
    assert len(second.context["listing"].lines) == 10
    assert "added meanwhile" not in second.text
    assert f'href="{LIST}?type=fact"' in second.text
    assert second.context["listing"].next == ""


def test_only_those_who_may_restore_see_what_was_forgotten(
    editor: Client, viewer: Client, bot: Actor, team: Team
) -> None:
    assert "Nothing is forgotten" in editor.get(f"{LIST}?forgotten=yes").text
    gone = factories.memory(bot, "The old pager number.")
    factories.memory(bot, "The new pager number.")
    operations.forget_memory(actor=bot, memory_id=gone.pk, reason="moved")
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
    address = f"{LIST}{memory.pk}/pin/"
    assert f'formaction="{address}" name="pinned" value="1"' in editor.get(LIST).text
    editor.post(address, {"pinned": "1", "next": LIST})
    assert f'formaction="{address}" name="pinned" value="0"' in editor.get(LIST).text


PREVIEW, APPLY = f"{LIST}batches/preview/", f"{LIST}batches/"


def many(bot: Actor, count: int = 3, **said: Any) -> list[Memory]:
    return [factories.memory(bot, f"number {n}", **said) for n in range(count)]


def preview_bulk_edit(client: Client, memories: list[Memory], **said: Any) -> Any:
    return client.post(PREVIEW, {"memory": [memory.pk for memory in memories], "next": f"{LIST}?q=x", **said})


def confirm_bulk_edit(client: Client, preview: Any, **said: Any) -> Any:
    form = {"kind": preview.context["kind"], "seen": preview.context["seen"], "next": f"{LIST}?pinned=no"}
    return client.post(APPLY, form | said, follow=True)


def test_the_effect_is_shown_before_anything_is_done(editor: Client, bot: Actor) -> None:
    memories = [*many(bot), factories.memory(bot, "the pinned one", pinned=True)]
    shown = preview_bulk_edit(editor, memories, kind="pin")
    assert "<h1>Pin 3 memories?</h1>" in shown.text
    assert "It is pinned already." in shown.text
    assert f'href="{LIST}?q=x"' in shown.text
    assert Memory.objects.filter(pinned=True).count() == 1


def test_one_button_does_it_and_another_takes_it_back(editor: Client, bot: Actor) -> None:
    memories = many(bot)
    done = confirm_bulk_edit(editor, preview_bulk_edit(editor, memories, kind="pin"))
    assert done.redirect_chain == [(f"{LIST}?pinned=no", 302)]
    assert "Pinned 3 memories." in done.text
    batch = Batch.objects.get()
    assert batch.byline == "eddy"
    assert set(Revision.objects.filter(change="pinned").values_list("user__username", flat=True)) == {"eddy"}
    operations.update_memory(actor=bypass_policy(bot), memory_id=memories[0].pk, content="changed meanwhile")
    assert "changed since: an undo leaves it alone" in editor.get(f"{LIST}batches/{batch.pk}/").text
    undone = editor.post(f"{LIST}batches/{batch.pk}/undo/", {"next": LIST}, follow=True)
    assert "Undone: 2 memories as before. 1 changed meanwhile and left alone." in undone.text
    assert "left alone: it was changed before the undo" in undone.text
    assert list(Memory.objects.filter(pinned=True)) == [memories[0]]
    page = editor.post(f"{LIST}batches/{batch.pk}/undo/", {"next": LIST}, follow=True)
    assert "This has already been undone." in page.text


def test_batches_are_found_again_and_undone_later(editor: Client, viewer: Client, bot: Actor) -> None:
    assert "Nothing yet" in editor.get(APPLY).text
    confirm_bulk_edit(editor, preview_bulk_edit(editor, many(bot), kind="tag", tags="x"), tags="x")
    batch = Batch.objects.get()
    assert f'href="{APPLY}{batch.pk}/"' in editor.get(APPLY).text
    assert "Nothing yet" in viewer.get(APPLY).text
    assert "Undo all of it" in editor.get(f"{APPLY}{batch.pk}/").text
    editor.post(f"{APPLY}{batch.pk}/undo/")
    again = editor.get(f"{APPLY}{batch.pk}/").text
    assert "undone by eddy" in again
    assert "Undo all of it" not in again


def test_tags_and_expiry_are_asked_for_first(editor: Client, bot: Actor) -> None:
    memories = many(bot)
    asked = preview_bulk_edit(editor, memories, kind="tag")
    assert asked.context["effect"] is None
    assert [asked.status_code, 'name="tags"' in asked.text] == [200, True]
    empty = preview_bulk_edit(editor, memories, kind="tag", tags=" , ")
    assert [empty.status_code, "Say which tags." in empty.text] == [400, True]
    confirm_bulk_edit(editor, preview_bulk_edit(editor, memories, kind="tag", tags="Release, ops"), tags="Release, ops")
    assert {tuple(memory.tags) for memory in Memory.objects.all()} == {("release", "ops")}
    past = preview_bulk_edit(editor, memories, kind="expire", expires_at="2020-01-01T00:00")
    assert "This time is already past." in past.text
    confirm_bulk_edit(
        editor,
        preview_bulk_edit(editor, memories, kind="expire", expires_at="2199-01-01T00:00"),
        expires_at="2199-01-01T00:00",
    )
    assert {f"{memory.expires_at:%Y}" for memory in Memory.objects.all()} == {"2199"}


def test_many_are_forgotten_with_a_reason_and_restored(editor: Client, bot: Actor) -> None:
    memories = many(bot)
    confirm_bulk_edit(editor, preview_bulk_edit(editor, memories, kind="forget"), reason="moved on")
    assert texts(editor) == []
    assert "moved on" in editor.get(f"{LIST}?forgotten=yes").text
    done = confirm_bulk_edit(editor, preview_bulk_edit(editor, memories, kind="restore"))
    assert "Restored 3 memories." in done.text
    assert len(texts(editor)) == 3


def test_what_changed_since_the_preview_is_shown_again(editor: Client, bot: Actor) -> None:
    memories = many(bot)
    shown = preview_bulk_edit(editor, memories, kind="pin")
    operations.pin_memory(actor=bot, memory_id=memories[0].pk)
    again = confirm_bulk_edit(editor, shown)
    assert again.status_code == 409
    assert "Some of these memories have changed meanwhile" in again.text
    assert "<h1>Pin 2 memories?</h1>" in again.text
    assert not Batch.objects.exists()
    assert "Pinned 2 memories." in confirm_bulk_edit(editor, again).text


def test_all_that_match_are_selected_by_the_address_of_the_list(editor: Client, bot: Actor) -> None:
    drafts = [operations.Draft(content=f"number {n}", tags=["x"] if n else []) for n in range(70)]
    operations.save_memories(actor=bot, drafts=drafts)
    page = editor.get(f"{LIST}?tags=x")
    assert 'name="all" value="tags=x"' in page.text
    assert preview_bulk_edit(editor, [], kind="pin", all="tags=x").context["title"] == "Pin 69 memories"
    assert editor.post(PREVIEW, {"kind": "pin", "all": "type=nonsense"}).status_code == 400


def test_all_that_match_a_search_are_selected_not_only_the_best(editor: Client, bot: Actor) -> None:
    operations.save_memories(actor=bot, drafts=[operations.Draft(content=f"Berth {n} is closed.") for n in range(70)])
    operations.save_memories(actor=bot, drafts=[operations.Draft(content=f"Crane {n}.") for n in range(70)])
    page = editor.get(f"{LIST}?q=berth")
    assert 'name="all" value="q=berth"' in page.text
    chosen = preview_bulk_edit(editor, [], kind="pin", all="q=berth").context["effect"].changing
    assert len([memory for memory in chosen if "Berth" in memory.content]) == 70


def test_an_empty_or_forged_selection_is_told_so(editor: Client, bot: Actor) -> None:
    memory = factories.memory(bot)
    stranger = factories.memory(factories.actor())
    assert "Select some memories first" in editor.post(PREVIEW, {"kind": "pin"}).text
    assert editor.post(PREVIEW, {"kind": "explode", "memory": memory.pk}).status_code == 400
    for seen in ("nonsense", f"{memory.pk}:", f"{memory.pk}:{'9' * 5_000}"):
        assert editor.post(APPLY, {"kind": "pin", "seen": seen}).status_code == 400
    assert "deleted or is not visible" in preview_bulk_edit(editor, [stranger], kind="pin").text
    assert editor.get(PREVIEW)["Location"] == LIST
    assert editor.get(f"{LIST}batches/{memory.pk}/").status_code == 404


def test_viewers_select_nothing_and_are_refused(editor: Client, viewer: Client, bot: Actor) -> None:
    memories = many(bot)
    assert "checkbox" not in viewer.get(LIST).text
    shown = preview_bulk_edit(viewer, memories, kind="pin")
    assert "You may read it, but not change it." in shown.text
    assert '<button class="primary"' not in shown.text
    forged = preview_bulk_edit(editor, memories, kind="pin")
    assert viewer.post(APPLY, {"kind": "pin", "seen": forged.context["seen"]}).status_code == 403
    confirm_bulk_edit(editor, forged)
    batch = Batch.objects.get()
    assert viewer.get(f"{LIST}batches/{batch.pk}/").status_code == 404
    assert viewer.post(f"{LIST}batches/{batch.pk}/undo/").status_code == 404
    assert Memory.objects.filter(pinned=True).count() == 3


def test_no_way_back_leads_to_another_site(editor: Client, bot: Actor) -> None:
    shown = preview_bulk_edit(editor, many(bot), kind="pin", next="javascript:alert(1)")
    assert "javascript" not in shown.text
    assert f'href="{LIST}"' in shown.text


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
            operations.forget_memory(actor=by, memory_id=gone.pk)

    plant(2)
    editor.get(f"{LIST}?{asked}")
    few = statements(lambda: editor.get(f"{LIST}?{asked}"))
    plant(10)
    more = statements(lambda: editor.get(f"{LIST}?{asked}"))
    assert more <= few
    assert more < 30


def test_batches_need_no_more_statements_for_more_rows(editor: Client, bot: Actor) -> None:
    counts = []
    for size in (2, 30):
        memories = many(bot, size)
        with CaptureQueriesContext(connection) as heard:
            confirm_bulk_edit(editor, preview_bulk_edit(editor, memories, kind="pin"))
            editor.get(f"{LIST}batches/{Batch.objects.latest('created_at').pk}/")
        counts.append(len(heard))
    assert counts[1] <= counts[0]
