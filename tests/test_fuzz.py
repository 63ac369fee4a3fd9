"""A few hundred odd requests at the MCP door and at the pages; `tests/judges` sends thousands to a running hub."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.test import Client

from teams.models import Role, Team
from tests import factories
from tests.caller import Caller
from tests.judges import fuzz_forms, fuzz_mcp
from tests.judges.garbage import FuzzVerdict, Shot

pytestmark = pytest.mark.django_db
SEED = 7


def send_all(client: Client, shots: Iterable[Shot]) -> FuzzVerdict:
    verdict = FuzzVerdict()
    for shot in shots:
        headers: dict[str, Any] = {name: value for name, value in shot.headers.items() if name != "Content-Type"}
        kind = shot.headers.get("Content-Type", "")
        answer = client.generic(shot.method, shot.path, shot.body, content_type=kind, headers=headers)
        verdict.note(shot, answer.status_code, b"".join(answer))
    return verdict


def test_no_message_makes_the_door_fail() -> None:
    caller = Caller()
    Team.objects.update(policy=fuzz_mcp.FUZZ_POLICY)
    ids = fuzz_mcp.prepare_ids(lambda method, path, body: caller(method, path, body).json())
    shots = fuzz_mcp.McpFuzz(SEED, caller.token, ids).shots(300)
    verdict = send_all(Client(raise_request_exception=False), shots)
    assert not verdict.failures
    assert verdict.statuses[200] > 50


def test_no_form_makes_a_page_fail(team: Team) -> None:
    client = factories.log_in_member(team, Role.OWNER, "olga")
    client.raise_request_exception = False
    known = fuzz_forms.KnownIds()
    factories.memory(factories.actor(factories.agent(team)))
    for place in ("", "memories/", "memories/new/", "agents/", "members/", "file/new/", "projects/new/"):
        known.learn(client.get(f"/t/acme/ops/{place}").content.decode())
    places = [place for place in fuzz_forms.addresses() if place.startswith("/t/")]
    shots = fuzz_forms.FormFuzz(SEED, known, places, team={"organization": "acme", "team": "ops"}).shots(300)
    verdict = send_all(client, shots)
    assert not verdict.failures
    assert verdict.statuses[200] > 20
