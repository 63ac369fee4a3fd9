"""Other stores beside ours, in the caller's process as ours is: the same texts, teams, vectors, embedder and disk."""

import hashlib
import importlib.metadata
import importlib.util
import logging
import os
import resource
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from benchmarks.fill_stores import Ask, Store, StoreBatch, StoreQuestion, embed
from benchmarks.harness import copy, execute, filling, say
from benchmarks.hub import LIMIT

DATABASE = "peers"
NEEDED = {
    "langgraph.store.postgres": "langgraph langgraph-checkpoint-postgres",
    "mem0": "mem0ai psycopg-pool",
}


def find_stores(url: str) -> list[Store]:
    """Return the stores that can be asked here; print for each missing one how to get it."""
    missing = [module for module in NEEDED if not has_module(module)]
    for module in missing:
        say(f"{module} is not there and left out; to have it: pip install {NEEDED[module]}")
    execute(url, f"CREATE DATABASE {DATABASE}")
    theirs = f"{url.rpartition('/')[0]}/{DATABASE}"
    stores: list[Store] = [SQLite()]
    stores += [LangGraph(theirs)] if "langgraph.store.postgres" not in missing else []
    stores += [Mem0(theirs)] if "mem0" not in missing else []
    say(f"Beside us: {', '.join(f'{store.name} {store.version}' for store in stores)}")
    return stores


def has_module(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False


class SQLite:
    """Words alone: FTS5 ranked by bm25, any of the words, English stems, a file for each team that stays open."""

    name = "SQLite FTS5"
    version = sqlite3.sqlite_version

    def __init__(self) -> None:
        self.kept = tempfile.TemporaryDirectory(prefix="memoryhub-bench-sqlite-")
        self.folder = Path(self.kept.name)
        self.new: dict[int, list[tuple[str]]] = defaultdict(list)

    def reset(self, teams: int) -> None:
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        for team in range(teams):
            with self._open(team) as file:
                file.execute("PRAGMA journal_mode = WAL")
                file.execute("CREATE VIRTUAL TABLE memory USING fts5(content, tokenize = 'porter unicode61')")
            file.close()

    @contextmanager
    def filling(self) -> Iterator[None]:
        yield
        for team, rows in self.new.items():
            with self._open(team) as file:
                file.execute("PRAGMA synchronous = OFF")
                file.executemany("INSERT INTO memory VALUES (?)", rows)
            file.close()
        self.new.clear()

    def write(self, batch: StoreBatch) -> None:
        for team, text, _ in batch:
            self.new[team].append((text,))

    def client(self) -> Ask:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        files = [self._open(team) for team in range(len(list(self.folder.glob("*.db"))))]
        for file in files:
            file.execute("SELECT 1 FROM memory LIMIT 1").fetchone()

        def ask(question: StoreQuestion) -> int:
            team, text = question
            words = " OR ".join(f'"{word}"' for word in text.split())
            found = "SELECT rowid, content, rank FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT ?"
            return len(files[team].execute(found, (words, LIMIT)).fetchall())

        return ask

    def _open(self, team: int) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / f"{team}.db")


class LangGraph:
    """PostgresStore with its vector index as its setup makes it, a namespace for each team. Its rows are copied into
    its tables: its own batches of puts take several times as long and leave the same."""

    name = "LangGraph"

    def __init__(self, url: str) -> None:
        self.url = url
        self.version = importlib.metadata.version("langgraph-checkpoint-postgres")
        with self._store() as store:
            store.setup()

    def _store(self) -> Any:
        from langgraph.store.postgres import PostgresStore

        return PostgresStore.from_conn_string(self.url, index={"dims": 256, "embed": embed, "fields": ["text"]})

    def reset(self, teams: int) -> None:
        execute(self.url, "TRUNCATE store, store_vectors")

    @contextmanager
    def filling(self) -> Iterator[None]:
        with filling(self.url, ["store", "store_vectors"]):
            yield

    def write(self, batch: StoreBatch) -> None:
        keyed = [(name_of(team), str(uuid4()), text, vector) for team, text, vector in batch]
        values = ((prefix, key, Jsonb({"text": text})) for prefix, key, text, _ in keyed)
        copy(url=self.url, table="store", columns=["prefix", "key", "value"], rows=values)
        vectors = ((prefix, key, "text", vector) for prefix, key, _, vector in keyed)
        columns = ["prefix", "key", "field_name", "embedding"]
        copy(url=self.url, table="store_vectors", columns=columns, rows=vectors)

    def client(self) -> Ask:
        opened = self._store()
        store = opened.__enter__()

        def ask(question: StoreQuestion, keep: Any = opened) -> int:
            team, text = question
            return len(store.search((name_of(team),), query=text, limit=LIMIT))

        return ask


class Mem0:
    """Memory on pgvector with its own HNSW and word index, each team a user. Its rows are copied into its table as
    `add(…, infer=False)` writes them one by one. It needs the settings of an LLM but never calls one here."""

    name = "mem0"

    def __init__(self, url: str) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        self.kept = tempfile.TemporaryDirectory(prefix="memoryhub-bench-mem0-")
        os.environ["MEM0_DIR"] = self.kept.name
        logging.getLogger("mem0").setLevel(logging.ERROR)
        self.url = url
        self.version = importlib.metadata.version("mem0ai")
        memory = self._memory()
        memory.vector_store.create_col()
        memory.vector_store.connection_pool.close()

    def _memory(self) -> Any:
        from mem0 import Memory

        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        store = {"connection_string": self.url, "collection_name": "mem0", "embedding_model_dims": 256}
        memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "llm": unused,
                "embedder": unused,
                "history_db_path": str(Path(self.kept.name) / "history.db"),
            }
        )
        memory.embedding_model = Embedder()
        return memory

    def reset(self, teams: int) -> None:
        execute(self.url, "TRUNCATE mem0")

    @contextmanager
    def filling(self) -> Iterator[None]:
        with filling(self.url, ["mem0"]):
            yield

    def write(self, batch: StoreBatch) -> None:
        rows = ((str(uuid4()), vector, self._payload(name_of(team), text)) for team, text, vector in batch)
        copy(url=self.url, table="mem0", columns=["id", "vector", "payload"], rows=rows)

    @staticmethod
    def _payload(user: str, text: str) -> Jsonb:
        from mem0.utils.lemmatization import lemmatize_for_bm25

        now = datetime.now(UTC).isoformat()
        payload = {"user_id": user, "role": "user", "data": text, "hash": hashlib.md5(text.encode()).hexdigest()}
        return Jsonb(payload | {"created_at": now, "updated_at": now, "text_lemmatized": lemmatize_for_bm25(text)})

    def client(self) -> Ask:
        memory = self._memory()

        def ask(question: StoreQuestion) -> int:
            team, text = question
            return len(memory.search(text, top_k=LIMIT, filters={"user_id": name_of(team)})["results"])

        return ask


class Embedder:
    """Our embedder, as mem0 calls one."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return embed([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return embed(texts)


def name_of(team: int) -> str:
    return f"team-{team}"
