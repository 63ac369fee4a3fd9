"""Progress of an archive: reported to whoever makes it, and visible to others while it is made.

It is published as the name of the database connection, which every process can see in Postgres: nothing is written.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection

EXPORT_NAME = re.compile(r"[\w-]{22}", re.ASCII)  # with the numbers, as long as Postgres takes for a name


@dataclass(frozen=True, slots=True)
class TransferStep:
    """The progress so far: rows of the current part, rows of all parts, and the total."""

    part: str
    number: int
    done: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


OnStep = Callable[[TransferStep], None]


def publish_steps(called: str) -> OnStep:
    """Return a function that publishes each step under this name, until the transaction ends."""

    def show(step: TransferStep) -> None:
        with connection.cursor() as cursor:
            name = f"archive {called} {step.done} {step.total}"
            cursor.execute("SELECT set_config('application_name', %s, true)", [name])

    return show


def read_step(called: str) -> TransferStep | None:
    """Return the progress of the archive of this name; None if it is not being made."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT application_name FROM pg_stat_activity WHERE starts_with(application_name, %s) LIMIT 1",
            [f"archive {called} "],
        )
        found = cursor.fetchone()
    if found is None:
        return None
    done, total = map(int, found[0].split()[-2:])
    return TransferStep(part="", number=0, done=done, total=total)
