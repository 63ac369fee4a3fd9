"""Counters and timers of each process, for `/metrics`."""

from prometheus_client import Counter, Histogram

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 30)

requests = Counter("memoryhub_requests", "Requests answered.", ["view", "method", "status"])
request_seconds = Histogram("memoryhub_request_seconds", "How long they took.", ["view"], buckets=BUCKETS)
recall_seconds = Histogram("memoryhub_recall_seconds", "How long recalls took.", ["mode"], buckets=BUCKETS)
slow_statements = Counter("memoryhub_slow_statements", "Statements that took longer than SLOW_STATEMENT.")


def count_answer(*, view: str, method: str, status: int, took: float) -> None:
    requests.labels(view, method, str(status)).inc()
    request_seconds.labels(view).observe(took)
