"""The limit of wrong passwords, counted across all processes before the password is checked.

It counts attempts for a name from an address and, with ten times the limit, attempts for a name from anywhere and from
an address for any name: one person who forgot a password does not lock out an office behind one address. A device on
which the name has logged in before is counted on its own (teams.known_devices).
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
from teams.known_devices import recognize_device
from teams.models import Attempts

WIDE_LIMIT_FACTOR = 10  # for an address or a name alone
IPV6_NETWORK_BITS = 64  # IPv6 addresses of one household share these leading bits

# One statement counts and returns the count, however many attempts arrive at once. An expired count starts over.
COUNT_ATTEMPT = """
INSERT INTO teams_attempts AS attempts (who, tries, until) VALUES (%(who)s, 1, %(until)s)
ON CONFLICT (who) DO UPDATE SET
    tries = CASE WHEN attempts.until > %(now)s THEN attempts.tries + 1 ELSE 1 END,
    until = CASE WHEN attempts.until > %(now)s THEN attempts.until ELSE excluded.until END
RETURNING tries, until
"""
UNCOUNT_ATTEMPTS = "UPDATE teams_attempts SET tries = tries - 1 WHERE who = ANY(%(who)s) AND tries > 0"


@dataclass(frozen=True, kw_only=True, slots=True)
class LoginAttempt:
    """Describes one attempt to log in."""

    name: str
    address: str
    device: str = ""  # the id of a device on which the name has logged in before

    @property
    def limits(self) -> dict[bytes, int]:
        """Return the counted keys, each with its limit."""
        if self.device:
            return {self.narrowest_key: settings.LOGIN_TRIES}
        name, address, most = self.name.casefold(), _network_of(self.address), settings.LOGIN_TRIES
        return {
            _hash_key("address", address): most * WIDE_LIMIT_FACTOR,
            _hash_key("name", name): most * WIDE_LIMIT_FACTOR,
            self.narrowest_key: most,
        }

    @property
    def narrowest_key(self) -> bytes:
        if self.device:
            return _hash_key("device", self.device)
        return _hash_key("both", self.name.casefold(), _network_of(self.address))


def count_attempt(attempt: LoginAttempt, *, now: datetime | None = None) -> None:
    """Count the attempt, or refuse it. Refused attempts are not counted, so that waiting always helps."""
    now = now or timezone.now()
    counted: list[bytes] = []
    for who, most in attempt.limits.items():
        counted.append(who)
        tries, until = _increment_attempts(who, now=now)
        if tries > most:
            _uncount_attempts(counted)
            raise TooMany(_wait_message(until - now), retry_after=int((until - now).total_seconds()) + 1)


def forgive_attempt(attempt: LoginAttempt, *, now: datetime | None = None) -> None:
    """Uncount an attempt with the right password, and the same person's earlier mistakes from there."""
    _uncount_attempts(list(attempt.limits))
    Attempts.objects.filter(who=attempt.narrowest_key).delete()
    Attempts.objects.filter(until__lt=now or timezone.now()).delete()


@contextmanager
def throttle_attempt(attempt: LoginAttempt) -> Iterator[None]:
    """Count an attempt around the check of a password, which raises an error if it is wrong."""
    count_attempt(attempt)
    yield
    forgive_attempt(attempt)


def read_attempt(request: HttpRequest, *, name: str) -> LoginAttempt:
    """Return the attempt to log in as `name` that a request makes."""
    device = recognize_device(request, name=name)
    return LoginAttempt(name=name, address=client_address(request), device=device)


def client_address(request: HttpRequest) -> str:
    """Return the address of the client as the outermost of our own proxies saw it. Anybody can forge the entries before
    that in the header."""
    addresses = [*request.headers.get("X-Forwarded-For", "").split(","), request.META.get("REMOTE_ADDR", "")]
    present = [address.strip() for address in addresses if address.strip()]
    return present[-1 - min(settings.PROXIES, len(present) - 1)] if present else ""


def _increment_attempts(who: bytes, *, now: datetime) -> tuple[int, datetime]:
    until = now + timedelta(seconds=settings.LOGIN_WAIT)
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ATTEMPT, {"who": who, "now": now, "until": until})
        tries, until = cursor.fetchone()
    return tries, until


def _uncount_attempts(counted: Sequence[bytes]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(UNCOUNT_ATTEMPTS, {"who": list(counted)})


def _wait_message(wait: timedelta) -> str:
    minutes = max(1, -(-int(wait.total_seconds()) // 60))
    return f"Too many wrong passwords. Try again in {minutes} minute{'s' if minutes > 1 else ''}."


def _network_of(address: str) -> str:
    """Return the address, or the network of an IPv6 address: one visitor may have many addresses in it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and not parsed.ipv4_mapped:
        return str(ipaddress.ip_network((parsed, IPV6_NETWORK_BITS), strict=False))
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def _hash_key(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).digest()
