"""The recall playground: asking through other eyes, why a memory comes back, and why it does not."""

import html
import itertools
import json
import re
import shlex
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories import operations
from memories.models import Memory, RecallLog, Scope, Usage
from memories.recall import Filters, Mode, log, recall
from memories.views.playground import EXAMPLE_QUESTIONS
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PAGER = "The pager is in the left drawer."


@pytest.fixture
def writer(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "writer"))


def enter_playground(client: Client, team: Team, role: Role) -> str:
    client.force_login(factories.member(team, role))
    return f"/t/{team.organization.slug}/{team.slug}/recall/"


def at_work(client: Client, cast: Cast, name: str) -> str:
    client.force_login(cast[name].user)  # type: ignore[arg-type]
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    return "/t/acme/ops/recall/"


def hits(page: str) -> list[str]:
    return re.findall(r'<li id="hit-([0-9a-f-]{36})"', page)


# Asking


def test_before_one_asks_there_are_questions_to_begin_with(client: Client, team: Team, writer: Actor) -> None:
    factories.memory(writer, PAGER, key="where-the-pager-is")
    page = client.get(enter_playground(client, team, Role.VIEWER)).text
    assert "What would an agent find?" in page
    assert "?query=where-the-pager-is" in page
    assert EXAMPLE_QUESTIONS[0] in page


def test_a_team_without_anything_can_ask_too(client: Client, team: Team) -> None:
    at = enter_playground(client, team, Role.VIEWER)
    assert "What would an agent find?" in client.get(at).text
    assert "Nothing was found" in client.get(at, {"query": "pager"}).text


def test_hits_say_why_they_are_there(client: Client, team: Team, writer: Actor) -> None:
    pager = factories.memory(writer, PAGER, pinned=True, importance=0.8)
    linked = factories.memory(writer, "Lunch is at noon.")
    operations.associate(actor=writer, origin_id=pager.pk, target_id=linked.pk, weight=1.0)
    page = client.get(
        enter_playground(client, team, Role.OWNER), {"query": "Where is the pager?", "mode": "keyword"}
    ).text
    assert hits(page) == [str(pager.pk), str(linked.pk)]
    first, second = re.findall(r'<li id="hit-.*?</li>\s*(?=<li id="hit-|</ol>)', page, re.DOTALL)
    assert "<mark>pager</mark>" in first
    assert re.search(r'data-part="words">words <strong>0\.\d\d</strong> <span class="soft">no. 1</span>', first)
    assert "Importance 0.80 breaks ties (+0.008), and the pin, too (+0.010)." in first
    assert "Matches: pager." in first
    assert re.search(r'data-part="links">links <strong>0\.\d\d</strong> <span class="soft">no. 1</span>', second)


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_answers_as_recall_does(client: Client, team: Team, writer: Actor, mode: Mode) -> None:
    for number in range(12):
        factories.memory(writer, f"The pager of shift {number} is in the drawer.", type="lesson")
    factories.memory(writer, PAGER, type="fact", tags=["drawer", "left"])
    at = enter_playground(client, team, Role.OWNER)
    asked = {"agent": "writer", "query": "pager drawer", "mode": mode, "type": "lesson", "limit": "7"}
    expected = recall(
        actor=writer, query="pager drawer", mode=mode, limit=7, filters=Filters(type="lesson"), noted=False
    )
    assert hits(client.get(at, asked).text) == [str(hit.memory.pk) for hit in expected.hits]
    assert len(hits(client.get(at, {**asked, "type": "fact", "tags": "Left, drawer"}).text)) == 1


def test_the_call_that_is_shown_finds_the_same(client: Client, cast: Cast) -> None:
    at = at_work(client, cast, "owner")
    for scope in (Scope.TEAM, Scope.PROJECT, Scope.AGENT):
        cast.memory(scope, content=f"It's the pager of the {scope}: $HOME and ls.", tags=["a b"])
    said = {"agent": "writer", "project": "apollo", "query": 'Where\'s the "pager"? $HOME `ls`', "tags": "a b"}
    page = client.get(at, said).text
    curl = html.unescape(re.search(r'aria-label="The call">(.*?)</pre>', page, re.DOTALL)[1])  # type: ignore[index]
    words = shlex.split(curl.replace("\\\n", ""))
    headers = dict(word.split(": ", 1) for before, word in itertools.pairwise(words) if before == "-H")
    headers["Authorization"] = f"Bearer {cast['writer'].token()}"
    answer = client.post("/api/v1/recall", json.loads(words[-1]), content_type="application/json", headers=headers)
    found = [memory["id"] for memory in answer.json()["memories"]]
    assert sorted(found) == sorted(hits(page))
    assert len(found) == 3


def test_asking_is_not_noted(client: Client, team: Team, writer: Actor) -> None:
    factories.memory(writer, PAGER, key="pager")
    at = enter_playground(client, team, Role.OWNER)
    assert hits(client.get(at, {"query": "pager", "agent": "writer", "why": "pager"}).text)
    client.get(at, {"query": "pager", "why": "some drawer"})
    log.flush()
    assert (RecallLog.objects.count(), Usage.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"query": "x", "limit": "51"}, "from 1 to 50"),
        ({"query": "x", "limit": "few"}, "whole number"),
        ({"query": "x", "mode": "magic"}, "magic is not one of the available choices"),
        ({"mode": "typed"}, "Mode typed needs a type."),
        ({"query": "x", "agent": "nobody"}, "nobody is not one of the available choices"),
        ({"query": "x", "user": "mira"}, "Choose an agent"),
        ({"query": "x", "tags": "t" * 65}, "At most 64"),
        ({"query": "x" * 10_001}, "at most 10000"),
        ({"query": "x\0"}, "Null characters"),
    ],
)
def test_what_cannot_be_asked_is_said_beside_its_field(
    client: Client, team: Team, writer: Actor, asked: dict[str, str], sentence: str
) -> None:
    answer = client.get(enter_playground(client, team, Role.VIEWER), asked)
    assert answer.status_code == 200
    assert sentence in html.unescape(answer.text)
    assert 'id="answer"' not in answer.text


@pytest.mark.parametrize("query", ["<script>", "%", "_", "'", '"', "🚀", "C++", "a" * 10_000, "the", "\\", "&amp;"])
def test_any_text_is_a_question(client: Client, team: Team, writer: Actor, query: str) -> None:
    factories.memory(writer, PAGER)
    answer = client.get(enter_playground(client, team, Role.VIEWER), {"query": query, "why": query})
    assert answer.status_code == 200
    assert "<script>" not in answer.text.split("<main")[1]


# Other eyes


@pytest.mark.parametrize("name", ["viewer", "editor", "owner"])
@pytest.mark.parametrize("agent", ["writer", "teammate", "director"])
def test_nobody_finds_more_than_they_may_see(client: Client, cast: Cast, name: str, agent: str) -> None:
    at = at_work(client, cast, name)
    for scope in Scope:
        cast.memory(scope, content=f"secret of {scope}", key=f"secret-{scope}")
    above = factories.memory(factories.actor(factories.agent(cast.executive), workspace="blue"), "secret of above")
    said = {"query": "secret", "agent": agent, "project": "apollo", "user": "mira"}
    page = client.get(at, said).text
    own = {"agent"} if (name, agent) == ("owner", "writer") else set()
    assert {Memory.objects.get(pk=pk).scope for pk in hits(page)} == {"team", "project"} | own
    assert str(above.pk) not in page
    assert "mira alone" in page
    assert "secret of global" not in page
    assert "secret of above" not in page


@pytest.mark.parametrize("name", ["viewer", "editor"])
def test_why_not_tells_nothing_of_what_one_may_not_see(client: Client, cast: Cast, name: str) -> None:
    at = at_work(client, cast, name)
    unseen = [cast.memory(scope, content="quiet", key=f"quiet-{scope}") for scope in (Scope.AGENT, Scope.GLOBAL)]
    gone = cast.memory(content="quiet", key="quiet-gone")
    operations.forget_memory(actor=cast["writer"].actor(), memory_id=gone.pk)
    for memory in [*unseen, gone] if name == "viewer" else unseen:
        for why in (str(memory.pk), memory.key):
            page = client.get(
                at, {"query": "pager", "agent": "writer", "project": "apollo", "user": "mira", "why": why}
            )
            assert "No memory that you see has this" in page.text
            assert f"/{memory.pk}/" not in page.text


def test_a_team_one_is_not_in_cannot_be_asked(client: Client, cast: Cast) -> None:
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    assert client.get("/t/acme/sales/recall/", {"query": "pager"}).status_code == 404


def test_the_same_question_is_a_link_away_from_other_eyes(client: Client, team: Team, writer: Actor) -> None:
    factories.agent(team, "reader")
    factories.memory(writer, "The pager is mine.", scope=Scope.AGENT)
    at = enter_playground(client, team, Role.OWNER)
    page = client.get(at, {"query": "pager & drawer", "agent": "reader"}).text
    assert hits(page) == []
    again = html.unescape(re.search(r'<a href="([^"]+)">writer</a>', page)[1])  # type: ignore[index]
    assert len(hits(client.get(at + again).text)) == 1


def test_only_what_one_may_change_can_be_pinned(client: Client, team: Team, writer: Actor) -> None:
    memory = factories.memory(writer, PAGER)
    assert "/pin/" not in client.get(enter_playground(client, team, Role.VIEWER), {"query": "pager"}).text
    at = enter_playground(client, team, Role.EDITOR)
    page = client.get(at, {"query": "pager"}).text
    address = at.replace("recall/", f"memories/{memory.pk}/pin/")
    assert f'formaction="{address}" name="pinned" value="1"' in page
    assert client.post(address, {"pinned": "1", "next": f"{at}?query=pager"})["Location"] == f"{at}?query=pager"
    assert Memory.objects.get().pinned


# Why not this one?


def verdict(client: Client, at: str, **said: str) -> str:
    page = client.get(at, said).text
    found = re.search(r'<p class="verdict">.*?<span>(.*?)</span>', page, re.DOTALL)
    assert found, page
    return html.unescape(found[1])


def test_why_not_names_the_rank_or_the_rule(client: Client, team: Team, writer: Actor) -> None:
    memory = factories.memory(writer, PAGER, key="the-pager", type="fact")
    for number in range(3):
        factories.memory(writer, f"Pager pager pager {number}")
    at = enter_playground(client, team, Role.OWNER)
    ask: dict[str, Any] = {"query": "pager", "mode": "keyword", "agent": "writer"}
    assert verdict(client, at, **ask, why="the-pager", limit="1") == "It is number 4; the limit is 1."
    assert "It is there" in verdict(client, at, **ask, why=str(memory.pk))
    assert verdict(client, at, **ask, why="the-pager", type="lesson") == "The filter type leaves it out."
    operations.forget_memory(actor=writer, memory_id=memory.pk)
    assert verdict(client, at, **ask, why="the-pager").startswith("It was forgotten on ")


def test_why_not_says_whose_it_is(client: Client, cast: Cast) -> None:
    at = at_work(client, cast, "owner")
    cast.memory(Scope.PROJECT, key="plan")
    cast.memory(Scope.AGENT, key="own")
    asked = {"query": "pager", "agent": "teammate"}
    assert "belongs to the project Apollo" in verdict(client, at, **asked, why="plan")
    assert "It is there" in verdict(client, at, **asked, project="apollo", why="plan")
    assert verdict(client, at, **asked, why="own") == "It is writer's own, and not for teammate."


def test_why_not_by_a_few_words_asks_which_one(client: Client, team: Team, writer: Actor) -> None:
    memory = factories.memory(writer, PAGER)
    at = enter_playground(client, team, Role.VIEWER)
    page = client.get(at, {"query": "lunch & dinner", "mode": "keyword", "why": "left drawer"}).text
    assert "Which one do you mean?" in page
    pick = html.unescape(re.search(rf'href="(\?[^"]*why={memory.pk})"', page)[1])  # type: ignore[index]
    assert "It has none of the asked words." in client.get(at + pick).text


# How much it takes


def test_statements_of_the_playground_do_not_grow(client: Client, team: Team, writer: Actor) -> None:
    first = factories.memory(writer, PAGER, key="pager")
    at = enter_playground(client, team, Role.OWNER)

    def statements(**said: str) -> int:
        client.get(at, said)  # what a process learns once
        with CaptureQueriesContext(connection) as queries:
            assert client.get(at, said).status_code == 200
        return len(queries)

    asked = {"query": "pager", "agent": "writer", "why": "pager"}
    few = [statements(), statements(**asked)]
    for number in range(8):
        other = factories.memory(factories.actor(factories.agent(team)), f"The pager {number}", tags=[f"t{number}"])
        operations.associate(actor=writer, origin_id=first.pk, target_id=other.pk)
    assert [statements(), statements(**asked)] == few
    assert max(few) <= 30
