"""Reads the bodies of requests before a thread handles them: in time, and no larger than the caller may send."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

from django.conf import settings

from memoryhub.errors import TooLarge, TooSlow
from memoryhub.middleware import BODY_REFUSAL
from memoryhub.request_headers import check_headers

IN_MEMORY = 1024 * 1024  # bytes; longer bodies go to a temporary file
ANONYMOUS = 64 * 1024  # bytes that anybody may send
SLOWEST = 32 * 1024  # bytes a second: a faster sender may take longer than BODY_TIMEOUT
FILES_AT_ONCE = 8  # files of the largest size in one form
Environ = dict[str, Any]
AsgiMessage = dict[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]


class ClientGone(Exception):
    """Says that the client closed the connection, or stopped reading: nobody waits for an answer."""


async def read_nothing() -> AsgiMessage:
    raise ClientGone


class RequestBody:
    """Reads the body of one request, which becomes its `wsgi.input`. The application refuses one that arrives too
    slowly, or that is larger than anonymous callers may send."""

    def __init__(
        self, environ: Environ, receive: Receive, threads: Executor, *, is_known: Callable[[Environ], bool]
    ) -> None:
        self.environ, self.receive, self.threads, self.is_known = environ, receive, threads, is_known
        self.file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with the request)
        self.size = 0
        self.complete = True  # unless some of it was left unread
        self.most = ANONYMOUS

    async def read(self) -> None:
        self.environ["wsgi.input"] = self.file
        has_body = "CONTENT_LENGTH" in self.environ or "HTTP_TRANSFER_ENCODING" in self.environ
        try:
            self.complete = not has_body
            check_headers(self.environ)
            if not has_body:
                return
            await self._admit(int(self.environ.get("CONTENT_LENGTH") or 0))
            await self._read_in_time()
        except ClientGone:
            raise
        except Exception as error:
            self.environ[BODY_REFUSAL] = error
        self.environ.setdefault("CONTENT_LENGTH", str(self.size))
        self.file.seek(0)

    def close(self) -> None:
        """Release the connection too: the server closes it once nothing can read from it, and an error stored in
        `environ` keeps this object alive until the next garbage collection."""
        self.file.close()
        self.receive = read_nothing

    async def _read_in_time(self) -> None:
        start = asyncio.get_running_loop().time() + settings.BODY_TIMEOUT
        with suppress(TimeoutError):
            async with asyncio.timeout_at(start) as deadline:
                while self.size <= self.most and await self._read_piece():
                    deadline.reschedule(start + self.size / SLOWEST)
            return
        # Raised outside, it does not hold on to the frames that wait for the client (see `close`).
        raise TooSlow("The request's body arrived too slowly.")

    async def _read_piece(self) -> bool:
        """Return whether there is more to come."""
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        self.size += self.file.write(message.get("body", b""))
        await self._admit(self.size)
        self.complete = not message.get("more_body")
        return not self.complete

    async def _admit(self, size: int) -> None:
        """Refuse a body that is too large for its sender. Of one that is too large for anybody, enough is read for the
        application to refuse it itself."""
        if size <= ANONYMOUS or self.most > ANONYMOUS:
            return
        if not await asyncio.get_running_loop().run_in_executor(self.threads, self.is_known, self.environ):
            raise TooLarge({"body": f"At most {ANONYMOUS:,} bytes without a valid token or login."})
        uploads = self.environ.get("CONTENT_TYPE", "").lower().startswith("multipart/")
        self.most = FILES_AT_ONCE * settings.ASSET_MAX_BYTES if uploads else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
