"""Authentication of agents: finds the token of a call, and refuses what is unknown, revoked or expired."""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.db.models.base import ModelState
from django.utils import timezone

from memoryhub.errors import Unauthenticated
from memoryhub.prepared_statements import prepared_cursor
from teams import rate_limits, rights, tokens
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import (
    Agent,
    Organization,
    Person,
    Team,
    Token,
)

TOKEN_USE_INTERVAL = timedelta(minutes=5)  # so that reading does not write on every call


def authenticate_agent(
    *, token: str, context: CallContext | None = None, register: bool = False, now: datetime | None = None
) -> Actor:
    return rights.actor_of_token(token=authenticate_token(token=token, now=now), context=context, register=register)


def authenticate_token(*, token: str, now: datetime | None = None) -> Token:
    """Return the active token of a call, with its agent, team and organization, and count the call."""
    now = now or timezone.now()
    active = _find_active_token(token, now=now)
    rate_limits.count_request(token=active, now=now)
    _note_use(active, now=now)
    return active


def is_valid_token(*, token: str, now: datetime | None = None) -> bool:
    """Return whether the token is active, without counting a call."""
    try:
        return bool(_find_active_token(token, now=now or timezone.now()))
    except Unauthenticated:
        return False


def _find_active_token(text: str, *, now: datetime) -> Token:
    secret = tokens.parse_token(text)
    token = secret and _load_token(secret.prefix)
    if not secret or not token or not secret.matches(bytes(token.digest)):
        raise Unauthenticated("This token is not known here.")
    if token.revoked_at:
        raise Unauthenticated("This token was revoked.")
    if token.expires_at and token.expires_at <= now:
        raise Unauthenticated("This token has expired.")
    return token


# Only the columns that an actor is built from: every request loads them.
ACTOR_COLUMNS: dict[type[Any], tuple[str, ...]] = {
    Token: (
        *("id", "organization_id", "person_id", "persons", "any_person"),
        *("digest", "verbs", "expires_at", "revoked_at", "last_used_at"),
    ),
    Agent: ("id", "organization_id", "team_id", "slug", "level"),
    Team: ("id", "parent_id", "language", "policy"),
    Organization: ("id", "workspaces_enabled"),
    Person: ("id", "handle"),
}
# The token with its agent, team, organization and person. Index: token_prefix_is_unique.
SELECT_TOKEN = f"""
SELECT {", ".join(f"{model._meta.db_table}.{column}" for model, columns in ACTOR_COLUMNS.items() for column in columns)}
FROM teams_token
JOIN teams_agent ON teams_agent.id = teams_token.agent_id
JOIN teams_team ON teams_team.id = teams_agent.team_id
JOIN teams_organization ON teams_organization.id = teams_team.organization_id
LEFT JOIN teams_person ON teams_person.id = teams_token.person_id
WHERE teams_token.prefix = %(prefix)s::text
"""  # noqa: S608 (columns of our own models)


def _load_token(prefix: str) -> Token | None:
    """Return the token with its agent, team, organization and the person whom it serves."""
    with prepared_cursor() as cursor:
        cursor.execute(SELECT_TOKEN, {"prefix": prefix})
        row = cursor.fetchone()
    if row is None:
        return None
    values = iter(row)
    token: Token
    token, agent, team, organization, person = (
        _make_row(model, zip(columns, values, strict=False)) for model, columns in ACTOR_COLUMNS.items()
    )
    if isinstance(team.policy, str):  # as the database has it: no field has converted it
        team.policy = json.loads(team.policy)
    token.agent_id, agent.team_id, team.organization_id = agent.pk, team.pk, organization.pk
    token._state.fields_cache |= {"agent": agent, "person": person if token.person_id else None}
    agent._state.fields_cache["team"], team._state.fields_cache["organization"] = team, organization
    return token


def _make_row(model: Any, values: Iterable[tuple[str, Any]]) -> Any:
    """Return a row with these values. Does the same as `from_db`, which takes as long as the look-up."""
    row = model.__new__(model)
    row.__dict__.update(values)
    row._state = ModelState()
    row._state.adding, row._state.db = False, connection.alias
    return row


def _note_use(token: Token, *, now: datetime) -> None:
    if token.last_used_at is None or token.last_used_at < now - TOKEN_USE_INTERVAL:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - TOKEN_USE_INTERVAL)
        with suppress(OperationalError), transaction.atomic():  # reads go on when nothing can be written
            Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
