"""A team's files as a tree: a folder is what the paths of its files have in common, and is there while they are."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q

from memories import operations
from memories.models import TeamFile, TeamFileQuerySet
from memories.operations.recording import require
from memories.recall.having import file_lexemes, having
from memoryhub.errors import Conflict, Invalid, KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Verb


def readable(actor: Actor) -> TeamFileQuerySet:
    """The files of the actor's own team: of each path one, the last changed."""
    rows = TeamFile.objects.visible_to(actor).filter(team=actor.team_id).defer("search")
    return rows.order_by("path", "-updated_at", "-id").distinct("path")


def inside(rows: TeamFileQuerySet, folder: str) -> TeamFileQuerySet:
    """Those in the folder and the folders in it; in the whole tree for the root, which has no name."""
    return rows.filter(path__startswith=f"{folder}/") if folder else rows


def saying(words: str) -> Q:
    """Files that have all of these words in their path or their text."""
    found = file_lexemes(words)
    return having(found) if found else Q(content__icontains=words)


# What is in a folder

LOOK = 500  # files that are read at once
LOOKS = 6  # at most, for one list
MOST = 500  # entries after which a list is long enough


@dataclass(slots=True)
class Folder:
    path: str
    name: str
    files: int = 0
    more: bool = False  # than were counted


@dataclass(slots=True)
class Contents:
    folders: dict[str, Folder] = field(default_factory=dict)
    files: dict[str, TeamFile] = field(default_factory=dict)
    beyond: str = ""  # where the list goes on, if it does

    def __len__(self) -> int:
        return len(self.folders) + len(self.files)

    def put(self, file: TeamFile, *, within: str) -> Folder | None:
        """The folder that it counts to, if it is not directly here."""
        name, deeper, _ = file.path.removeprefix(within).partition("/")
        if not deeper:
            self.files.setdefault(name, file)
            return None
        folder = self.folders.setdefault(name, Folder(f"{within}{name}", name))
        folder.files += 1
        return folder


def contents(rows: TeamFileQuerySet, folder: str, *, beyond: str = "") -> Contents:
    """What is directly in a folder. Where one of its folders has more than a look shows, the next look passes it by."""
    found, within = Contents(), f"{folder}/" if folder else ""
    for _ in range(LOOKS):
        seen = list(rows.below(folder, beyond=beyond)[: LOOK + 1])
        last = None
        for file in seen[:LOOK]:
            last = found.put(file, within=within)
        if len(seen) <= LOOK:
            return found
        beyond = seen[LOOK].path
        if last and beyond.startswith(f"{last.path}/"):
            last.more, beyond = True, f"{last.path}0"
        if len(found) >= MOST:
            break
    found.beyond = beyond
    return found


# What changes


def make(*, actor: Actor, path: str, content: str) -> TeamFile:
    """A new file, where there is nothing yet."""
    require(actor, Verb.WRITE)
    _refuse_name_in_use(actor, path)
    _refuse_file_as_folder(actor, path)
    return operations.files.write(actor=actor, path=path, content=content, version=operations.files.ABSENT)


def edit(*, actor: Actor, path: str, change: Callable[[str], str]) -> TeamFile:
    """Rewrites a file by what it says: if somebody was faster, by what it says then."""
    require(actor, Verb.READ)
    while file := readable(actor).filter(path=path).first():
        try:
            content, seen = change(file.content), operations.Seen.this(file)
            return operations.files.write(actor=actor, path=path, content=content, version=seen)
        except Conflict:
            continue
    raise NotFound(f"There is no file {path!r}.")


@transaction.atomic
def move(*, actor: Actor, path: str, to: str) -> None:
    """A file, or a folder with all that is in it, to where there is nothing yet. All of it or nothing."""
    require(actor, Verb.WRITE)
    _refuse_name_in_use(actor, to)
    if not _writable(actor).filter(Q(path=path) | Q(path__startswith=f"{path}/")).exists():
        raise NotFound(f"There is no file or folder {path!r}.")
    if f"{to}/".startswith(f"{path}/"):
        raise Invalid({"path": "Nothing can be moved into itself."})
    _refuse_file_as_folder(actor, to)
    operations.files.rename_branch(actor=actor, path=path, to=to)


@transaction.atomic
def delete(*, actor: Actor, path: str) -> None:
    """A file, or a folder with all that is in it. All of it or nothing."""
    require(actor, Verb.FORGET)
    operations.files.delete_branch(actor=actor, path=path)


def _writable(actor: Actor) -> TeamFileQuerySet:
    return TeamFile.objects.writable_by(actor).filter(team=actor.team_id)


# A name is a file's or a folder's, not both: so that the tree can be kept on a disk.


def _refuse_name_in_use(actor: Actor, path: str) -> None:
    if not path or _writable(actor).filter(Q(path=path) | Q(path__startswith=f"{path}/")).exists():
        raise KeyTaken(f"There is a file or folder {path!r} already.")


def _refuse_file_as_folder(actor: Actor, path: str) -> None:
    parts = path.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts))]
    if file := _writable(actor).filter(path__in=above).first():
        raise Invalid({"path": f"{file.path!r} is a file, not a folder."})
