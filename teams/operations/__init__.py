"""Changes to who there is: teams, agents, tokens, people, sessions. What only owners may do is in a module for each."""

from teams.operations import accounts, agents, invitations, members, projects
from teams.operations.owning import refuse_others
from teams.operations.registering import (
    ROOT_SLUG,
    ensure_agent,
    ensure_organization,
    ensure_person,
    ensure_team,
    issue_token,
    open_session,
    refuse_odd_slug,
    revoke_token,
    titled,
)

__all__ = [
    "ROOT_SLUG",
    "accounts",
    "agents",
    "ensure_agent",
    "ensure_organization",
    "ensure_person",
    "ensure_team",
    "invitations",
    "issue_token",
    "members",
    "open_session",
    "projects",
    "refuse_odd_slug",
    "refuse_others",
    "revoke_token",
    "titled",
]
