"""A team's files mirrored in a folder, both ways: what changed on one side goes to the other, what changed on both is
kept twice, and nothing is deleted unless that is asked for."""

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

from memories import archives, folders, operations
from memories.fields import Bad, file_body
from memories.fields import path as path_of
from memories.models import CONTENT_BYTES, FILE_BYTES, Memory
from memoryhub.errors import Conflict, Invalid, Trouble
from teams.actor import Actor

NOTES = ".memoryhub.json"  # in the folder: what both sides held when they were last alike
CATEGORY = "conversation"
ELSEWHERE = "It changed while it was mirrored; run this again."


class Act(StrEnum):
    """What becomes of a path."""

    NOTHING = "alike"
    TO_FOLDER = "written to folder"
    TO_HUB = "written to hub"
    DELETE_IN_FOLDER = "deleted in folder"
    DELETE_IN_HUB = "deleted in hub"
    KEEP_BOTH = "kept twice"
    LEAVE = "left alone"
    FAIL = "failed"


@dataclass(frozen=True, slots=True)
class Step:
    act: Act
    path: str
    note: str = ""


class Unmirrored(Exception):
    """One file stays as it is, for the reason said."""


def decide(*, before: str | None, hub: str | None, folder: str | None) -> Act:
    """By the digests of what each side holds, and of what both held last. An edit outlives a deletion."""
    if hub == folder:
        return Act.NOTHING
    if hub and folder and before not in (hub, folder):
        return Act.KEEP_BOTH
    if hub is None:
        return Act.DELETE_IN_FOLDER if folder == before else Act.TO_HUB
    if folder is None:
        return Act.DELETE_IN_HUB if hub == before else Act.TO_FOLDER
    return Act.TO_FOLDER if folder == before else Act.TO_HUB


@dataclass(slots=True)
class Mirror:
    actor: Actor
    folder: Path
    delete: bool = False
    pretend: bool = False
    before: dict[str, str] = field(default_factory=dict)
    hub: dict[str, tuple[str, int]] = field(default_factory=dict)  # digest and version
    disk: dict[str, str] = field(default_factory=dict)

    def run(self) -> Iterator[Step]:
        """Everything that is not alike, with what becomes of it."""
        self.folder = self.folder.resolve()
        self.before = self._noted()
        self.hub = self._in_hub()
        odd = self._look_at_disk()
        try:
            for path in sorted({*self.before, *self.hub, *self.disk, *odd}):
                reason = next((odd[place] for place in _branch(path) if place in odd), "")
                step = Step(Act.LEAVE, path, reason) if reason else self._step(path)
                if step.act is not Act.NOTHING:
                    yield step
        finally:
            if not self.pretend:
                self._note()

    def _step(self, path: str) -> Step:
        hub, folder, before = self.hub.get(path, (None, 0))[0], self.disk.get(path), self.before.get(path)
        act = decide(before=before, hub=hub, folder=folder)
        if any(part.startswith(".") for part in path.split("/")):
            return Step(Act.LEAVE, path, "Hidden names are not mirrored.") if hub else Step(Act.NOTHING, path)
        if act in (Act.DELETE_IN_FOLDER, Act.DELETE_IN_HUB) and not self.delete:
            gone, kept = ("hub", "folder") if act is Act.DELETE_IN_FOLDER else ("folder", "hub")
            return Step(Act.LEAVE, path, f"It is gone from the {gone}; --delete removes it from the {kept} too.")
        if self.pretend:
            return Step(act, path)
        try:
            return Step(act, path, self._carry_out(act, path))
        except (Unmirrored, OSError) as error:
            return Step(Act.FAIL, path, str(error))
        except Trouble as error:
            return Step(Act.FAIL, path, ELSEWHERE if isinstance(error, Conflict) else error.message)

    def _carry_out(self, act: Act, path: str) -> str:
        """Does it, notes what both sides hold now, and says what more there is to say."""
        match act:
            case Act.TO_FOLDER:
                self.before[path] = self._write_to_folder(path, self._hub_text(path))
            case Act.TO_HUB:
                self.before[path] = self._write_to_hub(path, self._folder_text(path))
            case Act.DELETE_IN_FOLDER:
                self._delete_in_folder(path)
                del self.before[path]
            case Act.DELETE_IN_HUB:
                operations.files.delete(actor=self.actor, path=path, version=self.hub[path][1])
                del self.before[path]
            case Act.KEEP_BOTH:
                return f"The folder's is {self._keep_both(path)} now."
            case Act.NOTHING if path in self.disk:
                self.before[path] = self.disk[path]
            case Act.NOTHING:
                self.before.pop(path, None)
        return ""

    def _keep_both(self, path: str) -> str:
        """The folder's goes aside on both sides, under a name that its text alone decides: to repeat it does no harm.
        Only then is it overwritten."""
        theirs, place = self._folder_text(path), PurePosixPath(path)
        aside = str(place.with_name(f"{place.stem}.conflict-{self.disk[path][:8]}{place.suffix}"))
        found = {self.hub[aside][0] if aside in self.hub else None, self.disk.get(aside)}
        if found - {None, self.disk[path]}:
            raise Unmirrored(f"It changed on both sides, and {aside} is in the way.")
        if aside not in self.hub:
            self._write_to_hub(aside, theirs)
        self.before[aside] = self._write_to_folder(aside, theirs)
        self.before[path] = self._write_to_folder(path, self._hub_text(path))
        return aside

    # The hub

    def _in_hub(self) -> dict[str, tuple[str, int]]:
        digest = Func(
            Func("content", Value("UTF8"), function="convert_to"), function="sha256", output_field=BinaryField()
        )
        rows = folders.readable(self.actor).annotate(digest=digest).values_list("path", "digest", "version")
        return {path: (bytes(found).hex(), version) for path, found, version in rows}

    def _hub_text(self, path: str) -> str:
        file = folders.readable(self.actor).filter(path=path).first()
        if file is None:
            raise Unmirrored(ELSEWHERE)
        return file.content

    def _write_to_hub(self, path: str, text: str) -> str:
        former = self._hub_text(path) if path in self.hub else None
        if former is None:
            folders.make(actor=self.actor, path=path, content=text)
        else:
            operations.files.write(actor=self.actor, path=path, content=text, version=self.hub[path][1])
        if path.startswith(f"{archives.FOLDER}/"):
            self._remember(path, text, former)
        return digest_of(text.encode())

    def _remember(self, path: str, text: str, former: str | None) -> None:
        """Recall finds an archived conversation by its memory: made if it is missing, and kept up if it was no more
        than the file's text."""
        if not text.strip():
            return
        rows = Memory.objects.writable_by(self.actor).filter(audience=self.actor.team_id)
        present = rows.filter(key=path, owns_key=True).defer("search").first()
        if present is None:
            draft = operations.Draft(
                content=_shortened(text),
                key=path,
                type="event",
                category=CATEGORY,
                tags=[CATEGORY],
                source="auto",
                metadata={"file": path},
            )
            operations.save(actor=self.actor, draft=draft)
        elif former is not None and present.content == _shortened(former):
            operations.update(actor=self.actor, memory_id=present.pk, content=_shortened(text))

    # The folder

    def _look_at_disk(self) -> dict[str, str]:
        """Notes the digest of each file; returns what cannot be mirrored, with the reason."""
        odd: dict[str, str] = {}
        for place, names, files in os.walk(self.folder, onerror=_fail):
            names[:] = sorted(name for name in names if not name.startswith("."))
            for name in [*names, *files]:
                where = Path(place, name)
                path = where.relative_to(self.folder).as_posix()
                if name.startswith(".") or (name in names and not where.is_symlink()):
                    continue
                try:
                    self.disk[path] = digest_of(self._read(path).encode())
                except (Unmirrored, OSError) as error:
                    odd[path] = str(error)
        return odd

    def _folder_text(self, path: str) -> str:
        text = self._read(path)
        if digest_of(text.encode()) != self.disk[path]:
            raise Unmirrored(ELSEWHERE)
        return text

    def _read(self, path: str) -> str:
        """What a file says, if the hub can say it too."""
        try:
            if path_of(path) != path:
                raise Unmirrored("The hub would write this name in another way.")
            with open(os.open(self._place(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise Unmirrored("This is no plain file.")
                if found.st_size > FILE_BYTES:
                    raise Unmirrored(f"At most {FILE_BYTES:,} bytes; these are {found.st_size:,}.")
                return file_body(file.read().decode())
        except UnicodeDecodeError as error:
            raise Unmirrored("This is no text in UTF-8.") from error
        except Bad as error:
            raise Unmirrored(str(error)) from error

    def _write_to_folder(self, path: str, text: str) -> str:
        """In one step, so that nobody ever sees half a file; and only over what we have seen."""
        place = self._place(path)
        self._refuse_changed(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".memoryhub-{secrets.token_hex(8)}")
        try:
            draft.write_bytes(text.encode())
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
        return digest_of(text.encode())

    def _delete_in_folder(self, path: str) -> None:
        place = self._place(path)
        self._refuse_changed(path)
        place.unlink()
        for above in place.parents:
            if above == self.folder or any(above.iterdir()):
                return
            above.rmdir()

    def _refuse_changed(self, path: str) -> None:
        present = self._place(path).exists()
        if present and path not in self.disk:
            raise Unmirrored("There is another file in the folder where this one belongs.")
        if present or path in self.disk:
            self._folder_text(path)

    def _place(self, path: str) -> Path:
        """Where it lies in the folder: never behind a symbolic link, which may lead anywhere."""
        place = self.folder / path
        if place.is_symlink() or place.parent.resolve() != place.parent:
            raise Unmirrored("A symbolic link is not followed.")
        return place

    # The notes

    def _noted(self) -> dict[str, str]:
        place, whose = self.folder / NOTES, self._whose()
        try:
            said: dict[str, Any] = json.loads(place.read_bytes()) if place.exists() else {**whose}
            noted, theirs = dict(said.get("files", {})), {name: said.get(name) for name in whose}
        except (ValueError, AttributeError, TypeError) as error:
            sentence = f"{place} is damaged. Without it, files that differ are kept twice: remove it to go on so."
            raise Invalid({"dir": sentence}) from error
        for name in whose:
            if theirs[name] != whose[name]:
                raise Invalid({"dir": f"{self.folder} mirrors the files of another {name}."})
        return noted

    def _whose(self) -> dict[str, str | None]:
        workspace = self.actor.workspace_id
        return {"team": str(self.actor.team_id), "workspace": str(workspace) if workspace else None}

    def _note(self) -> None:
        said = {**self._whose(), "files": self.before}
        draft = self.folder / f"{NOTES}.{secrets.token_hex(8)}"
        draft.write_text(json.dumps(said, indent=1, sort_keys=True))
        draft.replace(self.folder / NOTES)


def _branch(path: str) -> list[str]:
    """The path, and the folders that it lies in."""
    return [path, *map(str, PurePosixPath(path).parents)]


def _fail(error: OSError) -> None:
    """A folder that cannot be read is not an empty one: its files would seem deleted."""
    raise error


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _shortened(text: str) -> str:
    return text.encode()[:CONTENT_BYTES].decode(errors="ignore")
