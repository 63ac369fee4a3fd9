"""Runs a command, and reports an error as one sentence and an exit code."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from memoryhub_client.cli.arguments import build_parser
from memoryhub_client.cli.terminal import Terminal
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
    args = build_parser().parse_args(argv)
    terminal = Terminal(json=args.json)
    try:
        code = _run_command(args, terminal)
        sys.stdout.flush()
    except MemoryHubError as error:
        terminal.write_error(_error_text(error))
        return next((code for kind, code in CODES if isinstance(error, kind)), FAILED)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _discard_output()
        terminal.write_error(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _run_command(args: Namespace, terminal: Terminal) -> int:
    """Run a command, and return its exit code: 0, unless it says otherwise."""
    if args.alone:  # before there is a hub
        return args.run(terminal, args) or 0
    with MemoryHub(args.url, args.token) as hub:
        context = {name: getattr(args, name) for name in ("project", "user", "session", "workspace", "channel")}
        given = {name: value for name, value in context.items() if value}
        return args.run(terminal, hub.with_context(**given), args) or 0


def _error_text(error: MemoryHubError) -> str:
    if isinstance(error, Refused) and error.fields:
        return "; ".join(f"{name}: {sentence}" for name, sentence in error.fields.items())
    return str(error)


def _discard_output() -> int:
    """Discard further output after the reader closed the pipe, so that Python does not complain on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
