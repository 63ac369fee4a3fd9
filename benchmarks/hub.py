"""Our own store as the benchmarks fill and ask it: one organization, many teams, in each an agent that asks."""

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.client_processes import in_processes
from benchmarks.fill_stores import WRITERS, Ask, StoreBatch, StoreQuestion, embedder
from benchmarks.harness import Progress, Texts, copy, execute, filling
from memoryhub.ids import uuid7

if TYPE_CHECKING:
    from django.db.models import Model

    from teams.actor import Actor

ASKING = ("hybrid", "keyword", "semantic")
MODES = (*ASKING, "recent", "important", "typed")
LIMIT = 10
AGE = timedelta(days=180)  # of the oldest memory


class Hub:
    name = "hybrid"
    version = ""

    def __init__(self, url: str) -> None:
        self.url = url
        self.actors: list[Actor] = []
        self.random = random.Random(7)

    def reset(self, teams: int) -> None:
        from teams import operations, rights
        from teams.models import Agent, Team

        self._truncate(tables())
        organization = operations.ensure_organization(slug=f"speed-{uuid7()}")
        root = Team.objects.get(organization=organization, parent=None)
        made = [Team(organization=organization, parent=root, slug=f"team-{n}", name=f"Team {n}") for n in range(teams)]
        agents = [Agent(organization=organization, team=team, slug="asker") for team in made]
        Team.objects.bulk_create(made)
        Agent.objects.bulk_create(agents)
        self.actors = [rights.actor_of_agent(agent=agent) for agent in agents]
        disconnect()

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Whatever was counted of the memories is counted anew afterwards: each team's first question does that."""
        filled = ["memories_memory", "memories_embedding"]
        derived = [table for table in tables() if table not in filled]
        with filling(self.url, filled):
            self._truncate(derived)
            yield
        in_processes(WRITERS, self._ask_first)
        execute(self.url, f"VACUUM (ANALYZE) {', '.join(derived)}")

    def _ask_first(self, number: int) -> None:
        teams = range(number, len(self.actors), WRITERS)
        ask, texts, progress = self.client(), Texts(), Progress(len(teams), "each team's first question")
        for team in teams:
            ask((team, texts.text(2, 6)))
            if number == 0:
                progress.add(1)

    def write(self, batch: StoreBatch) -> None:
        memories, embeddings = zip(*self._rows(batch), strict=True)
        self._copy("memories_memory", memories)
        self._copy("memories_embedding", embeddings)

    def client(self, mode: str = "hybrid") -> Ask:
        from memories.models import Type
        from memories.recall import Filters, recall

        def ask(question: StoreQuestion) -> int:
            team, text = question
            filters = Filters(type=Type.values[len(text) % len(Type.values)]) if mode == "typed" else None
            query = text if mode in ASKING else ""
            return len(recall(actor=self.actors[team], query=query, mode=mode, limit=LIMIT, filters=filters).hits)

        return ask

    def _rows(self, batch: StoreBatch) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Each memory with its embedding, column by column. What is not said here is each field's default, or in an
        embedding what its memory says."""
        from django.utils import timezone

        from memories.models import Embedding, Memory, Type

        provider, now = embedder(), timezone.now()
        of_memory = defaults(Memory) | {"tags": ["bench"]}
        of_embedding = defaults(Embedding)
        of_embedding |= {"model": provider.name, "dimension": provider.dimension, "memory_version": 1}
        for team, text, vector in batch:
            actor, moment = self.actors[team], now - AGE * self.random.random()
            memory = of_memory | {
                "id": uuid7(),
                "organization_id": actor.organization_id,
                "team_id": actor.team_id,
                "agent_id": actor.agent_id,
                "content": text,
                "type": self.random.choice(Type.values),
                "importance": self.random.random(),
                "pinned": self.random.random() < 0.01,
                "created_at": moment,
                "updated_at": moment,
            }
            yield (
                memory,
                {column: memory.get(column, value) for column, value in of_embedding.items()}
                | {"id": uuid7(), "memory_id": memory["id"], "audience": actor.team_id, "vector": vector},
            )

    def _copy(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        columns = [column for column, value in rows[0].items() if value is not None]
        copy(url=self.url, table=table, columns=columns, rows=([row[name] for name in columns] for row in rows))

    def _truncate(self, names: Iterable[str]) -> None:
        execute(self.url, f"TRUNCATE {', '.join(names)} CASCADE")


def tables() -> list[str]:
    from django.apps import apps

    return [model._meta.db_table for model in apps.get_app_config("memories").get_models()]


def defaults(model: "type[Model]") -> dict[str, Any]:
    """By column, as the database takes them; what Postgres derives is left to it."""
    from django.db import connection

    fields = [field for field in model._meta.concrete_fields if not field.generated]
    return {field.column: field.get_db_prep_save(field.get_default(), connection) for field in fields}


def disconnect() -> None:
    """Before a fork, so that no two processes share a connection."""
    from django.db import connection

    connection.close()
    connection.close_pool()
