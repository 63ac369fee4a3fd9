"""Access rules: which rows an actor may see and change, by the audiences that `teams/rights.py` gave it, and which
verbs a call needs. Every API, query and prompt uses them."""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Q

from memoryhub.errors import Forbidden, NotFound
from teams.actor import Actor
from teams.models import Verb

MATCH_NOTHING = Q(pk__in=[])
AUDIENCE_COLUMN = {"team": "team_id", "project": "project_id", "agent": "agent_id", "global": "person_id"}


def may_read(actor: Actor, audience: UUID | None) -> bool:
    """Return whether the actor reads what is written for this audience. The verb is a question of its own."""
    return audience in actor.reads


def may_write(actor: Actor, audience: UUID | None) -> bool:
    """Return whether the actor may write for this audience. The verb is a question of its own."""
    return audience in actor.writes


def may_own(actor: Actor, audience: UUID | None) -> bool:
    """Return whether the actor is an owner of this audience's memories, and may purge them."""
    return audience in actor.owns


def require_writable(actor: Actor, audience: UUID, *, read_only: str, missing: str) -> UUID:
    """Return the audience, or refuse it: as read-only if the actor reads it, and else as missing."""
    if may_write(actor, audience):
        return audience
    raise Forbidden(read_only) if may_read(actor, audience) else NotFound(missing)


def list_readable_audiences(actor: Actor) -> list[UUID]:
    """Return the audiences that the actor reads, in one order, so that equal statements have equal parameters."""
    return sorted(actor.reads)


def list_writable_audiences(actor: Actor) -> list[UUID]:
    return sorted(actor.writes)


def match_readable_audience(actor: Actor) -> Q:
    """Match the rows whose column `audience` is one that the actor reads."""
    return Q(audience__in=list_readable_audiences(actor))


def match_writable_audience(actor: Actor) -> Q:
    return Q(audience__in=list_writable_audiences(actor))


def readable_by(actor: Actor, *, workspace: str = "workspace") -> Q:
    """Match the rows whose audience the actor reads; `workspace` is the path to the column that names theirs."""
    if not actor.may(Verb.READ):
        return MATCH_NOTHING
    return _in_organization(actor, match_readable_audience(actor), workspace=workspace)


def writable_by(actor: Actor) -> Q:
    return _in_organization(actor, match_writable_audience(actor))


def is_active_or_own_proposal(actor: Actor) -> Q:
    """Match active memories and the proposals that the actor made itself."""
    mine = Q(agent=actor.agent_id) if actor.agent_id else Q(user=actor.user_id, agent=None)
    return Q(status="active") | Q(mine, status="proposed")


def owned_by(actor: Actor) -> Q:
    return _in_organization(actor, Q(audience__in=sorted(actor.owns)))


def _in_organization(actor: Actor, audience: Q, *, workspace: str = "workspace") -> Q:
    return Q(organization=actor.organization_id) & audience & in_workspace(actor, column=workspace)


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
