"""Lists of memories: narrowed, ordered, and paged without loss while others write."""

from dataclasses import fields
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.core import signing
from django.utils import timezone

from memories import operations
from memories.contract import inputs
from memories.models import Memory
from memories.recall import Filters
from memories.rules.memory_filters import LOOKUPS
from teams.models import Level, Project
from tests import factories
from tests.caller import Caller

pytestmark = pytest.mark.django_db


def list_first_page(caller: Caller, **asked: Any) -> list[str]:
    """The contents of the list's first page."""
    response = caller("GET", f"memories?{urlencode(asked, doseq=True)}")
    assert response.status_code == 200, response.content
    return [row["content"] for row in response.json()["memories"]]


def list_all_pages(caller: Caller, **asked: Any) -> list[str]:
    """The contents of all its pages."""
    found, cursor = [], None
    while True:
        response = caller("GET", f"memories?{urlencode(asked | ({'cursor': cursor} if cursor else {}))}").json()
        found += [row["content"] for row in response["memories"]]
        cursor = response["next"]
        if cursor is None:
            return found


def test_the_newest_come_first(caller: Caller) -> None:
    for n in range(3):
        caller.save(f"fact {n}")
    assert list_first_page(caller) == ["fact 2", "fact 1", "fact 0"]
    assert list_first_page(caller, order="created_at") == ["fact 0", "fact 1", "fact 2"]
    assert list_first_page(caller, limit=1) == ["fact 2"]


@pytest.mark.parametrize("order", ["created_at", "updated_at", "importance"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_pages_have_every_row_once(caller: Caller, order: str, sign: str) -> None:
    drafts = [operations.Draft(content=f"{n}", importance=n % 3 / 10) for n in range(11)]
    saved = operations.save_memories(actor=factories.actor(caller.agent), drafts=drafts)
    mine = [caller.save(f"own {n}", scope="agent")["content"] for n in range(4)]
    pages = list_all_pages(caller, order=sign + order, limit=2)
    assert sorted(pages) == sorted([*(memory.content for memory in saved), *mine])
    field = list(Memory.objects.order_by(sign + order, f"{sign}id").values_list("content", flat=True))
    assert pages == field


def test_rows_that_are_added_meanwhile_neither_hide_nor_repeat_others(caller: Caller) -> None:
    for n in range(4):
        caller.save(f"fact {n}")
    first = caller("GET", "memories?limit=2").json()
    for n in range(4, 9):
        caller.save(f"fact {n}")
    second = caller("GET", f"memories?limit=2&cursor={first['next']}").json()
    assert [row["content"] for row in second["memories"]] == ["fact 1", "fact 0"]
    assert second["next"] is None


@pytest.mark.parametrize("narrowed", ["type", "category", "tags", "any_tags", "scope", "source", "channel_id"])
def test_each_word_narrows(caller: Caller, narrowed: str) -> None:
    caller.context = {"channel": "c-1"}
    caller.save("wanted", type="lesson", category="core", tags=["red", "blue"], scope="agent", source="auto")
    caller.context = {}
    caller.save("other", tags=["red", "green"])
    value: dict[str, Any] = {"type": "lesson", "category": "core", "tags": ["Red", "blue"], "any_tags": ["blue", "x"]}
    value |= {"scope": "agent", "source": "auto", "channel_id": "c-1"}
    assert list_first_page(caller, **{narrowed: value[narrowed]}) == ["wanted"]


def test_ids_narrow(caller: Caller) -> None:
    team = caller.agent.team
    project = Project.objects.create(organization_id=team.organization_id, team=team, slug="apollo", name="Apollo")
    caller.context = {"project": "apollo", "user": "mira", "session": "s-1"}
    wanted = caller.save("wanted")
    caller.context = {}
    mate = Caller(factories.agent(team))
    mate.save("other")
    assert wanted["project_id"] == str(project.pk)
    for name in ("project_id", "person_id", "session_id", "agent_id"):
        assert list_first_page(caller, **{name: wanted[name]}) == ["wanted"]
        assert list_first_page(caller, **{name: uuid4()}) == []


def test_ranges_and_flags_narrow(caller: Caller) -> None:
    soon = timezone.now() + timedelta(days=1)
    caller.save("heavy", importance=0.9, pinned=True)
    caller.save("light", importance=0.1, expires_at=soon.isoformat())
    assert list_first_page(caller, min_importance=0.9) == ["heavy"]
    assert list_first_page(caller, max_importance="1e-1") == ["light"]
    assert list_first_page(caller, pinned="true") == ["heavy"]
    assert list_first_page(caller, pinned="false") == ["light"]
    assert list_first_page(caller, expires_before=(soon + timedelta(hours=1)).isoformat()) == ["light"]
    assert list_first_page(caller, expires_after=(soon + timedelta(hours=1)).isoformat()) == []
    past = (timezone.now() - timedelta(hours=1)).isoformat()
    assert list_first_page(caller, created_before=past) == list_first_page(caller, updated_before=past) == []
    assert len(list_first_page(caller, created_after=past, updated_after=past)) == 2
    assert list_first_page(caller, created_after="8514-08-06T06:16:12-17:12") == []
    recalled = caller("POST", "recall", {"query": "heavy", "created_after": "2001-01-01T00:00:00-17:12"}).json()
    assert recalled["memories"][0]["content"] == "heavy"


def test_lists_and_recall_have_the_same_filters(caller: Caller) -> None:
    assert set(inputs.FILTERS) == set(LOOKUPS) == {field.name for field in fields(Filters)}
    later = "2099-01-31T12:00:00Z"
    caller.save("The crane is checked.", review_by="2098-01-31T12:00:00Z", expires_at="2099-06-30T12:00:00Z")
    caller.save("The crane stands.")
    for name in ("review_before", "expires_after"):
        recalled = caller("POST", "recall", {"query": "crane", name: later, "sort_by": "recent"}).json()["memories"]
        assert (
            [row["content"] for row in recalled]
            == list_first_page(caller, **{name: later})
            == ["The crane is checked."]
        )
    (left_out,) = [row for row in caller("GET", "memories").json()["memories"] if row["content"] == "The crane stands."]
    asked = {"memory_id": left_out["id"], "query": "crane", "expires_after": later, "sort_by": "recent"}
    assert caller("POST", "recall/why-not", asked).json()["reason"] == "The filter expires_after leaves it out."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cranes", ["The crane of berth ADR-016 is broken."]),
        ("berth broken", ["The crane of berth ADR-016 is broken."]),
        ("berth lunch", []),
        ("ADR-016", ["The crane of berth ADR-016 is broken."]),
        ("昼食", ["昼食は正午です。"]),
        ("the", ["The crane of berth ADR-016 is broken."]),
        ("'); DROP TABLE", []),
        ("&|!<->:*", []),
    ],
)
def test_words_narrow(caller: Caller, text: str, found: list[str]) -> None:
    caller.save("The crane of berth ADR-016 is broken.")
    caller.save("昼食は正午です。")
    assert list_first_page(caller, text=text) == found


def test_a_director_lists_upwards(caller: Caller) -> None:
    above = Caller(factories.agent(caller.agent.team.parent))
    above.save("from above")
    director = Caller(factories.agent(caller.agent.team, level=Level.DIRECTOR))
    caller.save("from the team")
    assert list_first_page(director) == ["from the team", "from above"]
    assert list_first_page(caller) == ["from the team"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=ten", "limit"),
        ("limit=1.5", "limit"),
        ("order=content", "order"),
        ("type=opinion", "type"),
        ("type=", "type"),
        ("scope=world", "scope"),
        ("pinned=maybe", "pinned"),
        ("forgotten=1", "forgotten"),
        ("agent_id=me", "agent_id"),
        ("created_after=yesterday", "created_after"),
        ("created_after=2030-01-01T00:00:00", "created_after"),
        ("created_after=0001-01-01T00:00:00%2B14:00", "created_after"),
        ("min_importance=2", "min_importance"),
        ("min_importance=nan", "min_importance"),
        ("text=%00", "text"),
        ("cursor=nonsense", "cursor"),
        ("cursor=", "cursor"),
        ("colour=red", "colour"),
    ],
)
def test_bad_parameters_are_named(caller: Caller, asked: str, name: str) -> None:
    refused = caller("GET", f"memories?{asked}")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [name])


def test_a_cursor_belongs_to_its_order_and_is_not_made_up(caller: Caller) -> None:
    for n in range(2):
        caller.save(f"fact {n}")
    cursor = caller("GET", "memories?limit=1").json()["next"]
    assert caller("GET", f"memories?limit=1&order=importance&cursor={cursor}").status_code == 400
    assert caller("GET", f"memories?limit=1&cursor={cursor[:-1]}").status_code == 400
    forged = signing.Signer(key="other", salt="memories.Memory -created_at").sign_object(["x", str(uuid4())])
    assert caller("GET", f"memories?cursor={forged}").status_code == 400


def test_a_list_takes_one_statement_however_long(caller: Caller, django_assert_num_queries: Any) -> None:
    for n in range(30):
        caller.save(f"fact {n}")
    caller("GET", "memories")
    for limit in (1, 30):
        with django_assert_num_queries(2):  # and one for who is asking
            assert len(list_first_page(caller, limit=limit)) == limit
