"""What is asked of the memories as a whole, and who asks."""

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from memoryhub_client.calls.call import Call, Id, called, got, identity, page, plain, said
from memoryhub_client.calls.saying import Question
from memoryhub_client.shapes import Context, Me, Page, PastRecall, Recalled, Verdict


def me() -> Call[Me]:
    """Who the token is, and in which context."""
    return got("me", Me)


def recall(query: str | None = None, **question: Unpack[Question]) -> Call[Recalled]:
    """The memories that answer best, best first."""
    return called("POST", "recall", Recalled, json=plain({**said(query=query), **question}), only_reads=True)


def why_not(memory_id: Id, query: str, **question: Unpack[Question]) -> Call[Verdict]:
    """Which rule keeps a memory from an answer, or where it stands in it."""
    asked = {"memory_id": identity(memory_id, "memory"), "query": query, **question}
    return called("POST", "recall/why-not", Verdict, json=plain(asked), only_reads=True)


def recalls(
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    query: str | None = None,
    session: str | None = None,
    found_nothing: bool | None = None,
    limit: int | None = None,
) -> Call[Page[PastRecall]]:
    """What this agent asked before, the newest first, with what came back."""
    narrowed = {"since": since, "until": until, "query": query, "session": session, "limit": limit}
    return got("recalls", page("recalls", PastRecall), **narrowed, found_nothing=found_nothing)


def context(
    query: str | None = None, *, budget: int | None = None, sections: Sequence[str] | None = None
) -> Call[Context]:
    """What an agent should read before it thinks, within a budget of tokens."""
    return got("context", Context, query=query, budget=budget, sections=sections)


def export() -> Call[bytes]:
    """An archive of what the token sees of its team, as a zip: see `download`, which keeps it out of memory."""
    return called("GET", "export", bytes, binary=True)
