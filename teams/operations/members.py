"""Who is in a team, and as what. A team that has an owner keeps one."""

from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memoryhub.errors import Conflict, NotFound
from memoryhub.locks import take_turns
from teams.actor import Actor
from teams.models import Invitation, Membership, Role
from teams.operations.owning import refuse_others

LAST_OWNER = "A team needs an owner. Make somebody else an owner first."


@transaction.atomic
def add(*, actor: Actor, user: User, role: Role, joined_at: datetime | None = None) -> Membership:
    """As operators do; owners invite, and put back whom they removed."""
    refuse_others(actor)
    values = {"role": role} | ({"created_at": joined_at} if joined_at else {})
    membership, joined = Membership.objects.get_or_create(
        organization_id=actor.organization_id, team_id=actor.team_id, user=user, defaults=values
    )
    if not joined:
        raise Conflict(f"{user} is in the team already, as {membership.role}.")
    return membership


@transaction.atomic
def change_role(*, actor: Actor, membership_id: UUID, role: Role) -> Membership:
    _take_turns(actor)
    refuse_others(actor)
    membership = one(actor=actor, membership_id=membership_id)
    if role != Role.OWNER:
        _stop_owning(membership)
    Membership.objects.filter(pk=membership.pk).update(role=role)
    membership.role = role
    return membership


@transaction.atomic
def remove(*, actor: Actor, membership_id: UUID) -> Membership:
    """Owners remove anybody; everybody may leave."""
    _take_turns(actor)
    membership = one(actor=actor, membership_id=membership_id)
    if membership.user_id != actor.user_id:
        refuse_others(actor)
    _stop_owning(membership)
    Membership.objects.filter(pk=membership.pk).delete()
    return membership


def one(*, actor: Actor, membership_id: UUID) -> Membership:
    """One of the team's members."""
    known = Membership.objects.select_related("user", "team")
    membership = known.filter(pk=membership_id, team=actor.team_id).first()
    if membership is None:
        raise NotFound("There is no such member of this team.")
    return membership


def _take_turns(actor: Actor) -> None:
    """Otherwise two owners could each see the other and both go."""
    take_turns(f"owners of {actor.team_id}")


def _stop_owning(membership: Membership) -> None:
    """The links that an owner made stop working with them."""
    if membership.role != Role.OWNER:
        return
    others = Membership.objects.filter(team=membership.team_id, role=Role.OWNER).exclude(pk=membership.pk)
    if not others.exists():
        raise Conflict(LAST_OWNER)
    made = Invitation.objects.filter(team=membership.team_id, made_by=membership.user_id, used_at=None, revoked_at=None)
    made.update(revoked_at=timezone.now())
