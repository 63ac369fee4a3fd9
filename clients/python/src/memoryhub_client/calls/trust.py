"""Requests about what holds: replacements, timelines, proposals that wait for a person, and ratings."""

from datetime import datetime

from memoryhub_client.calls.call import (
    Call,
    Id,
    build_call,
    build_get,
    build_post,
    check_id,
    drop_none,
    memory_path,
    quote_path,
    read_page,
)
from memoryhub_client.calls.inputs import ProposalState, Rating, Scope
from memoryhub_client.shapes import Memory, Page, Proposal, Ratings, Timeline


def supersede(memory_id: Id, by: Id, *, at: datetime | None = None, version: int | None = None) -> Call[Memory]:
    """Close a memory at the moment from which another one holds, and link the two."""
    body = {"by": check_id(by, "memory"), **drop_none(at=at)}
    return build_post(f"{memory_path(memory_id)}/supersede", Memory, body, version=version)


def reinstate(memory_id: Id, *, version: int | None = None) -> Call[Memory]:
    """Let a replaced memory hold again."""
    return build_post(f"{memory_path(memory_id)}/reinstate", Memory, version=version)


def timeline(key: str, *, scope: Scope = "team", known_at: datetime | None = None) -> Call[Timeline]:
    """Return the memories that have had a key, replaced ones too, newest first; with `known_at`, as they were then."""
    return build_get(f"timeline/{quote_path(key)}", Timeline, scope=scope, known_at=known_at)


def proposals(*, state: ProposalState | None = None, limit: int | None = None) -> Call[Page[Proposal]]:
    """List this agent's writes that a person has to decide about, newest first."""
    return build_get("proposals", read_page("proposals", Proposal), state=state, limit=limit)


def proposal(proposal_id: Id) -> Call[Proposal]:
    return build_get(f"proposals/{check_id(proposal_id, 'proposal')}", Proposal)


def withdraw(proposal_id: Id) -> Call[Proposal]:
    """Take back a proposal that nobody has decided about."""
    return build_call("DELETE", f"proposals/{check_id(proposal_id, 'proposal')}", Proposal)


def rate(memory_id: Id, rating: Rating, *, reason: str = "") -> Call[Ratings]:
    """Say whether a memory is helpful, not helpful, wrong or outdated, instead of what this agent said before."""
    return build_post(f"{memory_path(memory_id)}/feedback", Ratings, {"rating": rating, "reason": reason})


def withdraw_rating(memory_id: Id) -> Call[Ratings]:
    """Take back what this agent said about a memory."""
    return build_call("DELETE", f"{memory_path(memory_id)}/feedback", Ratings)


def ratings(memory_id: Id) -> Call[Ratings]:
    return build_get(f"{memory_path(memory_id)}/feedback", Ratings)
