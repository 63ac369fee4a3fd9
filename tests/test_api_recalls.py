"""The ledger over HTTP: an agent's own recalls, and what came back."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from memories.models import RecallLog
from teams.models import Verb
from tests import factories
from tests.caller import Caller

pytestmark = pytest.mark.django_db


def recalls(caller: Caller, **asked: Any) -> list[dict[str, Any]]:
    response = caller("GET", f"recalls?{urlencode(asked)}")
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["recalls"]
    return found


def queries(caller: Caller, **asked: Any) -> list[str]:
    return [row["query"] for row in recalls(caller, **asked)]


def test_a_recall_is_told_with_the_versions_that_came_back(caller: Caller) -> None:
    saved = caller.save("Berth 7 is closed.", key="berth-7")
    caller("PUT", "sessions/chat", {})
    caller("POST", "recall", {"query": "berth?", "type": "fact"}, X_Memory_Session="chat")
    caller("PATCH", f"memories/{saved['id']}", {"content": "Berth 7 is open."})
    (row,) = recalls(caller)
    assert (row["query"], row["mode"], row["filters"]) == ("berth?", "hybrid", {"type": "fact"})
    assert (row["session"], row["total_found"]) == ("chat", 1)
    (given,) = row["memories"]
    assert given == {
        "id": saved["id"],
        "version": 1,
        "presence": "here",
        "key": "berth-7",
        "type": "fact",
        "text": "Berth 7 is closed.",
    }


def test_recalls_are_narrowed(caller: Caller) -> None:
    caller.save("Berth 7 is closed.")
    caller("PUT", "sessions/chat", {})
    caller("POST", "recall", {"query": "Which berth?"}, X_Memory_Session="chat")
    RecallLog.objects.update(created_at=timezone.now() - timedelta(days=2))
    caller("POST", "recall", {"query": "zebra", "mode": "keyword"})
    yesterday = (timezone.now() - timedelta(days=1)).isoformat()
    assert queries(caller) == ["zebra", "Which berth?"]
    assert queries(caller, since=yesterday) == queries(caller, found_nothing="true") == ["zebra"]
    assert queries(caller, until=yesterday) == queries(caller, found_nothing="false") == ["Which berth?"]
    assert queries(caller, query="which BERTH") == queries(caller, session="chat") == ["Which berth?"]
    assert queries(caller, query="%") == queries(caller, session="another") == []


def test_recalls_come_page_by_page(caller: Caller) -> None:
    for number in range(3):
        caller("POST", "recall", {"query": f"number {number}"})
    first = caller("GET", "recalls?limit=2").json()
    rest = caller("GET", f"recalls?{urlencode({'limit': 2, 'cursor': first['next']})}").json()
    assert [row["query"] for row in first["recalls"] + rest["recalls"]] == ["number 2", "number 1", "number 0"]
    assert rest["next"] is None


def test_nobody_sees_what_another_agent_asked(caller: Caller) -> None:
    caller("POST", "recall", {"query": "Where is the pager?"})
    teammate = Caller(factories.agent(caller.agent.team, "teammate"))
    assert recalls(teammate) == recalls(Caller(factories.agent())) == []


def test_of_what_is_not_there_any_more_only_the_id_is_told(caller: Caller) -> None:
    kept, gone = caller.save("The pager is in the left drawer."), caller.save("The pager is blue.")
    caller("POST", "recall", {"query": "pager"})
    caller("DELETE", f"memories/{gone['id']}")
    (row,) = recalls(caller)
    told = {given["id"]: given for given in row["memories"]}
    assert told[kept["id"]]["text"] == "The pager is in the left drawer."
    hidden = {"version": 1, "presence": "forgotten", "key": None, "type": None, "text": None}
    assert told[gone["id"]] == {"id": gone["id"]} | hidden


def test_who_may_not_read_sees_no_recalls(caller: Caller) -> None:
    assert caller.with_verbs(Verb.WRITE)("GET", "recalls").status_code == 403
