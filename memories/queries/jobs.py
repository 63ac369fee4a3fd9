"""Counts of background jobs that are queued, running or failed."""

from django.db import connection

MAX_COUNTED_JOBS = 10_000
# Finished jobs are kept for two days only, so the table is small; the limit bounds it when many are queued.
PENDING_JOBS = f"""
SELECT status::text, count(*) FROM (
    SELECT status FROM procrastinate_jobs WHERE status IN ('todo', 'doing', 'failed') LIMIT {MAX_COUNTED_JOBS}
) AS jobs GROUP BY status
"""  # noqa: S608 (a number of ours)


def count_pending_jobs() -> dict[str, int]:
    """Return how many jobs are queued, running and failed; together 10,000 at most."""
    with connection.cursor() as cursor:
        cursor.execute(PENDING_JOBS)
        return {"todo": 0, "doing": 0, "failed": 0} | dict(cursor.fetchall())
