"""A team's files: text under a path, every version kept."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Case, F, Q, TextField, Value, When
from django.db.models.functions import Concat, Greatest, Substr
from django.utils import timezone

from memories.fields import clean
from memories.models import FILE_BYTES, Change, FileVersion, TeamFile
from memories.operations.recording import in_our_words, require, shown
from memories.operations.seeing import Seen, Version
from memoryhub.errors import Conflict, Forbidden, Invalid, KeyTaken, NotFound, TooLarge
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Verb

ANY = None  # a version: the caller does not care
ABSENT = 0  # a version: there must be no such file yet


@transaction.atomic
def write(
    *,
    actor: Actor,
    path: str,
    content: str,
    team_id: UUID | None = None,
    version: Version = ANY,
    now: datetime | None = None,
) -> TeamFile:
    """Makes the file or overwrites it; Postgres decides which."""
    now = now or timezone.now()
    team_id = _writable_team(actor, team_id)
    values = clean({"path": path, "file": content}, now=now)
    if version not in (ANY, ABSENT):
        file = _present(actor, team_id, values["path"])
        return _change(actor, file, Change.UPDATED, version, now, content=values["file"])
    while True:
        present = _living(actor, team_id, values["path"])
        if present and version == ABSENT:
            raise KeyTaken(f"There is a file {present.path!r} already.", current=shown(actor, present))
        if present and (written := _changed(actor, present, Change.UPDATED, ANY, now, content=values["file"])):
            return written
        if not present and (made := _insert(actor, team_id, values["path"], values["file"], now)):
            return made


def _insert(actor: Actor, team_id: UUID, path: str, content: str, now: datetime) -> TeamFile | None:
    """The new file, unless one lives there."""
    file = TeamFile(
        organization_id=actor.organization_id,
        team_id=team_id,
        workspace_id=actor.workspace_id,
        path=path,
        content=content,
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
        updated_at=now,
    )
    try:
        with transaction.atomic(), in_our_words():
            file.save(force_insert=True)
    except KeyTaken:
        return None
    _record(actor, file, Change.CREATED)
    return file


@transaction.atomic
def rename(
    *,
    actor: Actor,
    path: str,
    to: str,
    team_id: UUID | None = None,
    version: Version = ANY,
    now: datetime | None = None,
) -> TeamFile:
    now = now or timezone.now()
    team_id, to = _writable_team(actor, team_id), clean({"path": to}, now=now)["path"]
    file = _present(actor, team_id, clean({"path": path}, now=now)["path"])
    if to != file.path and _living(actor, team_id, to):  # in whichever workspace, while they are switched off
        raise KeyTaken(f"There is a file {to!r} already.")
    return _change(actor, file, Change.RENAMED, version, now, path=to)


@transaction.atomic
def delete(
    *, actor: Actor, path: str, team_id: UUID | None = None, version: Version = ANY, now: datetime | None = None
) -> TeamFile:
    """Gone from every read; its versions are kept, and `restore` brings it back."""
    now = now or timezone.now()
    file = _present(actor, _writable_team(actor, team_id, verb=Verb.FORGET), clean({"path": path}, now=now)["path"])
    return _change(actor, file, Change.FORGOTTEN, version, now, deleted_at=now)


@transaction.atomic
def restore(*, actor: Actor, file_id: UUID, now: datetime | None = None) -> TeamFile:
    now = now or timezone.now()
    require(actor, Verb.WRITE)
    file = TeamFile.objects.restorable_by(actor).filter(pk=file_id).first()
    if file is None:
        raise NotFound("There is no such deleted file.")
    return _change(actor, file, Change.RESTORED, file.version, now, deleted_at=None)


@transaction.atomic
def append(
    *,
    actor: Actor,
    path: str,
    text: str,
    team_id: UUID | None = None,
    version: Version = ANY,
    now: datetime | None = None,
) -> TeamFile:
    """Adds a line at the end, whatever others add meanwhile."""
    now = now or timezone.now()
    values = clean({"path": path, "file": text}, now=now)
    file = _present(actor, _writable_team(actor, team_id), values["path"])
    begun = When(Q(content="") | Q(content__endswith="\n"), then=Value(""))
    between = Case(begun, default=Value("\n"), output_field=TextField())
    longer = Concat(F("content"), between, Value(values["file"]), output_field=TextField())
    try:
        with transaction.atomic():
            return _change(actor, file, Change.APPENDED, version, now, content=longer)
    except Invalid as error:
        raise TooLarge({"content": f"With this addition it would be more than {FILE_BYTES:,} bytes."}) from error


@transaction.atomic
def revert(
    *,
    actor: Actor,
    path: str,
    to_version: int,
    team_id: UUID | None = None,
    version: Version = ANY,
    now: datetime | None = None,
) -> TeamFile:
    """Makes a new version with the text of an old one. If no file lives there, the last one that did comes back."""
    now = now or timezone.now()
    team_id = _writable_team(actor, team_id)
    path = clean({"path": path}, now=now)["path"]
    living = _living(actor, team_id, path)
    gone = TeamFile.objects.restorable_by(actor).filter(team=team_id, path=path).order_by("-deleted_at")
    file = living or gone.first()
    if file is None:
        raise NotFound(f"There is no file {path!r}.")
    old = FileVersion.objects.filter(organization=actor.organization_id, file=file, version=to_version).first()
    if old is None:
        raise NotFound(f"There is no version {to_version} of this file.")
    if living:
        return _change(actor, file, Change.REVERTED, version, now, content=old.content)
    return _change(actor, file, Change.RESTORED, version, now, content=old.content, deleted_at=None)


@transaction.atomic
def rename_branch(*, actor: Actor, path: str, to: str, now: datetime | None = None) -> None:
    """A file of the actor's team, or else a folder with all that is in it, by one statement however much that is.
    Of each path the one that shows, while workspaces are switched off."""
    now = now or timezone.now()
    held = _held(actor, _writable_team(actor, None), path)
    shown = {old: pk for pk, old in reversed(held.items())}
    for old in shown:
        clean({"path": to + old.removeprefix(path)}, now=now)
    moved = Concat(Value(to), Substr("path", len(path) + 1), output_field=TextField())
    _change_all(actor, shown.values(), Change.RENAMED, now, path=moved)


@transaction.atomic
def delete_branch(*, actor: Actor, path: str, now: datetime | None = None) -> None:
    """Likewise, in whichever workspace."""
    now = now or timezone.now()
    held = _held(actor, _writable_team(actor, None, verb=Verb.FORGET), path)
    _change_all(actor, held, Change.FORGOTTEN, now, deleted_at=now)


def _held(actor: Actor, team_id: UUID, path: str) -> dict[UUID, str]:
    """The file, or else the files in the folder; held in one order, so that two who move or delete take turns."""
    living = TeamFile.objects.writable_by(actor).filter(team=team_id).select_for_update()
    living = living.order_by("path", "-updated_at", "-id")
    branch = living.filter(path=path), living.filter(path__startswith=f"{path}/")
    found = next((held for rows in branch if (held := dict(rows.values_list("pk", "path")))), None)
    if found is None:
        raise NotFound(f"There is no file or folder {path!r}.")
    return found


# The present version of each of these files.
RECORD = """
INSERT INTO memories_fileversion
    (id, organization_id, file_id, version, path, content, change, agent_id, user_id, token_id, created_at)
SELECT noted.id, file.organization_id, file.id, file.version, file.path, file.content, %(change)s,
    %(agent)s, %(user)s, %(token)s, file.updated_at
FROM unnest(%(versions)s::uuid[], %(files)s::uuid[]) AS noted (id, file_id)
JOIN memories_teamfile AS file ON file.organization_id = %(organization)s AND file.id = noted.file_id
"""


def _change_all(actor: Actor, held: Collection[UUID], change: Change, now: datetime, **values: Any) -> None:
    rows = TeamFile.objects.filter(organization=actor.organization_id, pk__in=held)
    with in_our_words():
        rows.update(**values, version=F("version") + 1, updated_at=Greatest(F("updated_at"), now))
    with connection.cursor() as cursor:
        cursor.execute(
            RECORD,
            {
                "agent": actor.agent_id,
                "user": actor.user_id,
                "token": actor.token_id,
                "change": change,
                "versions": [uuid7() for _ in held],
                "files": list(held),
                "organization": actor.organization_id,
            },
        )


def _writable_team(actor: Actor, team_id: UUID | None, *, verb: Verb = Verb.WRITE) -> UUID:
    require(actor, verb)
    team_id = team_id or actor.team_id
    if team_id in actor.writes:
        return team_id
    if team_id in actor.reads:
        raise Forbidden("You may read this team's files, but not change them.")
    raise NotFound("There is no such team.")


def _living(actor: Actor, team_id: UUID, path: str) -> TeamFile | None:
    return TeamFile.objects.writable_by(actor).filter(team=team_id).at(path).defer("search").first()


def _present(actor: Actor, team_id: UUID, path: str) -> TeamFile:
    file = _living(actor, team_id, path)
    if file is None:
        raise NotFound(f"There is no file {path!r}.")
    return file


def _change(actor: Actor, file: TeamFile, change: Change, version: Version, now: datetime, **values: Any) -> TeamFile:
    if changed := _changed(actor, file, change, version, now, **values):
        return changed
    current = TeamFile.objects.filter(organization=actor.organization_id, pk=file.pk).defer("search").get()
    raise Conflict(Seen.of(version).refusal(current), current=shown(actor, current))


def _changed(
    actor: Actor, file: TeamFile, change: Change, version: Version, now: datetime, **values: Any
) -> TeamFile | None:
    """The file with one more version; nothing if somebody was faster."""
    rows = TeamFile.objects.filter(organization=actor.organization_id, pk=file.pk)
    rows = rows.filter(deleted_at__isnull=change != Change.RESTORED)
    unchanged = Seen.of(version).among(rows, row_id=file.pk)
    later = Greatest(F("updated_at"), now)
    with in_our_words():
        if not unchanged.update(**values, version=F("version") + 1, updated_at=later):
            return None
    changed = TeamFile.objects.filter(organization=actor.organization_id, pk=file.pk).defer("search").get()
    _record(actor, changed, change)
    return changed


def _record(actor: Actor, file: TeamFile, change: Change) -> None:
    FileVersion.objects.create(
        id=uuid7(),
        organization_id=file.organization_id,
        file=file,
        version=file.version,
        path=file.path,
        content=file.content,
        change=change,
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        token_id=actor.token_id,
        created_at=file.updated_at,
    )
