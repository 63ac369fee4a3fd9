"""Runs a command, and says in one sentence and an exit code what went wrong."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from memoryhub_client.cli.arguments import parser
from memoryhub_client.cli.desk import Desk
from memoryhub_client.client import MemoryHub
from memoryhub_client.errors import (
    Conflict,
    Forbidden,
    MemoryHubError,
    NotFound,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
    Unreachable,
)

FAILED, INTERRUPTED = 1, 130
CODES: tuple[tuple[type[MemoryHubError], int], ...] = (  # 2 is argparse's: the command cannot be read
    (NotFound, 3),
    (Conflict, 4),
    (Unauthenticated, 5),
    (Forbidden, 5),
    (Unreachable, 6),
    (Unavailable, 6),
    (RateLimited, 6),
)


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    desk = Desk(json=args.json)
    try:
        _run(args, desk)
        sys.stdout.flush()
    except MemoryHubError as error:
        desk.complain(_told(error))
        return next((code for kind, code in CODES if isinstance(error, kind)), FAILED)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _unread()
        desk.complain(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _run(args: Namespace, desk: Desk) -> None:
    if args.alone:  # before there is a hub
        args.run(desk, args)
        return
    with MemoryHub(args.url, args.token) as hub:
        named = {name: getattr(args, name) for name in ("project", "user", "session", "workspace", "channel")}
        args.run(desk, hub.with_context(**{name: value for name, value in named.items() if value}), args)


def _told(error: MemoryHubError) -> str:
    if isinstance(error, Refused) and error.fields:
        return "; ".join(f"{name}: {sentence}" for name, sentence in error.fields.items())
    return str(error)


def _unread() -> int:
    """Whoever reads has read enough. What is still to be written goes nowhere, lest Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
