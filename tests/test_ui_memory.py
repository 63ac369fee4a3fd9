"""One memory's page: reading it, writing it, and what one can do to it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import Memory
from tests.cast import Cast

pytestmark = pytest.mark.django_db
HERE = "/t/acme/ops/memories/"


@pytest.fixture
def at_work(client: Client, cast: Cast) -> Client:
    """The editor, in the workspace where the writer writes."""
    return entered(client, cast, "editor")


def entered(client: Client, cast: Cast, name: str) -> Client:
    user = cast[name].user
    assert user
    client.force_login(user)
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    return client


def address(memory: Memory, part: str = "") -> str:
    return f"{HERE}{memory.pk}/{part}"


def again(memory_id: UUID) -> Memory:
    return Memory.objects.get(pk=memory_id)


def said(memory: Memory, **changes: Any) -> dict[str, Any]:
    """What the form sends for it."""
    form = {"content": memory.content, "summary": memory.summary, "key": memory.key, "type": memory.type}
    form |= {"category": memory.category, "tags": ", ".join(memory.tags), "importance": memory.importance}
    return form | {"version": memory.version} | changes


def test_a_new_memory_is_saved_as_it_was_written(at_work: Client) -> None:
    form = {"content": "Two\r\nlines", "key": "k", "type": "decision", "tags": "Ports, tide", "pinned": "on"}
    response = at_work.post(f"{HERE}new/", form | {"expires_at": "2099-01-02T03:04"}, follow=True)
    memory = Memory.objects.get()
    assert response.redirect_chain[-1][0] == address(memory)
    assert (memory.content, memory.key, memory.tags, memory.pinned) == ("Two\nlines", "k", ["ports", "tide"], True)
    assert (memory.type, memory.importance, memory.user) == ("decision", 0.8, response.context["user"])
    assert memory.expires_at
    assert memory.expires_at.isoformat() == "2099-01-02T03:04:00+00:00"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"content": " "}, "There must be something to remember"),
        ({"content": "x" * 50_001}, "At most 50,000 bytes"),
        ({"importance": "2"}, "from 0.0 to 1.0"),
        ({"expires_at": "2001-01-01T00:00"}, "has passed already"),
        ({"tags": ",".join(f"t{n}" for n in range(33))}, "At most 32 tags"),
        ({"type": "opinion"}, "opinion"),
    ],
)
def test_what_was_typed_is_kept_when_it_is_refused(at_work: Client, cast: Cast, wrong: Any, sentence: str) -> None:
    memory = cast.memory()
    for path, form in ((f"{HERE}new/", {}), (address(memory, "edit/"), {"version": 1})):
        sent = {"content": "Kept.", "type": "fact", "summary": "Kept as well."} | form | wrong
        response = at_work.post(path, sent)
        assert response.status_code in (400, 413)
        assert sentence in response.text
        assert "Kept as well." in response.text
    assert again(memory.pk).version == 1
    assert Memory.objects.count() == 1


def test_editing_changes_what_was_changed_and_nothing_else(at_work: Client, cast: Cast) -> None:
    soon = timezone.now() + timedelta(days=2)
    memory = cast.memory(content="One\r\ntwo", key="k", tags=["a"], expires_at=soon, importance=0.123456)
    at_work.post(address(memory, "edit/"), said(memory, summary="Short", expires_at=f"{soon:%Y-%m-%dT%H:%M}"))
    changed = again(memory.pk)
    assert (changed.summary, changed.version, changed.expires_at) == ("Short", 2, soon)
    assert (changed.content, changed.importance) == ("One\r\ntwo", 0.123456)


def test_saving_without_a_change_makes_no_version(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "edit/"), said(memory), follow=True)
    assert "Nothing was changed" in response.text
    assert again(memory.pk).version == 1


def test_pinning_can_be_undone(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "pin/"), {"next": address(memory)}, follow=True)
    assert again(memory.pk).pinned
    undo = f"{address(memory, 'pin/')}?pinned=0"
    assert undo in response.text
    at_work.post(undo)
    assert not again(memory.pk).pinned


def test_what_is_forgotten_can_be_restored_from_its_page(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "forget/"), {"next": address(memory)}, follow=True)
    assert "This memory is forgotten" in response.text
    at_work.post(address(memory, "restore/"))
    assert again(memory.pk).forgotten_at is None


def test_what_has_expired_can_be_restored_too(at_work: Client, cast: Cast) -> None:
    memory = cast.memory(expires_at=timezone.now() + timedelta(hours=1))
    Memory.objects.update(expires_at=timezone.now())
    assert "This memory is expired" in at_work.get(address(memory)).text
    at_work.post(address(memory, "restore/"))
    restored = again(memory.pk)
    assert (restored.expires_at, restored.forgotten_at) == (None, None)
