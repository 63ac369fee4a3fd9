"""Anchors: what a check finds, what that does to recall and prompts, and what people decide about it."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import AnchorState, Memory, Scope, Source
from memories.prompts.context import build_context
from memories.queries.anchors import diff_anchor_lines
from memories.queries.review import count_review_items, list_review_items
from memories.recall import recall, why_not
from memories.recall.adjustments import find_anchor_factor
from memories.rules.anchors import NewAnchor, PlaceHashes
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound
from teams import rights
from teams.actor import Actor
from teams.models import Team, Verb
from tests import factories
from tests.anchors import CRANE_LINES, GRAINS, anchor, anchor_memory, hash_bytes, hash_lines, lines_at, report_lines
from tests.caller import Caller
from tests.mcp_caller import Messenger
from tests.secret_samples import Samples

pytestmark = pytest.mark.django_db
QUEUE = "/t/acme/ops/review/?kind=anchors"
CHANGED_LINES = ("[crane]", "limit = 45", "unit = 'tons'")


@pytest.fixture
def ed(eddy: User, team: Team) -> Actor:
    return rights.login_actor(user=eddy, team_id=team.pk)


@pytest.fixture
def memory(bot: Actor) -> Memory:
    return factories.memory(bot, "The crane lifts 40 tons.", key="crane")


def read_state(source: Source) -> str:
    return Source.objects.get(pk=source.pk).state


def waiting(actor: Actor) -> list[Source]:
    return [item.row for item in list_review_items(actor=actor, now=timezone.now(), kinds=["anchors"], limit=50).items]


# What an anchor says


def test_rest_and_mcp_make_anchors_alike(bot: Actor, memory: Memory) -> None:
    agent = factories.agent(memory.team, "second")
    rest, address = Caller(agent), f"memories/{memory.pk}/sources"
    fields = {"repository": "acme/berths", "path": "config/cranes.toml", "salt": GRAINS}
    sent = {"anchor": fields | hash_lines(*CRANE_LINES, first=3, commit="4b825dc")}
    made = rest("POST", address, sent).json()
    assert made["anchor"] == sent["anchor"] | {
        "state": "unchecked",
        "checked_at": None,
        "failed_at": None,
        "present": None,
    }
    told = Messenger(agent).call("memory_cite", memory_id=str(memory.pk), **sent)
    assert told["anchor"]["sha256"] == sent["anchor"]["sha256"]
    odd = {"anchor": {"sha256": 1, "lines": "3"}}
    assert "There is no such field." in Messenger(agent).refusal("memory_cite", memory_id=str(memory.pk), **odd)
    listed = rest("GET", "anchors?repository=acme/berths").json()["anchors"]
    assert [row["id"] for row in listed] == [made["id"], told["id"]]
    assert rest("GET", "anchors?repository=acme/other").json()["anchors"] == []


def test_an_anchor_may_be_a_whole_file_or_a_url(bot: Actor, memory: Memory) -> None:
    whole = replace(anchor(), first_line=None, last_line=None, line_hashes="", commit="")
    assert operations.add_citation(actor=bot, memory_id=memory.pk, anchor=whole).first_line is None
    plain = NewAnchor(sha256=hash_bytes("x", ""))
    at_url = operations.add_citation(actor=bot, memory_id=memory.pk, url="https://example.org/a", anchor=plain)
    assert (at_url.is_anchor, at_url.file_path) == (True, "")
    rest = Caller(factories.agent(memory.team, "third"))
    assert [row["id"] for row in rest("GET", "anchors?repository=").json()["anchors"]] == [str(at_url.pk)]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("sha256", {"sha256": "ABC"}),
        ("sha256", {"sha256": ""}),
        ("path", {"path": "../../etc/passwd"}),
        ("path", {"path": "/etc/passwd"}),
        ("path", {"path": "a\\b"}),
        ("repository", {"repository": "x" * 301}),
        ("anchor", {"repository": ""}),
        ("anchor", {"repository": "", "path": ""}),
        ("commit", {"commit": "--output=x"}),
        ("commit", {"commit": "4b825dc\n"}),
        ("salt", {"salt": "salt"}),
        ("last_line", {"last_line": None}),
        ("last_line", {"last_line": 0}),
        ("last_line", {"first_line": 0}),
        ("last_line", {"last_line": 2**31}),
        ("line_hashes", {"line_hashes": "abc"}),
        ("line_hashes", {"line_hashes": "abcd"}),
        ("line_hashes", {"first_line": 1, "last_line": 501, "line_hashes": "abcd" * 501}),
    ],
)
def test_a_bad_anchor_is_refused_by_the_name_of_its_field(
    bot: Actor, memory: Memory, field: str, values: dict[str, Any]
) -> None:
    with pytest.raises(Invalid) as refused:
        operations.add_citation(actor=bot, memory_id=memory.pk, anchor=replace(anchor(), **values))
    assert field in refused.value.fields
    assert not Source.objects.exists()


def test_a_url_has_no_repository_and_no_lines(bot: Actor, memory: Memory) -> None:
    for bad in (anchor(), NewAnchor(sha256="0" * 64, first_line=1, last_line=1)):
        with pytest.raises(Invalid):
            operations.add_citation(actor=bot, memory_id=memory.pk, url="https://example.org/", anchor=bad)


def test_secrets_in_the_names_of_an_anchor_are_refused(bot: Actor, memory: Memory) -> None:
    for name in ("path", "repository"):
        with pytest.raises(Invalid) as refused:
            anchor_memory(bot, memory, **{name: f"config/{Samples(1).github_token()}"})
        assert name in refused.value.fields


def test_the_database_holds_an_anchor_together(bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    for values in ({"state": ""}, {"file_path": ""}, {"state": "changed"}, {"last_line": 0}, {"line_hashes": "xyz!"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Source.objects.filter(pk=source.pk).update(**values)


# What a check finds


def test_the_hub_compares_the_hashes_itself(bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    for lines, state in ((CRANE_LINES, "holds"), (CHANGED_LINES, "changed"), ((), "gone"), (CRANE_LINES, "holds")):
        report_lines(bot, source, *lines)
        row = Source.objects.get(pk=source.pk)
        assert (row.state, row.failed, row.failed_at is not None) == (state, state in ("changed", "gone"), row.failed)
        assert row.checked_at
        assert bool(row.found_sha256) == (state == "changed")


def test_lines_that_moved_still_hold_where_they_are_now(bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source, *CRANE_LINES, first=9)
    row = Source.objects.get(pk=source.pk)
    assert (row.state, row.first_line, row.last_line) == ("holds", 9, 11)


def test_a_failure_dates_from_the_check_that_found_it_first(bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source, *CHANGED_LINES)
    since = Source.objects.get(pk=source.pk).failed_at
    report_lines(bot, source)
    assert Source.objects.get(pk=source.pk).failed_at == since


def test_reports_are_for_those_who_may_change_the_memory(team: Team, bot: Actor, memory: Memory) -> None:
    private = factories.memory(bot, "Mine.", scope=Scope.AGENT)
    source, own = anchor_memory(bot, memory), anchor_memory(bot, private)
    other = factories.actor(factories.agent(team))
    gone = operations.record_anchor_checks(actor=other, places={source.pk: None, own.pk: None, memory.pk: None})
    assert ([row.pk for row in gone.recorded], set(gone.skipped)) == ([source.pk], {own.pk, memory.pk})
    assert read_state(own) == "unchecked"
    stranger = factories.actor()
    assert report_lines(stranger, source).recorded == []
    for verbs in ({Verb.READ}, {Verb.WRITE}):
        with pytest.raises(Forbidden):
            report_lines(factories.actor(factories.agent(team), verbs=frozenset(verbs)), source)
    with pytest.raises(Invalid):
        operations.record_anchor_checks(actor=bot, places={source.pk: PlaceHashes(sha256="x")})


def test_what_no_longer_holds_need_not_be_checked(bot: Actor, memory: Memory) -> None:
    anchor_memory(bot, memory)
    successor = factories.memory(bot, "The crane lifts 45 tons.")
    operations.supersede_memory(actor=bot, memory_id=memory.pk, by=successor.pk)
    assert not Source.anchors.checkable_by(bot, now=timezone.now()).exists()


def test_a_check_by_rest_says_what_it_recorded_and_what_not(bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    rest = Caller(factories.agent(memory.team, "second"))
    present = {name: value for name, value in hash_lines(*CHANGED_LINES).items() if name != "commit"}
    checked = [{"id": str(source.pk), "present": present}, {"id": str(memory.pk), "present": None}]
    answer = rest("POST", "anchors/report", {"anchors": checked, "commit": "4b825dc"}).json()
    assert answer["skipped"] == [str(memory.pk)]
    assert answer["anchors"][0]["anchor"]["present"] == present | {"commit": "4b825dc"}
    assert rest("POST", "anchors/report", {"anchors": []}).status_code == 400


# Readers are told


def test_every_reader_is_told_of_a_failed_anchor(bot: Actor, memory: Memory) -> None:
    source, rest = anchor_memory(bot, memory), Caller(factories.agent(memory.team, "second"))

    def marks() -> list[str | None]:
        hits = rest("POST", "recall", {"query": "crane"}).json()["memories"]
        hits += rest("POST", "recall", {"mode": "recent"}).json()["memories"]
        listed = rest("GET", "memories").json()["memories"]
        one = rest("GET", f"memories/{memory.pk}").json()
        told = Messenger(rest.agent).call("memory_recall", query="crane")["memories"]
        counted = Memory.objects.with_usage().get(pk=memory.pk).anchor_state
        return [counted, *(row.get("anchor_state") for row in (*hits, *listed, one, *told))]

    assert set(marks()) == {None}
    report_lines(bot, source, *CHANGED_LINES)
    assert set(marks()) == {"changed"}
    assert "[fact, anchor changed]" in build_context(actor=bot, query="crane").text
    report_lines(bot, source)
    assert set(marks()) == {"gone"}
    operations.remove_citation(actor=bot, source_id=source.pk)
    assert set(marks()) == {None}


def test_a_failed_anchor_decides_between_near_ties_and_is_explained(bot: Actor, memory: Memory) -> None:
    operations.forget_memory(actor=bot, memory_id=memory.pk)
    for load in ("stones", "timber"):
        anchor_memory(bot, factories.memory(bot, f"The crane lifts {load}."))
    query = "what does the crane lift?"
    first, second = (hit.memory for hit in recall(actor=bot, query=query).hits)
    report_lines(bot, Source.objects.get(memory=first), *CHANGED_LINES)
    assert [hit.memory for hit in recall(actor=bot, query=query).hits] == [second, first]
    assert why_not(actor=bot, memory_id=first.pk, query=query).rank == 2
    rest = Caller(factories.agent(memory.team, "second"))
    told = rest("POST", "recall", {"query": query, "explain": True}).json()["memories"]
    assert [hit["explain"]["anchor_factor"] for hit in told] == [1.0, 0.85]
    assert (find_anchor_factor(None), find_anchor_factor("gone")) == (1.0, 0.85)


def test_the_penalty_is_a_setting(bot: Actor, settings: Any) -> None:
    settings.ANCHOR_PENALTY = 0.0
    assert find_anchor_factor("changed") == 1.0


# People decide


def test_a_failed_anchor_waits_for_those_who_may_change_the_memory(team: Team, ed: Actor, bot: Actor) -> None:
    memory = factories.memory(bot, "The crane lifts 40 tons.")
    source = anchor_memory(bot, memory)
    assert waiting(ed) == []
    report_lines(bot, source, *CHANGED_LINES)
    assert waiting(ed) == [source]
    assert count_review_items(actor=ed, now=timezone.now()) == 1
    assert waiting(bot) == waiting(factories.owner_actor(factories.team())) == []
    report_lines(bot, source, *CRANE_LINES)
    assert waiting(ed) == []


def test_accepting_makes_the_anchor_what_was_found_and_can_be_taken_back(ed: Actor, bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source, *CHANGED_LINES, first=5)
    found = lines_at(*CHANGED_LINES).sha256
    with pytest.raises(Conflict):
        operations.accept_anchor(actor=ed, source_id=source.pk, sha256="0" * 64)
    with pytest.raises(Forbidden):
        operations.accept_anchor(actor=bot, source_id=source.pk, sha256=found)
    with pytest.raises(NotFound):
        operations.accept_anchor(actor=factories.owner_actor(factories.team()), source_id=source.pk, sha256=found)
    operations.accept_anchor(actor=ed, source_id=source.pk, sha256=found)
    row = Source.objects.get(pk=source.pk)
    assert (row.state, row.sha256, row.first_line) == ("holds", found, 5)
    operations.reopen_anchor(actor=ed, source_id=source.pk)
    row = Source.objects.get(pk=source.pk)
    assert (row.state, row.sha256, row.found_sha256) == ("changed", source.sha256, found)
    operations.accept_anchor(actor=ed, source_id=source.pk, sha256=found)
    report_lines(bot, source, *CHANGED_LINES)
    with pytest.raises(Conflict):
        operations.reopen_anchor(actor=ed, source_id=source.pk)


def test_accepting_that_something_is_gone_removes_the_anchor(ed: Actor, bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source)
    operations.accept_anchor(actor=ed, source_id=source.pk, sha256="")
    assert not Source.objects.exists()
    operations.reopen_anchor(actor=ed, source_id=source.pk)
    assert read_state(source) == AnchorState.GONE


def test_a_reader_may_not_decide(ed: Actor, bot: Actor, viewer: Client, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source)
    answer: Any = viewer.post(f"/t/acme/ops/review/anchors/{source.pk}/accept/", {"sha256": ""}, follow=True)
    assert "You may read this memory, but not change it." in answer.text
    assert read_state(source) == "gone"


def test_the_lines_that_changed_are_told_by_their_hashes(bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source, "# Cranes", *CHANGED_LINES, first=5)
    parts = diff_anchor_lines(Source.objects.get(pk=source.pk))
    assert [(part.kind, part.text) for part in parts] == [
        ("added", "line 5 new\n"),
        ("same", "line 1 as before, now from 6\n"),
        ("removed", "line 2 no longer there\n"),
        ("added", "line 7 new\n"),
        ("same", "line 3 as before, now from 8\n"),
    ]


def test_people_decide_in_the_browser(editor: Client, viewer: Client, bot: Actor, memory: Memory) -> None:
    source = anchor_memory(bot, memory)
    report_lines(bot, source, *CHANGED_LINES)
    page = editor.get(QUEUE).text
    for words in ("Anchor changed: crane", "config/cranes.toml:1-3", "in acme/berths", "line 2 no longer there"):
        assert words in page
    assert "Anchor changed" not in viewer.get(QUEUE).text
    assert "anchor changed" in viewer.get(f"/t/acme/ops/memories/{memory.pk}/").text
    assert "Its anchor is changed" in viewer.get("/t/acme/ops/recall/?query=crane").text
    accept = f"/t/acme/ops/review/anchors/{source.pk}/accept/"
    late: Any = editor.post(accept, {"sha256": "0" * 64}, follow=True)
    assert "A check has found something else meanwhile." in late.text
    found = lines_at(*CHANGED_LINES).sha256
    done: Any = editor.post(accept, {"sha256": found, "next": QUEUE}, follow=True)
    assert "Nothing waits for you" in done.text
    editor.post(f"/t/acme/ops/review/anchors/{source.pk}/reopen/")
    told = editor.get("/api/v1/teams/acme/ops/review?kind=anchors").json()
    assert (told["counts"]["anchors"], told["items"][0]["source"]["anchor"]["present"]["sha256"]) == (1, found)
    by_rest = editor.post(
        f"/api/v1/teams/acme/ops/anchors/{source.pk}/accept", {"sha256": found}, content_type="application/json"
    )
    assert by_rest.json()["anchor"]["state"] == "holds"
    undone = editor.post(f"/api/v1/teams/acme/ops/anchors/{source.pk}/reopen", {}, content_type="application/json")
    assert undone.json()["anchor"]["state"] == "changed"


def test_people_add_anchors_by_the_form_of_sources(editor: Client, memory: Memory) -> None:
    address = f"/t/acme/ops/memories/{memory.pk}/cite/"
    values = {"repository": "acme/berths", "path": "a.toml", "first_line": "2", "last_line": "2", "commit": "4b825dc"}
    refused = editor.post(address, values | {"sha256": "no"})
    assert (refused.status_code, "64 hexadecimal digits" in refused.text) == (400, True)
    editor.post(address, values | {"sha256": "0" * 64})
    assert Source.objects.get().place == "acme/berths: a.toml:2-2"
    assert editor.post(address, {"quote": "Words alone."}).status_code == 302
    page = editor.get(f"/t/acme/ops/memories/{memory.pk}/").text
    assert "a.toml:2" in page
    assert "unchecked" in page
