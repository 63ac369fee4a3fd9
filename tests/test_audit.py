"""Tests of tokens in the history: which token made a change, and what a token did."""

import io
import json
from datetime import timedelta
from io import StringIO
from typing import Any
from urllib.parse import quote
from uuid import UUID
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from memories import operations, transfer
from memories.models import FileVersion, Memory, RecallLog, Revision
from memories.queries import token_activity
from memories.recall import log
from teams.models import Role, Token, Verb
from teams.tokens import PREFIX_LENGTH
from tests import factories
from tests.caller import Caller
from tests.cast import AT_WORK, Cast
from tests.tools import call_tool_api

pytestmark = pytest.mark.django_db

TOOLS = {
    "team/save_memory": {"content": "Said by a tool.", "type": "fact"},
    "files/create": {"path": "/memories/a.md", "file_text": "a"},
}
TRACED = (Revision, FileVersion, RecallLog)


def everything(agent: Caller) -> None:
    """Do one of each kind of thing that a token can do, by REST and by the tools."""
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
        assert call_tool_api(agent.token, place, said)[0] == 200
    agent("DELETE", address)
    log.flush()


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
    operations.pin_memory(actor=factories.owner_actor(memory.team), memory_id=memory.pk)
    operations.sweep_expired(rows=Memory.objects.all(), now=timezone.now() + timedelta(hours=2))
    tokens = Revision.objects.order_by("version").values_list("change", "token__agent")
    assert list(tokens) == [("created", memory.agent_id), ("pinned", None), ("forgotten", None)]


def test_an_archive_without_the_tokens_does_not_name_them() -> None:
    agent = Caller()
    everything(agent)
    team, owner = agent.agent.team, factories.owner_actor(agent.agent.team)
    told = {reach: rows(transfer.Selection.of(owner, team=team, reach=reach)) for reach in transfer.ExportReach}
    assert len(told[transfer.ExportReach.OWNER]) == len(told[transfer.ExportReach.OPERATOR]) > 10
    assert {row["token_id"] for row in told[transfer.ExportReach.OWNER]} == {None}
    assert {row["token_id"] for row in told[transfer.ExportReach.OPERATOR]} == {str(Token.objects.get().pk)}


def rows(selection: transfer.Selection) -> list[dict[str, Any]]:
    """Return the rows of the history in an archive."""
    with ZipFile(io.BytesIO(b"".join(transfer.write_archive(selection)))) as archive:
        names = [f"rows/{model._meta.db_table}.jsonl" for model in TRACED]
        carried = [archive.read(name) for name in names if name in archive.namelist()]
    return [json.loads(line) for lines in carried for line in lines.splitlines()]


# What a token did


def page_of(agent: Caller) -> str:
    token = Token.objects.get(prefix=agent.token[:PREFIX_LENGTH])
    return f"/t/{agent.agent.team.organization.slug}/{agent.agent.team.slug}/activity/tokens/{token.pk}/"


def test_owners_read_what_a_token_did(client: Client) -> None:
    agent = Caller()
    other = agent.with_verbs(*Verb)
    everything(agent)
    other.save("Said with another token.")
    client.force_login(factories.member(agent.agent.team, Role.OWNER))
    page = client.get(page_of(agent)).text
    for said in ("Berth 7 is open.", "So is 9.", "asked</span> berth", "plan.md", "forgot", "appended to", "a.md"):
        assert said in page
    assert "another token" not in page
    assert page.index("Said by a tool.") < page.index("asked</span> berth") < page.index("Berth 8 is closed.")
    assert "Said with another token." in client.get(page_of(other)).text


def test_every_part_of_it_is_on_some_page(client: Client) -> None:
    agent = Caller()
    agent("POST", "memories/batch", {"memories": [{"content": f"At once {n}."} for n in range(50)]})
    everything(agent)
    client.force_login(factories.member(agent.agent.team, Role.OWNER))
    token, following, seen = Token.objects.get(), "", []
    while following is not None:
        found = client.get(f"{page_of(agent)}{following}").context["activity"]
        seen += found.traces
        following = f"?cursor={quote(found.next)}" if found.next else None
    assert len(seen) == sum(model.objects.filter(token=token.pk).count() for model in TRACED) > 60
    times = [mark.created_at for mark in token_activity.list_marks(token=token, limit=100)[0]]
    assert times == sorted(times, reverse=True)
    assert client.get(f"{page_of(agent)}?cursor=forged").status_code == 400


def test_only_owners_of_its_team_read_what_a_token_did(client: Client, cast: Cast) -> None:
    writer = Caller(cast["writer"].agent)  # type: ignore[arg-type]
    path = page_of(writer)
    for name, status in {"owner": 200, "editor": 403, "viewer": 403, "mira": 404}.items():
        client.force_login(cast[name].user)  # type: ignore[arg-type]
        assert client.get(path).status_code == status, name
    client.force_login(factories.member(cast.sales, Role.OWNER))
    assert client.get(path).status_code == 404
    assert client.get(path.replace("/ops/", "/sales/")).status_code == 404


def test_what_a_token_did_for_others_stays_with_them(client: Client, cast: Cast) -> None:
    writer = Caller(cast["writer"].agent, context=AT_WORK)  # type: ignore[arg-type]
    writer.save("Mira's pager is red.", scope="global")
    writer.save("The pager is in the left drawer.")
    writer("PUT", "files/blue.md", {"content": "blue"})
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    page = client.get(page_of(writer)).text
    assert "left drawer" in page
    assert "blue.md" in page
    assert "Mira&#x27;s pager" not in page
    assert "a memory that no longer exists, or that you may not see" in page
    client.post("/t/acme/ops/workspace/", {"workspace": "green"})
    page = client.get(page_of(writer)).text
    assert "left drawer" not in page
    assert "blue.md" not in page


def test_a_history_names_the_token_to_owners_alone(client: Client) -> None:
    agent = Caller()
    saved, team = agent.save(), agent.agent.team
    Token.objects.update(label="night shift")
    history = f"/t/{team.organization.slug}/{team.slug}/memories/{saved['id']}/history/"
    for role, named in ((Role.OWNER, True), (Role.EDITOR, False)):
        client.force_login(factories.member(team, role))
        assert ("night shift" in client.get(history).text) == named
        assert ("night shift" in client.get(f"{history}?version=1").text) == named


# On the command line


def audit(*said: str) -> str:
    out = StringIO()
    call_command("audit", *said, stdout=out)
    return out.getvalue()


def test_the_command_says_who_changed_a_memory() -> None:
    agent = Caller()
    saved = agent.save("Berth 7 is closed.", key="berth 7")
    owner = factories.owner_actor(agent.agent.team)
    operations.pin_memory(actor=owner, memory_id=UUID(saved["id"]))
    pinned, made = audit("--memory", saved["id"]).splitlines()
    assert pinned.split()[1:4] == [owner.name, "-", "pinned"]
    assert made.split()[1:4] == [agent.agent.slug, agent.token[:PREFIX_LENGTH], "created"]
    assert made.endswith(f"memory {saved['id']}  v1  berth 7")
    operations.purge_memory(actor=owner, memory_id=UUID(saved["id"]))
    told = [json.loads(line) for line in audit("--memory", saved["id"], "--json").splitlines()]
    assert [(line["did"], line["key"]) for line in told] == [("purged", ""), ("pinned", ""), ("created", "")]


def test_the_command_says_what_a_token_did(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Caller()
    everything(agent)
    monkeypatch.setattr(token_activity, "MARKS_PER_BATCH", 4)
    told = [json.loads(line) for line in audit("--token", agent.token[:PREFIX_LENGTH], "--json").splitlines()]
    assert len(told) == sum(model.objects.count() for model in TRACED)
    assert [line["at"] for line in told] == sorted((line["at"] for line in told), reverse=True)
    asked = next(line for line in told if line["did"] == "recalled")
    assert (asked["query"], asked["mode"]) == ("berth", "hybrid")
    assert set(asked["memories"].values()) == {1, 4}
    assert {line["path"] for line in told if "path" in line} == {"plan.md", "a.md"}
    printed = audit("--token", agent.token)
    assert f'"berth": {len(asked["memories"])} given' in printed
    assert "is open" not in printed


@pytest.mark.parametrize("said", [("--memory", "7"), ("--memory", str(UUID(int=7))), ("--token", "mh_nobody")])
def test_the_command_says_what_is_not_there(said: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match=f"There is no {said[0][2:]} {said[1]}"):
        audit(*said)
