"""Downloads of archives: streamed while they are made, and limited in number and size."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import cast

from django.conf import settings
from django.http import StreamingHttpResponse

from memories import transfer
from memories.transfer.progress import publish_steps
from memoryhub import locks
from memoryhub.errors import TooLarge, TooMany

MAX_EXPORTS = 2  # exports that may take a web thread of the hub's at the same time
EXPORT_RETRY_SECONDS = 30  # seconds


def stream_archive(selection: transfer.Selection, *, called: str = "") -> StreamingHttpResponse:
    """Stream an archive while it is being made. One that breaks off has no manifest, so nobody takes it for complete.
    If `called` is given, others can follow the progress under that name."""
    return _send(selection, transfer.write_archive(selection, on_step=publish_steps(called) if called else None))


def stream_archive_in_turn(selection: transfer.Selection, *, caller: str, called: str = "") -> StreamingHttpResponse:
    """Stream an archive, unless it is too large for the web, the caller has another export under way, or too many
    others have. The header `X-Archive-Rows` says how many rows go into it."""
    with ExitStack() as turn:
        _take_turn(turn, caller)
        rows = _check_size(selection)
        pieces = cast(
            "Generator[bytes]", transfer.write_archive(selection, on_step=publish_steps(called) if called else None)
        )
        sent = _send(selection, Pieces(pieces, turn.pop_all()))
    sent["X-Archive-Rows"] = str(rows)
    return sent


class Pieces:
    """The pieces of an archive, and the export's locks: they are released after the last piece, or when the server
    closes the response before it is complete."""

    def __init__(self, pieces: Generator[bytes], turn: ExitStack) -> None:
        turn.callback(pieces.close)
        self.pieces, self.close = pieces, turn.close

    def __iter__(self) -> Iterator[bytes]:
        yield from self.pieces
        self.close()


def _take_turn(turn: ExitStack, caller: str) -> None:
    """Take a Postgres lock for the caller and one for the hub. They end with their connection, so a process that is
    killed leaves none behind."""
    take = turn.enter_context(locks.lock_taker())
    if not take(f"export of {caller}"):
        raise TooMany("You already have an export in progress. Wait until it ends.", retry_after=EXPORT_RETRY_SECONDS)
    if not any(take(f"export {number}") for number in range(MAX_EXPORTS)):
        raise TooMany("Other exports are in progress. Try again in half a minute.", retry_after=EXPORT_RETRY_SECONDS)


def _check_size(selection: transfer.Selection) -> int:
    rows, most = transfer.count_rows(selection), settings.EXPORT_MAX_ROWS
    if most and rows > most:
        sentence = (
            f"It would have {rows:,} rows; at most {most:,} are sent. An operator can write it by `manage.py export`."
        )
        raise TooLarge({"archive": sentence})
    return rows


def _send(selection: transfer.Selection, pieces: Iterator[bytes] | Pieces) -> StreamingHttpResponse:
    name = "-".join([selection.organization.slug, *([selection.team.slug] if selection.team else [])])
    sent = StreamingHttpResponse(pieces, content_type="application/zip")
    sent["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    sent["X-Content-Type-Options"] = "nosniff"
    return sent
