"""Many memories at once: texts, teams and vectors in batches, copied straight into the tables of every store that is
to hold the same."""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import orjson

from benchmarks.harness import Progress, Texts

if TYPE_CHECKING:
    from memories.embedding import Provider

FILL_BATCH = 5_000
WRITERS = os.cpu_count() or 2  # at once: most of the work is Postgres', which makes each row's searchable words
EMBEDDED = 50_000  # texts with a vector of their own
NOISE = 0.02  # in each of 256 directions, which leaves a cosine of about 0.95

StoreQuestion = tuple[int, str]  # which team asks, and what
Ask = Callable[[StoreQuestion], int]  # returns how many were found


@dataclass(frozen=True, slots=True)
class StoreBatch:
    """Consecutive memories, dealt out to the teams in turn."""

    start: int
    teams: int
    texts: Sequence[str]
    vectors: Sequence[str]  # as pgvector reads them

    def __iter__(self) -> Iterator[tuple[int, str, str]]:
        """Yield the team, the text and the vector of each memory."""
        for number, (text, vector) in enumerate(zip(self.texts, self.vectors, strict=True), self.start):
            yield number % self.teams, text, vector


class Store(Protocol):
    """A store that holds memories and is asked for them."""

    name: str
    version: str

    def reset(self, teams: int) -> None:
        """Empty the store and prepare it for so many teams."""

    def filling(self) -> AbstractContextManager[None]:
        """Return a context manager for all writing."""

    def write(self, batch: StoreBatch) -> None: ...

    def client(self) -> Ask:
        """Open a client, in the process that asks."""


class TextSource:
    """An endless source of batches, the same in every run."""

    def __init__(self, *, teams: int) -> None:
        self.teams, self.done = teams, 0
        self.texts, self.random = Texts(), np.random.default_rng(7)
        self.known = np.empty((0, 0), dtype=np.float32)

    def batch(self, count: int) -> StoreBatch:
        texts = self._texts(count)
        vectors = self._vectors(texts)
        made = StoreBatch(self.done, self.teams, texts, [literal(vector) for vector in vectors])
        self.done += count
        return made

    def _texts(self, count: int) -> list[str]:
        """Return texts as Texts makes them, all at once."""
        lengths = self.random.integers(20, 60, count, endpoint=True)
        places = np.searchsorted(self.texts.weights, self.random.random(lengths.sum()) * self.texts.weights[-1])
        words = iter(places.tolist())
        return [" ".join(self.texts.words[place] for place in islice(words, length)) for length in lengths]

    def _vectors(self, texts: Sequence[str]) -> "np.ndarray[Any, Any]":
        """Return the texts' own vectors or, once there are enough of those, earlier ones with noise: as costly to
        search, but sooner made."""
        if len(self.known) < EMBEDDED:
            made = np.array(embed(texts), dtype=np.float32)
            self.known = np.concatenate([self.known, made]) if len(self.known) else made
            return made
        rows = (np.arange(len(texts)) + self.done) % len(self.known)
        noise = self.random.standard_normal((len(rows), self.known.shape[1]), dtype=np.float32)
        noisy = self.known[rows] + np.float32(NOISE) * noise
        noisy /= np.linalg.norm(noisy, axis=1, keepdims=True)
        return noisy


def embedder() -> "Provider":
    from memories import embedding

    provider = embedding.get_provider()
    if provider is None:
        raise SystemExit("This benchmark needs an embedder: unset EMBEDDING.")
    return provider


def embed(texts: Sequence[str]) -> list[list[float]]:
    return embedder().documents(texts)


def literal(vector: "np.ndarray[Any, Any]") -> str:
    return orjson.dumps(vector, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def grow(*, stores: Sequence[Store], source: TextSource, size: int) -> None:
    """Fill every store up to that many memories."""
    began, missing = time.monotonic(), size - source.done
    progress = Progress(missing, f"loading {size:,} memories")
    with ExitStack() as stack, ThreadPoolExecutor(WRITERS) as writers:
        for store in stores:
            stack.enter_context(store.filling())
        waiting: deque[tuple[Future[None], int]] = deque()
        while source.done < size or waiting:
            if source.done < size and len(waiting) <= WRITERS * len(stores):
                batch = source.batch(min(FILL_BATCH, size - source.done))
                waiting += [(writers.submit(store.write, batch), len(batch.texts)) for store in stores]
                continue
            future, count = waiting.popleft()
            future.result()
            progress.add(count / len(stores))
    seconds = time.monotonic() - began
    sys.stderr.write(f"loaded {missing:,} memories in {seconds:.0f} s, {missing / seconds:,.0f} a second\n")
