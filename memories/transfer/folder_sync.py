"""A team's files mirrored in a folder, both ways: a change on one side is copied to the other, a file that changed on
both is kept in both versions, and nothing is deleted unless that is asked for."""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from django.db.models import BinaryField, Func, Value

from memories import operations
from memories.conversations import transcript
from memories.models import CONTENT_BYTES, FILE_BYTES, Memory, Provenance
from memories.queries import folders
from memories.rules.fields import BadField, clean_file_body
from memories.rules.fields import clean_file_path as path_of
from memories.rules.screening_settings import refuse_instead
from memoryhub.errors import Conflict, Invalid, Trouble
from teams.actor import Actor

NOTES_FILE = ".memoryhub.json"  # in the folder: what both sides held when they were last alike
TRANSCRIPT_CATEGORY = "conversation"
CHANGED_MEANWHILE = "It changed while it was mirrored; run this again."


class SyncAction(StrEnum):
    """The action taken for a path."""

    NOTHING = "alike"
    TO_FOLDER = "written to folder"
    TO_HUB = "written to hub"
    DELETE_IN_FOLDER = "deleted in folder"
    DELETE_IN_HUB = "deleted in hub"
    KEEP_BOTH = "kept twice"
    LEAVE = "left alone"
    FAIL = "failed"


@dataclass(frozen=True, slots=True)
class SyncStep:
    act: SyncAction
    path: str
    note: str = ""


class NotSynced(Exception):
    """Raised if a file stays as it is; the message says why."""


def decide_sync(*, before: str | None, hub: str | None, folder: str | None) -> SyncAction:
    """Decide by digests: of the content on each side, and of what both held last. An edit outlives a deletion."""
    if hub == folder:
        return SyncAction.NOTHING
    if hub and folder and before not in (hub, folder):
        return SyncAction.KEEP_BOTH
    if hub is None:
        return SyncAction.DELETE_IN_FOLDER if folder == before else SyncAction.TO_HUB
    if folder is None:
        return SyncAction.DELETE_IN_HUB if hub == before else SyncAction.TO_FOLDER
    return SyncAction.TO_FOLDER if folder == before else SyncAction.TO_HUB


@dataclass(slots=True)
class FolderSync:
    actor: Actor
    folder: Path
    delete: bool = False
    pretend: bool = False
    before: dict[str, str] = field(default_factory=dict)
    hub: dict[str, tuple[str, int]] = field(default_factory=dict)  # digest and version
    disk: dict[str, str] = field(default_factory=dict)

    def run(self) -> Iterator[SyncStep]:
        """Sync all paths, and yield a step for each one that differs.

        A file that screening would change is left as it is: the folder would get the change back.
        """
        self.actor = refuse_instead(self.actor)
        self.folder = self.folder.resolve()
        self.before = self._read_notes()
        self.hub = self._list_hub()
        odd = self._list_disk()
        try:
            for path in sorted({*self.before, *self.hub, *self.disk, *odd}):
                reason = next((odd[place] for place in _path_and_parents(path) if place in odd), "")
                step = SyncStep(SyncAction.LEAVE, path, reason) if reason else self._sync_path(path)
                if step.act is not SyncAction.NOTHING:
                    yield step
        finally:
            if not self.pretend:
                self._write_notes()

    def _sync_path(self, path: str) -> SyncStep:
        hub, folder, before = self.hub.get(path, (None, 0))[0], self.disk.get(path), self.before.get(path)
        act = decide_sync(before=before, hub=hub, folder=folder)
        if any(part.startswith(".") for part in path.split("/")):
            return (
                SyncStep(SyncAction.LEAVE, path, "Hidden names are not mirrored.")
                if hub
                else SyncStep(SyncAction.NOTHING, path)
            )
        if act in (SyncAction.DELETE_IN_FOLDER, SyncAction.DELETE_IN_HUB) and not self.delete:
            gone, kept = ("hub", "folder") if act is SyncAction.DELETE_IN_FOLDER else ("folder", "hub")
            return SyncStep(
                SyncAction.LEAVE, path, f"It is gone from the {gone}; --delete removes it from the {kept} too."
            )
        if self.pretend:
            return SyncStep(act, path)
        try:
            return SyncStep(act, path, self._carry_out(act, path))
        except (NotSynced, OSError) as error:
            return SyncStep(SyncAction.FAIL, path, str(error))
        except Trouble as error:
            return SyncStep(SyncAction.FAIL, path, CHANGED_MEANWHILE if isinstance(error, Conflict) else error.message)

    def _carry_out(self, act: SyncAction, path: str) -> str:
        """Perform the action, note what both sides hold now, and return a remark for the report, if any."""
        match act:
            case SyncAction.TO_FOLDER:
                self.before[path] = self._write_to_folder(path, self._hub_text(path))
            case SyncAction.TO_HUB:
                self.before[path] = self._write_to_hub(path, self._folder_text(path))
            case SyncAction.DELETE_IN_FOLDER:
                self._delete_in_folder(path)
                del self.before[path]
            case SyncAction.DELETE_IN_HUB:
                operations.files.delete_file(actor=self.actor, path=path, version=self.hub[path][1])
                del self.before[path]
            case SyncAction.KEEP_BOTH:
                return f"The folder's is {self._keep_both(path)} now."
            case SyncAction.NOTHING if path in self.disk:
                self.before[path] = self.disk[path]
            case SyncAction.NOTHING:
                self.before.pop(path, None)
        return ""

    def _keep_both(self, path: str) -> str:
        """Save the folder's version under another name on both sides, and only then overwrite it. The name depends on
        the text alone, so repeating this does no harm."""
        theirs, place = self._folder_text(path), PurePosixPath(path)
        aside = str(place.with_name(f"{place.stem}.conflict-{self.disk[path][:8]}{place.suffix}"))
        found = {self.hub[aside][0] if aside in self.hub else None, self.disk.get(aside)}
        if found - {None, self.disk[path]}:
            raise NotSynced(f"It changed on both sides, and {aside} is in the way.")
        if aside not in self.hub:
            self._write_to_hub(aside, theirs)
        self.before[aside] = self._write_to_folder(aside, theirs)
        self.before[path] = self._write_to_folder(path, self._hub_text(path))
        return aside

    # The hub

    def _list_hub(self) -> dict[str, tuple[str, int]]:
        digest = Func(
            Func("content", Value("UTF8"), function="convert_to"), function="sha256", output_field=BinaryField()
        )
        rows = folders.team_files(self.actor).annotate(digest=digest).values_list("path", "digest", "version")
        return {path: (bytes(found).hex(), version) for path, found, version in rows}

    def _hub_text(self, path: str) -> str:
        file = folders.team_files(self.actor).filter(path=path).first()
        if file is None:
            raise NotSynced(CHANGED_MEANWHILE)
        return file.content

    def _write_to_hub(self, path: str, text: str) -> str:
        former = self._hub_text(path) if path in self.hub else None
        if former is None:
            operations.folders.create_file(actor=self.actor, path=path, content=text)
        else:
            operations.files.write_file(actor=self.actor, path=path, content=text, version=self.hub[path][1])
        if path.startswith(f"{transcript.ARCHIVE_FOLDER}/"):
            self._save_transcript_memory(path, text, former)
        return hash_content(text.encode())

    def _save_transcript_memory(self, path: str, text: str, former: str | None) -> None:
        """Save the memory by which recall finds an archived conversation: create it if it is missing, and update it if
        its content was just the file's text."""
        if not text.strip():
            return
        rows = Memory.objects.writable_by(self.actor).filter(audience=self.actor.team_id)
        present = rows.filter(key=path, owns_key=True).defer("search").first()
        if present is None:
            described = {"type": "event", "category": TRANSCRIPT_CATEGORY, "tags": [TRANSCRIPT_CATEGORY]}
            draft = self._draft_transcript(path, text, **described, source="auto", metadata={"file": path})
            operations.save_memory(actor=self.actor, draft=draft)
        elif former is not None and present.content == self._draft_transcript(path, former).content:
            operations.save_memory(actor=self.actor, draft=self._draft_transcript(path, text), version=present.version)

    def _draft_transcript(self, path: str, text: str, **fields: Any) -> operations.Draft:
        """Return the memory of a transcript. The file was screened, but the words are those of others."""
        digest = operations.screen_digest(self.actor, _shorten_transcript(text), provenance=Provenance.IMPORT)
        return operations.Draft(content=digest, key=path, provenance=Provenance.IMPORT, is_screened=True, **fields)

    # The folder

    def _list_disk(self) -> dict[str, str]:
        """Note the digest of each file; return the paths that cannot be mirrored, each with the reason."""
        odd: dict[str, str] = {}
        for place, names, files in os.walk(self.folder, onerror=_raise_walk_error):
            names[:] = sorted(name for name in names if not name.startswith("."))
            for name in [*names, *files]:
                where = Path(place, name)
                path = where.relative_to(self.folder).as_posix()
                if name.startswith(".") or (name in names and not where.is_symlink()):
                    continue
                try:
                    self.disk[path] = hash_content(self._read_file(path).encode())
                except (NotSynced, OSError) as error:
                    odd[path] = str(error)
        return odd

    def _folder_text(self, path: str) -> str:
        text = self._read_file(path)
        if hash_content(text.encode()) != self.disk[path]:
            raise NotSynced(CHANGED_MEANWHILE)
        return text

    def _read_file(self, path: str) -> str:
        """Return the text of a file; raise NotSynced if the hub could not store it."""
        try:
            if path_of(path) != path:
                raise NotSynced("The hub would write this name in another way.")
            with open(os.open(self._local_path(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise NotSynced("This is no plain file.")
                if found.st_size > FILE_BYTES:
                    raise NotSynced(f"At most {FILE_BYTES:,} bytes; these are {found.st_size:,}.")
                return clean_file_body(file.read().decode())
        except UnicodeDecodeError as error:
            raise NotSynced("This is no text in UTF-8.") from error
        except BadField as error:
            raise NotSynced(str(error)) from error

    def _write_to_folder(self, path: str, text: str) -> str:
        """Write a file in one step, so that nobody ever sees half of it, and only over content that we have seen."""
        place = self._local_path(path)
        self._refuse_changed(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".memoryhub-{secrets.token_hex(8)}")
        try:
            draft.write_bytes(text.encode())
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
        return hash_content(text.encode())

    def _delete_in_folder(self, path: str) -> None:
        place = self._local_path(path)
        self._refuse_changed(path)
        place.unlink()
        for above in place.parents:
            if above == self.folder or any(above.iterdir()):
                return
            above.rmdir()

    def _refuse_changed(self, path: str) -> None:
        present = self._local_path(path).exists()
        if present and path not in self.disk:
            raise NotSynced("There is another file in the folder where this one belongs.")
        if present or path in self.disk:
            self._folder_text(path)

    def _local_path(self, path: str) -> Path:
        """Return the local path of a file; raise NotSynced for a symbolic link, which may lead anywhere."""
        place = self.folder / path
        if place.is_symlink() or place.parent.resolve() != place.parent:
            raise NotSynced("A symbolic link is not followed.")
        return place

    # The notes

    def _read_notes(self) -> dict[str, str]:
        place, whose = self.folder / NOTES_FILE, self._scope_of_notes()
        try:
            notes: dict[str, Any] = json.loads(place.read_bytes()) if place.exists() else {**whose}
            noted, theirs = dict(notes.get("files", {})), {name: notes.get(name) for name in whose}
        except (ValueError, AttributeError, TypeError) as error:
            sentence = f"{place} is damaged. Without it, files that differ are kept twice: remove it to go on so."
            raise Invalid({"dir": sentence}) from error
        for name in whose:
            if theirs[name] != whose[name]:
                raise Invalid({"dir": f"{self.folder} mirrors the files of another {name}."})
        return noted

    def _scope_of_notes(self) -> dict[str, str | None]:
        workspace = self.actor.workspace_id
        return {"team": str(self.actor.team_id), "workspace": str(workspace) if workspace else None}

    def _write_notes(self) -> None:
        notes = {**self._scope_of_notes(), "files": self.before}
        draft = self.folder / f"{NOTES_FILE}.{secrets.token_hex(8)}"
        draft.write_text(json.dumps(notes, indent=1, sort_keys=True))
        draft.replace(self.folder / NOTES_FILE)


def _path_and_parents(path: str) -> list[str]:
    """Return the path and the folders that contain it."""
    return [path, *map(str, PurePosixPath(path).parents)]


def _raise_walk_error(error: OSError) -> None:
    """Raise the error: if an unreadable folder passed for an empty one, its files would seem deleted."""
    raise error


def hash_content(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _shorten_transcript(text: str) -> str:
    return text.encode()[:CONTENT_BYTES].decode(errors="ignore")
