"""Changes to a team's members and their roles. A team that has an owner always keeps one."""

from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memoryhub.errors import Conflict, NotFound
from memoryhub.locks import lock_names
from teams.actor import Actor
from teams.models import Invitation, Membership, Role
from teams.operations.ownership import require_owner

LAST_OWNER = "A team needs an owner. Make somebody else an owner first."


@transaction.atomic
def add_member(*, actor: Actor, user: User, role: Role, joined_at: datetime | None = None) -> Membership:
    """Add a user. Operators add anybody; owners only put back whom they removed, and invite the rest."""
    require_owner(actor)
    values = {"role": role} | ({"created_at": joined_at} if joined_at else {})
    membership, joined = Membership.objects.get_or_create(
        organization_id=actor.organization_id, team_id=actor.team_id, user=user, defaults=values
    )
    if not joined:
        raise Conflict(f"{user} is already in the team, as {membership.role}.")
    return membership


@transaction.atomic
def change_role(*, actor: Actor, membership_id: UUID, role: Role) -> Membership:
    _lock_owners(actor)
    require_owner(actor)
    membership = get_member(actor=actor, membership_id=membership_id)
    if role != Role.OWNER:
        _give_up_ownership(membership)
    Membership.objects.filter(pk=membership.pk).update(role=role)
    membership.role = role
    return membership


@transaction.atomic
def remove_member(*, actor: Actor, membership_id: UUID) -> Membership:
    """Remove a member. Owners remove anybody; everybody may leave."""
    _lock_owners(actor)
    membership = get_member(actor=actor, membership_id=membership_id)
    if membership.user_id != actor.user_id:
        require_owner(actor)
    _give_up_ownership(membership)
    Membership.objects.filter(pk=membership.pk).delete()
    return membership


def get_member(*, actor: Actor, membership_id: UUID) -> Membership:
    """Return one of the team's members."""
    memberships = Membership.objects.select_related("user", "team")
    membership = memberships.filter(pk=membership_id, team=actor.team_id).first()
    if membership is None:
        raise NotFound("There is no such member of this team.")
    return membership


def _lock_owners(actor: Actor) -> None:
    """Serialize changes of owners: otherwise the last two could both leave, each counting on the other."""
    lock_names(f"owners of {actor.team_id}")


def _give_up_ownership(membership: Membership) -> None:
    """Revoke the open links of an owner who stops being one; refuse if they are the last."""
    if membership.role != Role.OWNER:
        return
    others = Membership.objects.filter(team=membership.team_id, role=Role.OWNER).exclude(pk=membership.pk)
    if not others.exists():
        raise Conflict(LAST_OWNER)
    links = Invitation.objects.filter(team=membership.team_id, made_by=membership.user_id)
    links.filter(used_at=None, revoked_at=None).update(revoked_at=timezone.now())
