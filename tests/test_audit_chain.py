"""Tests of the chain of hashes over the histories."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from memories import operations
from memories.models import AuditEntry, AuditPlace, FileVersion, Memory, MemoryFields, Revision
from memories.operations import redact_stored_texts
from memories.operations.audit_chain import seal_entries
from memories.operations.retention import remove_outdated
from memories.queries.audit_check import check_chain
from memories.queries.audit_histories import HISTORIES
from memories.screening.findings import FindingGroup
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Team
from tests import factories
from tests.secret_samples import Samples
from tests.test_races import at_once

pytestmark = pytest.mark.django_db


def run_audit(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("audit", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def history(writer: Actor) -> Memory:
    """Write something into each history, and seal it."""
    memory = factories.memory(writer, "Berth 7 is closed.", key="berth-7")
    operations.update_memory(actor=writer, memory_id=memory.pk, content="Berth 7 is open.")
    operations.files.write_file(actor=writer, path="berths.md", content="7: open")
    owner = factories.owner_actor(Team.objects.get(pk=writer.team_id))
    LogEntry.objects.log_actions(owner.user_id, [memory], 2, "Looked at.", single_object=True)
    assert seal_entries() == (4, True)
    return memory


Tamper = Callable[[], Any]
TAMPERINGS: dict[str, tuple[Tamper, str]] = {
    "words of a version": (
        lambda: Revision.objects.filter(version=1).update(content="Berth 7 was never closed."),
        "its words were changed",
    ),
    "words that pass for purged": (
        lambda: Revision.objects.filter(version=1).update(content="[purged]"),
        "its words were changed",
    ),
    "the author of a version": (
        lambda: Revision.objects.filter(version=1).update(agent=None),
        "its history says something else",
    ),
    "a version is gone": (lambda: Revision.objects.filter(version=1).delete(), "it is gone from its history"),
    "the last entry's row is gone": (lambda: LogEntry.objects.all().delete(), "it is gone from its history"),
    "a file's words": (lambda: FileVersion.objects.update(content="7: closed"), "its words were changed"),
    "an operator's entry": (lambda: LogEntry.objects.update(change_message="Left."), "its words were changed"),
    "a link is gone": (lambda: AuditEntry.objects.filter(number=2).delete(), "the entries 2 to 2 before it are gone"),
    "a link was changed": (lambda: AuditEntry.objects.filter(number=2).update(row_id="x"), "it was changed"),
    "the first link is gone": (lambda: AuditEntry.objects.filter(number=1).delete(), "the entries 1 to 1 before it"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_what_was_tampered_with_is_named(history: Memory, name: str) -> None:
    assert run_audit("--check")[0] == 0
    tamper, words = TAMPERINGS[name]
    tamper()
    code, text = run_audit("--check")
    assert code == 1
    assert words in text
    assert "Berth" not in text


LATER = timezone.now() + timedelta(days=7)
CHANGED_FIELDS: dict[str, Any] = {
    "type": "lesson",
    "importance": 0.123,
    "pinned": True,
    "expires_at": LATER,
    "source": "wiki",
    "scope": "agent",
    "metadata": {"a": 1},
    "category": "rules",
    "tags": ["berths"],
    "key": "berth-8",
    "summary": "Closed.",
    "content": "Berth 8 is closed.",
    "version": 9,
    "verified_at": LATER,
    "verified_by": "ana",
    "review_by": LATER,
    "valid_from": LATER,
    "valid_until": LATER,
    "superseded_by": uuid7(),
    "status": "rejected",
    "provenance": "person",
    "forgotten_at": LATER,
    "forgotten_by": "ana",
    "forget_reason": "It was a dream.",
}


def test_every_field_of_a_version_is_tampered_with() -> None:
    assert CHANGED_FIELDS.keys() == {field.name for field in MemoryFields._meta.local_fields}


@pytest.mark.parametrize("name", CHANGED_FIELDS)
def test_a_field_of_a_version_that_was_tampered_with_is_found(history: Memory, name: str) -> None:
    Revision.objects.filter(version=1).update(**{name: CHANGED_FIELDS[name]})
    assert len(check_chain().problems) == 1


def test_entries_of_the_first_form_stay_valid(history: Memory, writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = HISTORIES[AuditPlace.MEMORY_VERSION]
    with monkeypatch.context() as earlier:
        earlier.setitem(HISTORIES, AuditPlace.MEMORY_VERSION, versions._replace(forms=versions.forms[:1]))
        factories.memory(writer, f"Use {Samples(7).github_token()}", is_screened=True)
        seal_entries()
        assert AuditEntry.objects.last_first()[0].form == 1
    operations.update_memory(actor=writer, memory_id=history.pk, content="Berth 7 is closed again.")
    seal_entries()
    assert AuditEntry.objects.last_first()[0].form == 2
    assert not check_chain().problems
    redact_stored_texts(writer.organization_id, frozenset({FindingGroup.SECRET}))
    assert not check_chain().problems
    AuditEntry.objects.filter(form=2, place=AuditPlace.MEMORY_VERSION).update(form=1)
    assert check_chain().problems


def test_an_anchor_shows_that_the_end_was_cut_off_or_made_anew(history: Memory) -> None:
    anchor = run_audit("--head")[1].strip()
    assert anchor.startswith("4:")
    assert run_audit("--check", "--anchor", anchor)[0] == 0
    LogEntry.objects.all().delete()
    AuditEntry.objects.filter(number=4).delete()
    assert run_audit("--check")[0] == 0
    code, text = run_audit("--check", "--anchor", anchor)
    assert (code, "the chain ends at 3, before the anchor" in text) == (1, True)
    Revision.objects.filter(version=1).update(content="Berth 7 was never closed.")
    AuditEntry.objects.all().delete()
    state = json.loads(run_audit("--check", "--json")[1])
    assert (state["entries"], state["problems"]) == (3, [])
    assert run_audit("--check", "--anchor", f"3:{anchor[2:]}")[0] == 1


@pytest.mark.parametrize("anchor", ["4", "x:y", "9" * 30 + ":" + "0" * 64])
def test_an_odd_anchor_is_refused(history: Memory, anchor: str) -> None:
    with pytest.raises(CommandError, match="NUMBER:HASH"):
        run_audit("--check", "--anchor", anchor)


def test_removal_purging_and_redaction_break_nothing(history: Memory, writer: Actor, settings: Settings) -> None:
    plain = factories.unscreened(writer)
    leaky = factories.memory(plain, f"see {Samples(3).github_token()}")
    factories.memory(writer, "To be forgotten.")
    gone = Memory.objects.latest("created_at")
    operations.forget_memory(actor=writer, memory_id=gone.pk)
    seal_entries()
    owner = factories.owner_actor(Team.objects.get(pk=writer.team_id))
    operations.purge_memory(actor=owner, memory_id=history.pk)
    redact_stored_texts(leaky.organization_id, frozenset({FindingGroup.SECRET}))
    settings.KEEP_FORGOTTEN_DAYS = 1
    remove_outdated(now=timezone.now() + timedelta(days=2))
    assert not Revision.objects.filter(memory=gone.pk).exists()
    assert run_audit("--check")[0] == 0
    Revision.objects.filter(memory=leaky.pk).update(content="anything else")
    assert run_audit("--check")[0] == 1


@pytest.mark.django_db(transaction=True)
def test_writers_and_sealers_at_once_lose_no_entry() -> None:
    writer = factories.actor()

    def act(number: int) -> object:
        if number % 3 == 0:
            return [seal_entries() for _ in range(5)]
        return [factories.memory(writer, f"Berth {number}-{position} is open.") for position in range(5)]

    at_once(9, act)
    seal_entries()
    assert Revision.objects.count() == 30
    sealed = AuditEntry.objects.filter(place="memory version").values_list("row_id", flat=True)
    assert sorted(sealed) == sorted(map(str, Revision.objects.values_list("pk", flat=True)))
    state = check_chain()
    assert (state.entries, state.problems) == (30, [])
