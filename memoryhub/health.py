"""Health checks: `/healthz` says whether the process answers, `/readyz` whether the database does."""

from functools import cache

from django.db import Error, ProgrammingError, connection
from django.db.migrations.loader import MigrationLoader
from django.http import HttpRequest, HttpResponse, JsonResponse

# Counts our migrations that have not run. Index: none, there are some hundred rows.
MISSING = """
SELECT count(*) FROM unnest(%s::text[], %s::text[]) AS ours (app, name)
WHERE NOT EXISTS (SELECT FROM django_migrations AS done WHERE done.app = ours.app AND done.name = ours.name)
"""


def healthz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    try:
        waiting = count_missing_migrations()
    except Error:
        return JsonResponse({"status": "unavailable", "database": "does not answer"}, status=503)
    if waiting:
        return JsonResponse({"status": "unavailable", "database": f"{waiting} migrations to run"}, status=503)
    return JsonResponse({"status": "ok", "database": "answers"})


def count_missing_migrations() -> int:
    apps, names = known_migrations()
    try:
        with connection.cursor() as cursor:
            cursor.execute(MISSING, [apps, names])
            return int(cursor.fetchone()[0])
    except ProgrammingError:  # the table does not exist yet
        return len(names)


@cache
def known_migrations() -> tuple[list[str], list[str]]:
    """Return the apps and names of this release's migrations, read once since they come with the code."""
    nodes = sorted(MigrationLoader(None).graph.nodes)
    return [app for app, _ in nodes], [name for _, name in nodes]
