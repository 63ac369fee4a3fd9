"""Tests that files with people's words are for the hub's account alone, whatever the umask and from the start."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from memories import operations
from memoryhub import backups
from memoryhub.private_files import Unwritable, create_private, write_aside
from tests.cast import Cast
from tests.hub import hub


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> set[tuple[str, str]]:
    """Return the kinds of entries below a folder, each with its mode."""
    return {("folder" if path.is_dir() else "file", oct(path.stat().st_mode & 0o777)) for path in folder.rglob("*")}


def test_a_file_is_private_before_its_first_byte(tmp_path: Path) -> None:
    with write_aside(tmp_path / "kept") as file:
        assert modes(tmp_path) == {("file", "0o600")}
        file.write(b"milk")
    assert modes(tmp_path) == {("file", "0o600")}
    assert (tmp_path / "kept").read_bytes() == b"milk"


def test_what_cannot_be_written_to_its_end_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "kept.partial").write_text("of one that was killed")
    with pytest.raises(Unwritable, match="No space left"), write_aside(tmp_path / "kept"):
        raise OSError(28, os.strerror(28))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "link")


def test_archives_and_attachments_are_private(cast: Cast, tmp_path: Path) -> None:
    actor, memory = cast["writer"].actor(), cast.memory()
    operations.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(b"milk"), name="list.txt")
    assert modes(tmp_path / "media") == {("folder", "0o700"), ("file", "0o600")}
    assert (tmp_path / "media").stat().st_mode & 0o777 == 0o700
    archive = tmp_path / "acme.zip"
    call_command("export", "--org", "acme", "--to", str(archive))
    assert archive.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="already exists"):
        call_command("export", "--org", "acme", "--to", str(archive))


def test_a_backup_and_what_is_restored_from_it_are_private(tmp_path: Path) -> None:
    media, backup = tmp_path / "media", tmp_path / "hub.backup"
    (media / "assets").mkdir(parents=True)
    (media / "assets" / "list").write_text("milk")
    backups.back_up(database=settings.DATABASE_ADDRESS, media=media, to=backup)
    assert backup.stat().st_mode & 0o777 == 0o600
    with hub(new=True) as empty:
        (empty.folder / "media").mkdir(mode=0o755)
        empty.manage("restore_backup", str(backup))
        assert modes(empty.folder / "media") == {("folder", "0o700"), ("file", "0o600")}
        assert (empty.folder / "secret_key").stat().st_mode & 0o777 == 0o600
