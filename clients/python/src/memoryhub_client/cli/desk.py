"""Where a command reads and writes: a terminal, a pipe or a file."""

import json
import os
import re
import shutil
import sys
from dataclasses import asdict, is_dataclass
from datetime import datetime
from getpass import getpass
from typing import Any

from memoryhub_client.errors import MemoryHubError

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # what a terminal would obey


class CannotDo(MemoryHubError):
    """What was asked of the command line makes no sense."""


class Desk:
    def __init__(self, *, json: bool) -> None:
        self.json = json
        self.is_terminal = sys.stdout.isatty()
        dumb = os.environ.get("TERM") == "dumb"
        self.is_coloured = self.is_terminal and not dumb and not os.environ.get("NO_COLOR")
        self.width = shutil.get_terminal_size().columns if self.is_terminal else 100

    @property
    def is_attended(self) -> bool:
        """Whether somebody can be asked."""
        return sys.stdin.isatty() and self.is_terminal and not self.json

    def write(self, text: str, *styles: str, end: str = "\n") -> None:
        """For people. Texts of others cannot steer the terminal."""
        safe = CONTROL.sub("�", text) if self.is_terminal else text
        sys.stdout.write(f"{self.styled(safe, *styles)}{end}")

    def write_exactly(self, text: str) -> None:
        self.write(text, end="" if text.endswith("\n") or not self.is_terminal else "\n")

    def write_json(self, value: Any, *, indent: int | None = 2) -> None:
        """Without an indent it is one line: for streams."""
        sys.stdout.write(json.dumps(_plain(value), ensure_ascii=False, indent=indent) + "\n")

    def styled(self, text: str, *styles: str) -> str:
        if not self.is_coloured or not styles:
            return text
        return f"\x1b[{';'.join(STYLES[style] for style in styles)}m{text}\x1b[0m"

    def read(self) -> str:
        """All that comes in, as it comes."""
        return sys.stdin.buffer.read().decode()

    def flush(self) -> None:
        sys.stdout.flush()

    def complain(self, sentence: str) -> None:
        sys.stderr.write(f"memoryhub: {CONTROL.sub(' ', sentence)}\n")

    def ask(self, question: str, *, secret: bool = False) -> str:
        if not sys.stdin.isatty():
            raise CannotDo(f"{question} is not said, and there is nobody to ask.")
        return getpass(f"{question}: ") if secret else input(f"{question}: ")


def text_of(said: str) -> str:
    """What is said, or with `-` what comes in. The line's end that every tool adds at the end is not part of it."""
    return sys.stdin.read().removesuffix("\n") if said == "-" else said


def moment(said: str) -> datetime:
    """For argparse. Without a zone it is meant where one is."""
    try:
        return datetime.fromisoformat(said).astimezone()
    except ValueError:
        raise ValueError(f"{said!r} is no moment like 2030-01-31T12:00") from None


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, datetime) else value
