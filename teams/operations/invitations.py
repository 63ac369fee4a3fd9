"""Links by which people join a team. A link works once, until it expires or is revoked; it says nothing of the role or
the team, which are kept here."""

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
from teams.operations.owning import refuse_others

SECRET_BYTES = 32  # so that a plain digest is enough to store
LONGEST = timedelta(days=30)


def make(*, actor: Actor, role: Role, lasts: timedelta, now: datetime | None = None) -> str:
    """The secret of a new link. What is returned is the only copy."""
    refuse_others(actor)
    if not timedelta() < lasts <= LONGEST:
        raise Invalid({"lasts": f"A link lasts for {LONGEST.days} days at most."})
    secret = secrets.token_urlsafe(SECRET_BYTES)
    Invitation.objects.create(
        organization_id=actor.organization_id,
        team_id=actor.team_id,
        role=role,
        digest=digest(secret),
        made_by_id=actor.user_id,
        expires_at=(now or timezone.now()) + lasts,
    )
    return secret


def revoke(*, actor: Actor, invitation_id: UUID, now: datetime | None = None) -> None:
    refuse_others(actor)
    mine = Invitation.objects.filter(pk=invitation_id, team=actor.team_id).first()
    if mine is None:
        raise NotFound("There is no such invitation to this team.")
    withdraw(invitation=mine, now=now)


def withdraw(*, invitation: Invitation, now: datetime | None = None) -> None:
    """Whoever asked for it."""
    unused = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
    if not unused.update(revoked_at=now or timezone.now()):
        raise Conflict("This link has been used or revoked already.")


def open_one(*, secret: str, now: datetime | None = None) -> Invitation:
    """The invitation that the link is for, while it can be used."""
    known = Invitation.objects.select_related("team__organization", "made_by")
    found = known.filter(digest=digest(secret)).first()
    if found is None:
        raise NotFound("This link does not lead anywhere. Ask for a new one.")
    if closed := _closed(found, now=now or timezone.now()):
        raise Conflict(closed)
    return found


@transaction.atomic
def accept(*, user: User, secret: str, now: datetime | None = None) -> Membership:
    """One statement decides who is first. Whoever is in the team already stays as they are, and the link too."""
    now = now or timezone.now()
    invitation = open_one(secret=secret, now=now)
    if not Invitation.objects.open(now=now).filter(pk=invitation.pk).update(used_at=now, used_by=user.pk):
        invitation.refresh_from_db()
        raise Conflict(_closed(invitation, now=now))
    membership, joined = Membership.objects.get_or_create(
        organization_id=invitation.organization_id, team=invitation.team, user=user, defaults={"role": invitation.role}
    )
    if not joined:
        raise Conflict(f"You are in {invitation.team.name} already, as {membership.role}. The link was not used.")
    return membership


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _closed(invitation: Invitation, *, now: datetime) -> str:
    """Why the link cannot be used, if so."""
    if invitation.used_at:
        return "This link has been used already. Ask for a new one."
    if invitation.revoked_at:
        return "This link was revoked. Ask for a new one."
    return "This link has expired. Ask for a new one." if invitation.expires_at <= now else ""
