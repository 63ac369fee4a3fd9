"""Tests that a question asked in the context of a person, project or workspace is shown to that context's readers."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Batch, BulkActionKind, Memory, RecallLog, SettledQuestion, Vocabulary
from memories.queries import daily_usage, unanswered
from memories.recall import recall
from memoryhub.errors import NotFound
from teams.models import Membership, Person, Role, Team
from tests import doors, factories
from tests.caller import Caller
from tests.cast import Cast

PEOPLE = ("viewer", "editor", "owner", "mira")
CONTEXTS: dict[str, tuple[dict[str, str], set[str]]] = {
    "team": ({"workspace": "blue"}, {"viewer", "editor", "owner", "mira"}),
    "project": ({"workspace": "blue", "project": "apollo"}, {"viewer", "editor", "owner", "mira"}),
    "person": ({"workspace": "blue", "user": "mira"}, {"mira"}),
    "person in a project": ({"workspace": "blue", "user": "mira", "project": "apollo"}, {"mira"}),
    "another person": ({"workspace": "blue", "user": "bob"}, set()),
    "another workspace": ({"workspace": "green"}, set()),
}


@pytest.fixture
def pages(cast: Cast) -> dict[str, Client]:
    """Return the browsers of the team's people, in the workspace blue. Mira is one of them here."""
    membership = {"organization_id": cast.ops.organization_id, "team": cast.ops, "role": Role.VIEWER}
    Membership.objects.create(**membership, user=cast["mira"].user)
    Person.objects.create(organization_id=cast.ops.organization_id, handle="bob")
    return {name: browser(cast, name, "blue") for name in PEOPLE}


def browser(cast: Cast, name: str, workspace: str) -> Client:
    user = cast[name].user
    assert user
    client = factories.logged_in(user)
    client.post("/t/acme/ops/workspace/", {"workspace": workspace})
    return client


def recall_in_context(cast: Cast, query: str, **context: str) -> None:
    """Ask a question by a token, as agents do."""
    agent = cast["bystander"].agent
    assert agent
    Caller(agent, context=context)("POST", "recall", {"query": query, "mode": "keyword"})


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("door", doors.QUERIES, ids=lambda door: door.__name__)
def test_a_question_is_told_to_those_in_whose_context_it_was_asked(
    cast: Cast, pages: dict[str, Client], door: doors.QueryDoor, context: str
) -> None:
    said, readers = CONTEXTS[context]
    recall_in_context(cast, "zygote kumquat", **said)
    assert RecallLog.objects.get().total_found == 0
    seers = {name for name in doors.QUERIES[door] if door(pages[name], "zygote kumquat")}
    assert seers == readers & set(doors.QUERIES[door])


def test_what_was_asked_for_somebody_unknown_is_told_to_nobody(cast: Cast, pages: dict[str, Client]) -> None:
    recall_in_context(cast, "zygote kumquat", workspace="blue", user="nobody-yet")
    assert RecallLog.objects.get().audience is None
    assert not any(door(client, "zygote kumquat") for door in doors.QUERIES for client in pages.values())
    assert not Person.objects.filter(handle="nobody-yet").exists()


@pytest.mark.usefixtures("pages")
def test_an_agent_reads_its_own_questions_in_the_context_in_which_it_asked(cast: Cast) -> None:
    for context, (said, _) in CONTEXTS.items():
        recall_in_context(cast, f"about {context}", **said)
    listed = {context: past_queries(cast, said) for context, (said, _) in CONTEXTS.items()}
    assert listed["team"] == {"about team"}
    assert listed["another person"] == {"about team", "about another person"}
    assert listed["person"] == {"about team", "about person", "about person in a project"}
    assert listed["another workspace"] == {"about another workspace"}


def past_queries(cast: Cast, context: dict[str, str]) -> set[str]:
    agent = cast["bystander"].agent
    assert agent
    return {row["query"] for row in Caller(agent, context=context)("GET", "recalls").json()["recalls"]}


def test_what_an_agent_knew_is_told_without_what_it_asked_for_others(cast: Cast, pages: dict[str, Client]) -> None:
    cast.memory(content="The pager is in the left drawer.")
    agent = cast["bystander"].agent
    assert agent
    Caller(agent, context={"workspace": "blue", "user": "bob"})("POST", "recall", {"query": "pager"})
    page = pages["owner"].get("/t/acme/ops/activity/known/?agent=bystander").content.decode()
    assert "left drawer" not in page
    Caller(agent, context={"workspace": "blue"})("POST", "recall", {"query": "pager"})
    page = pages["owner"].get("/t/acme/ops/activity/known/?agent=bystander").content.decode()
    assert "left drawer" in page


def test_settling_a_question_tells_nobody_else_of_it(cast: Cast, pages: dict[str, Client]) -> None:
    """A question that mira dismisses for herself stays on the team's list, which does not show that she asked it."""
    Membership.objects.filter(user=cast["mira"].user, team=cast.ops).update(role=Role.EDITOR)
    recall_in_context(cast, "zygote", workspace="blue", user="mira")
    pages["mira"].post("/t/acme/ops/activity/questions/dismiss/", {"question": "zygote"})
    assert SettledQuestion.objects.count() == 1
    assert not doors.asked_in_questions(pages["owner"], "zygote")
    assert doors.asked_in_questions(pages["mira"], "zygote")  # among the dismissed
    recall_in_context(cast, "zygote", workspace="blue")
    assert doors.asked_in_questions(pages["owner"], "zygote")


def test_a_question_that_was_asked_in_several_contexts_is_settled_and_reopened_in_all(cast: Cast) -> None:
    editor = cast["editor"].actor()
    recall_in_context(cast, "zygote", workspace="blue")
    recall_in_context(cast, "Zygote", workspace="blue", project="apollo")
    (question,) = unanswered.list_unanswered(actor=editor)
    assert question.times == 2
    settled = operations.dismiss_question(actor=editor, question="zygote")
    assert unanswered.list_unanswered(actor=editor) == []
    operations.reopen_question(actor=editor, settled_id=settled.pk)
    assert len(unanswered.list_unanswered(actor=editor)) == 1
    assert not SettledQuestion.objects.exists()


# Workspaces apart


def test_the_days_of_a_workspace_count_what_is_in_it(cast: Cast) -> None:
    cast.memory()
    recall_in_context(cast, "pager", workspace="blue")
    factories.memory(cast["elsewhere"].actor(), "The green pager.")
    factories.memory(cast["elsewhere"].actor(), "The other green pager.")
    counts = {}
    for name in ("blue", "green", ""):
        workspace = cast["owner"].actor().workspace_id if name == "blue" else None
        workspace = cast["elsewhere"].actor().workspace_id if name == "green" else workspace
        for later in (timedelta(), timedelta(days=2)):
            now = timezone.now() + later
            tallies = daily_usage.count_team_days(team=cast.ops, now=now, separates=True, workspace_id=workspace)
            counts[name, bool(later)] = (sum(t.saved for t in tallies), sum(t.recalled for t in tallies))
    assert counts == {
        **{("blue", later): (1, 1) for later in (False, True)},
        **{("green", later): (2, 0) for later in (False, True)},
        **{("", later): (0, 0) for later in (False, True)},
    }


def test_home_shows_the_figures_of_its_workspace(cast: Cast) -> None:
    for _ in range(7):
        factories.memory(cast["elsewhere"].actor(), "The green pager.")
    response = browser(cast, "viewer", "blue").get("/t/acme/ops/")
    assert sum(tally.saved for tally in response.context["tallies"]) == 0
    response = browser(cast, "viewer", "green").get("/t/acme/ops/")
    assert sum(tally.saved for tally in response.context["tallies"]) == 7


def scores(cast: Cast) -> list[tuple[Any, ...]]:
    found = recall(actor=cast["writer"].actor(), query="pager drawer", limit=5, explain=True)
    return [(hit.memory.content, hit.scored and hit.scored.words) for hit in found.hits]  # importance fades meanwhile


def test_scores_tell_nothing_of_the_words_of_another_workspace(cast: Cast) -> None:
    cast.memory(content="The pager is blue.")
    cast.memory(content="The drawer is old.")
    before = scores(cast)
    for number in range(80):
        factories.memory(cast["elsewhere"].actor(), f"Drawer {number} is in the green room with a drawer.")
    Vocabulary.objects.all().delete()  # so that all is counted anew
    assert scores(cast) == before


def test_words_are_counted_together_where_workspaces_are_not_separated(cast: Cast) -> None:
    cast.ops.organization.workspaces_enabled = False
    cast.ops.organization.save()
    actor = factories.actor(factories.agent(Team.objects.get(pk=cast.ops.pk), "plain"))
    factories.memory(actor)
    recall(actor=actor, query="queue")
    assert Vocabulary.objects.get(audience=actor.team_id).memories == 1


def test_a_bulk_change_is_told_in_its_workspace(cast: Cast) -> None:
    memory, owner = cast.memory(), cast["owner"].actor()
    made = operations.bulk_edit.apply_bulk_edit(
        actor=owner,
        seen={memory.pk: 1},
        wish=operations.bulk_edit.build_bulk_edit(kind=BulkActionKind.TAG, tags=["merger"]),
    )
    green, blue = browser(cast, "owner", "green"), browser(cast, "owner", "blue")
    assert "merger" in blue.get("/t/acme/ops/memories/batches/").content.decode()
    assert "merger" not in green.get("/t/acme/ops/memories/batches/").content.decode()
    assert green.get(f"/t/acme/ops/memories/batches/{made.pk}/").status_code == 404
    with pytest.raises(NotFound):
        operations.bulk_edit.undo_bulk_edit(actor=cast["elsewhere"].actor(), batch_id=made.pk)
    assert Batch.objects.get().undone_at is None


def test_pages_offer_tags_keys_and_categories_of_the_workspace_alone(cast: Cast) -> None:
    cast.memory(tags=["bluetag"], key="bluekey")
    factories.memory(cast["elsewhere"].actor(), "Green.", tags=["greentag"], key="greenkey", category="greencat")
    client = browser(cast, "viewer", "blue")
    for page in ("", "memories/", "memories/?q=green", "activity/", "playground/", "palette/?q=green", "tree/"):
        text = client.get(f"/t/acme/ops/{page}").content.decode()
        assert not {"greentag", "greenkey", "greencat"} & set(text.replace('"', " ").replace("<", " ").split()), page
    assert Memory.objects.filter(tags__contains=["greentag"]).exists()


def test_an_unknown_context_is_told_to_nobody(cast: Cast, pages: dict[str, Client]) -> None:
    recall_in_context(cast, "zygote", workspace="blue")
    RecallLog.objects.update(audience=None)
    assert not any(door(pages["owner"], "zygote") for door in doors.QUERIES)


def test_sessions_and_serving_tokens_make_a_persons_context(cast: Cast, pages: dict[str, Client]) -> None:
    agent = cast["bystander"].agent
    assert agent
    bound = {"workspace": "blue", "session": "chat", "user": "mira"}
    Caller(agent, context=bound)("POST", "memories", {"content": "Any."})
    Caller(agent, context={"workspace": "blue", "session": "chat"})("POST", "recall", {"query": "zygote"})
    assert not doors.asked_in_ledger(pages["owner"], "zygote")
    assert doors.asked_in_ledger(pages["mira"], "zygote")
