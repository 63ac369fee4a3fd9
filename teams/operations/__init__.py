"""Every write about teams, agents, tokens, people and sessions. What only owners may do has a module per subject."""

from teams.operations import accounts, agents, digests, invitations, members, projects, prune
from teams.operations.ownership import require_owner
from teams.operations.register import (
    ROOT_SLUG,
    USE_INTERVAL,
    clean_persons,
    ensure_agent,
    ensure_organization,
    ensure_person,
    ensure_team,
    issue_token,
    note_use,
    open_session,
    refuse_odd_slug,
    revoke_token,
    title_from_slug,
)

__all__ = [
    "ROOT_SLUG",
    "USE_INTERVAL",
    "accounts",
    "agents",
    "clean_persons",
    "digests",
    "ensure_agent",
    "ensure_organization",
    "ensure_person",
    "ensure_team",
    "invitations",
    "issue_token",
    "members",
    "note_use",
    "open_session",
    "projects",
    "prune",
    "refuse_odd_slug",
    "require_owner",
    "revoke_token",
    "title_from_slug",
]
