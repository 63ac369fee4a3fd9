"""Input and output of a command: a terminal, a pipe or a file."""

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
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # control characters that a terminal would obey


class UsageError(MemoryHubError):
    """Reports a command line that makes no sense."""


class Terminal:
    def __init__(self, *, json: bool) -> None:
        self.json = json
        self.is_terminal = sys.stdout.isatty()
        dumb = os.environ.get("TERM") == "dumb"
        self.is_coloured = self.is_terminal and not dumb and not os.environ.get("NO_COLOR")
        self.width = shutil.get_terminal_size().columns if self.is_terminal else 100

    @property
    def is_interactive(self) -> bool:
        """Return whether there is somebody to ask."""
        return sys.stdin.isatty() and self.is_terminal and not self.json

    def write(self, text: str, *styles: str, end: str = "\n") -> None:
        """Write text for people, with control characters replaced so that it cannot steer the terminal."""
        safe = CONTROL.sub("�", text) if self.is_terminal else text
        sys.stdout.write(f"{self.apply_styles(safe, *styles)}{end}")

    def write_exactly(self, text: str) -> None:
        self.write(text, end="" if text.endswith("\n") or not self.is_terminal else "\n")

    def write_json(self, value: Any, *, indent: int | None = 2) -> None:
        """Write a value as JSON; without an indent on one line, for streams."""
        sys.stdout.write(json.dumps(_to_json_value(value), ensure_ascii=False, indent=indent) + "\n")

    def apply_styles(self, text: str, *styles: str) -> str:
        if not self.is_coloured or not styles:
            return text
        return f"\x1b[{';'.join(STYLES[style] for style in styles)}m{text}\x1b[0m"

    def read(self) -> str:
        """Return all of the standard input, unchanged."""
        return sys.stdin.buffer.read().decode()

    def flush(self) -> None:
        sys.stdout.flush()

    def write_error(self, sentence: str) -> None:
        sys.stderr.write(f"memoryhub: {CONTROL.sub(' ', sentence)}\n")

    def ask(self, question: str, *, secret: bool = False) -> str:
        if not sys.stdin.isatty():
            raise UsageError(f"{question} is missing, and there is no terminal to prompt on.")
        return getpass(f"{question}: ") if secret else input(f"{question}: ")


def read_text(argument: str) -> str:
    """Return the argument or, for `-`, the standard input without its final newline."""
    return sys.stdin.read().removesuffix("\n") if argument == "-" else argument


def parse_time(text: str) -> datetime:
    """Parse a time for argparse; without a zone it is local time."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise ValueError(f"{text!r} is not a time like 2030-01-31T12:00") from None


def _to_json_value(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {name: _to_json_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json_value(inner) for inner in value]
    return value.isoformat() if isinstance(value, datetime) else value
