"""Erasure of a person: nothing of theirs is left anywhere, all others keep theirs, and no restore brings it back."""

import json
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import Settings

from memories import operations, transfer
from memories.conversations.transcript import Message
from memories.models import Asset, Erasure, LegalHold, Memory, RecallLog, Scope, TeamFile
from memories.operations import erase_person as erasure
from memories.operations.audit_chain import seal_entries
from memories.operations.erasure_receipts import read_receipt, read_receipts
from memories.operations.idempotency import run_once
from memories.queries.audit_check import check_chain
from memories.recall import recall
from memoryhub.errors import Conflict, Invalid, NotFound, Trouble, UnderLegalHold
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Membership, Organization, Person, Role, Session, Team, Token
from tests import factories
from tests.stored_rows import count_rows, find_tables_with
from tests.test_export_import import empty_hub, export_organization

pytestmark = pytest.mark.django_db
WORD = "quagga"  # in everything that Mira says


@pytest.fixture
def vera(db: None) -> User:
    return factories.staff_member("vera")


@pytest.fixture
def helper(bot: Actor) -> Actor:
    """Return the agent while it serves Mira in a session."""
    return factories.actor(Agent.objects.get(pk=bot.agent_id), user="mira.lund", session="talk")


def fill_hub(helper: Actor, bot: Actor, team: Team) -> Person:
    """Let Mira leave something everywhere, and others mention her."""
    person = Person.objects.get(handle="mira.lund")
    login = factories.member(team, Role.EDITOR, "mlund")
    User.objects.filter(pk=login.pk).update(email="mira@lund.example", first_name="Mira", last_name="Lund")
    Person.objects.filter(pk=person.pk).update(name="Mira Lund", user=login)
    owned = factories.memory(helper, f"Likes the {WORD}.", scope=Scope.GLOBAL, key="animal")
    operations.update_memory(actor=helper, memory_id=owned.pk, content=f"Loves the {WORD}.")
    bytes_of_mira = ContentFile(WORD.encode())
    operations.attach_file(actor=helper, memory_id=owned.pk, file=bytes_of_mira, name=f"{WORD}.txt")
    operations.add_citation(actor=helper, memory_id=owned.pk, quote=f"my {WORD}")
    told = factories.memory(helper, f"The {WORD} is extinct.")
    operations.forget_memory(actor=helper, memory_id=told.pk)
    operations.archive_conversation(
        actor=helper, name="animals", messages=[Message(role="user", content=f"A {WORD} is a zebra.")]
    )
    recall(actor=helper, query=f"Which {WORD}?")
    run_once(actor=helper, key="k", request=b"", act=lambda: operations.IdempotentResult({"text": WORD}))
    mention = factories.memory(bot, "Mira Lund (mira@lund.example) signs; ask mira.lund. Amira does not.", key="signs")
    operations.update_memory(actor=bot, memory_id=mention.pk, content="Ask MIRA.LUND. Amira does not sign.")
    factories.memory(bot, "Contact.", key="people/mira.lund")
    operations.files.write_file(actor=bot, path="people/mira.lund.md", content="mlund leads.")
    recall(actor=bot, query="Where is Mira Lund?")
    registry.issue_token(agent=Agent.objects.get(pk=bot.agent_id), user="mira.lund", label="of mlund")
    registry.issue_token(agent=Agent.objects.get(pk=bot.agent_id), persons=["mira.lund", "noor"])
    LogEntry.objects.log_actions(login.pk, [owned], CHANGE, f"Saw the {WORD}.", single_object=True)
    seal_entries(everything=True)
    person.refresh_from_db()
    return person


NAMES = (WORD, "mira.lund", "mira lund", "mlund", "lund.example")


def test_nothing_of_a_person_is_left_in_any_table_or_file(
    helper: Actor, bot: Actor, team: Team, vera: User, django_capture_on_commit_callbacks: Any
) -> None:
    person = fill_hub(helper, bot, team)
    kept = factories.memory(factories.actor(Agent.objects.get(pk=bot.agent_id), user="noor"), "Noor's.", scope="global")
    assert all(find_tables_with(name) for name in NAMES)
    with django_capture_on_commit_callbacks(execute=True):
        receipt = erasure.erase_person(user=vera, person=person)
    assert {name: find_tables_with(name) for name in NAMES} == {name: [] for name in NAMES}
    stored = [path for path in Path(configured.MEDIA_ROOT).rglob("*") if path.is_file()]
    assert not [path for path in stored if WORD.encode() in path.read_bytes()]
    assert not Person.objects.filter(pk=person.pk).exists()
    assert not Session.objects.filter(name="talk").exists()
    assert not Asset.with_removed.exists()
    assert Memory.objects.filter(pk=kept.pk).exists()
    signs = Memory.objects.get(key="signs")
    assert signs.content == "Ask [personal data removed: person]. Amira does not sign."
    assert receipt["mentions_left"] == {}
    assert receipt["counts"]["memories"] == len(receipt["memory_ids"]) == 3
    assert receipt["counts"]["files"] == len(receipt["file_ids"]) == 1
    assert not check_chain().problems
    assert [hit.memory.pk for hit in recall(actor=bot, query="Amira sign").hits][:1] == [signs.pk]


def test_tokens_that_named_only_them_are_revoked_and_others_name_the_rest(
    helper: Actor, bot: Actor, team: Team, vera: User
) -> None:
    person = fill_hub(helper, bot, team)
    erasure.erase_person(user=vera, person=person)
    served, listed = Token.objects.order_by("pk")[:2]
    assert served.revoked_at
    assert (served.person_id, served.persons) == (None, [])
    assert not listed.revoked_at
    assert listed.nameable == ("noor",)


def test_a_login_is_closed_under_another_name_and_stays_the_author(
    helper: Actor, bot: Actor, team: Team, vera: User
) -> None:
    person = fill_hub(helper, bot, team)
    assert person.user
    erasure.erase_person(user=vera, person=person)
    login = User.objects.get(pk=person.user.pk)
    assert login.username.startswith("erased-")
    assert (login.email, login.get_full_name(), login.is_active, login.has_usable_password()) == ("", "", False, False)
    assert not Membership.objects.filter(user=login).exists()


def test_a_login_of_another_organization_stays_there(helper: Actor, bot: Actor, team: Team, vera: User) -> None:
    person = fill_hub(helper, bot, team)
    assert person.user
    elsewhere = factories.team()
    factories.member(elsewhere, Role.OWNER, person.user)
    receipt = erasure.erase_person(user=vera, person=person)
    assert receipt["counts"]["logins kept for another organization"] == 1
    assert User.objects.get(pk=person.user.pk).is_active
    assert [each.team for each in Membership.objects.filter(user=person.user)] == [elsewhere]


def test_operators_are_not_erased(helper: Actor, bot: Actor, team: Team, vera: User) -> None:
    person = fill_hub(helper, bot, team)
    Person.objects.filter(pk=person.pk).update(user=vera)
    with pytest.raises(Conflict, match="works in the admin"):
        erasure.erase_person(user=vera, person=person)
    assert Person.objects.filter(pk=person.pk).exists()


def test_a_dry_run_counts_and_changes_nothing(helper: Actor, bot: Actor, team: Team, vera: User) -> None:
    person = fill_hub(helper, bot, team)
    before = count_rows()
    counted = erasure.erase_person(user=None, person=person, pretend=True)
    assert count_rows() == before
    assert all(find_tables_with(name) for name in NAMES)
    assert not Path(configured.ERASURES_FILE).exists()
    done = erasure.erase_person(user=vera, person=person)
    assert (counted["counts"], counted["mentions_redacted"]) == (done["counts"], done["mentions_redacted"])


@pytest.mark.parametrize("named", ["person", "key_prefix", "everything"])
def test_whoever_is_under_a_legal_hold_is_not_erased(
    helper: Actor, bot: Actor, team: Team, vera: User, named: str
) -> None:
    person = fill_hub(helper, bot, team)
    covers: dict[str, Any] = {"person": {"person": person}, "key_prefix": {"key_prefix": "anim"}, "everything": {}}
    held = operations.place_hold(user=vera, organization=team.organization, reason="Suit", **covers[named])
    before = count_rows()
    with pytest.raises(UnderLegalHold):
        erasure.erase_person(user=vera, person=person)
    assert count_rows() == before
    operations.release_hold(user=vera, hold_id=held.pk)
    erasure.erase_person(user=vera, person=person)
    assert not LegalHold.objects.filter(person=person.pk).exists()


def test_short_names_are_not_taken_out_of_every_text(bot: Actor, vera: User) -> None:
    factories.actor(Agent.objects.get(pk=bot.agent_id), user="al")
    memory = factories.memory(bot, "Ask al about et al.")
    erasure.erase_person(user=vera, person=Person.objects.get(handle="al"))
    assert Memory.objects.get(pk=memory.pk).content == "Ask al about et al."


def test_if_the_list_cannot_be_written_nothing_is_erased(
    helper: Actor, bot: Actor, team: Team, vera: User, settings: Settings, tmp_path: Path
) -> None:
    person = fill_hub(helper, bot, team)
    settings.ERASURES_FILE = tmp_path / "nowhere" / "erasures.jsonl"
    with pytest.raises(Invalid, match="nothing was erased"):
        erasure.erase_person(user=vera, person=person)
    assert Person.objects.filter(pk=person.pk).exists()
    assert find_tables_with(WORD)


# Races


@pytest.mark.django_db(transaction=True)
def test_a_save_that_races_with_an_erasure_is_erased_or_refused() -> None:
    actor = factories.actor(user="mira")
    person, vera = Person.objects.get(handle="mira"), factories.staff_member("vera")
    erasing = threading.Thread(target=_run_apart, args=[lambda: erasure.erase_person(user=vera, person=person)])
    with transaction.atomic():
        factories.memory(actor, WORD, scope=Scope.GLOBAL)
        erasing.start()
        erasing.join(timeout=0.3)
        assert erasing.is_alive()
    erasing.join()
    assert find_tables_with(WORD) == []
    with pytest.raises(Trouble):
        factories.memory(actor, WORD, scope=Scope.GLOBAL)
    assert find_tables_with(WORD) == []
    with pytest.raises(NotFound):
        erasure.erase_person(user=vera, person=person)


def _run_apart(run: Any) -> None:
    try:
        run()
    finally:
        connection.close()


# Receipts and replay


def test_an_archive_from_before_does_not_bring_them_back(
    helper: Actor, bot: Actor, team: Team, vera: User, tmp_path: Path
) -> None:
    person = fill_hub(helper, bot, team)
    archive = export_organization(team.organization, tmp_path)
    erasure.erase_person(user=vera, person=person)
    empty_hub()
    report = transfer.import_archive(archive)
    assert report.erased_again == 1
    known = NAMES[:-1]  # archives carry no addresses of logins, so nothing tells whose the address in a text is
    assert {name: find_tables_with(name) for name in known} == {name: [] for name in known}
    assert Erasure.objects.get().person_id == person.pk
    assert len(read_receipts()) == 1
    assert erasure.replay_erasures() == 0


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 1}', "changed", b"\xff"])
def test_a_list_that_cannot_be_read_stops_imports_and_restores(
    helper: Actor, bot: Actor, team: Team, vera: User, tmp_path: Path, line: str | bytes
) -> None:
    person = fill_hub(helper, bot, team)
    archive = export_organization(team.organization, tmp_path)
    erasure.erase_person(user=vera, person=person)
    path = Path(configured.ERASURES_FILE)
    assert path.stat().st_mode & 0o077 == 0
    if line == "changed":
        path.write_text(path.read_text().replace(str(person.pk), str(bot.agent_id)))
    else:
        with path.open("ab") as file:
            file.write(line if isinstance(line, bytes) else line.encode())
    empty_hub()
    with pytest.raises(Invalid, match=r"erasures\.jsonl"):
        transfer.import_archive(archive)
    assert not Organization.objects.exists()
    with pytest.raises(CommandError, match=r"erasures\.jsonl"):
        call_command("restore_backup", str(archive))


def erase_by_command(*arguments: str) -> str:
    out = StringIO()
    call_command("erase_person", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_erases_and_checks_its_receipt(
    helper: Actor, bot: Actor, team: Team, vera: User, tmp_path: Path, settings: Settings
) -> None:
    person = fill_hub(helper, bot, team)
    named = ["--org", "acme", "--handle", "mira.lund"]
    assert json.loads(erase_by_command(*named, "--dry-run"))["counts"]["memories"] == 3
    for wrong, words in (
        (named, "Name the operator"),
        ([*named, "--by", "nobody"], "nobody is no operator"),
        (["--org", "acme", "--handle", "noone", "--by", "vera"], "no person noone"),
        (["--org", "x", "--handle", "mira.lund", "--by", "vera"], "no organization x"),
        (["--org", "acme"], "Name the organization"),
    ):
        with pytest.raises(CommandError, match=words):
            erase_by_command(*wrong)
    path = tmp_path / "receipt.json"
    path.write_text(erase_by_command(*named, "--by", "vera"))
    assert Erasure.objects.get().erased_by == vera
    assert LogEntry.objects.get(user=vera).object_repr == str(person.pk)
    assert "mira" not in path.read_text()
    assert "This hub erased a person" in erase_by_command("--check", str(path))
    assert "This hub erased this person" in erase_by_command("--check", str(path), "--handle", "mira.lund")
    with pytest.raises(CommandError, match="not about this person"):
        erase_by_command("--check", str(path), "--handle", "noor")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, [configured.SECRET_KEY]
    assert read_receipt(path.read_text())["person"] == str(person.pk)
    path.write_text(path.read_text().replace('"memories": 3', '"memories": 2'))
    with pytest.raises(CommandError, match="not signed this receipt, or it was changed"):
        erase_by_command("--check", str(path))
    assert TeamFile.objects.exists()
    assert RecallLog.objects.exists()
