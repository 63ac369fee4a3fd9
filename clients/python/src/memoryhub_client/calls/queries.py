"""Requests for recall, prompt context, past recalls, export and the token's identity."""

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from memoryhub_client.calls.call import Call, Id, build_call, build_get, check_id, drop_none, read_page, to_json_value
from memoryhub_client.calls.inputs import Confidence, Question
from memoryhub_client.shapes import Context, Me, Page, PastRecall, Recalled, Verdict


def me() -> Call[Me]:
    """Return the token's identity and the context of the call."""
    return build_get("me", Me)


def recall(query: str | None = None, **question: Unpack[Question]) -> Call[Recalled]:
    """Return the memories that best answer the query, best first."""
    return build_call(
        "POST", "recall", Recalled, json=to_json_value({**drop_none(query=query), **question}), only_reads=True
    )


def why_not(memory_id: Id, query: str, **question: Unpack[Question]) -> Call[Verdict]:
    """Explain which rule excludes a memory from the results, or at which rank it is."""
    body = {"memory_id": check_id(memory_id, "memory"), "query": query, **question}
    return build_call("POST", "recall/why-not", Verdict, json=to_json_value(body), only_reads=True)


def recalls(
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    query: str | None = None,
    session: str | None = None,
    found_nothing: bool | None = None,
    limit: int | None = None,
) -> Call[Page[PastRecall]]:
    """List this agent's past recalls with their results, newest first."""
    filters = {"since": since, "until": until, "query": query, "session": session, "limit": limit}
    return build_get("recalls", read_page("recalls", PastRecall), **filters, found_nothing=found_nothing)


def context(
    query: str | None = None,
    *,
    budget: int | None = None,
    sections: Sequence[str] | None = None,
    min_confidence: Confidence | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Call[Context]:
    """Return the prompt context: what an agent should read first, within a token budget."""
    params = {"query": query, "budget": budget, "sections": sections, "min_confidence": min_confidence}
    return build_get("context", Context, **params, as_of=as_of, known_at=known_at)


def export() -> Call[bytes]:
    """Return a zip archive of everything the token may read in its team."""
    return build_call("GET", "export", bytes, binary=True)
