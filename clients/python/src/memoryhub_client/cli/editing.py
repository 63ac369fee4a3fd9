"""Texts in an editor. Whatever happens, what was written there is not lost."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from memoryhub_client.cli.desk import CannotDo, Desk
from memoryhub_client.cli.merging import MINE, merged
from memoryhub_client.errors import Conflict

Written = TypeVar("Written")
Write = Callable[[str, int | None], Written]  # a text, over the version that was seen


def edited(desk: Desk, name: str, content: str, version: int | None, write: Write[Written]) -> Written | None:
    """None if nothing was changed."""
    draft = _draft(name, content)
    try:
        text = _in_editor(draft)
        if text == content or not text.strip():
            draft.unlink()
            return None
        done = _written(desk, draft, content, text, version, write)
    except BaseException:
        _keep(desk, draft, content)
        raise
    draft.unlink()
    return done


def _written(desk: Desk, draft: Path, base: str, text: str, version: int | None, write: Write[Written]) -> Written:
    while True:
        try:
            return write(text, version)
        except Conflict as conflict:
            if conflict.content is None or not desk.is_attended:
                raise
            base, text, version = _settled(desk, draft, base, text, conflict)


def _settled(desk: Desk, draft: Path, base: str, text: str, conflict: Conflict) -> tuple[str, str, int | None]:
    """What is by now the base, what to write over it, and which version that is."""
    theirs = conflict.content or ""
    both = merged(base=base, mine=text, theirs=theirs)
    desk.write(f"Somebody was faster; version {conflict.version} says:", "yellow")
    desk.write(theirs)
    fits = "both changes fit together" if both.is_clean else "they cannot stand together as they are"
    choice = desk.ask(f"[m]erge in the editor ({fits}), [o]verwrite theirs, or [k]eep yours in a file").strip().lower()
    if choice == "o":
        return theirs, text, conflict.version
    if choice != "m":
        raise conflict
    _write(draft, both.text)
    text = _in_editor(draft)
    if MINE in text.splitlines():
        raise CannotDo("The marks of the merge are still in it.")
    return theirs, text, conflict.version


def _draft(name: str, content: str) -> Path:
    """For its owner's eyes alone, under a name that an editor knows the kind of."""
    suffix = Path(name).suffix or ".md"
    handle, path = tempfile.mkstemp(prefix="memoryhub-", suffix=suffix)
    os.close(handle)
    _write(Path(path), content)
    return Path(path)


def _in_editor(draft: Path) -> str:
    """Editors end the last line, whether it had an end or not."""
    before = _read(draft)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(editor), str(draft)], check=False)  # noqa: S603 - the user's own
    except OSError as error:
        raise CannotDo(f"{editor} cannot be run ({error.strerror}); set EDITOR.") from error
    if done.returncode:
        raise CannotDo(f"{editor} ended with {done.returncode}; nothing was changed.")
    text = _read(draft)
    return text if before.endswith("\n") else text.removesuffix("\n")


def _read(draft: Path) -> str:
    try:
        return draft.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise CannotDo(f"What the editor wrote is not UTF-8: {error}.") from error


def _write(draft: Path, text: str) -> None:
    draft.write_bytes(text.encode())  # lines end as they did


def _keep(desk: Desk, draft: Path, content: str) -> None:
    if draft.read_bytes() == content.encode():
        draft.unlink()
    else:
        desk.complain(f"Your text is kept in {draft}.")
