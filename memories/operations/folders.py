"""Creating, editing, moving and deleting files and whole folders, as a tree that could be stored on disk."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import Q

from memories.models import TeamFile, TeamFileQuerySet
from memories.operations import files
from memories.queries.folders import team_files
from memories.rules.access import require_verb
from memories.rules.preconditions import ExpectedVersion
from memoryhub.errors import Conflict, Invalid, KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Verb


def create_file(*, actor: Actor, path: str, content: str) -> TeamFile:
    """Create a file; refuse a path that is in use."""
    require_verb(actor, Verb.WRITE)
    _refuse_name_in_use(actor, path)
    _refuse_file_as_folder(actor, path)
    return files.write_file(actor=actor, path=path, content=content, version=files.ABSENT)


def edit_file(*, actor: Actor, path: str, change: Callable[[str], str]) -> TeamFile:
    """Rewrite a file from its current content; start again if somebody else changed it meanwhile."""
    require_verb(actor, Verb.READ)
    while file := team_files(actor).filter(path=path).first():
        try:
            content, seen = change(file.content), ExpectedVersion.of_row(file)
            return files.write_file(actor=actor, path=path, content=content, version=seen)
        except Conflict:
            continue
    raise NotFound(f"There is no file {path!r}.")


@transaction.atomic
def move_path(*, actor: Actor, path: str, to: str) -> None:
    """Move a file or a whole folder to an unused path, all or nothing."""
    require_verb(actor, Verb.WRITE)
    _refuse_name_in_use(actor, to)
    if not _writable_files(actor).filter(Q(path=path) | Q(path__startswith=f"{path}/")).exists():
        raise NotFound(f"There is no file or folder {path!r}.")
    if f"{to}/".startswith(f"{path}/"):
        raise Invalid({"path": "Nothing can be moved into itself."})
    _refuse_file_as_folder(actor, to)
    files.rename_branch(actor=actor, path=path, to=to)


@transaction.atomic
def delete_path(*, actor: Actor, path: str) -> None:
    """Delete a file or a whole folder, all or nothing."""
    require_verb(actor, Verb.FORGET)
    files.delete_branch(actor=actor, path=path)


def _writable_files(actor: Actor) -> TeamFileQuerySet:
    return TeamFile.objects.writable_by(actor).filter(team=actor.team_id)


# A path is a file or a folder, never both, so that the tree can be stored on disk.


def _refuse_name_in_use(actor: Actor, path: str) -> None:
    if not path or _writable_files(actor).filter(Q(path=path) | Q(path__startswith=f"{path}/")).exists():
        raise KeyTaken(f"The file or folder {path!r} already exists.")


def _refuse_file_as_folder(actor: Actor, path: str) -> None:
    parts = path.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts))]
    if file := _writable_files(actor).filter(path__in=above).first():
        raise Invalid({"path": f"{file.path!r} is a file, not a folder."})
