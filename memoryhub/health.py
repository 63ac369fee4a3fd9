"""Is it up: `/healthz` whether the process answers, `/readyz` whether the database does."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse


def healthz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "database": "does not answer"}, status=503)
    if waiting:
        return JsonResponse({"status": "unavailable", "database": f"{len(waiting)} migrations to run"}, status=503)
    return JsonResponse({"status": "ok", "database": "answers"})
