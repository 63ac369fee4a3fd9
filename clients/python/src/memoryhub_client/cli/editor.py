"""Edits a text in the user's editor, and never loses what was typed there."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from memoryhub_client.cli.merge import MINE, merge_texts
from memoryhub_client.cli.terminal import Terminal, UsageError
from memoryhub_client.errors import Conflict

Written = TypeVar("Written")
Write = Callable[[str, int | None], Written]  # writes a text over the version last read


def edit_text(
    terminal: Terminal, name: str, content: str, version: int | None, write: Write[Written]
) -> Written | None:
    """Edit a text and write it; return None if nothing was changed."""
    draft = _create_draft(name, content)
    try:
        text = _run_editor(draft)
        if text == content or not text.strip():
            draft.unlink()
            return None
        result = _write_or_merge(terminal, draft, content, text, version, write)
    except BaseException:
        _report_draft(terminal, draft, content)
        raise
    draft.unlink()
    return result


def _write_or_merge(
    terminal: Terminal, draft: Path, base: str, text: str, version: int | None, write: Write[Written]
) -> Written:
    while True:
        try:
            return write(text, version)
        except Conflict as conflict:
            if conflict.content is None or not terminal.is_interactive:
                raise
            base, text, version = _resolve_conflict(terminal, draft, base, text, conflict)


def _resolve_conflict(
    terminal: Terminal, draft: Path, base: str, text: str, conflict: Conflict
) -> tuple[str, str, int | None]:
    """Ask how to resolve a conflict; return the new base, the text to write and the version to write it over."""
    theirs = conflict.content or ""
    both = merge_texts(base=base, mine=text, theirs=theirs)
    terminal.write(f"Somebody else changed it first; version {conflict.version} says:", "yellow")
    terminal.write(theirs)
    fits = "both changes fit together" if both.is_clean else "both changed the same lines"
    choice = (
        terminal.ask(f"[m]erge in the editor ({fits}), [o]verwrite theirs, or [k]eep yours in a file").strip().lower()
    )
    if choice == "o":
        return theirs, text, conflict.version
    if choice != "m":
        raise conflict
    _write_draft(draft, both.text)
    text = _run_editor(draft)
    if MINE in text.splitlines():
        raise UsageError("The text still contains conflict markers.")
    return theirs, text, conflict.version


def _create_draft(name: str, content: str) -> Path:
    """Create a private temporary file whose suffix tells the editor its type."""
    suffix = Path(name).suffix or ".md"
    handle, path = tempfile.mkstemp(prefix="memoryhub-", suffix=suffix)
    os.close(handle)
    _write_draft(Path(path), content)
    return Path(path)


def _run_editor(draft: Path) -> str:
    """Run the editor and return the text, without a final newline that the editor added."""
    before = _read_draft(draft)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        result = subprocess.run([*shlex.split(editor), str(draft)], check=False)  # noqa: S603 - the user's own
    except OSError as error:
        raise UsageError(f"{editor} cannot be run ({error.strerror}); set EDITOR.") from error
    if result.returncode:
        raise UsageError(f"{editor} ended with {result.returncode}; nothing was changed.")
    text = _read_draft(draft)
    return text if before.endswith("\n") else text.removesuffix("\n")


def _read_draft(draft: Path) -> str:
    try:
        return draft.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"What the editor wrote is not UTF-8: {error}.") from error


def _write_draft(draft: Path, text: str) -> None:
    draft.write_bytes(text.encode())  # bytes keep the line ends


def _report_draft(terminal: Terminal, draft: Path, content: str) -> None:
    if draft.read_bytes() == content.encode():
        draft.unlink()
    else:
        terminal.write_error(f"Your text was saved in {draft}.")
