"""Legal holds: nothing that one covers is destroyed by anybody, and everything else is as before."""

import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client
from django.utils import timezone

from memories import jobs, operations
from memories.models import (
    Asset,
    Association,
    Feedback,
    FileVersion,
    LegalHold,
    Memory,
    RecallLog,
    Revision,
    Scope,
    SettledQuestion,
    TeamFile,
)
from memories.operations import retention
from memories.operations.attach import drop_removed
from memories.operations.audit_chain import seal_entries
from memories.queries.audit_check import check_chain
from memories.recall import recall
from memories.screening.findings import FindingGroup
from memoryhub import roles
from memoryhub.errors import Invalid, UnderLegalHold
from memoryhub.ids import first_id, uuid7
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Organization, Person, Session, Team
from tests import factories
from tests.secret_samples import Samples
from tests.test_admin import act, at, follow_action_text

pytestmark = pytest.mark.django_db
HELD_NOW = timezone.now()
SECRET_GROUP = frozenset({FindingGroup.SECRET})
HELD_SECRET = Samples(1).github_token()


@pytest.fixture
def olga(db: None) -> User:
    return factories.staff_member("olga", role=roles.OPERATOR)


@pytest.fixture
def scribe(db: None) -> Actor:
    """Return an agent that nobody screens, so that secrets are stored."""
    return factories.unscreened(factories.actor(user="mira", session="chat"))


def hold(user: User, actor: Actor, **named: Any) -> LegalHold:
    organization = Organization.objects.get(pk=actor.organization_id)
    return operations.place_hold(user=user, organization=organization, **named, reason="A lawsuit.")


# Every way to destroy something


class Held:
    """Rows of one agent that a hold covers, or does not."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.memory = factories.memory(actor, f"The contract. {HELD_SECRET}", key="contracts/1", category="contract")
        self.other = factories.memory(actor, "Something else.")
        operations.associate(actor=actor, origin_id=self.memory.pk, target_id=self.other.pk)
        upload = ContentFile(b"bytes")
        self.asset = operations.attach_file(actor=actor, memory_id=self.memory.pk, file=upload, name="a.txt")
        self.file = operations.files.write_file(actor=actor, path="contracts/a.md", content=HELD_SECRET)
        operations.rate_memory(actor=actor, memory_id=self.memory.pk, rating="helpful")
        recall(actor=actor, query="contract")


def purge_held(rows: Held) -> None:
    owner = factories.owner_actor(Team.objects.get(pk=rows.actor.team_id))
    operations.purge_memory(actor=owner, memory_id=rows.memory.pk)


def purge_as_operator(rows: Held) -> None:
    client = factories.logged_in(factories.staff_member("oskar", role=roles.OPERATOR))
    text = follow_action_text(client, act(client, "purge", rows.memory, sure="on"))
    if "A legal hold keeps this memory" in text:
        raise UnderLegalHold("Refused on the page.")


def dissociate_held(rows: Held) -> None:
    operations.dissociate(actor=rows.actor, origin_id=rows.memory.pk, target_id=rows.other.pk, relation="related_to")


def withdraw_held_rating(rows: Held) -> None:
    operations.withdraw_rating(actor=rows.actor, memory_id=rows.memory.pk)


def outdate_forgotten(rows: Held) -> None:
    operations.forget_memory(actor=rows.actor, memory_id=rows.memory.pk)
    Memory.objects.filter(pk=rows.memory.pk).update(forgotten_at=HELD_NOW - timedelta(days=99))
    retention.remove_outdated(now=HELD_NOW)


def outdate_recalls(rows: Held) -> None:
    written = HELD_NOW - timedelta(days=99)
    old = UUID(int=first_id(written).int | uuid7().int & (1 << 62) - 1)
    RecallLog.objects.update(id=old, created_at=written)
    retention.remove_outdated(now=HELD_NOW)


def drop_attachment(rows: Held) -> None:
    operations.detach_file(actor=rows.actor, asset_id=rows.asset.pk)
    drop_removed(now=HELD_NOW + timedelta(days=1))


def redact_texts_now(rows: Held) -> None:
    operations.redact_stored_texts(rows.actor.organization_id, SECRET_GROUP)


def redact_file(rows: Held) -> None:
    redact_texts_now(rows)


def has_link(rows: Held) -> bool:
    return Association.objects.filter(origin=rows.memory.pk).exists()


def has_memory(rows: Held) -> bool:
    words = Memory.objects.filter(pk=rows.memory.pk, content__contains="contract")
    return words.exists() and Revision.objects.filter(memory=rows.memory.pk, content__contains=HELD_SECRET).exists()


def has_file(rows: Held) -> bool:
    return (
        TeamFile.objects.filter(pk=rows.file.pk, content=HELD_SECRET).exists()
        and FileVersion.objects.filter(file=rows.file.pk, content=HELD_SECRET).exists()
    )


REFUSED, SKIPPED = True, False
DESTROYERS: tuple[tuple[Callable[[Held], None], bool, Callable[[Held], bool]], ...] = (
    (purge_held, REFUSED, has_memory),
    (purge_as_operator, REFUSED, has_memory),
    (dissociate_held, REFUSED, has_link),
    (withdraw_held_rating, REFUSED, lambda rows: Feedback.objects.exists()),
    (outdate_forgotten, SKIPPED, has_memory),
    (outdate_recalls, SKIPPED, lambda rows: RecallLog.objects.exists()),
    (drop_attachment, SKIPPED, lambda rows: Asset.with_removed.exists()),
    (redact_texts_now, SKIPPED, has_memory),
    (redact_file, SKIPPED, has_file),
)
COVERING: dict[str, Callable[[Actor], dict[str, Any]]] = {
    "everything": lambda actor: {},
    "a team": lambda actor: {"team": Team.objects.get(pk=actor.team_id)},
    "a key": lambda actor: {"key_prefix": "contracts/"},
}


@pytest.fixture
def _short_retention(settings: Any) -> None:
    settings.KEEP_FORGOTTEN_DAYS = settings.KEEP_RECALLS_DAYS = 30


@pytest.mark.usefixtures("_short_retention")
@pytest.mark.parametrize(
    ("destroy", "refuses", "is_there"), DESTROYERS, ids=[destroy.__name__ for destroy, *_ in DESTROYERS]
)
@pytest.mark.parametrize("covering", [*COVERING, "nothing of it", "released"])
def test_whatever_is_held_outlives_every_destroyer(
    olga: User, scribe: Actor, destroy: Any, refuses: bool, is_there: Any, covering: str
) -> None:
    rows = Held(scribe)
    if covering in COVERING:
        hold(olga, scribe, **COVERING[covering](scribe))
    elif covering == "released":
        operations.release_hold(user=olga, hold_id=hold(olga, scribe).pk)
    else:
        hold(olga, scribe, team=factories.team(Organization.objects.get(pk=scribe.organization_id)))
        hold(olga, scribe, key_prefix="contracts/2")
        hold(olga, scribe, category="contracts")
        hold(olga, factories.actor())
    assert is_there(rows)
    if covering in COVERING and refuses:
        with pytest.raises(UnderLegalHold):
            destroy(rows)
    else:
        destroy(rows)
    assert is_there(rows) == (covering in COVERING)


def test_no_change_lets_a_memory_escape(olga: User, scribe: Actor) -> None:
    """What it once was counts, so that nobody renames or moves it first."""
    rows = Held(scribe)
    for number, changes in enumerate(({"category": "fact"}, {"key": "harmless"}), start=1):
        operations.update_memory(actor=scribe, memory_id=rows.memory.pk, **changes)  # type: ignore[arg-type]
        named = {"category": "contract"} if number == 1 else {"key_prefix": "contracts"}
        placed = hold(olga, scribe, **named)
        with pytest.raises(UnderLegalHold):
            purge_held(rows)
        operations.release_hold(user=olga, hold_id=placed.pk)
    mine = factories.memory(scribe, "Mira is left-handed.", scope=Scope.GLOBAL)
    operations.change_scope(actor=scribe, memory_id=mine.pk, scope=Scope.TEAM)
    Memory.objects.filter(pk=mine.pk).update(person=None, session=None)
    hold(olga, scribe, person=Person.objects.get(handle="mira"))
    with pytest.raises(UnderLegalHold):
        operations.legal_holds.refuse_if_held(scribe.organization_id, mine.pk)
    operations.files.rename_file(actor=scribe, path="contracts/a.md", to="b.md")
    hold(olga, scribe, key_prefix="contracts/")
    operations.redact_stored_texts(scribe.organization_id, SECRET_GROUP)
    assert has_file(rows)


def test_a_hold_on_a_person_covers_their_memories_recalls_conversations_and_sessions(
    olga: User, scribe: Actor, settings: Any
) -> None:
    settings.KEEP_UNUSED_DAYS = 1
    theirs = factories.memory(scribe, "Mira is left-handed.", scope=Scope.GLOBAL)
    messages = [operations.archive_session.Message(role="user", content=f"My key is {HELD_SECRET}")]
    archived = operations.archive_conversation(actor=scribe, name="chat", messages=messages, summary="About keys.")
    elsewhere = factories.team(Organization.objects.get(pk=scribe.organization_id))
    bystander = factories.actor(factories.agent(elsewhere), user="noor", session="other")
    others = factories.memory(bystander, "Noor is tall.", scope=Scope.GLOBAL)
    recall(actor=scribe, query="hand")
    recall(actor=bystander, query="tall")
    RecallLog.objects.update(query=Concat("query", Value(f" {HELD_SECRET}")))
    hold(olga, scribe, person=Person.objects.get(handle="mira"))
    operations.legal_holds.refuse_if_held(scribe.organization_id, others.pk)
    with pytest.raises(UnderLegalHold):
        operations.legal_holds.refuse_if_held(scribe.organization_id, theirs.pk)
    operations.redact_stored_texts(scribe.organization_id, SECRET_GROUP)
    assert HELD_SECRET in TeamFile.objects.get(pk=archived.file.pk).content
    assert [HELD_SECRET in log.query for log in RecallLog.objects.order_by("query")] == [True, False]
    Session.objects.update(last_used_at=HELD_NOW - timedelta(days=9))
    assert jobs.prune_job()
    assert Session.objects.filter(name="chat").exists()


def test_sessions_and_people_that_are_held_are_not_pruned(olga: User, scribe: Actor, settings: Any) -> None:
    settings.KEEP_UNUSED_DAYS = 1
    before = HELD_NOW - timedelta(days=9)
    agent = Agent.objects.get(pk=scribe.agent_id)
    for model, values in ((Session, {"agent": agent, "name": "old"}), (Person, {"handle": "old"})):
        row_id = UUID(int=first_id(before).int | uuid7().int & (1 << 62) - 1)
        model.objects.create(id=row_id, organization_id=scribe.organization_id, last_used_at=before, **values)
    placed = hold(olga, scribe)
    jobs.prune_job()
    assert Session.objects.filter(name="old").exists()
    assert Person.objects.filter(handle="old").exists()
    operations.release_hold(user=olga, hold_id=placed.pk)
    jobs.prune_job()
    assert not Session.objects.filter(name="old").exists()
    assert not Person.objects.filter(handle="old").exists()


def test_settled_questions_with_a_secret_stay_if_held(olga: User, scribe: Actor) -> None:
    owner = factories.owner_actor(Team.objects.get(pk=scribe.team_id))
    operations.dismiss_question(actor=owner, question=f"Is it {HELD_SECRET}?")
    placed = hold(olga, scribe)
    operations.redact_stored_texts(scribe.organization_id, SECRET_GROUP)
    assert SettledQuestion.objects.exists()
    operations.release_hold(user=olga, hold_id=placed.pk)
    operations.redact_stored_texts(scribe.organization_id, SECRET_GROUP)
    assert not SettledQuestion.objects.exists()


def test_forgetting_and_deleting_stay_possible_since_every_version_is_kept(olga: User, scribe: Actor) -> None:
    rows = Held(scribe)
    hold(olga, scribe)
    operations.forget_memory(actor=scribe, memory_id=rows.memory.pk)
    operations.files.delete_file(actor=scribe, path="contracts/a.md")
    assert has_memory(rows)
    assert has_file(rows)


def test_a_client_gets_409_with_a_code_of_its_own(olga: User, scribe: Actor) -> None:
    rows, headers = Held(scribe), {"Authorization": f"Bearer {factories.token(scribe)}"}
    hold(olga, scribe)
    response = Client().delete(
        f"/api/v1/memories/{rows.memory.pk}/associations/{rows.other.pk}?relation=related_to", headers=headers
    )
    assert (response.status_code, response.json()["code"]) == (409, "legal_hold")
    assert "A legal hold keeps this memory" in response.json()["detail"]
    assert has_link(rows)


# Placing and releasing


@pytest.mark.django_db(transaction=True)
def test_nothing_slips_between_a_purge_and_a_hold() -> None:
    """A hold waits for the purge that has begun; a purge that comes later sees it."""
    olga, scribe = factories.staff_member("olga", superuser=True), factories.actor()
    memory = factories.memory(scribe)
    owner = factories.owner_actor(Team.objects.get(pk=scribe.team_id))
    placing = threading.Thread(target=lambda: _on_own_connection(lambda: hold(olga, scribe)))
    with transaction.atomic():
        operations.purge_memory(actor=owner, memory_id=memory.pk)
        placing.start()
        placing.join(timeout=0.3)
        assert placing.is_alive()
        assert not LegalHold.objects.exists()
    placing.join()
    assert LegalHold.objects.exists()
    other = factories.memory(scribe, "Another.")
    with pytest.raises(UnderLegalHold):
        operations.purge_memory(actor=owner, memory_id=other.pk)


def _on_own_connection(run: Callable[[], Any]) -> None:
    try:
        run()
    finally:
        connection.close()


def test_operators_place_and_release_holds_and_the_audit_chain_has_it(olga: User, team: Team, bot: Actor) -> None:
    client, support = factories.logged_in(olga), factories.logged_in(factories.staff_member("sam", role=roles.SUPPORT))
    fields = {"organization": str(team.organization_id), "team": str(team.pk), "category": " contract "}
    fields["reason"] = "A lawsuit."
    assert support.post(at(LegalHold, "add"), fields).status_code == 403
    assert client.post(at(LegalHold, "add"), fields | {"reason": ""}).status_code == 200
    assert client.post(at(LegalHold, "add"), fields).status_code == 302
    placed = LegalHold.objects.get()
    assert (placed.team, placed.category, placed.created_by) == (team, "contract", olga)
    chosen = {"action": "release", "_selected_action": [str(placed.pk)]}
    support.post(at(LegalHold), chosen)
    assert LegalHold.objects.active().exists()
    assert client.get(at(LegalHold, "change", placed.pk)).status_code == 200
    assert client.post(at(LegalHold, "delete", placed.pk), {"post": "yes"}).status_code == 403
    assert "Released 1." in follow_action_text(client, client.post(at(LegalHold), chosen))
    placed.refresh_from_db()
    assert placed.released_by == olga
    assert [entry.user for entry in LogEntry.objects.all()] == [olga, olga]
    assert seal_entries(everything=True)[0] >= 2
    assert not check_chain().problems


def test_another_organizations_team_cannot_be_held(olga: User, team: Team) -> None:
    with pytest.raises(Invalid):
        operations.place_hold(user=olga, organization=factories.organization(), team=team, reason="A lawsuit.")


def run_hold(*arguments: str) -> str:
    out = StringIO()
    call_command("hold", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_places_lists_and_releases(olga: User, team: Team, bot: Actor) -> None:
    registry.ensure_person(organization_id=team.organization_id, handle="mira")
    where = ["--org", "acme", "--team", "ops", "--person", "mira", "--category", "contract", "--key-prefix", "c/"]
    text = run_hold("place", *where, "--reason", "A lawsuit.", "--by", "olga")
    placed = LegalHold.objects.get()
    assert text == f"{placed.pk}  holds team Ops, person mira, category contract, key c/ of acme.\n"
    assert "by olga: A lawsuit." in run_hold("list", "--org", "acme")
    assert run_hold("release", str(placed.pk), "--by", "olga") == f"{placed.pk}  is released.\n"
    assert run_hold("list") == ""
    assert "released" in run_hold("list", "--all")
    assert LogEntry.objects.filter(user=olga).count() == 2
    factories.member(team, "owner", "odile")
    for wrong, words in (
        (["place", "--org", "nowhere", "--reason", "x", "--by", "olga"], "no organization nowhere"),
        (["place", "--org", "acme", "--team", "x", "--reason", "x", "--by", "olga"], "no team x"),
        (["place", "--org", "acme", "--reason", " ", "--by", "olga"], "Say why"),
        (["place", "--org", "acme", "--reason", "x", "--by", "odile"], "odile is no operator"),
        (["release", "x", "--by", "olga"], "not the id"),
        (["release", str(uuid7()), "--by", "olga"], "no such legal hold"),
        (["release", str(placed.pk), "--by", "olga"], "released already"),
    ):
        with pytest.raises(CommandError, match=words):
            run_hold(*wrong)
