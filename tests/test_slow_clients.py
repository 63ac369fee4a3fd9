"""Clients that are slow to send or to read: they take no thread, and are told so in the end."""

import asyncio
import gc
import http.client
import json
import os
import socket
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pytest_django import Settings

from benchmarks.slow_clients import STATIC, Slow, attacks, get, post
from memoryhub.errors import TooSlow
from memoryhub.middleware import BODY_REFUSAL
from memoryhub.request_bodies import ANONYMOUS, AsgiMessage, Environ, RequestBody
from teams.known_callers import is_known
from tests.hub import Hub, hub

SOCKETS = 40  # more than the server has threads
FORM, DATA = "Content-Type: application/x-www-form-urlencoded", "Content-Type: application/json"
PATIENCE = 20  # seconds that a client waits for an answer


@pytest.fixture(scope="module")
def made() -> Iterator[tuple[Hub, str]]:
    """A hub that waits for bodies for two seconds, and a token."""
    with pytest.MonkeyPatch.context() as patch, hub() as found:
        patch.setenv("BODY_TIMEOUT", "2")
        patch.setenv("DATABASE_POOL_SIZE", "8")
        found.start()
        found.manage("create_team", "--org", "acme", "--team", "ops")
        yield found, found.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "bot").strip()


def connect(found: Hub) -> socket.socket:
    return socket.create_connection(("127.0.0.1", found.port), timeout=PATIENCE)


def read_all(sock: socket.socket) -> tuple[int, bytes]:
    """Return the status and the body, once the server has closed the connection."""
    response = http.client.HTTPResponse(sock)
    response.begin()
    body = response.read()
    assert sock.recv(1) == b""
    return response.status, body


def test_others_are_answered_while_more_clients_than_threads_are_slow(made: tuple[Hub, str]) -> None:
    found, token = made
    bearer = f"Bearer {token}"
    memory = found.request("POST", "/api/v1/memories", {"content": "berth"}, Authorization=bearer)[1]["id"]
    kinds = attacks(token=token, memory=memory, static=STATIC)
    with Slow(found.port, kinds, SOCKETS) as slow:
        for number in range(20):
            assert found.request("GET", "/healthz")[0] == 200
            assert found.request("GET", "/readyz")[0] == 200
            saved = found.request("POST", "/api/v1/memories", {"content": f"fact {number}"}, Authorization=bearer)
            assert saved[0] == 201
            time.sleep(0.1)
        found.wait_until(lambda: slow.answers["form: 408"], seconds=PATIENCE)


@pytest.mark.parametrize("length", [5_000, 0])
@pytest.mark.parametrize(("path", "line"), [("/api/v1/memories", DATA), ("/mcp", DATA), ("/login/", FORM)])
def test_a_body_that_comes_too_slowly_is_refused(made: tuple[Hub, str], path: str, line: str, length: int) -> None:
    found, token = made
    with connect(found) as sock:
        sock.sendall(post(path, line, f"Authorization: Bearer {token}", length=length))
        status, body = read_all(sock)
    assert status == 408
    sentence = "The request's body arrived too slowly."
    if path == "/login/":
        assert body.decode() == sentence
    else:
        problem = json.loads(body)
        assert (problem["code"], problem["detail"], problem["status"]) == ("too_slow", sentence, 408)


class SilentConnection:
    async def receive(self) -> AsgiMessage:
        return await asyncio.get_running_loop().create_future()


def test_a_refused_body_lets_go_of_its_connection(settings: Settings) -> None:
    """The server closes a connection once nothing can read from it. The error must not keep it until the garbage
    collector comes by, which may be never on a server that has nothing to do."""
    settings.BODY_TIMEOUT = 0
    environ = Environ(CONTENT_LENGTH="5")

    async def read_slow_body() -> weakref.ref[SilentConnection]:
        connection = SilentConnection()
        body = RequestBody(environ, connection.receive, ThreadPoolExecutor(1), is_known=is_known)
        await body.read()
        body.close()
        return weakref.ref(connection)

    gc.disable()
    try:
        assert asyncio.run(read_slow_body())() is None
        assert isinstance(environ[BODY_REFUSAL], TooSlow)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "lines", [[], ["Authorization: Bearer mh_wrong"], ["Cookie: sessionid=0123456789abcdefghijklmnopqrstuv"]]
)
@pytest.mark.parametrize(("path", "line"), [("/api/v1/memories", DATA), ("/login/", FORM), ("/join/any/", FORM)])
def test_strangers_may_send_little(made: tuple[Hub, str], path: str, line: str, lines: list[str]) -> None:
    """They are refused by the length they announce, before any of it is read."""
    found, _ = made
    with connect(found) as sock:
        sock.sendall(post(path, line, *lines, length=ANONYMOUS + 1))
        status, body = read_all(sock)
    assert (status, b"without a valid token" in body) == (413, True)


def test_strangers_may_not_send_more_in_chunks_either(made: tuple[Hub, str]) -> None:
    found, _ = made
    with connect(found) as sock:
        piece = b"%x\r\n%s\r\n" % (ANONYMOUS, b"a" * ANONYMOUS)
        sock.sendall(post("/login/", FORM, length=0) + piece + piece)
        assert read_all(sock)[0] == 413


def test_whoever_has_a_token_may_send_more_in_chunks_or_not(made: tuple[Hub, str]) -> None:
    found, token = made
    content = json.dumps({"memories": [{"content": f"{number} " + "long " * 8_000} for number in range(5)]}).encode()
    assert len(content) > 2 * ANONYMOUS
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for body in (content, iter([content[:ANONYMOUS], content[ANONYMOUS:]])):
        connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=PATIENCE)
        connection.request("POST", "/api/v1/memories/batch", body, headers)
        response = connection.getresponse()
        assert (response.status, len(json.loads(response.read())["memories"])) == (200, 5)
        connection.close()


@pytest.mark.parametrize(("path", "line"), [("/api/v1/memories", DATA), ("/mcp", DATA)])
def test_what_is_too_long_for_anybody_is_refused_by_the_application(
    made: tuple[Hub, str], path: str, line: str
) -> None:
    found, token = made
    body = b" " * (2 * 1024 * 1024 + 1)
    with connect(found) as sock:
        sock.sendall(post(path, line, f"Authorization: Bearer {token}", length=len(body)) + body)
        response = http.client.HTTPResponse(sock)
        response.begin()
        assert (response.status, b"At most 2,097,152 bytes." in response.read()) == (413, True)


def test_a_large_attachment_that_comes_steadily_is_kept_and_given_back(made: tuple[Hub, str]) -> None:
    """It takes longer than the time for a body, but comes faster than the slowest rate."""
    found, token = made
    headers = {"Authorization": f"Bearer {token}"}
    memory = found.request("POST", "/api/v1/memories", {"content": "with a file"}, **headers)[1]["id"]
    file = os.urandom(3_000_000)
    before = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    body = before + file + b"\r\n--edge--\r\n"
    path, line = f"/api/v1/memories/{memory}/assets", "Content-Type: multipart/form-data; boundary=edge"
    with connect(found) as sock:
        sock.sendall(post(path, line, f"Authorization: Bearer {token}", length=len(body)))
        for start in range(0, len(body), len(body) // 10 + 1):
            sock.sendall(body[start : start + len(body) // 10 + 1])
            time.sleep(0.3)
        response = http.client.HTTPResponse(sock)
        response.begin()
        asset: dict[str, Any] = json.loads(response.read())
    assert (response.status, asset["size"]) == (201, len(file))
    assert found.content(f"{path}/{asset['id']}", **headers) == file


def test_parts_of_files_are_given(made: tuple[Hub, str]) -> None:
    found, _ = made
    whole = found.content(STATIC)
    assert len(whole) > 1_000_000
    assert found.content(STATIC, Range="bytes=1000-999999") == whole[1000:1_000_000]


def test_an_archive_is_sent_while_it_is_made(made: tuple[Hub, str]) -> None:
    found, token = made
    assert found.content("/api/v1/export", Authorization=f"Bearer {token}").startswith(b"PK")


def test_headers_that_pass_for_a_proxys_are_left_out(made: tuple[Hub, str]) -> None:
    """`X_Request_Id` reaches an application by the name of `X-Request-Id`, past a proxy that sets the latter."""
    found, _ = made
    with connect(found) as sock:
        sock.sendall(get("/healthz", "X_Request_Id: forged", "Connection: close"))
        response = http.client.HTTPResponse(sock)
        response.begin()
        assert response.headers["X-Request-Id"] not in (None, "forged")
