"""The operators' first page: how large the hub is, how it grows, how quick recall is, what waits and what failed, which
tokens nobody uses. Each to those who may look at what it is about."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker

from memories import growth, jobs
from memories.models import Asset, Embedding, Memory, RecallLog, Revision, TeamFile
from memories.operations import embedding
from memoryhub import metrics
from memoryhub.admin import LOOK
from memoryhub.charts import Chart
from memoryhub.counts import Count
from teams.admin.access import UNUSED_AFTER
from teams.models import Agent, Person, Session, Team, Token

SIZED: dict[str, type[Any]] = {
    "Memories": Memory,
    "Revisions": Revision,
    "Vectors": Embedding,
    "Recalls": RecallLog,
    "Files": TeamFile,
    "Attachments": Asset,
    "Sessions": Session,
    "People": Person,
    "Teams": Team,
    "Agents": Agent,
    "Tokens": Token,
}
TOKENS = 5  # of those unused, by name
NEWEST = 1_000  # recalls by which its speed is known


@dataclass(frozen=True, slots=True)
class Size:
    title: str
    link: str
    rows: Count
    bytes: int


@dataclass(frozen=True, slots=True)
class Speed:
    recalls: int
    p50: float | None
    p95: float | None


def shown(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """What unfold asks for when somebody opens the first page."""
    may = request.user.has_perm
    if may("memories.view_memory"):
        context |= {"sizes": sizes(), **grown(), "coverage": embedding.coverage(up_to=LOOK)}
    if may("memories.view_recalllog"):
        context |= {"speed": speed(), "newest": NEWEST}
    if may("procrastinate.view_procrastinatejob"):
        context |= {"jobs": jobs.standings(), "workers": workers()}
    if may("teams.view_token"):
        context |= unused()
    return context


def sizes() -> list[Size]:
    """What Postgres estimates; what is small or was never analysed is counted, as far as lists go."""
    sized = {model._meta.db_table for model in SIZED.values()}
    known = {table: (rows, size) for table, rows, size in metrics.sizes() if table in sized}
    counted = _counted([table for table, (rows, _) in known.items() if rows < LOOK])
    return [
        Size(
            title=title,
            link=reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist"),
            rows=counted.get(model._meta.db_table) or Count(known[model._meta.db_table][0], exact=False),
            bytes=known[model._meta.db_table][1],
        )
        for title, model in SIZED.items()
    ]


def _counted(tables: list[str]) -> dict[str, Count]:
    if not tables:
        return {}
    one = "(SELECT '{0}', count(*) FROM (SELECT FROM {0} LIMIT {1}) AS few)"
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(one.format(table, LOOK) for table in tables))
        return {table: Count(number, exact=number < LOOK) for table, number in cursor.fetchall()}


def grown() -> dict[str, Any]:
    tallies = growth.tallies(now=timezone.now())
    return {
        "tallies": tallies,
        "growth": [
            ("new memories", Chart.of([(tally.day, tally.saved) for tally in tallies])),
            ("recalls", Chart.of([(tally.day, tally.recalled) for tally in tallies])),
        ],
    }


# Of the newest that say how long they took. Hopes for the primary key.
SPEED = """
SELECT count(*), percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY took_ms)
FROM (SELECT took_ms FROM memories_recalllog ORDER BY id DESC LIMIT %s) AS newest WHERE took_ms IS NOT NULL
"""


def speed() -> Speed:
    with connection.cursor() as cursor:
        cursor.execute(SPEED, [NEWEST])
        recalls, found = cursor.fetchone()
    p50, p95 = found or (None, None)
    return Speed(recalls, p50, p95)


def workers() -> int:
    """Those that gave a sign of life of late."""
    since = timezone.now() - timedelta(seconds=settings.WORKER_DEAD_AFTER)
    return ProcrastinateWorker.objects.filter(last_heartbeat__gte=since).count()


def unused() -> dict[str, Any]:
    now = timezone.now()
    rows = Token.objects.working(now=now).unused(since=now - UNUSED_AFTER)
    count = rows[:LOOK].count()
    return {
        "unused": rows.select_related("agent__team")[:TOKENS],
        "unused_count": Count(count, exact=count < LOOK),
        "unused_days": UNUSED_AFTER.days,
        "unused_link": f"{reverse('admin:teams_token_changelist')}?state=unused",
    }
