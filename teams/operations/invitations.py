"""Links by which people join a team. A link works once, until it expires or is revoked. It does not contain the role or
the team: these are stored here."""

import hashlib
import secrets
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memoryhub.errors import Conflict, Invalid, NotFound
from teams.actor import Actor
from teams.models import Invitation, Membership, Role
from teams.operations.ownership import require_owner

SECRET_BYTES = 32  # so that a plain digest is enough to store
MAX_INVITATION_LIFETIME = timedelta(days=30)


def create_invitation(*, actor: Actor, role: Role, lasts: timedelta, now: datetime | None = None) -> str:
    """Create an invitation. The returned secret of its link is the only copy."""
    require_owner(actor)
    if not timedelta() < lasts <= MAX_INVITATION_LIFETIME:
        raise Invalid({"lasts": f"A link lasts for {MAX_INVITATION_LIFETIME.days} days at most."})
    secret = secrets.token_urlsafe(SECRET_BYTES)
    Invitation.objects.create(
        organization_id=actor.organization_id,
        team_id=actor.team_id,
        role=role,
        digest=hash_secret(secret),
        made_by_id=actor.user_id,
        expires_at=(now or timezone.now()) + lasts,
    )
    return secret


def revoke_invitation(*, actor: Actor, invitation_id: UUID, now: datetime | None = None) -> None:
    require_owner(actor)
    invitation = Invitation.objects.filter(pk=invitation_id, team=actor.team_id).first()
    if invitation is None:
        raise NotFound("There is no such invitation to this team.")
    withdraw_invitation(invitation=invitation, now=now)


def withdraw_invitation(*, invitation: Invitation, now: datetime | None = None) -> None:
    """Revoke an unused invitation, without checking who asks."""
    unused = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
    if not unused.update(revoked_at=now or timezone.now()):
        raise Conflict("This link has already been used or revoked.")


def get_open_invitation(*, secret: str, now: datetime | None = None) -> Invitation:
    """Return the invitation of a link that can still be used."""
    invitations = Invitation.objects.select_related("team__organization", "made_by")
    invitation = invitations.filter(digest=hash_secret(secret)).first()
    if invitation is None:
        raise NotFound("This link is not valid. Ask for a new one.")
    if reason := _why_closed(invitation, now=now or timezone.now()):
        raise Conflict(reason)
    return invitation


@transaction.atomic
def accept_invitation(*, user: User, secret: str, now: datetime | None = None) -> Membership:
    """Add the user to the team. One statement decides who is first; members stay as they are and do not use up the
    link."""
    now = now or timezone.now()
    invitation = get_open_invitation(secret=secret, now=now)
    if not Invitation.objects.open(now=now).filter(pk=invitation.pk).update(used_at=now, used_by=user.pk):
        invitation.refresh_from_db()
        raise Conflict(_why_closed(invitation, now=now))
    membership, joined = Membership.objects.get_or_create(
        organization_id=invitation.organization_id, team=invitation.team, user=user, defaults={"role": invitation.role}
    )
    if not joined:
        raise Conflict(f"You are already in {invitation.team.name}, as {membership.role}. The link was not used.")
    return membership


def hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _why_closed(invitation: Invitation, *, now: datetime) -> str:
    """Return why the link cannot be used, or nothing."""
    if invitation.used_at:
        return "This link has already been used. Ask for a new one."
    if invitation.revoked_at:
        return "This link was revoked. Ask for a new one."
    return "This link has expired. Ask for a new one." if invitation.expires_at <= now else ""
