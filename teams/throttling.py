"""How often somebody may give a wrong password: counted by all processes together, before the password is looked at.

Counted are the tries for a name from an address, and with ten times as many allowed, those for a name from anywhere and
those from an address for any name: an office behind one address is not locked out by one who forgot a password.
"""

import hashlib
import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.errors import TooMany
from teams.models import Attempts

MANY = 10  # times as often for an address or a name alone
ADDRESSES_OF_ONE = 64  # bits by which IPv6 addresses of one household differ

# One statement counts and answers, however many come at once. Whose time is over begins anew.
COUNT = """
INSERT INTO teams_attempts AS known (who, tries, until) VALUES (%(who)s, 1, %(until)s)
ON CONFLICT (who) DO UPDATE SET
    tries = CASE WHEN known.until > %(now)s THEN known.tries + 1 ELSE 1 END,
    until = CASE WHEN known.until > %(now)s THEN known.until ELSE excluded.until END
RETURNING tries, until
"""
TAKE_BACK = "UPDATE teams_attempts SET tries = tries - 1 WHERE who = ANY(%(who)s) AND tries > 0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Try:
    """One attempt to get in."""

    name: str
    address: str

    @property
    def counted(self) -> dict[bytes, int]:
        """What is counted, and how often it may happen."""
        name, address, most = self.name.casefold(), _household(self.address), settings.LOGIN_TRIES
        return {
            _digest("address", address): most * MANY,
            _digest("name", name): most * MANY,
            self.closest: most,
        }

    @property
    def closest(self) -> bytes:
        return _digest("both", self.name.casefold(), _household(self.address))


def admit(attempt: Try, *, now: datetime | None = None) -> None:
    """Counts the try, or refuses it. What is refused counts for nothing, so that waiting always helps."""
    now = now or timezone.now()
    counted: list[bytes] = []
    for who, most in attempt.counted.items():
        counted.append(who)
        tries, until = _count(who, now=now)
        if tries > most:
            _take_back(counted)
            raise TooMany(_sentence(until - now), retry_after=int((until - now).total_seconds()) + 1)


def forgive(attempt: Try, *, now: datetime | None = None) -> None:
    """The password was right: nothing of it counts, nor do earlier mistakes of the same person there."""
    _take_back(list(attempt.counted))
    Attempts.objects.filter(who=attempt.closest).delete()
    Attempts.objects.filter(until__lt=now or timezone.now()).delete()


@contextmanager
def counted(attempt: Try) -> Iterator[None]:
    """Around the look at a password, which raises something if it is wrong."""
    admit(attempt)
    yield
    forgive(attempt)


def address_of(request: HttpRequest) -> str:
    """Where a request comes from: what the outermost of our own proxies saw. What stands before that in the header,
    anybody can write."""
    seen = [*request.headers.get("X-Forwarded-For", "").split(","), request.META.get("REMOTE_ADDR", "")]
    known = [address.strip() for address in seen if address.strip()]
    return known[-1 - min(settings.PROXIES, len(known) - 1)] if known else ""


def _count(who: bytes, *, now: datetime) -> tuple[int, datetime]:
    until = now + timedelta(seconds=settings.LOGIN_WAIT)
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"who": who, "now": now, "until": until})
        tries, until = cursor.fetchone()
    return tries, until


def _take_back(counted: Sequence[bytes]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(TAKE_BACK, {"who": list(counted)})


def _sentence(wait: timedelta) -> str:
    minutes = max(1, -(-int(wait.total_seconds()) // 60))
    return f"Too many wrong passwords. Try again in {minutes} minute{'s' if minutes > 1 else ''}."


def _household(address: str) -> str:
    """An address, or the network of an IPv6 one: there, one visitor has as many addresses as they like."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and not found.ipv4_mapped:
        return str(ipaddress.ip_network((found, ADDRESSES_OF_ONE), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).digest()
