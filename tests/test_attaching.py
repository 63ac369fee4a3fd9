"""Links, attachments and sources."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone
from pytest_django import Settings

from memories import operations
from memories.models import Asset, Association, Memory, Source
from memories.operations import attach
from memoryhub.errors import Conflict, Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Session
from tests import factories


@pytest.fixture
def memory(writer: Actor) -> Memory:
    return factories.memory(writer)


def list_stored_assets(settings: Settings) -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_linking_again_changes_the_weight_only(writer: Actor, memory: Memory) -> None:
    other = factories.memory(writer, "Lunch is at noon.")
    first = operations.associate(actor=writer, origin_id=memory.pk, target_id=other.pk, relation="updates", weight=0.2)
    again = operations.associate(actor=writer, origin_id=memory.pk, target_id=other.pk, relation="updates", weight=0.9)
    back = operations.associate(actor=writer, origin_id=other.pk, target_id=memory.pk)
    assert (again.pk, again.weight) == (first.pk, 0.9)
    assert (back.relation, back.weight) == ("related_to", 0.5)
    assert Association.objects.count() == 2
    operations.dissociate(actor=writer, origin_id=memory.pk, target_id=other.pk, relation="updates")
    with pytest.raises(NotFound):
        operations.dissociate(actor=writer, origin_id=memory.pk, target_id=other.pk, relation="updates")


@pytest.mark.parametrize(("field", "value"), [("relation", "hates"), ("weight", 1.5), ("weight", float("nan"))])
def test_odd_links_are_refused(writer: Actor, memory: Memory, field: str, value: object) -> None:
    other = factories.memory(writer)
    with pytest.raises(Invalid) as refusal:
        operations.associate(actor=writer, origin_id=memory.pk, target_id=other.pk, **{field: value})  # type: ignore[arg-type]
    assert list(refusal.value.fields) == [field]


def test_a_memory_does_not_link_to_itself(writer: Actor, memory: Memory) -> None:
    with pytest.raises(Invalid, match="association is between two"):
        operations.associate(actor=writer, origin_id=memory.pk, target_id=memory.pk)


def test_an_attachment_keeps_its_bytes_and_says_what_they_are(writer: Actor, memory: Memory) -> None:
    content = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300
    asset = operations.attach_file(
        actor=writer, memory_id=memory.pk, file=ContentFile(content), name="C:\\maps\\harbour.png"
    )
    asset.refresh_from_db()
    assert (asset.name, asset.content_type, asset.size) == ("harbour.png", "image/png", len(content))
    assert asset.sha256 == hashlib.sha256(content).hexdigest()
    with asset.file.open() as kept:
        assert kept.read() == content
    assert "harbour" not in asset.file.name


def test_an_attachment_over_the_limit_leaves_nothing(settings: Settings, writer: Actor, memory: Memory) -> None:
    settings.ASSET_MAX_BYTES = 10
    with pytest.raises(TooLarge, match="11"):
        operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"x" * 11), name="a.bin")
    assert not list_stored_assets(settings)


class Torn(ContentFile):  # type: ignore[type-arg]
    """A file that can be read once only."""

    was_read = False

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        if self.was_read:
            raise OSError("torn")
        self.was_read = True
        yield self.read()


def test_of_several_attachments_all_are_kept_or_none(settings: Settings, writer: Actor, memory: Memory) -> None:
    small, large = (operations.FileUpload(ContentFile(b"x" * size), f"{size}.bin") for size in (10, 11))
    settings.ASSET_MAX_BYTES = 10
    with pytest.raises(TooLarge, match=r"At most 10 bytes; 11\.bin has 11\."):
        operations.attach_all(actor=writer, memory_id=memory.pk, files=[small, large])
    with pytest.raises(OSError, match="torn"):
        operations.attach_all(
            actor=writer, memory_id=memory.pk, files=[small, operations.FileUpload(Torn(b"y"), "torn.bin")]
        )
    assert not Asset.objects.exists()
    assert not list_stored_assets(settings)
    operations.attach_all(actor=writer, memory_id=memory.pk, files=[small, small])
    assert Asset.objects.count() == len(list_stored_assets(settings)) == 2


def test_a_refused_attachment_leaves_no_bytes_behind(settings: Settings, writer: Actor) -> None:
    with pytest.raises(NotFound):
        operations.attach_file(actor=writer, memory_id=uuid4(), file=ContentFile(b"x"), name="a.bin")
    assert not list_stored_assets(settings)
    assert not Asset.objects.exists()


@pytest.mark.parametrize("name", ["", "/", "a\0b", "x" * 256])
def test_an_odd_file_name_is_refused(writer: Actor, memory: Memory, name: str) -> None:
    with pytest.raises(Invalid) as refusal:
        operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"x"), name=name)
    assert list(refusal.value.fields) == ["name"]


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_off_can_be_put_back_for_an_hour_and_is_dropped_then(settings: Settings) -> None:
    writer, now = factories.actor(), timezone.now()
    memory = factories.memory(writer)
    asset = operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"x"), name="a.bin")
    source = operations.add_citation(actor=writer, memory_id=memory.pk, quote="we said so")
    for _ in range(2):
        operations.detach_file(actor=writer, asset_id=asset.pk, now=now)
        operations.remove_citation(actor=writer, source_id=source.pk, now=now)
        assert not Asset.objects.exists()
        assert not Source.objects.exists()
        assert attach.drop_removed(now=now + timedelta(minutes=59)) == 0
        operations.reattach_file(actor=writer, memory_id=memory.pk, asset_id=asset.pk)
        operations.restore_citation(actor=writer, memory_id=memory.pk, source_id=source.pk)
        assert (Asset.objects.get(), Source.objects.get()) == (asset, source)
    operations.detach_file(actor=writer, asset_id=asset.pk, now=now)
    operations.remove_citation(actor=writer, source_id=source.pk, now=now)
    late = now + timedelta(minutes=61)
    with pytest.raises(Conflict):
        operations.reattach_file(actor=writer, memory_id=memory.pk, asset_id=asset.pk, now=late)
    assert attach.drop_removed(now=late) == 2
    assert not Asset.with_removed.exists()
    assert not Source.with_removed.exists()
    assert not list_stored_assets(settings)


@pytest.mark.django_db(transaction=True)
def test_a_purge_takes_what_was_taken_off_too(settings: Settings) -> None:
    writer = factories.actor()
    memory = factories.memory(writer)
    asset = operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"x"), name="a.bin")
    operations.detach_file(actor=writer, asset_id=asset.pk)
    operations.remove_citation(
        actor=writer, source_id=operations.add_citation(actor=writer, memory_id=memory.pk, quote="so").pk
    )
    operations.purge_memory(actor=replace(writer, owns=frozenset({memory.audience})), memory_id=memory.pk)
    assert not Asset.with_removed.exists()
    assert not Source.with_removed.exists()
    assert not list_stored_assets(settings)


def test_a_source_says_where_it_came_from(writer: Actor, memory: Memory) -> None:
    url = "https://chat.example/m/17"
    source = operations.add_citation(
        actor=writer, memory_id=memory.pk, session="standup-3", message_id="17", url=url, quote="we said so"
    )
    assert source.session == Session.objects.get(agent=writer.agent_id, name="standup-3")
    assert (source.message_id, source.url, source.quote) == ("17", url, "we said so")
    operations.remove_citation(actor=writer, source_id=source.pk)
    assert not Source.objects.exists()


@pytest.mark.parametrize("said", [{}, {"url": "javascript:alert(1)"}, {"quote": "\ud800"}, {"message_id": "m" * 201}])
def test_an_odd_source_is_refused(writer: Actor, memory: Memory, said: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        operations.add_citation(actor=writer, memory_id=memory.pk, **said)
    assert not Source.objects.exists()


def test_strangers_cannot_take_things_off(writer: Actor, memory: Memory) -> None:
    asset = operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"x"), name="a.bin")
    source = operations.add_citation(actor=writer, memory_id=memory.pk, quote="x")
    stranger = factories.actor()
    with pytest.raises(NotFound):
        operations.detach_file(actor=stranger, asset_id=asset.pk)
    with pytest.raises(NotFound):
        operations.remove_citation(actor=stranger, source_id=source.pk)
