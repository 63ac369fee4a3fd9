"""The operators' dashboard: sizes, growth, recall speed, jobs and unused tokens, each for those with permission to view
it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker

from memories import jobs
from memories.models import Asset, Embedding, Memory, RecallLog, Revision, TeamFile
from memories.operations import embed
from memories.queries import growth
from memoryhub import metrics_page
from memoryhub.admin import MAX_LIST_ROWS
from memoryhub.charts import Chart
from memoryhub.counts import EstimatedCount
from teams.admin.access import UNUSED_AFTER
from teams.models import Agent, Person, Session, Team, Token

SIZED_MODELS: dict[str, type[Any]] = {
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
UNUSED_TOKENS_LISTED = 5  # listed by name
RECALLS_MEASURED = 1_000  # newest recalls, for the speed


@dataclass(frozen=True, slots=True)
class TableSize:
    title: str
    link: str
    rows: EstimatedCount
    bytes: int


@dataclass(frozen=True, slots=True)
class RecallSpeed:
    recalls: int
    p50: float | None
    p95: float | None


def dashboard_context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the dashboard's figures to the template context; unfold calls it for the index page."""
    may = request.user.has_perm
    if may("memories.view_memory"):
        context |= {"sizes": table_sizes(), **growth_charts(), "coverage": embed.measure_coverage(up_to=MAX_LIST_ROWS)}
    if may("memories.view_recalllog"):
        context |= {"speed": measure_recall_speed(), "newest": RECALLS_MEASURED}
    if may("procrastinate.view_procrastinatejob"):
        context |= {"jobs": jobs.list_job_statuses(), "workers": count_live_workers()}
    if may("teams.view_token"):
        context |= unused_tokens()
    return context


def table_sizes() -> list[TableSize]:
    """Return estimates by Postgres; small or never analysed tables are counted, up to the limit of lists."""
    tables = {model._meta.db_table for model in SIZED_MODELS.values()}
    estimates = {table: (rows, size) for table, rows, size in metrics_page.list_table_sizes() if table in tables}
    counts = _count_small_tables([table for table, (rows, _) in estimates.items() if rows < MAX_LIST_ROWS])
    return [
        TableSize(
            title=title,
            link=reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist"),
            rows=counts.get(model._meta.db_table) or EstimatedCount(estimates[model._meta.db_table][0], exact=False),
            bytes=estimates[model._meta.db_table][1],
        )
        for title, model in SIZED_MODELS.items()
    ]


def _count_small_tables(tables: list[str]) -> dict[str, EstimatedCount]:
    if not tables:
        return {}
    one = "(SELECT '{0}', count(*) FROM (SELECT FROM {0} LIMIT {1}) AS few)"
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(one.format(table, MAX_LIST_ROWS) for table in tables))
        return {table: EstimatedCount(number, exact=number < MAX_LIST_ROWS) for table, number in cursor.fetchall()}


def growth_charts() -> dict[str, Any]:
    tallies = growth.count_hub_days(now=timezone.now())
    return {
        "tallies": tallies,
        "growth": [
            ("new memories", Chart.of([(tally.day, tally.saved) for tally in tallies])),
            ("recalls", Chart.of([(tally.day, tally.recalled) for tally in tallies])),
        ],
    }


# Over the newest recalls that were timed. Index: the primary key.
SPEED_SQL = """
SELECT count(*), percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY took_ms)
FROM (SELECT took_ms FROM memories_recalllog ORDER BY id DESC LIMIT %s) AS newest WHERE took_ms IS NOT NULL
"""


def measure_recall_speed() -> RecallSpeed:
    with connection.cursor() as cursor:
        cursor.execute(SPEED_SQL, [RECALLS_MEASURED])
        recalls, percentiles = cursor.fetchone()
    p50, p95 = percentiles or (None, None)
    return RecallSpeed(recalls, p50, p95)


def count_live_workers() -> int:
    """Count the workers with a recent heartbeat."""
    since = timezone.now() - timedelta(seconds=settings.WORKER_DEAD_AFTER)
    return ProcrastinateWorker.objects.filter(last_heartbeat__gte=since).count()


def unused_tokens() -> dict[str, Any]:
    now = timezone.now()
    rows = Token.objects.working(now=now).not_used(since=now - UNUSED_AFTER)
    count = rows[:MAX_LIST_ROWS].count()
    return {
        "unused": rows.select_related("agent__team")[:UNUSED_TOKENS_LISTED],
        "unused_count": EstimatedCount(count, exact=count < MAX_LIST_ROWS),
        "unused_days": UNUSED_AFTER.days,
        "unused_link": f"{reverse('admin:teams_token_changelist')}?state=unused",
    }
