"""Figures for Prometheus at `/metrics`, to whoever has METRICS_TOKEN: what this server's processes answered, and what
is in the database."""

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

from memories import jobs

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the processes of one server put their figures together


def page(request: HttpRequest) -> HttpResponse:
    """Without the token it is not there."""
    said = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not compare_digest(said.encode(), settings.METRICS_TOKEN.encode()):
        raise Http404
    here = CollectorRegistry()
    if os.environ.get(FOLDER):
        MultiProcessCollector(here)  # type: ignore[no-untyped-call]
    here.register(Database())
    text = generate_latest(here) + (b"" if os.environ.get(FOLDER) else generate_latest(REGISTRY))
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


# As many as the last ANALYZE estimated: counting them would take longer than a scrape may.
SIZES = """
SELECT relname, greatest(reltuples, 0)::bigint, pg_total_relation_size(oid) FROM pg_class
WHERE relname = ANY(%s) AND relkind IN ('r', 'p')
"""


def sizes() -> list[tuple[str, int, int]]:
    """Of each table of ours its name, its rows as estimated, and its bytes with its indexes."""
    tables = [model._meta.db_table for app in ("teams", "memories") for model in apps.get_app_config(app).get_models()]
    with connection.cursor() as cursor:
        cursor.execute(SIZES, [tables])
        return list(cursor.fetchall())


class Database(Collector):
    def collect(self) -> Iterator[Metric]:
        rows = GaugeMetricFamily("memoryhub_rows", "Rows of a table, estimated.", labels=["table"])
        size = GaugeMetricFamily("memoryhub_bytes", "Size of a table with its indexes.", labels=["table"])
        for table, number, bytes_ in sizes():
            rows.add_metric([table], number)
            size.add_metric([table], bytes_)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM (SELECT FROM memories_unembedded LIMIT 100000) AS waiting")
            waiting = cursor.fetchone()[0]
        yield rows
        yield size
        yield GaugeMetricFamily("memoryhub_vectors_waiting", "Vectors to be made, at most 100000.", value=waiting)
        pending = GaugeMetricFamily(
            "memoryhub_jobs", "Jobs that wait, run or failed, at most 10000.", labels=["status"]
        )
        for status, number in jobs.pending().items():
            pending.add_metric([status], number)
        yield pending
