"""A reranker on another server, which speaks the rerank API that Jina, Cohere, vLLM and others have in common."""

import math
from collections.abc import Sequence

import orjson
from django.conf import settings

from memories.reranking import RerankerUnavailable
from memoryhub.outbound import OutboundAnswer, OutboundError, post

MAX_ANSWER_BYTES = 1024 * 1024
RERANKER_HINTS = {401: ": check RERANKER_KEY", 403: ": check RERANKER_KEY", 404: ": check RERANKER_URL"}


class RerankerEndpoint:
    """A server and one of its models."""

    def score(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        body = {"model": settings.RERANKER_MODEL, "query": query, "documents": list(texts), "top_n": len(texts)}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if settings.RERANKER_KEY:
            headers["Authorization"] = f"Bearer {settings.RERANKER_KEY}"
        url = f"{settings.RERANKER_URL.rstrip('/')}/rerank"
        try:
            answer = post(
                url=url, body=orjson.dumps(body), headers=headers, seconds=seconds, most_bytes=MAX_ANSWER_BYTES
            )
        except OutboundError as error:
            raise RerankerUnavailable(f"The reranker {error}.") from error
        if answer.status != 200:
            raise RerankerUnavailable(f"The reranker answered {answer.status}{RERANKER_HINTS.get(answer.status, '')}.")
        return _parse_scores(answer, count=len(texts))


def _parse_scores(answer: OutboundAnswer, *, count: int) -> list[float]:
    """Return the score of each text in the order of the texts; the server lists the best first."""
    try:
        scores = {row["index"]: float(row["relevance_score"]) for row in orjson.loads(answer.body)["results"]}
    except (ValueError, LookupError, TypeError):
        raise RerankerUnavailable("The reranker answered with something else than scores.") from None
    if scores.keys() != set(range(count)) or not all(map(math.isfinite, scores.values())):
        raise RerankerUnavailable(f"The reranker did not answer {count} texts with {count} scores.")
    return [scores[place] for place in range(count)]
