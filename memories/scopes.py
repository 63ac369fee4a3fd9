"""Who may see and change a memory: the only place that says so. Every door, statement and prompt block asks here."""

from django.db.models import Q

from teams.actor import Actor
from teams.models import Verb

NOBODY = Q(pk__in=[])
AUDIENCE_COLUMN = {"team": "team_id", "project": "project_id", "agent": "agent_id", "global": "person_id"}


def readable(actor: Actor) -> Q:
    return _within(actor, audiences=actor.reads) if actor.may(Verb.READ) else NOBODY


def writable(actor: Actor) -> Q:
    return _within(actor, audiences=actor.writes)


def owned(actor: Actor) -> Q:
    return _within(actor, audiences=actor.owns)


def _within(actor: Actor, *, audiences: frozenset[object]) -> Q:
    return Q(organization=actor.organization_id, audience__in=sorted(audiences, key=str)) & in_workspace(actor)


def in_workspace(actor: Actor) -> Q:
    """Rows of the workspace at work; of all of them in an organization that does not separate them."""
    return Q(workspace=actor.workspace_id) if actor.workspaces_enabled else Q()
