"""Validity on a memory's page: its period, what replaced it, its key over time, and replacing another memory."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Memory
from teams.actor import Actor
from teams.models import Team
from tests import factories

pytestmark = pytest.mark.django_db
AT = "/t/acme/ops/memories/"


def two_ports(bot: Actor) -> tuple[Memory, Memory]:
    old = factories.memory(bot, "The gateway listens on port 8080.", key="gateway-port")
    return old, factories.memory(bot, "The gateway listens on port 1933.")


def test_an_editor_replaces_a_memory_and_lets_it_hold_again(editor: Client, bot: Actor) -> None:
    old, new = two_ports(bot)
    asked = editor.get(f"{AT}{new.pk}/link/?supersede=1&find=8080").text
    assert "This memory replaces the other one" in asked
    said = {"target_id": str(old.pk), "relation": "updates", "weight": "1", "supersede": "on"}
    page = editor.post(f"{AT}{new.pk}/link/", said, follow=True).text
    assert "Replaced." in page
    assert "Over time" in page
    assert "The gateway listens on port 8080." in page
    closed = editor.get(f"{AT}{old.pk}/").text
    assert "has replaced it" in closed
    assert f'href="{AT}{new.pk}/">gateway-port</a>' in closed
    again = editor.post(f"{AT}{old.pk}/reinstate/", follow=True).text
    assert "It holds again." in again
    assert "has replaced it" not in again
    assert Memory.objects.get(pk=old.pk).superseded_by is None


def test_a_replacement_that_cannot_be_is_refused_in_the_form(editor: Client, bot: Actor) -> None:
    old, new = two_ports(bot)
    operations.supersede_memory(actor=bot, memory_id=old.pk, by=new.pk)
    said = {"target_id": str(new.pk), "relation": "updates", "weight": "1", "supersede": "on", "find": "port"}
    answer = editor.post(f"{AT}{old.pk}/link/", said)
    assert (answer.status_code, "That would be a circle" in answer.text) == (409, True)


def test_a_page_says_when_its_memory_holds(editor: Client, bot: Actor) -> None:
    now = timezone.now()
    always = factories.memory(bot, "Always.")
    later = factories.memory(bot, "Later.", valid_from=now + timedelta(days=3))
    over = factories.memory(bot, "Over.", valid_from=now - timedelta(days=3), valid_until=now - timedelta(days=1))
    pages = {memory.content: editor.get(f"{AT}{memory.pk}/").text for memory in (always, later, over)}
    assert "at any time" in pages["Always."]
    assert "This memory holds from" in pages["Later."]
    assert "This memory held until" in pages["Over."]
    assert "Let it hold again" not in pages["Over."]


def test_a_period_is_set_and_changed_in_the_editor(editor: Client) -> None:
    form = {"content": "The lock is closed.", "type": "fact", "valid_from": "2026-03-01T00:00"}
    backwards = editor.post(f"{AT}new/", form | {"valid_until": "2026-02-01T00:00"})
    assert (backwards.status_code, "This is before it begins to hold." in backwards.text) == (400, True)
    editor.post(f"{AT}new/", form | {"valid_until": "2026-04-01T00:00"})
    memory = Memory.objects.get()
    assert (f"{memory.valid_from:%m-%d %H:%M}", f"{memory.valid_until:%m-%d}") == ("03-01 00:00", "04-01")
    page = editor.get(f"{AT}{memory.pk}/edit/").text
    assert 'value="2026-03-01T00:00"' in page
    editor.post(f"{AT}{memory.pk}/edit/", form | {"valid_until": "", "version": "1"})
    memory.refresh_from_db()
    assert (memory.version, f"{memory.valid_from:%m-%d}", memory.valid_until) == (2, "03-01", None)
    assert "Holds until" in editor.get(f"{AT}{memory.pk}/history/").text


def test_what_replaced_it_is_not_named_to_those_who_may_not_see_it(editor: Client, team: Team, bot: Actor) -> None:
    old, new = two_ports(bot)
    operations.supersede_memory(actor=bot, memory_id=old.pk, by=new.pk)
    operations.change_scope(actor=bot, memory_id=new.pk, scope="agent")
    page = editor.get(f"{AT}{old.pk}/").text
    assert "Another memory has replaced it." in page
    assert str(new.pk) not in page


def test_a_forgotten_memory_with_a_key_still_has_its_page(editor: Client, bot: Actor) -> None:
    memory = factories.memory(bot, "The gateway listens on port 8080.", key="gateway-port")
    operations.forget_memory(actor=bot, memory_id=memory.pk)
    assert "was forgotten by deploy-bot" in editor.get(f"{AT}{memory.pk}/").text
