"""Vectors from any server with OpenAI's `/v1/embeddings`. Each answer is checked before it is used."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import orjson
from django.conf import settings

from memories.embedding import QUERY_CACHE_SIZE, EmbeddingUnavailable
from memories.embedding.pooling import normalize
from memoryhub.outbound import OutboundAnswer, OutboundError, post

QUERY_SECONDS = 2  # somebody waits, and recall by words can answer alone
MAX_DIMENSION = 16_000  # that a vector may have in Postgres
MAX_BYTES_PER_TEXT = MAX_DIMENSION * 64  # bytes of response per text, however generously it is spaced
MODEL_NAME_LENGTH = 100  # length of the column
EMBEDDING_HINTS = {
    401: ": check EMBEDDING_KEY",
    403: ": check EMBEDDING_KEY",
    404: ": check EMBEDDING_URL and EMBEDDING_MODEL",
    429: ": it has had too many requests, retry later",
}
STATUSES_WITH_KEY = (401, 403)  # answers that tend to repeat a part of the key


class EmbeddingEndpoint:
    """A server and one of its models."""

    inline = False
    share = 0.6

    def __init__(self, *, url: str, model: str, dimension: int) -> None:
        address = urlsplit(url)
        path = address.path.rstrip("/")
        self.url = urlunsplit(address._replace(path=f"{path}/embeddings"))
        self.server = f"{address.netloc.lower()}{path}"
        self.model = model
        self.key: str = settings.EMBEDDING_KEY
        self.asked_dimension = dimension
        self.dimension = self.asked_dimension  # 0 until the first answer tells
        self.name = build_model_name(model=self.model, server=self.server, dimension=self.dimension)
        self._recent = lru_cache(maxsize=QUERY_CACHE_SIZE)(self._query)  # this object's own, so that it goes with it

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        size = settings.EMBEDDING_BATCH
        batches = (texts[start : start + size] for start in range(0, len(texts), size))
        return [
            vector for batch in batches for vector in self._request_vectors(batch, seconds=settings.EMBEDDING_TIMEOUT)
        ]

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        """Ignore the weights: these models read words in their context and weigh them themselves."""
        return list(self._recent(text))

    def _query(self, text: str) -> tuple[float, ...]:
        (vector,) = self._request_vectors([text], seconds=min(settings.EMBEDDING_TIMEOUT, QUERY_SECONDS))
        return tuple(vector)

    def _request_vectors(self, texts: Sequence[str], *, seconds: int) -> list[list[float]]:
        cut = [text[: settings.EMBEDDING_CHARACTERS] for text in texts]
        asked: dict[str, Any] = {"model": self.model, "input": cut}
        if self.asked_dimension:
            asked["dimensions"] = self.asked_dimension
        answer = self._post(orjson.dumps(asked), seconds=seconds, most_bytes=MAX_BYTES_PER_TEXT * len(texts))
        if not 200 <= answer.status < 300:
            raise self._unavailable(f"answered {answer.status}{EMBEDDING_HINTS.get(answer.status, '')}", answer)
        return self._parse_vectors(answer, count=len(texts))

    def _post(self, body: bytes, *, seconds: int, most_bytes: int) -> OutboundAnswer:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            return post(url=self.url, body=body, headers=headers, seconds=seconds, most_bytes=most_bytes)
        except OutboundError as error:
            raise self._unavailable(str(error)) from error

    def _parse_vectors(self, answer: OutboundAnswer, *, count: int) -> list[list[float]]:
        try:
            rows = orjson.loads(answer.body)["data"]
            found = {row["index"]: row["embedding"] for row in rows}
        except (ValueError, LookupError, TypeError):
            raise self._unavailable("answered with something else than embeddings", answer) from None
        if len(rows) != count or found.keys() != set(range(count)):
            raise self._unavailable(f"answered {count} texts with other than {count} vectors")
        vectors = [self._parse_vector(found[place]) for place in range(count)]
        expected = self.dimension or len(vectors[0])
        for vector in vectors:
            if len(vector) != expected:
                raise self._unavailable(f"answered with a vector of {len(vector)} numbers instead of {expected}")
        self.dimension = expected
        return vectors

    def _parse_vector(self, numbers: Any) -> list[float]:
        """Return the vector at length 1. One that is zero or not finite cannot be normalized and is refused."""
        if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
            raise self._unavailable("answered with a vector that is no list of numbers")
        if len(numbers) > MAX_DIMENSION:
            raise self._unavailable(
                f"answered with a vector of {len(numbers):,} numbers; {MAX_DIMENSION:,} can be kept"
            )
        with np.errstate(all="ignore"):
            vector = normalize(np.array(numbers, dtype=np.float64))
        if not abs(np.linalg.norm(vector) - 1) < 0.001:
            raise self._unavailable("answered with a vector of zeros or of numbers that are not finite")
        return vector

    def _unavailable(self, what: str, answer: OutboundAnswer | None = None) -> EmbeddingUnavailable:
        excerpt = self._excerpt(answer.body) if answer and answer.status not in STATUSES_WITH_KEY else ""
        return EmbeddingUnavailable(f"The embedding server {self.server} {what}{f': {excerpt}' if excerpt else ''}.")

    def _excerpt(self, body: bytes) -> str:
        """Return the beginning of an answer on one line, with the key removed, should the server repeat it."""
        text = body[:2_000].decode(errors="replace")
        return " ".join((text.replace(self.key, "…") if self.key else text).split())[:200]


def build_model_name(*, model: str, server: str, dimension: int) -> str:
    """Return a name that is unique to the model, server and chosen dimension, hashed where it is too long."""
    name = f"{model}{f':{dimension}' if dimension else ''}@{server}"
    if len(name) <= MODEL_NAME_LENGTH:
        return name
    ending = f"#{sha256(name.encode()).hexdigest()[:16]}"
    return name[: MODEL_NAME_LENGTH - len(ending)] + ending
