"""Visibility as SQL for our own statements: compiled from the same rule that every queryset uses."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models import Memory, MemoryQuerySet
from memories.rules import access
from teams.actor import Actor
from teams.models import Verb

INTEGER = models.IntegerField()
PARAMETER = re.compile(r"%\((\w+)\)s")
ONE, ANY = "IN (asked.audience)", "= ANY(%(audiences)s::uuid[])"


class Name(models.Expression):
    """The name of a parameter or of a column, for use where a queryset expects a value."""

    def __init__(self, sql: str, output_field: "models.Field[Any, Any]") -> None:
        super().__init__(output_field=output_field)
        self.sql = sql

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        return self.sql.replace("%", "%%"), ()


class Condition(models.Expression):
    """A condition in SQL and its parameters, for use in a queryset."""

    def __init__(self, sql: str, values: Sequence[object]) -> None:
        super().__init__(output_field=models.BooleanField())
        self.sql, self.values = sql, values

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return self.sql, tuple(self.values)


class PastRule(Q):
    """A rule that says itself what held, of memories as they were at an earlier moment."""


def bind_visibility(actor: Actor) -> dict[str, Any]:
    """Return the parameters of the conditions below, except %(now)s and %(holds_at)s."""
    audiences = access.list_readable_audiences(actor) if actor.may(Verb.READ) else []
    return {
        "organization": actor.organization_id,
        "audiences": audiences,
        "workspace": actor.workspace_id,
        "proposer": actor.agent_id or actor.user_id,
    }


def render_visibility(actor: Actor, rule: Q | None = None) -> tuple[str, dict[str, Any]]:
    """Return the condition on memories_memory under which the actor sees a row that holds at %(holds_at)s, and the
    parameters of the additional rule. A PastRule takes the place of what holds."""
    shape = _describe_shape(actor)
    if not rule:
        return _visible(*shape), {}
    sql, values = (
        _rows(*shape, holding=not isinstance(rule, PastRule)).filter(rule).values("pk").query.sql_with_params()
    )
    names = [f"filter_{number}" for number in range(len(values))]
    return _condition(sql % tuple(f"%({name})s" for name in names)), dict(zip(names, values, strict=True))


def visible_at_any_time(actor: Actor) -> str:
    """Return the condition under which the actor sees a row, whether it still holds or not."""
    return _visible(*_describe_shape(actor), holding=False)


def _describe_shape(actor: Actor) -> tuple[bool, bool, bool]:
    return actor.workspaces_enabled, actor.workspace_id is None, actor.agent_id is not None


def visible_rows(actor: Actor, *, holds_at: datetime | None = None, holding: bool = True) -> MemoryQuerySet:
    """Return the memories that the actor sees among those that hold at a moment, by default now, or, unless `holding`,
    among all. The rule is compiled once for all callers, not once for each list: that would take longer than the rest
    of the list."""
    sql, names = _with_positions(_visible(*_describe_shape(actor), holding=holding))
    now = timezone.now()
    values = bind_visibility(actor) | {"now": now, "holds_at": holds_at or now}
    return Memory.objects.filter(Condition(sql, [values[name] for name in names]))


@cache
def _with_positions(condition: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition with %s for its named parameters, and their names in that order."""
    return PARAMETER.sub("%s", condition), tuple(PARAMETER.findall(condition))


def within_one(condition: str) -> str:
    """Return the same condition for one audience at a time, `asked.audience`, so that an index can give its order."""
    return condition.replace(ANY, ONE)


@cache
def _visible(workspaces: bool, outside: bool, by_agent: bool, *, holding: bool = True) -> str:
    sql, values = _rows(workspaces, outside, by_agent, holding=holding).values("pk").query.sql_with_params()
    return _condition(sql % tuple(f"'{value}'" for value in values))  # constants of our own


def _rows(workspaces: bool, outside: bool, by_agent: bool, *, holding: bool = True) -> models.QuerySet[Memory]:
    uuid = models.UUIDField()
    proposer: Any = Name(f"%(proposer)s::{'uuid' if by_agent else 'integer'}", uuid if by_agent else INTEGER)
    anybody: Any = Actor(
        organization_id=Name("%(organization)s::uuid", uuid),  # type: ignore[arg-type]
        team_id=None,  # type: ignore[arg-type]
        name="",
        verbs=frozenset({Verb.READ}),
        reads=frozenset({Name("asked.audience", uuid)}),  # type: ignore[arg-type]
        writes=frozenset(),
        readable_team_ids=(),
        workspaces_enabled=workspaces,
        **{"agent_id" if by_agent else "user_id": proposer},
    )
    if not outside:
        anybody = replace(anybody, workspace_id=Name("%(workspace)s::uuid", uuid))
    now, holds_at = (Name(f"%({name})s::timestamptz", models.DateTimeField()) for name in ("now", "holds_at"))
    rows = Memory.objects.visible_to(anybody, now=now)  # type: ignore[arg-type]
    return rows.holding(holds_at) if holding else rows  # type: ignore[arg-type]


def _condition(sql: str) -> str:
    condition = sql.partition(" WHERE ")[2]
    if ONE not in condition:
        raise AssertionError(f"The rule about who may see has no audience in it: {sql}")
    return f"({condition.replace(ONE, ANY)})"
