"""Access rules: which rows an actor may see and change, by the audiences that `teams/rights.py` gave it, and which
verbs a call needs. Every API, query and prompt uses them."""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Q

from memoryhub.errors import Forbidden
from teams.actor import Actor
from teams.models import Verb

MATCH_NOTHING = Q(pk__in=[])
AUDIENCE_COLUMN = {"team": "team_id", "project": "project_id", "agent": "agent_id", "global": "person_id"}


def readable_by(actor: Actor, *, workspace: str = "workspace") -> Q:
    """Match the rows whose audience the actor reads; `workspace` is the path to the column that names theirs."""
    if not actor.may(Verb.READ):
        return MATCH_NOTHING
    return _within_audiences(actor, audiences=actor.reads, workspace=workspace)


def writable_by(actor: Actor) -> Q:
    return _within_audiences(actor, audiences=actor.writes)


def is_active_or_own_proposal(actor: Actor) -> Q:
    """Match active memories and the proposals that the actor made itself."""
    mine = Q(agent=actor.agent_id) if actor.agent_id else Q(user=actor.user_id, agent=None)
    return Q(status="active") | Q(mine, status="proposed")


def owned_by(actor: Actor) -> Q:
    return _within_audiences(actor, audiences=actor.owns)


def _within_audiences(actor: Actor, *, audiences: frozenset[UUID], workspace: str = "workspace") -> Q:
    within = Q(organization=actor.organization_id, audience__in=sorted(audiences, key=str))
    return within & in_workspace(actor, column=workspace)


def in_workspace(actor: Actor, *, column: str = "workspace") -> Q:
    """Match the rows of the actor's workspace, or all rows in an organization without workspaces."""
    return Q(**{column: actor.workspace_id}) if actor.workspaces_enabled else Q()


def require_verb(actor: Actor, *verbs: Verb) -> None:
    require_verbs(actor.verbs, verbs)


def require_verbs(held: Collection[str], needed: Iterable[Verb]) -> None:
    """Refuse a token that lacks one of the needed verbs. Doors ask this before they look anything up, so that the
    refusal says nothing of what is there."""
    if missing := [verb for verb in needed if verb not in held]:
        raise Forbidden(f"This token may not {' or '.join(missing)}: its verbs are {', '.join(sorted(held))}.")


def writes_anything(verbs: Iterable[Verb]) -> bool:
    """Return whether a call that takes these verbs may change something."""
    return any(verb != Verb.READ for verb in verbs)
