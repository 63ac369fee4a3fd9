"""Retention rules of a team: what is old enough is forgotten or removed, and everything else stays."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from memories import jobs, operations
from memories.models import Asset, Change, Memory, Revision, Scope
from memories.operations import team_retention
from memories.operations.audit_chain import seal_entries
from memories.operations.team_retention import apply_retention_rules
from memories.queries.audit_check import check_chain
from memories.rules.retention_rules import clean_retention, read_retention
from memoryhub.errors import Invalid
from teams.actor import Actor
from teams.models import Agent, Organization, Role, Team
from tests import factories
from tests.stored_rows import find_tables_with

pytestmark = pytest.mark.django_db
LATER = timezone.now() + timedelta(days=100)
FORGET_EVENTS = {"types": ["event"], "days": 90, "then": "forget"}
REMOVE_ALL = {"days": 90, "then": "remove"}


def set_rules(actor: Actor, *rules: dict[str, Any]) -> None:
    Team.objects.filter(pk=actor.team_id).update(policy={"retention": list(rules)})


def end(now: datetime = LATER) -> dict[str, int]:
    return dict(apply_retention_rules(now=now))


def list_active() -> set[str]:
    return set(Memory.objects.filter(forgotten_at=None).values_list("content", flat=True))


def test_old_memories_of_a_kind_are_forgotten_in_batches(bot: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_retention, "ENDED_AT_ONCE", 2)
    for number in range(5):
        factories.memory(bot, f"Event {number}", type="event", key=f"event/{number}")
    heir = factories.memory(bot, "A fact.", key="event/0", dedupe="create")
    elsewhere = factories.memory(factories.actor(), "Of another team.", type="event")
    set_rules(bot, FORGET_EVENTS)
    assert end(timezone.now() + timedelta(days=89)) == {"forget": 0, "remove": 0}
    assert end() == {"forget": 5, "remove": 0}
    assert end() == {"forget": 0, "remove": 0}
    assert list_active() == {heir.content, elsewhere.content}
    assert Memory.objects.get(pk=heir.pk).owns_key
    gone = Memory.objects.filter(forgotten_by="system", forget_reason="retention")
    assert Revision.objects.filter(memory__in=gone, change=Change.FORGOTTEN, version=2).count() == 5
    operations.restore_memory(actor=bot, memory_id=gone.first().pk)  # type: ignore[union-attr]


def test_removal_takes_every_trace_and_the_audit_chain_notes_it(
    bot: Actor, django_capture_on_commit_callbacks: Any
) -> None:
    memory = factories.memory(bot, "The zanzibar order.", key="order")
    operations.update_memory(actor=bot, memory_id=memory.pk, content="The zanzibar order came.")
    operations.attach_file(actor=bot, memory_id=memory.pk, file=ContentFile(b"zanzibar"), name="zanzibar.txt")
    forgotten = factories.memory(bot, "Another zanzibar.")
    operations.forget_memory(actor=bot, memory_id=forgotten.pk)
    seal_entries(everything=True)
    set_rules(bot, REMOVE_ALL)
    with django_capture_on_commit_callbacks(execute=True):
        assert end() == {"forget": 0, "remove": 2}
    assert find_tables_with("zanzibar") == []
    assert not Asset.with_removed.exists()
    assert not check_chain().problems


def test_what_is_pinned_core_held_or_a_persons_stays(bot: Actor) -> None:
    factories.memory(bot, "Pinned.", pinned=True)
    factories.memory(bot, "The core.", key="core")
    factories.memory(bot, "Of the category.", category="core")
    factories.memory(bot, "Held.", category="contract")
    verified = factories.memory(bot, "Verified.")
    factories.memory(factories.actor(Agent.objects.get(pk=bot.agent_id), user="mira"), "Mira's.", scope=Scope.GLOBAL)
    factories.memory(bot, "Old.")
    Memory.objects.filter(pk=verified.pk).update(verified_at=LATER - timedelta(days=1))
    organization = Organization.objects.get(pk=bot.organization_id)
    operations.place_hold(
        user=factories.staff_member("olga"), organization=organization, category="contract", reason="A lawsuit."
    )
    set_rules(bot, REMOVE_ALL)
    assert end() == {"forget": 0, "remove": 1}
    assert list_active() == {"Pinned.", "The core.", "Of the category.", "Held.", "Verified.", "Mira's."}


def test_the_first_rule_that_matches_decides(bot: Actor) -> None:
    factories.memory(bot, "A contract.", category="contract", type="event")
    factories.memory(bot, "A fact.")
    set_rules(bot, {"categories": ["contract"], "days": 3650, "then": "remove"}, FORGET_EVENTS, REMOVE_ALL)
    assert end() == {"forget": 0, "remove": 1}
    assert list_active() == {"A contract."}
    set_rules(bot, {"days": 3650, "then": "forget"}, REMOVE_ALL)
    assert end() == {"forget": 0, "remove": 0}


BROKEN: tuple[Any, ...] = (
    "all",
    [REMOVE_ALL, {"days": 0, "then": "remove"}],
    [{"days": 1, "then": "burn"}],
    [{"days": True, "then": "remove"}],
    [{"days": 1, "then": "remove", "types": ["feeling"]}],
    [{"days": 1, "then": "remove", "types": "fact"}],
    [{"days": 1, "then": "remove", "scopes": ["global"]}],
    [{"days": 1, "then": "remove", "categories": [1]}],
    [{"days": 1, "then": "remove", "category": ["x"]}],
    [REMOVE_ALL] * 51,
    [1],
    None,
)


@pytest.mark.parametrize("rules", BROKEN, ids=range(len(BROKEN)))
def test_rules_that_cannot_be_read_remove_nothing(bot: Actor, rules: Any) -> None:
    factories.memory(bot, "Stays.")
    Team.objects.filter(pk=bot.team_id).update(policy={"retention": rules})
    assert read_retention({"retention": rules}) == ()
    with pytest.raises(Invalid):
        clean_retention(rules)
    assert end() == {"forget": 0, "remove": 0}
    assert list_active() == {"Stays."}


def test_rules_that_change_meanwhile_are_applied_no_further(bot: Actor) -> None:
    factories.memory(bot, "Stays.")
    set_rules(bot, REMOVE_ALL)
    team, rules = Team.objects.get(pk=bot.team_id), clean_retention([REMOVE_ALL])
    set_rules(bot)
    assert team_retention._end_batch(team, rules, 0, LATER) == 0
    assert list_active() == {"Stays."}


def test_the_nightly_job_applies_them(bot: Actor) -> None:
    memory = factories.memory(bot, type="event")
    Memory.objects.filter(pk=memory.pk).update(updated_at=timezone.now() - timedelta(days=91))
    set_rules(bot, FORGET_EVENTS)
    assert "by rules 1 memories forgotten, 0 removed" in jobs.retain_job()


# The page

PAGE = "/t/acme/ops/retention/"


@pytest.fixture
def odile(team: Team) -> Client:
    return factories.log_in_member(team, Role.OWNER, "odile")


def fill_in(client: Client, **fields: Any) -> Any:
    seen = client.get(PAGE).context["seen"]
    return client.post(PAGE, {"seen": seen, "days": "90", "then": "forget", "types": "event", **fields}, follow=True)


def test_owners_see_what_a_rule_ends_before_they_add_it(odile: Client, team: Team, bot: Actor) -> None:
    old = factories.memory(bot, type="event")
    factories.memory(bot, "Young.", type="event")
    Memory.objects.filter(pk=old.pk).update(updated_at=timezone.now() - timedelta(days=91))
    page = fill_in(odile, preview="yes").text
    assert "1 memory would be forgotten now." in page
    assert Team.objects.get(pk=team.pk).policy == {}
    page = fill_in(odile, save="yes", categories="b, a").text
    assert "The rule was added." in page
    assert "Forget after 90 days: memories of the type event of the category a or b" in page
    assert "0 memories would be forgotten now." in page
    stored = {"types": ["event"], "categories": ["a", "b"], "days": 90, "then": "forget"}
    assert Team.objects.get(pk=team.pk).policy == {"retention": [stored]}
    assert list_active() == {"The queue runs on Postgres.", "Young."}


def test_bad_values_and_outdated_forms_change_nothing(odile: Client, team: Team, bot: Actor) -> None:
    for wrong in ({"days": "0"}, {"days": "x"}, {"then": "burn"}, {"types": "feeling"}, {"scopes": "global"}):
        assert fill_in(odile, save="yes", **wrong).status_code == 400, wrong
    assert "Somebody else has changed the rules" in fill_in(odile, save="yes", seen="old").text
    assert Team.objects.get(pk=team.pk).policy == {}


def test_rules_are_removed_and_broken_ones_can_be(odile: Client, team: Team, bot: Actor) -> None:
    set_rules(bot, FORGET_EVENTS, REMOVE_ALL)
    seen = odile.get(PAGE).context["seen"]
    assert "The rule was removed." in odile.post(f"{PAGE}1/remove/", {"seen": seen}, follow=True).text
    assert Team.objects.get(pk=team.pk).policy == {"retention": [REMOVE_ALL]}
    Team.objects.filter(pk=team.pk).update(policy={"retention": "all", "rules": []})
    page = odile.get(PAGE)
    assert "cannot be read, so nothing is removed" in page.text
    odile.post(f"{PAGE}0/remove/", {"seen": page.context["seen"]})
    assert Team.objects.get(pk=team.pk).policy == {"retention": [], "rules": []}


def test_only_owners_may(team: Team, editor: Client, bot: Actor) -> None:
    assert editor.get(PAGE).status_code == 403
    assert editor.post(PAGE, {"days": "1", "then": "remove", "save": "yes"}).status_code == 403
    assert "Retention" not in editor.get("/t/acme/ops/").text
    assert Team.objects.get(pk=team.pk).policy == {}
