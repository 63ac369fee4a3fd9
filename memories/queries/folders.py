"""Folders of a team's files. A folder is a shared path prefix; it exists as long as files have it."""

from dataclasses import dataclass, field

from django.db.models import Q, Sum

from memories.models import TeamFile, TeamFileQuerySet
from memories.models.constants import octet_length
from memories.recall.literal_text import contains_text
from memories.recall.text_filter import file_lexemes, match_all_words
from teams.actor import Actor


def team_files(actor: Actor) -> TeamFileQuerySet:
    """Return the files of the actor's own team, one per path: the one changed last."""
    rows = TeamFile.objects.visible_to(actor).filter(team=actor.team_id).defer("search")
    return rows.order_by("path", "-updated_at", "-id").distinct("path")


def files_in_folder(rows: TeamFileQuerySet, folder: str) -> TeamFileQuerySet:
    """Return the files anywhere below the folder; all files for the root, whose path is empty."""
    return rows.filter(path__startswith=f"{folder}/") if folder else rows


def measure_path(actor: Actor, path: str) -> int:
    """Return the bytes of the team's file at the path, or of all files below it."""
    rows = TeamFile.objects.visible_to(actor).filter(Q(path=path) | Q(path__startswith=f"{path}/"), team=actor.team_id)
    size: int | None = rows.aggregate(size=Sum(octet_length("content")))["size"]
    return size or 0


def file_words_filter(words: str) -> Q:
    """Match files that have all of these words in their path or text."""
    found = file_lexemes(words)
    return match_all_words(found) if found else contains_text("content", words)


# List a folder

FILES_PER_READ = 500  # files read by one query
MAX_FOLDER_READS = 6  # queries for one list
MAX_FOLDER_ENTRIES = 500  # entries after which a list stops


@dataclass(slots=True)
class Folder:
    path: str
    name: str
    files: int = 0
    more: bool = False  # there are more files than were counted


@dataclass(slots=True)
class FolderContents:
    folders: dict[str, Folder] = field(default_factory=dict)
    files: dict[str, TeamFile] = field(default_factory=dict)
    beyond: str = ""  # path at which the next page begins, if there is one

    def __len__(self) -> int:
        return len(self.folders) + len(self.files)

    def add(self, file: TeamFile, *, within: str) -> Folder | None:
        """Add a file, and return the subfolder it was counted in unless it lies directly here."""
        name, deeper, _ = file.path.removeprefix(within).partition("/")
        if not deeper:
            self.files.setdefault(name, file)
            return None
        folder = self.folders.setdefault(name, Folder(f"{within}{name}", name))
        folder.files += 1
        return folder


def list_folder(rows: TeamFileQuerySet, folder: str, *, beyond: str = "") -> FolderContents:
    """Return the direct entries of a folder. The next read skips a subfolder with more files than one read returns."""
    found, within = FolderContents(), f"{folder}/" if folder else ""
    for _ in range(MAX_FOLDER_READS):
        seen = list(rows.below(folder, beyond=beyond)[: FILES_PER_READ + 1])
        last = None
        for file in seen[:FILES_PER_READ]:
            last = found.add(file, within=within)
        if len(seen) <= FILES_PER_READ:
            return found
        beyond = seen[FILES_PER_READ].path
        if last and beyond.startswith(f"{last.path}/"):
            last.more, beyond = True, f"{last.path}0"
        if len(found) >= MAX_FOLDER_ENTRIES:
            break
    found.beyond = beyond
    return found
