"""Metrics for Prometheus at `/metrics`, for holders of METRICS_TOKEN: requests to this server's processes, and the size
of the database."""

import os
from collections.abc import Iterator
from hmac import compare_digest

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from memories.queries.jobs import count_pending_jobs
from memoryhub.bearer import parse_bearer

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the processes of one server combine their metrics


def show_metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics; without the token the page does not exist."""
    token = parse_bearer(request.headers.get("Authorization", ""))
    if not settings.METRICS_TOKEN or not compare_digest(token.encode(), settings.METRICS_TOKEN.encode()):
        raise Http404
    registry = CollectorRegistry()
    if os.environ.get(METRICS_FOLDER):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(DatabaseCollector())
    text = generate_latest(registry) + (b"" if os.environ.get(METRICS_FOLDER) else generate_latest(REGISTRY))
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


# Rows as the last ANALYZE estimated them: counting would take longer than a scrape may.
TABLE_SIZES = """
SELECT relname, greatest(reltuples, 0)::bigint, pg_total_relation_size(oid) FROM pg_class
WHERE relname = ANY(%s) AND relkind IN ('r', 'p')
"""


def list_table_sizes() -> list[tuple[str, int, int]]:
    """Return the name, estimated rows, and bytes with indexes, of each of our tables."""
    tables = [model._meta.db_table for app in ("teams", "memories") for model in apps.get_app_config(app).get_models()]
    with connection.cursor() as cursor:
        cursor.execute(TABLE_SIZES, [tables])
        return list(cursor.fetchall())


class DatabaseCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        rows = GaugeMetricFamily("memoryhub_rows", "Rows of a table, estimated.", labels=["table"])
        size = GaugeMetricFamily("memoryhub_bytes", "Size of a table with its indexes.", labels=["table"])
        for table, number, bytes_ in list_table_sizes():
            rows.add_metric([table], number)
            size.add_metric([table], bytes_)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM (SELECT FROM memories_unembedded LIMIT 100000) AS waiting")
            waiting = cursor.fetchone()[0]
        yield rows
        yield size
        yield GaugeMetricFamily("memoryhub_vectors_waiting", "Vectors that are missing, at most 100000.", value=waiting)
        pending = GaugeMetricFamily(
            "memoryhub_jobs", "Jobs that wait, run or failed, at most 10000.", labels=["status"]
        )
        for status, number in count_pending_jobs().items():
            pending.add_metric([status], number)
        yield pending
