"""Bare SQL: the very statements of a recall, run again by psycopg with nothing of ours around them."""

from collections.abc import Callable
from typing import Any

import psycopg

from benchmarks.asking import WARM
from benchmarks.filling import Ask, Question
from benchmarks.hub import Hub

LATER = WARM  # questions in between, so that bare SQL finds the rows no warmer than recall found them


class Echo:
    """A recall that is listened to, and what was heard. Each client has a copy of its own."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.heard: list[list[tuple[str, Any]]] = []

    def recall(self) -> Ask:
        from django.db import connection

        recall = self.hub.client()

        def ask(question: Question) -> int:
            self.heard.append([])
            with connection.execute_wrapper(self._listen):
                return recall(question)

        return ask

    def _listen(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if context["cursor"].description:  # it returns rows; what writes is not run twice
            self.heard[-1].append((sql, params))
        return result

    def bare(self) -> Ask:
        """Connected as Django connects, every statement prepared."""
        connection = psycopg.connect(self.hub.url, autocommit=True, options="-c TimeZone=UTC")
        prepared: dict[str, bool] = {}
        asked = 0

        def ask(question: Question) -> int:
            nonlocal asked
            statements = self.heard[asked if asked < LATER else asked - LATER]
            asked += 1
            rows = []
            for sql, parameters in statements:
                if sql not in prepared:
                    prepared[sql] = can_prepare(connection, sql, parameters)
                cursor = connection.cursor() if prepared[sql] else psycopg.ClientCursor(connection)
                rows = cursor.execute(sql, parameters, prepare=prepared[sql]).fetchall()
            return len(rows)

        return ask


def can_prepare(connection: psycopg.Connection, sql: str, parameters: Any) -> bool:
    """Whether the server knows the types of all parameters; otherwise psycopg writes them into the statement."""
    try:
        connection.execute(sql, parameters)
    except psycopg.Error:
        return False
    return True
