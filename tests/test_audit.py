"""What the history says of tokens: which one made a change, and what one did."""

import io
import json
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.utils import timezone

from memories import moving, operations
from memories.models import FileVersion, Memory, RecallLog, Revision
from memories.recall import ledger
from teams.models import Token, Verb
from tests import factories
from tests.caller import Caller
from tests.tools import answered

pytestmark = pytest.mark.django_db

TOOLS = {
    "team/save_memory": {"content": "Said by a tool.", "type": "fact"},
    "files/create": {"path": "/memories/a.md", "file_text": "a"},
}
TRACED = (Revision, FileVersion, RecallLog)


def everything(agent: Caller) -> None:
    """One of each kind of thing that a token can do, by REST and by the tools."""
    saved = agent.save("Berth 7 is closed.", key="berth 7")
    address = f"memories/{saved['id']}"
    agent.save("Berth 7 is open.", key="berth 7")
    agent("PATCH", address, {"tags": ["harbour"]})
    agent("POST", f"{address}/append", {"text": "From noon on."})
    agent("POST", "memories/batch", {"memories": [{"content": "Berth 8 is closed."}, {"content": "So is 9."}]})
    agent("POST", "recall", {"query": "berth"})
    agent("PUT", "files/plan.md", {"content": "# Plan"})
    agent("PUT", "files/plan.md", {"content": "# Plan B"})
    agent("POST", "sessions/s1/extract", {"messages": [{"role": "user", "content": "We decided to use berth 9."}]})
    for place, said in TOOLS.items():
        assert answered(agent.token, place, said)[0] == 200
    agent("DELETE", address)
    ledger.flush()


def test_whatever_an_agent_does_names_its_token() -> None:
    agent = Caller()
    everything(agent)
    token = Token.objects.get().pk
    for model in TRACED:
        assert set(model.objects.values_list("token", flat=True)) == {token}
    changes = set(Revision.objects.values_list("change", flat=True))
    assert changes >= {"created", "updated", "appended", "forgotten"}
    assert Revision.objects.filter(source="auto").exists()


def test_two_tokens_of_an_agent_are_told_apart() -> None:
    first = Caller()
    second = first.with_verbs(Verb.READ, Verb.WRITE)
    saved = first.save(key="berth 7")
    second("PATCH", f"memories/{saved['id']}", {"content": "Berth 7 is open."})
    made, changed = Revision.objects.order_by("version").select_related("token")
    assert made.token != changed.token
    assert changed.token
    assert second.token.startswith(changed.token.prefix)


def test_people_and_the_system_have_no_token() -> None:
    saved = Caller().save(expires_at=(timezone.now() + timedelta(hours=1)).isoformat())
    memory = Memory.objects.get(pk=saved["id"])
    operations.pin(actor=factories.owner_actor(memory.team), memory_id=memory.pk)
    operations.sweep(rows=Memory.objects.all(), now=timezone.now() + timedelta(hours=2))
    tokens = Revision.objects.order_by("version").values_list("change", "token__agent")
    assert list(tokens) == [("created", memory.agent_id), ("pinned", None), ("forgotten", None)]


def test_an_archive_without_the_tokens_does_not_name_them() -> None:
    agent = Caller()
    everything(agent)
    team, owner = agent.agent.team, factories.owner_actor(agent.agent.team)
    told = {reach: rows(moving.Selection.of(owner, team=team, reach=reach)) for reach in moving.Reach}
    assert len(told[moving.Reach.OWNER]) == len(told[moving.Reach.OPERATOR]) > 10
    assert {row["token_id"] for row in told[moving.Reach.OWNER]} == {None}
    assert {row["token_id"] for row in told[moving.Reach.OPERATOR]} == {str(Token.objects.get().pk)}


def rows(selection: moving.Selection) -> list[dict[str, Any]]:
    """Of the history in an archive."""
    with ZipFile(io.BytesIO(b"".join(moving.pack(selection)))) as archive:
        names = [f"rows/{model._meta.db_table}.jsonl" for model in TRACED]
        carried = [archive.read(name) for name in names if name in archive.namelist()]
    return [json.loads(line) for lines in carried for line in lines.splitlines()]
