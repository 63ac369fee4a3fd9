"""Questions to other servers: answered within a time and a size, and by nobody else to whom they would send us."""

import ssl
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from threading import Thread
from urllib.error import URLError
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes


class Unanswered(Exception):
    """What a server did instead of answering, in words that go on after its name."""


def post(*, url: str, body: bytes, headers: Mapping[str, str], seconds: float, most_bytes: int) -> Answer:
    """The answer, whatever its status.

    A thread of its own asks, since a socket's time-out is no deadline: it begins anew with every byte, and the look-up
    of a name has none. A thread that is late is left to end by itself.
    """
    request = Request(url, data=body, headers=dict(headers), method="POST")  # noqa: S310 (the opener knows but http)
    coming: Future[Answer] = Future()
    Thread(target=_ask, args=(coming, request, seconds, most_bytes), daemon=True).start()
    try:
        return coming.result(timeout=seconds)
    except TimeoutError:
        raise Unanswered(f"did not answer within {seconds:g} seconds") from None
    except URLError as error:
        raise Unanswered(f"cannot be reached: {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:  # not in its own words, which may quote our headers
        raise Unanswered(f"did not answer properly ({type(error).__name__})") from None


def _ask(coming: "Future[Answer]", request: Request, seconds: float, most_bytes: int) -> None:
    try:
        coming.set_result(_answer(request, seconds=seconds, most_bytes=most_bytes))
    except Exception as error:
        coming.set_exception(error)


def _answer(request: Request, *, seconds: float, most_bytes: int) -> Answer:
    deadline = time.monotonic() + seconds
    body = bytearray()
    with _opener().open(request, timeout=seconds) as response:
        while chunk := response.read1(CHUNK):
            body += chunk
            if len(body) > most_bytes:
                raise Unanswered(f"sent more than {most_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
        return Answer(response.status, bytes(body))


@cache
def _opener() -> OpenerDirector:
    """Goes through the proxies of the environment; follows no redirect, which could carry a key to strangers."""
    opener = OpenerDirector()
    opener.addheaders = [("User-Agent", "memoryhub")]
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(context=ssl.create_default_context())):
        opener.add_handler(handler)
    return opener
