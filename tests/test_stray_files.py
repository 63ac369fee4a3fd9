"""Bytes without an attachment, and what else the doctor finds."""

import os
import time
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from memories import jobs, operations
from memories.models import Asset
from memories.operations.stray_files import remove_strays
from memories.queries import stray_files
from memoryhub.ids import uuid7
from teams.actor import Actor
from tests import factories

pytestmark = pytest.mark.django_db
TWO_DAYS = 2 * 86_400


def attach(writer: Actor) -> Asset:
    memory = factories.memory(writer, f"with a list {uuid7()}")
    return operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"milk"), name="list.txt")


def leave_bytes(organization_id: UUID, name: str = "", *, age: float = TWO_DAYS) -> Path:
    """Leave the bytes of an upload whose process was killed before its row was written."""
    stored = stray_files.attachment_storage().save(f"assets/{organization_id}/{name or uuid7()}", ContentFile(b"milk"))
    return make_older(Path(stray_files.attachment_storage().path(stored)), age=age)


def make_older(path: Path, *, age: float = TWO_DAYS) -> Path:
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_only_old_bytes_without_a_row_are_removed(writer: Actor) -> None:
    kept, removed = attach(writer), attach(writer)
    operations.detach_file(actor=writer, asset_id=removed.pk)
    for asset in (kept, removed):
        make_older(Path(asset.file.path))
    under_way = leave_bytes(writer.organization_id, age=3_600)
    foreign = leave_bytes(writer.organization_id, "README")
    elsewhere = leave_bytes(uuid7())  # of an organization that this database does not know
    stray = leave_bytes(writer.organization_id)
    assert jobs.tidy_job() == "1 files without an attachment removed"
    assert not stray.exists()
    assert under_way.exists()
    assert foreign.exists()
    assert elsewhere.exists()
    (back,) = operations.reattach_file(actor=writer, memory_id=removed.memory_id, asset_id=removed.pk)
    assert Path(back.file.path).read_bytes() == Path(kept.file.path).read_bytes() == b"milk"
    assert jobs.tidy_job() == "0 files without an attachment removed"


def test_a_turn_ends_in_time_and_the_next_goes_on(writer: Actor) -> None:
    others = [factories.actor() for _ in range(2)]
    strays = [leave_bytes(actor.organization_id) for actor in (writer, *others)]
    turn, removed = remove_strays(now=timezone.now(), within=-1), 0
    while turn.go_on_after:
        assert turn.removed <= 1
        removed += turn.removed
        turn = remove_strays(now=timezone.now(), after=turn.go_on_after, within=-1)
    assert removed + turn.removed == 3
    assert not any(path.exists() for path in strays)


def test_many_files_are_looked_up_by_few_statements(
    writer: Actor, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stray_files, "LOOKUP_BATCH", 10)
    for _ in range(20):
        leave_bytes(writer.organization_id)
    with django_assert_num_queries(2):
        found = list(stray_files.find_strays(organization_id=writer.organization_id, now=timezone.now()))
    assert len(found) == 20


def examine() -> tuple[int, dict[str, int]]:
    out, code = StringIO(), 0
    try:
        call_command("doctor", stdout=out)
    except SystemExit as ended:
        code = int(str(ended.code))
    lines = [line.split("  ") for line in map(str.strip, out.getvalue().splitlines())]
    return code, {words[1]: int(words[0].replace(",", "")) for words in lines}


def test_the_doctor_counts_what_is_wrong(writer: Actor, settings: Settings) -> None:
    settings.DATA_FOLDER = Path(settings.MEDIA_ROOT).parent
    asset = attach(writer)
    code, found = examine()
    assert (code, set(found.values())) == (0, {0})
    leave_bytes(writer.organization_id)
    Path(asset.file.path).unlink()
    Path(settings.MEDIA_ROOT).chmod(0o755)
    settings.DISK_RESERVE_BYTES = 2**60
    code, found = examine()
    assert code == 1
    assert found["files without an attachment"] == 1
    assert found["attachments without their bytes"] == 1
    assert found["files that other accounts can read"] == 1
    assert found["bytes of disk space missing"] > 0
    assert found["migrations to run"] == found["jobs failed"] == 0
