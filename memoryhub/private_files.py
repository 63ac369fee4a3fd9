"""Files that only their owner may read from the moment they exist: backups, archives, attachments of a backup."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class Unwritable(Exception):
    """Says which file cannot be written, and why."""


def create_private(path: Path) -> BinaryIO:
    """Create a file that only its owner may read, whatever the umask. An existing file is never written to."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


@contextmanager
def private_umask() -> Iterator[None]:
    """Make files and folders created in this block private to their owner. The umask is the whole process'."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def write_aside(to: Path) -> Iterator[BinaryIO]:
    """Yield a private file that gets its name once it is complete and on disk."""
    if to.exists():
        raise Unwritable(f"{to} already exists. Choose another name, or remove it first.")
    partial = to.with_name(f"{to.name}.partial")
    try:
        partial.unlink(missing_ok=True)  # left by a killed process
        with create_private(partial) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.rename(to)
    except OSError as error:
        raise Unwritable(f"{to} cannot be written: {error.strerror or error}.") from error
    finally:
        partial.unlink(missing_ok=True)
