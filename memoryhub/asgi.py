"""The application as `serve` runs it: an event loop waits for clients, and threads only do the work.

If threads read bodies and wrote responses, as many slow clients as there are threads would stop the server. Here a
request reaches a thread once its body has arrived, and the thread is free again before the client has read the
response.
"""

import asyncio
import logging
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from memoryhub.wsgi import application as wsgi  # first: it sets Django up

from django.conf import settings  # isort: skip

from memoryhub import error_pages
from memoryhub.request_bodies import AsgiMessage, ClientGone, Environ, Receive, RequestBody
from teams.known_callers import is_known

ANSWER_PIECE = 256 * 1024  # bytes that are sent at once, and the largest file that a thread reads into memory
STALLED_SECONDS = 60.0  # a client that takes nothing for so long is given up
Send = Callable[[AsgiMessage], Awaitable[None]]
AsgiScope = Mapping[str, Any]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ThreadAnswer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
    file: IO[bytes] | None = None  # its rest is sent after the body

    @property
    def start(self) -> AsgiMessage:
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self.headers]
        return {"type": "http.response.start", "status": self.status, "headers": headers}


class FileWrapper:
    """Implements `wsgi.file_wrapper`, which marks responses that are files, unlike those generated piece by piece."""

    def __init__(self, file: IO[bytes], block_size: int = ANSWER_PIECE) -> None:
        self.file = file

    def __iter__(self) -> Iterator[bytes]:
        return iter(partial(self.file.read, ANSWER_PIECE), b"")

    def close(self) -> None:
        self.file.close()


class Application:
    """Runs the WSGI application in threads, as an ASGI application."""

    def __init__(self, *, threads: int) -> None:
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        # A streamed response keeps its thread until the client has all of it: only half of the threads may stream.
        self.streams = threading.BoundedSemaphore(max(1, threads // 2))

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        environ, loop = make_environ(scope), asyncio.get_running_loop()
        body = RequestBody(environ, receive, self.threads, is_known=is_known)
        try:
            await body.read()
            work = partial(self.answer, environ, Outlet(loop, receive, send))
            answer = await loop.run_in_executor(self.threads, work)
            if answer:
                if not body.complete:
                    answer.headers.append(("Connection", "close"))
                await send_answer(answer, send)
        except ClientGone:
            return
        finally:
            body.close()

    def answer(self, environ: Environ, outlet: "Outlet") -> ThreadAnswer | None:
        """Return the answer, or None if it was sent from this thread, piece by piece."""
        started: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], *raised: Any) -> Callable[[bytes], object]:
            started[:] = int(status.split(" ", 1)[0]), headers
            return started.append  # Django never writes to it

        result: Any = wsgi(environ, start)
        try:
            status, headers = started
            if isinstance(result, FileWrapper):
                return ThreadAnswer(status, headers, *take_file(result.file))
            if not getattr(result, "streaming", False):
                return ThreadAnswer(status, headers, b"".join(result))
            return self.stream(ThreadAnswer(status, headers), result, outlet)
        finally:
            result.close()

    def stream(self, answer: ThreadAnswer, pieces: Iterable[bytes], outlet: "Outlet") -> ThreadAnswer | None:
        if not self.streams.acquire(blocking=False):
            return too_many_downloads()
        try:
            outlet.send_pieces(answer, pieces)
            return None
        except ClientGone:
            raise
        except Exception:
            log.exception("A download broke off.")
            raise ClientGone from None
        finally:
            self.streams.release()


def too_many_downloads() -> ThreadAnswer:
    sentence = "Too many downloads are under way. Try again in a minute."
    refusal = error_pages.problem_response(503, "too_many_downloads", sentence)
    return ThreadAnswer(refusal.status_code, [*refusal.items(), ("Retry-After", "60")], refusal.content)


def take_file(file: IO[bytes]) -> tuple[bytes, IO[bytes] | None]:
    """Return a short file's bytes, or the first piece of a long one and the file to read the rest from once the
    response is closed. A file without a descriptor, such as part of a file or one in remote storage, is copied."""
    head = file.read(ANSWER_PIECE)
    if len(head) < ANSWER_PIECE:
        return head, None
    try:
        rest: IO[bytes] = os.fdopen(os.dup(file.fileno()), "rb")
        rest.seek(file.tell())
    except OSError:  # which UnsupportedOperation is as well
        rest = tempfile.TemporaryFile()  # noqa: SIM115 (closed by whoever sends it)
        shutil.copyfileobj(file, rest)
        rest.seek(0)
    return head, rest


async def send_answer(answer: ThreadAnswer, send: Send) -> None:
    await send(answer.start)
    if answer.file is None:
        return await send({"type": "http.response.body", "body": answer.body})
    with answer.file:
        piece = answer.body
        while piece:
            await send_piece(piece, send)
            piece = await asyncio.to_thread(answer.file.read, ANSWER_PIECE)
    return await send({"type": "http.response.body", "body": b""})


async def send_piece(piece: bytes, send: Send) -> None:
    try:
        async with asyncio.timeout(STALLED_SECONDS):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    except TimeoutError:
        raise ClientGone from None


@dataclass
class Outlet:
    """Sends a streamed answer from a thread through the event loop."""

    loop: asyncio.AbstractEventLoop
    receive: Receive
    send: Send
    gone: bool = False

    def send_pieces(self, answer: ThreadAnswer, pieces: Iterable[bytes]) -> None:
        """Send each piece as soon as the client has room for it; give up with the client."""
        watching = asyncio.run_coroutine_threadsafe(self._watch(), self.loop)
        try:
            self._wait(self.send(answer.start))
            for piece in pieces:
                if self.gone:
                    raise ClientGone
                if piece:
                    self._wait(send_piece(piece, self.send))
            self._wait(self.send({"type": "http.response.body", "body": b""}))
        finally:
            watching.cancel()

    def _wait(self, sending: Awaitable[None]) -> None:
        async def wait() -> None:
            await sending

        asyncio.run_coroutine_threadsafe(wait(), self.loop).result()

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone = True


def make_environ(scope: AsgiScope) -> Environ:
    """Return the request as a WSGI environ. Headers with an underscore in their names are dropped: they could pass for
    those that a proxy sets."""
    server, client = scope.get("server") or ("", ""), scope.get("client") or ("", "")
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,
    }
    for name, value in scope["headers"]:
        if b"_" not in name:
            add_header(environ, name.decode("latin-1").upper().replace("-", "_"), value.decode("latin-1"))
    return environ


def add_header(environ: Environ, name: str, value: str) -> None:
    key = name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
    between = "; " if name == "COOKIE" else ","
    environ[key] = f"{environ[key]}{between}{value}" if key in environ else value


application = Application(threads=settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"] - 1)
