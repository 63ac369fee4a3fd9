"""Activity of one token: what it saved, changed, forgot, wrote to files and recalled, newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import CharField, Q, QuerySet, Value

from memories.models import Change, FileVersion, RecallLog, Revision, TeamFile
from memories.queries import activity, paging, recall_log
from teams.actor import Actor
from teams.models import Token

MARK_ORDER = ("-created_at", "-id")
MARKS_PER_BATCH = 500
MarkedRow = Revision | FileVersion | RecallLog
MARK_MODELS: dict[str, Any] = {"change": Revision, "file": FileVersion, "recall": RecallLog}


@dataclass(frozen=True, slots=True)
class ActivityMark:
    """A reference to the row that records an action."""

    kind: str
    created_at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class FileVersionEntry:
    """A version of a file, with the file if the reader may know of it."""

    version: FileVersion
    file: TeamFile | None

    @property
    def verb(self) -> str:
        return activity.CHANGE_VERBS[Change(self.version.change)]


@dataclass(frozen=True, slots=True)
class Trace:
    """An action with everything needed to display it."""

    kind: str
    entry: activity.ChangeEntry | FileVersionEntry | recall_log.RecallEntry


@dataclass(frozen=True, slots=True)
class Traces:
    traces: list[Trace]
    next: str | None


def list_traces(*, actor: Actor, token: Token, limit: int, cursor: str | None = None) -> Traces:
    """Return a page of the token's actions, limited to those that the actor may know of."""
    marks, following = list_marks(token=token, limit=limit, cursor=cursor)
    revision_ids, recall_ids = _ids_of_kind(marks, "change"), _ids_of_kind(marks, "recall")
    logs = list(RecallLog.objects.visible_to(actor).filter(pk__in=recall_ids).with_callers())
    entries: dict[UUID, activity.ChangeEntry | FileVersionEntry | recall_log.RecallEntry] = {
        **{one.revision.pk: one for one in activity.describe_revisions(actor=actor, revision_ids=revision_ids)},
        **{one.version.pk: one for one in _load_file_versions(actor, _ids_of_kind(marks, "file"))},
        **{one.log.pk: one for one in recall_log.describe_recalls(actor=actor, logs=logs)},
    }
    return Traces([Trace(mark.kind, entries[mark.id]) for mark in marks if mark.id in entries], following)


def list_marks(*, token: Token, limit: int, cursor: str | None = None) -> tuple[list[ActivityMark], str | None]:
    """Return a page of references to the token's actions. Indexes: revision_by_token, version_by_token and
    recall_by_token, for the first rows of each."""
    listed = f"token {token.pk}"
    beyond = paging.read_cursor(listed, cursor) if cursor is not None else None
    firsts = [_newest_marks(kind, token, beyond)[: limit + 1] for kind in MARK_MODELS]
    rows = firsts[0].union(*firsts[1:], all=True).order_by(*MARK_ORDER)[: limit + 1]
    found = [ActivityMark(**row) for row in rows]
    last = found[limit - 1] if len(found) > limit else None
    return found[:limit], paging.make_cursor(listed, last.created_at, last.id) if last else None


def iterate_rows(*, token: Token) -> Iterator[MarkedRow]:
    """Yield the rows of all the token's actions without their text, reading them in batches."""
    cursor: str | None = ""
    while cursor is not None:
        found, cursor = list_marks(token=token, limit=MARKS_PER_BATCH, cursor=cursor or None)
        yield from load_marked_rows(found)


def load_marked_rows(marks: Sequence[ActivityMark]) -> list[MarkedRow]:
    """Return the rows that the marks refer to, without their text. Rows of the recall log may be gone: they are not
    kept for ever."""
    known = {row.pk: row for kind in MARK_MODELS for row in _rows_of_kind(kind, _ids_of_kind(marks, kind))}
    return [known[mark.id] for mark in marks if mark.id in known]


def _rows_of_kind(kind: str, ids: Sequence[UUID]) -> "QuerySet[Any]":
    rows: QuerySet[Any] = MARK_MODELS[kind].objects.filter(pk__in=ids).select_related("agent", "user", "token")
    return rows if kind == "recall" else rows.defer("content")


def _newest_marks(kind: str, token: Token, beyond: tuple[Any, UUID] | None) -> "QuerySet[Any, dict[str, Any]]":
    model = MARK_MODELS[kind]
    rows = model.objects.by_token(token)
    older = paging.after_row(model, "-created_at", *beyond) if beyond else Q()
    named = Value(kind, output_field=CharField())
    newest: QuerySet[Any, dict[str, Any]] = (
        rows.filter(older).order_by(*MARK_ORDER).values("created_at", "id", kind=named)
    )
    return newest


def _ids_of_kind(marks: Sequence[ActivityMark], kind: str) -> list[UUID]:
    return [mark.id for mark in marks if mark.kind == kind]


def _load_file_versions(actor: Actor, version_ids: Sequence[UUID]) -> list[FileVersionEntry]:
    versions = list(FileVersion.objects.filter(pk__in=version_ids).with_authors().defer("content"))
    ids = {version.file_id for version in versions}
    sources = (TeamFile.objects.visible_to(actor), TeamFile.objects.restorable_by(actor))
    files = {file.pk: file for rows in sources for file in rows.filter(pk__in=ids).defer("content", "search")}
    return [FileVersionEntry(version, files.get(version.file_id)) for version in versions]
