"""Cost of the operations beside the same insert in raw psycopg: saves per second, side by side in one run.

    python -m benchmarks.saves [--rows 100000] [--singles 100000]

Every save is durable (fsync on) and leaves its revision; both sides take turns, so that the machine's mood and the
tables' growth touch both alike. With EMBEDDING=none both write the same two rows into the same tables; otherwise the
operations also make and keep a vector for each memory, which the raw side does not.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import psycopg

from benchmarks.harness import Progress, Texts, database, say
from memoryhub.ids import uuid7

if TYPE_CHECKING:
    from teams.actor import Actor

SAVES_PER_BATCH = 100
MEMORY_COLUMNS = (
    *("id", "organization_id", "team_id", "agent_id", "key", "content", "summary", "type", "category", "tags"),
    *("importance", "pinned", "source", "scope", "metadata", "version", "created_at", "updated_at", "owns_key"),
    *("channel_id", "verified_by", "forgotten_by", "forget_reason"),
)
REVISION_COLUMNS = (
    *("id", "organization_id", "memory_id", "agent_id", "token_id", "change", "created_at", "audience"),
    *("key", "content", "summary", "type", "category", "tags", "importance", "pinned", "source", "scope", "metadata"),
    *("version", "verified_by", "forgotten_by", "forget_reason"),
)
Side = Callable[[Sequence[tuple[str, str]]], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="memories saved in batches of 100, on each side")
    parser.add_argument("--singles", type=int, default=100_000, help="memories saved one by one, on each side")
    arguments = parser.parse_args()
    with database() as url, psycopg.connect(url) as connection:
        actor = create_actor()
        for title, total, size in (
            (f"batches of {SAVES_PER_BATCH}", arguments.rows, SAVES_PER_BATCH),
            ("one by one", arguments.singles, 1),
        ):
            ours = measured(operations_side(actor, single=size == 1))
            raw = measured(raw_side(actor, connection))
            alternate(title, total, size, (ours, raw))
            report_saves(title, total, ours, raw)
        check_counts(connection, 2 * (arguments.rows + arguments.singles))


class measured:
    """A side with the time it took."""

    def __init__(self, side: Side) -> None:
        self.side, self.seconds = side, 0.0

    def __call__(self, drafts: Sequence[tuple[str, str]]) -> None:
        start = time.perf_counter()
        self.side(drafts)
        self.seconds += time.perf_counter() - start


def alternate(title: str, total: int, size: int, sides: Sequence[measured]) -> None:
    """Let both sides take turns, each with texts of the same kind; every fourth memory has a key."""
    texts, progress = Texts(), Progress(total, title)
    for start in range(0, total, size):
        for number, side in enumerate(sides):
            keys = [f"{title}-{number}-{start + n}" if (start + n) % 4 == 0 else "" for n in range(size)]
            side(list(zip(keys, texts.texts(size), strict=True)))
        if (start // size) % 50 == 0 or start + size >= total:
            progress.add(min(50 * size, total - progress.done))


def report_saves(title: str, total: int, ours: measured, raw: measured) -> None:
    rates = f"operations {total / ours.seconds:6,.0f} saves/s, raw psycopg {total / raw.seconds:6,.0f} saves/s"
    say(f"{title:>16}: {rates}, ratio of times {ours.seconds / raw.seconds:.2f}")


def create_actor() -> "Actor":
    from teams import auth, operations

    organization = operations.ensure_organization(slug="bench")
    team = operations.ensure_team(organization=organization, slug="bench")
    operations.ensure_agent(team=team, slug="bench")
    token = operations.issue_token(agent=operations.ensure_agent(team=team, slug="bench"))
    return auth.authenticate_agent(token=token.text)


def operations_side(actor: "Actor", *, single: bool) -> Side:
    from memories.operations import Draft, save_memories, save_memory

    def draft(key: str, text: str) -> Draft:
        return Draft(content=text, key=key, tags=["bench"])

    def one(drafts: Sequence[tuple[str, str]]) -> None:
        save_memory(actor=actor, draft=draft(*drafts[0]))

    def many(drafts: Sequence[tuple[str, str]]) -> None:
        save_memories(actor=actor, drafts=[draft(*said) for said in drafts])

    return one if single else many


def raw_side(actor: "Actor", connection: psycopg.Connection) -> Side:
    """Return a function that inserts the same two rows without any checks."""
    insert_memory = (
        f"INSERT INTO memories_memory ({', '.join(MEMORY_COLUMNS)}) VALUES ({', '.join(['%s'] * len(MEMORY_COLUMNS))})"
    )
    columns, values = ", ".join(REVISION_COLUMNS), ", ".join(["%s"] * len(REVISION_COLUMNS))
    insert_revision = f"INSERT INTO memories_revision ({columns}) VALUES ({values})"

    def write(drafts: Sequence[tuple[str, str]]) -> None:
        memories, revisions = zip(*(rows(actor, key, text) for key, text in drafts), strict=True)
        with connection.transaction(), connection.cursor() as cursor:
            if len(drafts) == 1:
                cursor.execute(insert_memory, memories[0])
                cursor.execute(insert_revision, revisions[0])
            else:
                cursor.executemany(insert_memory, memories)
                cursor.executemany(insert_revision, revisions)

    return write


def rows(actor: "Actor", key: str, text: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    from django.utils import timezone
    from psycopg.types.json import Jsonb

    now, memory_id, organization = timezone.now(), uuid7(), actor.organization_id
    said = (key, text, "", "fact", "fact", ["bench"], 0.5, False, "manual", "team", Jsonb({}))
    memory = (memory_id, organization, actor.team_id, actor.agent_id, *said, 1, now, now, bool(key), "", "", "", "")
    signed = (uuid7(), organization, memory_id, actor.agent_id, actor.token_id, "created", now, actor.team_id)
    return memory, (*signed, *said, 1, "", "", "")


def check_counts(connection: psycopg.Connection, wanted: int) -> None:
    for table in ("memories_memory", "memories_revision"):
        row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        if not row or row[0] != wanted:
            raise SystemExit(f"{table} has {row} rows, not {wanted}")
    say(f"{wanted:,} memories and as many revisions are there.")


if __name__ == "__main__":
    main()
