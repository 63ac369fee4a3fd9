"""Digests: how often members get mail about what waits for review, and the links by which they end it."""

from uuid import UUID

from django.contrib.auth.models import User
from django.core import signing

from memoryhub.errors import Invalid, NotFound
from teams.models import Digest, Membership

SALT = "digest"


def choose_digest(*, user: User, membership_id: UUID, digest: str) -> Membership:
    """Set how often somebody gets the digest of one of their teams."""
    if digest not in Digest.values:
        raise Invalid({"digest": f"This must be one of {', '.join(Digest)}."})
    membership = Membership.objects.filter(pk=membership_id, user=user).select_related("team").first()
    if membership is None:
        raise NotFound("You are not a member of that team.")
    return _set_digest(membership, digest)


def sign_membership(membership: Membership) -> str:
    """Return the part of a link that only the hub can make. It never expires: mail is read late."""
    return signing.dumps(str(membership.pk), salt=SALT)


def find_signed_membership(*, signature: str) -> Membership:
    """Return the membership of a link."""
    try:
        membership_id = signing.loads(signature, salt=SALT)
    except signing.BadSignature as error:
        raise NotFound("This link is incomplete. Copy the whole address from the mail.") from error
    membership = Membership.objects.filter(pk=membership_id).select_related("team__organization").first()
    if membership is None:
        raise NotFound("This membership has ended: no more mail is sent about the team.")
    return membership


def end_digest(*, signature: str) -> Membership:
    """Send no more digests to whoever has the link."""
    return _set_digest(find_signed_membership(signature=signature), Digest.OFF)


def _set_digest(membership: Membership, digest: str) -> Membership:
    Membership.objects.filter(pk=membership.pk).update(digest=digest)
    membership.digest = digest
    return membership
