"""What was done with one token: what it saved, changed, forgot, wrote to files and recalled, the newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import CharField, Q, QuerySet, Value

from memories import changes, paging, recalls
from memories.models import Change, FileVersion, RecallLog, Revision, TeamFile
from teams.actor import Actor
from teams.models import Token

ORDER = ("-created_at", "-id")
AT_ONCE = 500
Row = Revision | FileVersion | RecallLog
KINDS: dict[str, Any] = {"change": Revision, "file": FileVersion, "recall": RecallLog}


@dataclass(frozen=True, slots=True)
class Mark:
    """That something was done, and in which row it is written."""

    kind: str
    created_at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class Written:
    """A version of a file, with the file if one may know of it."""

    version: FileVersion
    file: TeamFile | None

    @property
    def words(self) -> str:
        return changes.WORDS[Change(self.version.change)]


@dataclass(frozen=True, slots=True)
class Trace:
    """Something that was done, ready to be told."""

    kind: str
    told: changes.Told | Written | recalls.Recalled


@dataclass(frozen=True, slots=True)
class Traces:
    traces: list[Trace]
    next: str | None


def traces(*, actor: Actor, token: Token, limit: int, cursor: str | None = None) -> Traces:
    """As far as one who looks may know."""
    found, following = marks(token=token, limit=limit, cursor=cursor)
    told: dict[UUID, changes.Told | Written | recalls.Recalled] = {}
    told |= {told.revision.pk: told for told in changes.tell(actor=actor, revision_ids=_ids(found, "change"))}
    told |= {written.version.pk: written for written in _written(actor, _ids(found, "file"))}
    logs = RecallLog.objects.filter(pk__in=_ids(found, "recall")).select_related(*recalls.TELLING)
    told |= {recalled.log.pk: recalled for recalled in recalls.tell(actor=actor, logs=list(logs))}
    return Traces([Trace(mark.kind, told[mark.id]) for mark in found if mark.id in told], following)


def marks(*, token: Token, limit: int, cursor: str | None = None) -> tuple[list[Mark], str | None]:
    """Hopes for the indexes revision_by_token, version_by_token and recall_by_token, for the first rows of each."""
    listed = f"token {token.pk}"
    beyond = paging.marked(listed, cursor) if cursor is not None else None
    firsts = [_newest(kind, token, beyond)[: limit + 1] for kind in KINDS]
    rows = firsts[0].union(*firsts[1:], all=True).order_by(*ORDER)[: limit + 1]
    found = [Mark(**row) for row in rows]
    last = found[limit - 1] if len(found) > limit else None
    return found[:limit], paging.mark(listed, last.created_at, last.id) if last else None


def everything(*, token: Token) -> Iterator[Row]:
    """All of it, a few rows at once, without what they say."""
    cursor: str | None = ""
    while cursor is not None:
        found, cursor = marks(token=token, limit=AT_ONCE, cursor=cursor or None)
        yield from rows(found)


def rows(found: Sequence[Mark]) -> list[Row]:
    """Those in which the marks are written, without what they say. The ledger's do not stay for ever."""
    known = {row.pk: row for kind in KINDS for row in _rows(kind, _ids(found, kind))}
    return [known[mark.id] for mark in found if mark.id in known]


def _rows(kind: str, ids: Sequence[UUID]) -> "QuerySet[Any]":
    rows: QuerySet[Any] = KINDS[kind]._default_manager.filter(pk__in=ids).select_related("agent", "user", "token")
    return rows if kind == "recall" else rows.defer("content")


def _newest(kind: str, token: Token, beyond: tuple[Any, UUID] | None) -> "QuerySet[Any, dict[str, Any]]":
    model = KINDS[kind]
    rows = model._default_manager.filter(organization=token.organization_id, token=token.pk)
    older = paging.after(model, "-created_at", *beyond) if beyond else Q()
    named = Value(kind, output_field=CharField())
    newest: QuerySet[Any, dict[str, Any]] = rows.filter(older).order_by(*ORDER).values("created_at", "id", kind=named)
    return newest


def _ids(found: Sequence[Mark], kind: str) -> list[UUID]:
    return [mark.id for mark in found if mark.kind == kind]


def _written(actor: Actor, version_ids: Sequence[UUID]) -> list[Written]:
    versions = list(FileVersion.objects.filter(pk__in=version_ids).select_related("agent", "user").defer("content"))
    ids = {version.file_id for version in versions}
    sources = (TeamFile.objects.visible_to(actor), TeamFile.objects.restorable_by(actor))
    files = {file.pk: file for rows in sources for file in rows.filter(pk__in=ids).defer("content", "search")}
    return [Written(version, files.get(version.file_id)) for version in versions]
