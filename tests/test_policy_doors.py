"""Team policies through every door: what is held reaches nobody else, whichever way an agent takes, and the agent is
told."""

from typing import Any

import pytest
from django.test import Client

from memories import operations
from memories.models import Memory, Proposal, Status
from memories.operations import Draft
from memories.prompts.context import build_context
from memories.recall import Mode, recall
from memories.rules import policies
from memoryhub.errors import Forbidden
from teams import rights
from teams.models import Role, Team
from tests import factories
from tests.caller import Caller
from tests.held_ways import FILE_WAYS, NO_WAYS, SECRET, WAYS, Scene, Way, build_scene, rest
from tests.tools import call_tool_api
from tests.writing import ENDPOINTS, WRITES

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene() -> Scene:
    return build_scene()


def find_readings(scene: Scene) -> list[str]:
    """Return the reads of a colleague in which the secret is."""
    reader = scene.actor(scene.reader)
    caller, found = Caller(scene.reader), []
    for mode in (Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC, Mode.RECENT, Mode.IMPORTANT):
        hits = recall(actor=reader, query="vault code quokka", mode=mode, limit=50).hits
        found += [f"recall {mode}"] if any("quokka" in repr(vars(hit.memory)) for hit in hits) else []
    found += ["context"] if "quokka" in build_context(actor=reader, query="vault code quokka").text else []
    for path in (
        "memories?limit=200",
        "memories?forgotten=false&tags=quokka",
        "keys/vault",
        "keys/pump",
        "timeline/pump",
    ):
        found += [path] if "quokka" in caller("GET", path).text else []
    held = Memory.objects.filter(status=Status.PROPOSED).values_list("pk", flat=True)
    for pk in (*held, scene.shared.pk):
        for path in (f"memories/{pk}", f"memories/{pk}/history", f"memories/{pk}/sources"):
            found += [path] if "quokka" in caller("GET", path).text else []
    found += ["proposals"] if "quokka" in caller("GET", "proposals").text else []
    return found


@pytest.mark.parametrize("way", WAYS)
def test_what_a_policy_holds_reaches_no_colleague(scene: Scene, way: str) -> None:
    answer = WAYS[way](scene)
    assert find_readings(scene) == []
    assert is_told(answer), answer


@pytest.mark.parametrize("way", FILE_WAYS)
def test_what_is_in_a_file_reaches_no_recall_and_no_context(scene: Scene, way: str) -> None:
    FILE_WAYS[way](scene)
    assert find_readings(scene) == []


def test_each_write_is_tried_as_a_way_or_says_why_not() -> None:
    tried = {name.partition(": ")[0] for name in WAYS}
    assert not tried & NO_WAYS.keys()
    assert WRITES.keys() - tried == NO_WAYS.keys()
    assert {name for name in tried - WRITES.keys() if " " in name} <= ENDPOINTS.keys()


def is_told(answer: Any) -> bool:
    """Tell whether an answer says that the write waits or was refused."""
    text = str(answer)
    return "'proposed'" in text or "'held': [{" in text or "'code': '" in text or "'isError': True" in text


HIDDEN = ("delete ", "memory_forget", "scoped/")  # by which the secret is the reason of a removal, or stays private
REFUSED_ANYHOW = {"post memories/<uuid:memory_id>/supersede: by private"}


@pytest.mark.parametrize("way", [name for name in WAYS if not name.startswith(HIDDEN) and name not in REFUSED_ANYHOW])
def test_an_approved_way_shows_the_text_to_all(scene: Scene, way: str) -> None:
    """So that the test above is about the policy, and not about calls that nobody could make."""
    scene.set_policy(policies.SAVE_EVERYTHING)
    WAYS[way](scene)
    assert find_readings(scene)


# Something harmless first

SNEAKY: dict[str, tuple[dict[str, Any], Way]] = {
    "type": ({"types": ["decision"]}, rest("PATCH", "memories/{former}", {"type": "decision"})),
    "category": ({"categories": ["rules"]}, rest("PATCH", "memories/{former}", {"category": "rules"})),
    "key": ({"keys": ["vault"]}, rest("PATCH", "memories/{former}", {"key": "vault"})),
    "prefix": ({"key_prefixes": ["rules/"]}, rest("PATCH", "memories/{former}", {"key": "rules/1"})),
    "source": ({"sources": ["wiki"]}, rest("PATCH", "memories/{former}", {"source": "wiki"})),
    "pin": ({"pinned": True}, rest("POST", "memories/{former}/pin", {"pinned": True})),
    "move": ({"scopes": ["team"]}, rest("POST", "memories/{private}/move", {"scope": "team"})),
    "key of the replaced": (
        {"keys": ["pump"]},
        rest("POST", "memories/{shared}/supersede", lambda scene: {"by": keyless(scene)}),
    ),
}


def keyless(scene: Scene) -> str:
    return str(factories.memory(scene.actor(scene.scribe), "The pump runs at night.").pk)


@pytest.mark.parametrize("name", SNEAKY)
def test_a_change_makes_no_memory_that_a_new_one_could_not_be(scene: Scene, name: str) -> None:
    """A rule about new memories alone holds the change that would make one of that kind."""
    condition, way = SNEAKY[name]
    scene.set_policy({"rules": [{"who": ["agent"], "writes": ["new"], "then": "propose", **condition}]})
    answer = way(scene)
    assert is_told(answer), answer
    for memory in (scene.shared, scene.former, scene.private):
        present = Memory.objects.get(pk=memory.pk)
        assert (present.version, present.superseded_by) == (2 if memory is scene.former else 1, None)


def test_an_approved_replacement_gives_the_key_to_the_successor(scene: Scene) -> None:
    condition, way = SNEAKY["key of the replaced"]
    scene.set_policy({"rules": [{"who": ["agent"], "writes": ["new"], "then": "propose", **condition}]})
    held = way(scene)
    team = Team.objects.get(pk=scene.scribe.team_id)
    operations.approve_proposal(actor=factories.owner_actor(team), proposal_id=held["proposal_id"])
    old = Memory.objects.get(pk=scene.shared.pk)
    assert Memory.objects.get(pk=old.superseded_by).key == "pump"


# People


def test_a_policy_about_people_holds_their_bulk_edits_too(scene: Scene) -> None:
    scene.set_policy({"rules": [{"who": ["person"], "keys": ["pump"], "then": "refuse", "reason": "Not by hand."}]})
    team = Team.objects.get(pk=scene.scribe.team_id)
    editor = rights.login_actor(user=factories.member(team, Role.EDITOR), team_id=team.pk)
    wish = operations.bulk_edit.build_bulk_edit(kind="pin")
    preview = operations.bulk_edit.preview_effects(
        actor=editor, memory_ids=[scene.shared.pk, scene.former.pk], wish=wish
    )
    assert [memory.pk for memory in preview.changing] == [scene.former.pk]
    assert [reason for _, reason in preview.skipped] == ["Not by hand."]


def test_a_broken_policy_stops_every_write(scene: Scene) -> None:
    scene.set_policy({"rules": [{"then": "wave through"}]})
    with pytest.raises(Forbidden, match="cannot be read, so nothing is written"):
        operations.save_memory(actor=scene.actor(scene.scribe), draft=Draft(content="Anything."))


# The proposer's own view


def test_a_proposer_sees_a_proposal_marked_everywhere(scene: Scene) -> None:
    saved = scene.rest("POST", "memories", {"content": SECRET}).json()
    scribe = scene.actor(scene.scribe)
    assert (saved["status"], "proposal_id" in saved) == ("proposed", True)
    assert f"[fact, proposed][scribe] {SECRET}" in build_context(actor=scribe).text
    hits = scene.rest("POST", "recall", {"query": "vault code"}).json()["memories"]
    assert "proposed" in {hit["status"] for hit in hits if hit["id"] == saved["id"]}
    listed = scene.rest("GET", "proposals?state=open").json()["proposals"]
    assert [row["id"] for row in listed] == [saved["proposal_id"]]


def test_links_and_sources_of_a_proposal_come_with_it(scene: Scene) -> None:
    link = {"target_id": str(scene.shared.pk), "relation_type": "caused_by"}
    saved = call_tool_api(scene.rest.token, "graph/memory_save", {"content": SECRET, "associations": [link]})[1]
    scene.rest("POST", f"memories/{saved['memory_id']}/sources", {"url": "https://example.org/vault"})
    colleague = Caller(scene.reader)
    assert colleague("GET", f"memories/{scene.shared.pk}/associations").json()["associations"] == []
    team = Team.objects.get(pk=scene.scribe.team_id)
    proposal = Proposal.objects.get(memory=saved["memory_id"])
    operations.approve_proposal(actor=factories.owner_actor(team), proposal_id=proposal.pk)
    for part, count in (("associations", 1), ("sources", 1)):
        assert len(colleague("GET", f"memories/{saved['memory_id']}/{part}").json()[part]) == count


@pytest.mark.parametrize(
    ("place", "arguments", "said"),
    [
        ("kv/memory", {"command": "update", "key": "pump", "content": "x"}, {"content": "The pump runs by day."}),
        ("group/save_memory", {"key": "pump", "content": "x"}, {"key": "pump"}),
        ("group/forget_memory", {"key": "pump"}, {"removed": False}),
        (
            "team/save_memory",
            {"type": "fact", "content": "x"},
            {"text": "Waits for a person's approval: [fact][scribe] x"},
        ),
        ("graph/memory_save", {"content": "x"}, {"message": "Memory proposed: it waits for a person's approval"}),
        ("scoped/save", {"key": "mine", "value": "x", "scope": "agent"}, {"created": True}),
    ],
)
def test_dialects_say_what_waits(scene: Scene, place: str, arguments: dict[str, Any], said: dict[str, Any]) -> None:
    status, answer = call_tool_api(scene.rest.token, place, arguments)
    assert (status, answer["status"]) == (200, "proposed")
    assert {name: answer[name] for name in said} == said


def test_dialects_say_that_what_is_to_be_forgotten_stays(scene: Scene) -> None:
    for place, arguments in (
        ("graph/memory_delete", {"memory_id": str(scene.shared.pk)}),
        ("scoped/delete", {"id": str(scene.shared.pk)}),
    ):
        status, answer = call_tool_api(scene.rest.token, place, arguments)
        done = [answer[name] for name in ("forgotten", "deleted") if name in answer]
        assert (status, answer["status"], done) == (200, "proposed", [False])
    assert Client().get(f"/api/v1/memories/{scene.shared.pk}", headers=scene.rest.headers).json()["version"] == 1
