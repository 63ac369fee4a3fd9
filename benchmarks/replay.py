"""Bare SQL: the very statements of a recall, run again by psycopg with nothing of ours around them."""

from collections.abc import Callable
from typing import Any

import psycopg

from benchmarks.asking import WARM
from benchmarks.filling import Ask, Question
from benchmarks.hub import Hub
from memoryhub.prepared import numbered

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
        """Connected as Django connects, every statement prepared and planned once."""
        from django.conf import settings

        options = f"-c TimeZone=UTC {settings.PLAN_ONCE}"
        connection = psycopg.connect(self.hub.url, autocommit=True, options=options)
        asked = 0

        def ask(question: Question) -> int:
            nonlocal asked
            statements = self.heard[asked if asked < LATER else asked - LATER]
            asked += 1
            rows = []
            for sql, parameters in statements:
                if isinstance(parameters, dict):  # one of those that recall has prepared
                    raw, names = numbered(sql)
                    values = [parameters[name] for name in names]
                    rows = psycopg.RawCursor(connection).execute(raw, values, prepare=True, binary=True).fetchall()
                else:
                    rows = psycopg.ClientCursor(connection).execute(sql, parameters).fetchall()
            return len(rows)

        return ask
