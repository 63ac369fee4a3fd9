"""Requests to other servers, with a deadline and a size limit, and without following redirects."""

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
class OutboundAnswer:
    status: int
    body: bytes


class OutboundError(Exception):
    """Says what went wrong, as a phrase that continues after the server's name."""


def post(*, url: str, body: bytes, headers: Mapping[str, str], seconds: float, most_bytes: int) -> OutboundAnswer:
    """Post the body and return the answer, whatever its status.

    A separate thread does this, since a socket's timeout is no deadline: it restarts with every byte, and name lookups
    have none. A late thread is left to end by itself.
    """
    request = Request(url, data=body, headers=dict(headers), method="POST")  # noqa: S310 (the opener handles only http)
    future: Future[OutboundAnswer] = Future()
    Thread(target=_ask_in_thread, args=(future, request, seconds, most_bytes), daemon=True).start()
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        raise OutboundError(f"did not answer within {seconds:g} seconds") from None
    except URLError as error:
        raise OutboundError(f"cannot be reached: {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:  # without its own text, which may quote our headers
        raise OutboundError(f"did not answer properly ({type(error).__name__})") from None


def _ask_in_thread(future: "Future[OutboundAnswer]", request: Request, seconds: float, most_bytes: int) -> None:
    try:
        future.set_result(_read_answer(request, seconds=seconds, most_bytes=most_bytes))
    except Exception as error:
        future.set_exception(error)


def _read_answer(request: Request, *, seconds: float, most_bytes: int) -> OutboundAnswer:
    deadline = time.monotonic() + seconds
    body = bytearray()
    with _opener().open(request, timeout=seconds) as response:
        while chunk := response.read1(CHUNK):
            body += chunk
            if len(body) > most_bytes:
                raise OutboundError(f"sent more than {most_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
        return OutboundAnswer(response.status, bytes(body))


@cache
def _opener() -> OpenerDirector:
    """Return an opener that uses the environment's proxies and follows no redirects, which could leak a key."""
    opener = OpenerDirector()
    opener.addheaders = [("User-Agent", "memoryhub")]
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(context=ssl.create_default_context())):
        opener.add_handler(handler)
    return opener
