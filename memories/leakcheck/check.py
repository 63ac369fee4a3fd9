"""Reads through every door as a sample of readers, and compares the answers with what each of them may read.

Everything happens in one transaction that is rolled back: neither the log of recalls nor any count is changed.
"""

import html
import json
import logging
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import unquote
from uuid import UUID
from zipfile import BadZipFile, ZipFile

from django.conf import settings
from django.db import connection, transaction
from django.test import Client, override_settings
from django.utils import timezone

from memories.leakcheck.doors import DoorRequest, build_file_probes, build_lists, build_memory_probes
from memories.leakcheck.expected_access import (
    FILE_COLUMNS_READ,
    MEMORY_COLUMNS_READ,
    PlainRow,
    Subject,
    get_owner,
    unite_rows,
)
from memories.leakcheck.subjects import iterate_subjects
from memories.models import Memory, Revision, TeamFile

UUID_TEXT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SILENT_FIELDS = frozenset(("superseded_by", "follows"))  # name another memory, which the reader need not see
MIN_MARKER, MAX_MARKER = 20, 120  # characters of a text by which it is known again
EXPORT_MEMORIES = 20_000  # organizations with more are not exported for the check
PAGES_READ = 5  # of each list


@dataclass(frozen=True, slots=True)
class Leak:
    """A row that a reader got, and may not read."""

    subject: str
    door: str
    kind: str
    row_id: UUID
    how: str


@dataclass
class LeakReport:
    readers: int = 0
    requests: Counter[str] = field(default_factory=Counter)  # by door
    given: Counter[str] = field(default_factory=Counter)  # rows that were rightly given
    hidden: Counter[str] = field(default_factory=Counter)  # rows that a door withholds, and need not
    errors: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)


def find_leaks(
    *, organizations: Sequence[UUID], sample: int, probes: int, on_subject: Callable[[str], None] = print
) -> LeakReport:
    """Act as up to `sample` tokens and as many members, each probing up to `probes` memories and files."""
    report = LeakReport()
    with _leave_no_trace():
        rows = _sample_memories(organizations, probes)
        files = _sample_files(organizations, probes)
        for subject in iterate_subjects(organizations=organizations, sample=sample):
            on_subject(subject.name)
            report.readers += 1
            _check_subject(subject, rows, files, probes, report)
    return report


@contextmanager
def _leave_no_trace() -> Iterator[None]:
    """Run in a transaction that sees one moment and is rolled back, with what runs beside requests inside it."""
    hosts = {"BACKGROUND": False, "REQUESTS_PER_MINUTE": 0, "ALLOWED_HOSTS": ["localhost"], "DISK_RESERVE_BYTES": 0}
    outermost = not connection.in_atomic_block
    with override_settings(**hosts), transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        mark = transaction.savepoint()
        logging.disable(logging.ERROR)  # each refusal would be a line of the log
        try:
            yield
        finally:
            transaction.savepoint_rollback(mark)
            if outermost:
                transaction.set_rollback(True)
            logging.disable(logging.NOTSET)


def _sample_memories(organizations: Sequence[UUID], probes: int) -> list[PlainRow]:
    """Return memories of many owners and in every state, among the newest."""
    newest = Memory.objects.filter(organization__in=organizations, purged_at=None).order_by("-pk")
    rows = newest.values("pk", "scope", "status", "forgotten_at", "team", "project", "agent", "person", "workspace")
    groups: dict[Any, list[UUID]] = {}
    for row in rows[:EXPORT_MEMORIES].iterator():
        owner = {"team": row["team"], "project": row["project"], "agent": row["agent"], "global": row["person"]}
        group = (row["scope"], owner[row["scope"]], row["workspace"], row["status"], row["forgotten_at"] is None)
        chosen = groups.setdefault(group, [])
        if len(chosen) < probes:
            chosen.append(row["pk"])
    ids = _take_by_turns(groups.values(), most=probes * 20)
    return list(Memory.objects.filter(pk__in=ids).values(*MEMORY_COLUMNS_READ))


def _sample_files(organizations: Sequence[UUID], probes: int) -> list[PlainRow]:
    groups: dict[Any, list[UUID]] = {}
    newest = TeamFile.objects.filter(organization__in=organizations).order_by("-pk")
    for pk, *group in newest.values_list("pk", "team", "workspace")[:EXPORT_MEMORIES].iterator():
        chosen = groups.setdefault(tuple(group), [])
        if len(chosen) < probes:
            chosen.append(pk)
    ids = _take_by_turns(groups.values(), most=probes * 10)
    return list(TeamFile.objects.filter(pk__in=ids).values(*FILE_COLUMNS_READ))


def _take_by_turns(groups: Iterable[list[UUID]], *, most: int) -> list[UUID]:
    """Take one of each group, then another of each, and so on."""
    ranked = sorted((number, str(pk)) for group in groups for number, pk in enumerate(group))
    return [UUID(pk) for _, pk in ranked[:most]]


def _check_subject(
    subject: Subject, rows: Sequence[PlainRow], files: Sequence[PlainRow], probes: int, report: LeakReport
) -> None:
    visit = Visit(subject, rows, report)
    few = Memory.objects.filter(organization=subject.organization_id)[: EXPORT_MEMORIES + 1].count() <= EXPORT_MEMORIES
    for request in build_lists(subject):
        if few or "export" not in request.door:
            visit.read_pages(request)
    chosen = random.Random(subject.name)  # noqa: S311 (the same sample for the same reader)
    for row in _choose_probes(rows, lambda row: subject.may_read_memory(row, now=visit.now), probes, chosen):
        for request in build_memory_probes(subject, row):
            visit.read(request, probe=row)
    for row in _choose_probes(files, subject.may_read_file, probes, chosen):
        for request in build_file_probes(subject, row):
            visit.read(request)


def _choose_probes(
    rows: Sequence[PlainRow], may_read: Callable[[PlainRow], bool], probes: int, chosen: random.Random
) -> list[PlainRow]:
    """Return mostly rows that may not be read, and some that may."""
    split: tuple[list[PlainRow], list[PlainRow]] = ([], [])
    for row in rows:
        split[may_read(row)].append(row)
    few = max(1, probes // 4)
    return chosen.sample(split[0], min(probes, len(split[0]))) + chosen.sample(split[1], min(few, len(split[1])))


class Visit:
    """Reads as one subject, and judges each answer."""

    def __init__(self, subject: Subject, rows: Sequence[PlainRow], report: LeakReport) -> None:
        self.subject, self.report, self.now = subject, report, timezone.now()
        self._client = Client(raise_request_exception=False)
        self._markers = {
            marker: row
            for row in rows
            if not subject.may_read_memory(row, now=self.now) and (marker := find_marker(row["content"]))
        }

    def read_pages(self, request: DoorRequest) -> None:
        """Follow the pages of a list."""
        path = request.path
        for _ in range(PAGES_READ):
            body = self.read(request, path=path)
            following = body.get("next") if isinstance(body, dict) else None
            if not following:
                return
            path = f"{request.path}{'&' if '?' in request.path else '?'}cursor={following}"

    def read(self, request: DoorRequest, *, probe: PlainRow | None = None, path: str = "") -> Any:
        """Send the request, judge the answer, and return its JSON."""
        self.report.requests[request.door] += 1
        mark = transaction.savepoint()
        try:
            response = self._client.generic(
                request.method,
                path or request.path,
                request.content,
                content_type="application/json",
                headers={**self.subject.headers, **request.headers, "Host": "localhost"},
                secure=settings.HTTPS,
            )
            status, content = response.status_code, read_content(response)
        finally:
            transaction.savepoint_rollback(mark)
        if status >= 500 or status == 429:
            self.report.errors[f"{request.door}: {status}"] += 1
            return None
        body = parse_answer(content)
        if probe and request.answers_by_id:
            self._judge_by_id(request, probe, status)
        asked = path or request.path
        self._judge_ids(request, body, asked=asked)
        self._judge_texts(request, body)
        return body

    def _judge_by_id(self, request: DoorRequest, probe: PlainRow, status: int) -> None:
        allowed = self.subject.may_read_memory(probe, now=self.now)
        if status == 200:
            self._judge_row(request, "memory", probe["id"], allowed=allowed)
        if status == 404 and allowed:
            self.report.hidden[request.door] += 1

    def _judge_ids(self, request: DoorRequest, body: Any, *, asked: str) -> None:
        """Judge whatever is named by its id, but for what the request itself names."""
        if request.names_only:
            return
        named = set(UUID_TEXT.findall(f"{asked} {request.content.decode()}"))
        ids = {UUID(found) for text in iterate_strings(body) for found in UUID_TEXT.findall(text) if found not in named}
        memories = unite_rows(Memory.objects.filter(pk__in=ids).values(*MEMORY_COLUMNS_READ))
        for pk, row in memories.items():
            self._judge_row(request, "memory", pk, allowed=self._may_know(request, row))
        for pk, row in unite_rows(TeamFile.objects.filter(pk__in=ids).values(*FILE_COLUMNS_READ)).items():
            known = self.subject.may_read_file({**row, "deleted_at": None} if request.shows_past else row)
            self._judge_row(request, "file", pk, allowed=known)

    def _judge_texts(self, request: DoorRequest, body: Any) -> None:
        """Look for the words of memories that may not be read, wherever they stand."""
        text = " ".join(" ".join(iterate_strings(body)).split())
        asked = request.content.decode()
        for marker, row in self._markers.items():
            if marker in text and marker not in asked and marker not in unquote(request.path):
                if self._may_know(request, row) or self._stands_elsewhere(request, marker):
                    continue
                self._add_leak(request, "memory", row["id"], "its words")

    def _stands_elsewhere(self, request: DoorRequest, marker: str) -> bool:
        """Return whether the words stand in something else that may be read."""
        opening = marker[:MIN_MARKER]
        same = Memory.objects.filter(organization=self.subject.organization_id, content__contains=opening)
        if any(self._may_know(request, row) for row in same.values(*MEMORY_COLUMNS_READ)[:200]):
            return True
        files = TeamFile.objects.filter(organization=self.subject.organization_id, content__contains=opening)
        return any(self.subject.may_read_file(row) for row in files.values(*FILE_COLUMNS_READ)[:200])

    def _may_know(self, request: DoorRequest, row: PlainRow) -> bool:
        if self.subject.may_read_memory(row, now=self.now):
            return True
        if not request.shows_past:
            return False
        if self.subject.reads_row_of(get_owner(row), row):
            return bool(row["status"] != "proposed" or self.subject.user_id is not None)
        versions = Revision.objects.filter(organization=row["organization_id"], memory=row["id"])
        return any(self.subject.reads_row_of(owner, row) for owner in versions.values_list("audience", flat=True))

    def _judge_row(self, request: DoorRequest, kind: str, pk: UUID, *, allowed: bool) -> None:
        if allowed:
            self.report.given[request.door] += 1
        else:
            self._add_leak(request, kind, pk, "its id")

    def _add_leak(self, request: DoorRequest, kind: str, pk: UUID, how: str) -> None:
        leak = Leak(self.subject.name, request.door, kind, pk, how)
        if leak not in self.report.leaks:
            self.report.leaks.append(leak)


def find_marker(content: str) -> str:
    """Return the beginning of a text, by which it is known again; empty if it is too short for that."""
    marker = " ".join(content.split())[:MAX_MARKER]
    return marker if len(marker) >= MIN_MARKER else ""


def read_content(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else bytes(response.content)


def parse_answer(content: bytes) -> Any:
    """Return what an answer says: its JSON, the rows of an archive, or its text."""
    if content.startswith(b"PK"):
        try:
            with ZipFile(BytesIO(content)) as archive:
                names = [name for name in archive.namelist() if name.startswith("rows/memories_memory.")]
                return [json.loads(line) for name in names for line in archive.read(name).splitlines()]
        except BadZipFile:
            return ""
    text = content.decode(errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return html.unescape(text)


def iterate_strings(body: Any) -> Iterator[str]:
    """Yield the texts of an answer, without the fields that only name another memory."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict):
        for name, value in body.items():
            if name not in SILENT_FIELDS:
                yield from iterate_strings(value)
    elif isinstance(body, list):
        for value in body:
            yield from iterate_strings(value)
