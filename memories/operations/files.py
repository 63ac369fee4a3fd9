"""A team's files: text under a path, every version kept."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Case, F, Q, TextField, Value, When
from django.db.models.functions import Concat, Greatest, Substr
from django.utils import timezone

from memories.models import FILE_BYTES, Change, FileVersion, TeamFile
from memories.models.constants import octet_length
from memories.operations.record import reveal_if_readable, translate_integrity_errors
from memories.operations.screen import screen_values
from memories.rules import access
from memories.rules.access import require_verb
from memories.rules.fields import clean_fields
from memories.rules.preconditions import ExpectedVersion, VersionCheck
from memories.text.language import choose_language, language_of_change
from memoryhub.errors import Conflict, Invalid, KeyTaken, NotFound, TooLarge
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Verb

ANY_VERSION = None  # a version: the caller does not care
ABSENT = 0  # a version: there must be no such file yet
BRANCH_BYTES = 16 * FILE_BYTES  # renamed or deleted at once: each file is indexed anew and copied into the history


@transaction.atomic
def write_file(
    *,
    actor: Actor,
    path: str,
    content: str,
    team_id: UUID | None = None,
    version: VersionCheck = ANY_VERSION,
    now: datetime | None = None,
) -> TeamFile:
    """Screen the text, then create or overwrite the file."""
    screened = screen_values(actor, {"path": path, "content": content}, may_hold=False)
    file = store_file(
        actor=actor, path=path, content=screened.values["content"], team_id=team_id, version=version, now=now
    )
    file.screening = screened.report
    return file


@transaction.atomic
def store_file(
    *,
    actor: Actor,
    path: str,
    content: str,
    team_id: UUID | None = None,
    version: VersionCheck = ANY_VERSION,
    now: datetime | None = None,
) -> TeamFile:
    """Create or overwrite the file with a text that was screened already; Postgres decides which."""
    now = now or timezone.now()
    team_id = _require_writable_team(actor, team_id)
    values = clean_fields({"path": path, "file": content}, now=now)
    if version not in (ANY_VERSION, ABSENT):
        file = _get_active_file(actor, team_id, values["path"])
        return _change_file(actor, file, Change.UPDATED, version, now, content=values["file"])
    while True:
        present = _find_active_file(actor, team_id, values["path"])
        if present and version == ABSENT:
            raise KeyTaken(f"The file {present.path!r} already exists.", current=reveal_if_readable(actor, present))
        if present and (
            written := _try_change_file(actor, present, Change.UPDATED, ANY_VERSION, now, content=values["file"])
        ):
            return written
        if not present and (made := _insert_file(actor, team_id, values["path"], values["file"], now)):
            return made


def _insert_file(actor: Actor, team_id: UUID, path: str, content: str, now: datetime) -> TeamFile | None:
    """Return the new file, or None if there is one at that path."""
    file = TeamFile(
        organization_id=actor.organization_id,
        team_id=team_id,
        workspace_id=actor.workspace_id,
        path=path,
        content=content,
        language=choose_language(content, fallback=actor.team_language),
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
        updated_at=now,
    )
    try:
        with transaction.atomic(), translate_integrity_errors():
            file.save(force_insert=True)
    except KeyTaken:
        return None
    _record_file_version(actor, file, Change.CREATED)
    return file


@transaction.atomic
def rename_file(
    *,
    actor: Actor,
    path: str,
    to: str,
    team_id: UUID | None = None,
    version: VersionCheck = ANY_VERSION,
    now: datetime | None = None,
) -> TeamFile:
    now = now or timezone.now()
    screen_values(actor, {"path": to}, may_hold=False)
    team_id, to = _require_writable_team(actor, team_id), clean_fields({"path": to}, now=now)["path"]
    file = _get_active_file(actor, team_id, clean_fields({"path": path}, now=now)["path"])
    if to != file.path and _find_active_file(actor, team_id, to):  # in whichever workspace, while they are switched off
        raise KeyTaken(f"The file {to!r} already exists.")
    return _change_file(actor, file, Change.RENAMED, version, now, path=to)


@transaction.atomic
def delete_file(
    *,
    actor: Actor,
    path: str,
    team_id: UUID | None = None,
    version: VersionCheck = ANY_VERSION,
    now: datetime | None = None,
) -> TeamFile:
    """Hide the file from every read. Its versions are kept, and `restore_file` brings it back."""
    now = now or timezone.now()
    file = _get_active_file(
        actor, _require_writable_team(actor, team_id, verb=Verb.FORGET), clean_fields({"path": path}, now=now)["path"]
    )
    return _change_file(actor, file, Change.FORGOTTEN, version, now, deleted_at=now)


@transaction.atomic
def restore_file(*, actor: Actor, file_id: UUID, now: datetime | None = None) -> TeamFile:
    now = now or timezone.now()
    require_verb(actor, Verb.WRITE)
    file = TeamFile.objects.restorable_by(actor).filter(pk=file_id).first()
    if file is None:
        raise NotFound("There is no such deleted file.")
    return _change_file(actor, file, Change.RESTORED, file.version, now, deleted_at=None)


@transaction.atomic
def append_to_file(
    *,
    actor: Actor,
    path: str,
    text: str,
    team_id: UUID | None = None,
    version: VersionCheck = ANY_VERSION,
    now: datetime | None = None,
) -> TeamFile:
    """Add a line at the end, whatever others add meanwhile."""
    now = now or timezone.now()
    screened = screen_values(actor, {"text": text}, may_hold=False)
    values = clean_fields({"path": path, "file": screened.values["text"]}, now=now)
    file = _get_active_file(actor, _require_writable_team(actor, team_id), values["path"])
    begun = When(Q(content="") | Q(content__endswith="\n"), then=Value(""))
    between = Case(begun, default=Value("\n"), output_field=TextField())
    longer = Concat(F("content"), between, Value(values["file"]), output_field=TextField())
    try:
        with transaction.atomic():
            appended = _change_file(actor, file, Change.APPENDED, version, now, content=longer)
    except Invalid as error:
        raise TooLarge({"content": f"With this addition it would be more than {FILE_BYTES:,} bytes."}) from error
    appended.screening = screened.report
    return appended


@transaction.atomic
def revert_file(
    *,
    actor: Actor,
    path: str,
    to_version: int,
    team_id: UUID | None = None,
    version: VersionCheck = ANY_VERSION,
    now: datetime | None = None,
) -> TeamFile:
    """Make a new version with the text of an old one. A deleted file is restored with it."""
    now = now or timezone.now()
    team_id = _require_writable_team(actor, team_id)
    path = clean_fields({"path": path}, now=now)["path"]
    living = _find_active_file(actor, team_id, path)
    gone = TeamFile.objects.restorable_by(actor).of_team(team_id).filter(path=path).order_by("-deleted_at")
    file = living or gone.first()
    if file is None:
        raise NotFound(f"There is no file {path!r}.")
    old = FileVersion.objects.of_file(file).filter(version=to_version).first()
    if old is None:
        raise NotFound(f"There is no version {to_version} of this file.")
    screened = screen_values(actor, {"content": old.content}, may_hold=False)
    content = screened.values["content"]
    if living:
        changed = _change_file(actor, file, Change.REVERTED, version, now, content=content)
    else:
        changed = _change_file(actor, file, Change.RESTORED, version, now, content=content, deleted_at=None)
    changed.screening = screened.report
    return changed


@transaction.atomic
def rename_branch(*, actor: Actor, path: str, to: str, now: datetime | None = None) -> None:
    """Rename a file of the actor's team, or else a folder with everything in it, in one statement.

    While workspaces are switched off, several files may have one path: only the visible one is renamed.
    """
    now = now or timezone.now()
    screen_values(actor, {"path": to}, may_hold=False)
    held = _lock_branch(actor, _require_writable_team(actor, None), path)
    visible = {old: pk for pk, old in reversed(held.items())}
    for old in visible:
        clean_fields({"path": to + old.removeprefix(path)}, now=now)
    moved = Concat(Value(to), Substr("path", len(path) + 1), output_field=TextField())
    _change_files(actor, visible.values(), Change.RENAMED, now, path=moved)


@transaction.atomic
def delete_branch(*, actor: Actor, path: str, now: datetime | None = None) -> None:
    """Delete a file of the actor's team, or else a folder with everything in it, in whichever workspace."""
    now = now or timezone.now()
    held = _lock_branch(actor, _require_writable_team(actor, None, verb=Verb.FORGET), path)
    _change_files(actor, held, Change.FORGOTTEN, now, deleted_at=now)


def _lock_branch(actor: Actor, team_id: UUID, path: str) -> dict[UUID, str]:
    """Lock the file, or else the files in the folder; always in the same order, so that no two callers deadlock."""
    living = TeamFile.objects.writable_by(actor).of_team(team_id).select_for_update()
    living = living.order_by("path", "-updated_at", "-id")
    branch = living.filter(path=path), living.filter(path__startswith=f"{path}/")
    found = next(
        (held for rows in branch if (held := list(rows.values_list("pk", "path", octet_length("content"))))), None
    )
    if found is None:
        raise NotFound(f"There is no file or folder {path!r}.")
    size = sum(size for _, _, size in found)
    if size > BRANCH_BYTES and len(found) > 1:
        sentence = f"At most {BRANCH_BYTES:,} bytes of files at once; these are {size:,}. Do it in parts."
        raise TooLarge({"path": sentence})
    return {pk: path for pk, path, _ in found}


# Copies the present version of each of these files into the history.
INSERT_FILE_VERSIONS = """
INSERT INTO memories_fileversion
    (id, organization_id, file_id, version, path, content, change, agent_id, user_id, token_id, created_at)
SELECT noted.id, file.organization_id, file.id, file.version, file.path, file.content, %(change)s,
    %(agent)s, %(user)s, %(token)s, file.updated_at
FROM unnest(%(versions)s::uuid[], %(files)s::uuid[]) AS noted (id, file_id)
JOIN memories_teamfile AS file ON file.organization_id = %(organization)s AND file.id = noted.file_id
"""


def _change_files(actor: Actor, held: Collection[UUID], change: Change, now: datetime, **values: Any) -> None:
    rows = TeamFile.objects.in_organization(actor.organization_id).filter(pk__in=held)
    with translate_integrity_errors():
        rows.update(**values, version=F("version") + 1, updated_at=Greatest(F("updated_at"), now))
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT_FILE_VERSIONS,
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


def _require_writable_team(actor: Actor, team_id: UUID | None, *, verb: Verb = Verb.WRITE) -> UUID:
    require_verb(actor, verb)
    read_only = "You may read this team's files, but not change them."
    missing = "There is no such team."
    return access.require_writable(actor, team_id or actor.team_id, read_only=read_only, missing=missing)


def _find_active_file(actor: Actor, team_id: UUID, path: str) -> TeamFile | None:
    return TeamFile.objects.writable_by(actor).of_team(team_id).at(path).defer("search").first()


def _get_active_file(actor: Actor, team_id: UUID, path: str) -> TeamFile:
    file = _find_active_file(actor, team_id, path)
    if file is None:
        raise NotFound(f"There is no file {path!r}.")
    return file


def _change_file(
    actor: Actor, file: TeamFile, change: Change, version: VersionCheck, now: datetime, **values: Any
) -> TeamFile:
    if changed := _try_change_file(actor, file, change, version, now, **values):
        return changed
    current = TeamFile.objects.in_organization(actor.organization_id).filter(pk=file.pk).defer("search").get()
    raise Conflict(ExpectedVersion.of(version).explain_conflict(current), current=reveal_if_readable(actor, current))


def _try_change_file(
    actor: Actor, file: TeamFile, change: Change, version: VersionCheck, now: datetime, **values: Any
) -> TeamFile | None:
    """Return the file with one more version, or None if it is not at the expected version."""
    rows = TeamFile.objects.in_organization(actor.organization_id).filter(pk=file.pk)
    rows = rows.filter(deleted_at__isnull=change != Change.RESTORED)
    unchanged = ExpectedVersion.of(version).filter_rows(rows, row_id=file.pk)
    later = Greatest(F("updated_at"), now)
    with translate_integrity_errors():
        if not unchanged.update(**values, **language_of_change(values), version=F("version") + 1, updated_at=later):
            return None
    changed = TeamFile.objects.in_organization(actor.organization_id).filter(pk=file.pk).defer("search").get()
    _record_file_version(actor, changed, change)
    return changed


def _record_file_version(actor: Actor, file: TeamFile, change: Change) -> None:
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
