"""How far an archive has come: told to whoever makes it, and seen by others while it is made.

The connection that makes it carries it as its name, which every process can see in Postgres: nothing is written.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection

CALLED = re.compile(r"[\w-]{22}", re.ASCII)  # with the numbers, as long as Postgres takes for a name


@dataclass(frozen=True, slots=True)
class Step:
    """So many of one part by now, and of all there is to do."""

    part: str
    number: int
    done: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


Heard = Callable[[Step], None]


def shown(called: str) -> Heard:
    """Shows each step under this name, until the transaction ends."""

    def show(step: Step) -> None:
        with connection.cursor() as cursor:
            name = f"archive {called} {step.done} {step.total}"
            cursor.execute("SELECT set_config('application_name', %s, true)", [name])

    return show


def seen(called: str) -> Step | None:
    """How far the archive of this name has come; none if it is not being made."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT application_name FROM pg_stat_activity WHERE starts_with(application_name, %s) LIMIT 1",
            [f"archive {called} "],
        )
        found = cursor.fetchone()
    if found is None:
        return None
    done, total = map(int, found[0].split()[-2:])
    return Step(part="", number=0, done=done, total=total)
