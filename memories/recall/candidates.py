"""Candidates of an answer: the numbers that the statement found about each, read from one run of bytes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ID_BYTES, ARRAY_HEADER, NUMBER_BYTES = 16, 20, 12
NOBODY = -1  # instead of a candidate's place among them


class Candidate(NamedTuple):
    """The numbers of one candidate, in the order in which hybrid.sql sends them. What is unknown is no number (NaN)."""

    score: float  # sum by the statement's weights
    words: float
    meaning: float
    nearness: float
    present: float  # a bit for each asked word
    size: float  # in bytes
    opening: float  # the place of the asked word that it begins with; 0 if with none, below 0 of a standing rule
    asks: float  # 1 if it ends in a question
    exact: float
    words_rank: float
    meaning_rank: float
    share: float  # share of the score of the memory that a link led from


NUMBERS = Candidate._fields
NUMBERS_START = 3 * ID_BYTES + ARRAY_HEADER
RECORD = NUMBERS_START + NUMBER_BYTES * len(NUMBERS)


@dataclass(frozen=True, slots=True)
class Candidates:
    ids: Sequence[bytes]
    follows: NDArray[np.intp]  # the place of the memory that each goes on from, or NOBODY
    seeds: NDArray[np.intp]  # the place of the one from which links led to each, or NOBODY
    numbers: Numbers  # a row for each of NUMBERS

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, name: str) -> Numbers:
        row: Numbers = self.numbers[NUMBERS.index(name)]
        return row

    def describe(self, place: int) -> Candidate:
        return Candidate(*self.numbers[:, place].tolist())


def read_candidates(raw: bytes | None, *, linked: bool) -> Candidates:
    """Return the candidates that the statement sent, and if links were followed, where these led from."""
    raw = raw or b""
    starts = range(0, len(raw), RECORD)
    ids = [raw[start : start + 16] for start in starts]
    places = {memory_id: place for place, memory_id in enumerate(ids)}
    follows = [places.get(raw[start + 16 : start + 32], NOBODY) for start in starts]
    seeds = [places.get(raw[start + 32 : start + 48], NOBODY) if linked else NOBODY for start in starts]
    return Candidates(ids, np.array(follows, dtype=np.intp), np.array(seeds, dtype=np.intp), _read_numbers(raw))


def _read_numbers(raw: bytes) -> Numbers:
    """Return a row for each number, less the bytes in between, which say that a number is eight bytes long."""
    records = np.frombuffer(raw, dtype=np.uint8).reshape(-1, RECORD)
    cells = records[:, NUMBERS_START:].reshape(len(records), len(NUMBERS), NUMBER_BYTES)
    numbers = np.ascontiguousarray(cells[:, :, NUMBER_BYTES - 8 :]).view(">f8")[:, :, 0]
    return numbers.T.astype(np.float64, order="C")


def none_if_unknown(number: float) -> float | None:
    return None if math.isnan(number) else number
