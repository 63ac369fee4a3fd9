"""Digests by e-mail: each member who asked for it learns how much waits for review, never what it says."""

import logging
import time
from collections.abc import Sequence
from datetime import datetime
from smtplib import SMTPException
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from memories.queries.review_digest import DigestCount, count_for_digest
from teams.models import Membership
from teams.operations.digests import sign_membership

log = logging.getLogger(__name__)
START = UUID(int=0)


class DigestTurn(NamedTuple):
    """The result of one turn: how many digests it sent, and the membership to go on after (None at the end)."""

    sent: int
    go_on_after: UUID | None


def send_digests(*, now: datetime, after: UUID = START, within: float) -> DigestTurn:
    """Send the digests that are due, and stop after so many seconds. Without a mail server nothing is due."""
    if not settings.EMAIL_URL:
        return DigestTurn(0, None)
    sent, until = 0, time.monotonic() + within
    due = Membership.objects.digest_due(now=now).filter(pk__gt=after).order_by("pk")
    with get_connection() as server:  # before anybody is marked: one that does not answer costs nobody a digest
        for membership_id in due.values_list("pk", flat=True):
            sent += _send_digest(membership_id, server=server, now=now)
            if time.monotonic() > until:
                return DigestTurn(sent, membership_id)
    return DigestTurn(sent, None)


def _send_digest(membership_id: UUID, *, server: BaseEmailBackend, now: datetime) -> bool:
    """Mark the digest as sent and send it, in this order: a killed job loses one rather than sending it twice."""
    claimed = _claim_digest(membership_id, now=now)
    if claimed is None:
        return False
    membership, counts = claimed
    try:
        return bool(build_digest(membership, counts, server=server).send())
    except (SMTPException, OSError):
        log.exception("The digest of membership %s was not sent.", membership.pk)
        server.close()  # the next one opens it again
        return False


@transaction.atomic
def _claim_digest(membership_id: UUID, *, now: datetime) -> tuple[Membership, Sequence[DigestCount]] | None:
    """Lock the membership and mark its digest as sent. None if nothing waits, or another worker was quicker."""
    due = Membership.objects.digest_due(now=now).filter(pk=membership_id)
    membership = (
        due.select_for_update(of=("self",), skip_locked=True).select_related("user", "team__organization").first()
    )
    counts = count_for_digest(membership=membership, now=now) if membership else ()
    if membership is None or not counts:
        return None
    Membership.objects.filter(pk=membership.pk).update(digest_sent_at=now)
    return membership, counts


def build_digest(
    membership: Membership, counts: Sequence[DigestCount], *, server: BaseEmailBackend | None = None
) -> EmailMultiAlternatives:
    """Return the mail, with the headers by which mail programs offer to end it (RFC 8058)."""
    end = f"{settings.PUBLIC_URL}{reverse('digest-end', args=[sign_membership(membership)])}"
    context = {
        "membership": membership,
        "counts": counts,
        "end": end,
        "account": f"{settings.PUBLIC_URL}{reverse('account')}",
    }
    team = " ".join(membership.team.name.split())
    mail = EmailMultiAlternatives(
        subject=f"{team}: {', '.join(f'{one.number} {one.label.lower()}' for one in counts)}",
        body=render_to_string("memories/mail/digest.txt", context),
        to=[membership.user.email],
        headers={"List-Unsubscribe": f"<{end}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
        connection=server,
    )
    mail.attach_alternative(render_to_string("memories/mail/digest.html", context), "text/html")
    return mail
