"""Slow clients against a running hub: does it go on answering the others?

    python -m benchmarks.slow_clients [--sockets 60] [--seconds 60]

The sockets send one byte a second: of forms, of JSON with a valid token and without, of MCP messages, of uploads, with
a length said before and in chunks, and of headers; or they ask for large files and read one byte a second. Whoever is
refused comes back at once. Meanwhile others ask for pages, save and recall, and one attaches 25 MB at 3 MB a second.
Prints for each address how long the others waited, and how many of their requests failed.
"""

import argparse
import asyncio
import http.client
import json
import os
import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.harness import database, say
from benchmarks.live_server import start_server

ANSWER_PATIENCE = 10.0  # seconds that an honest client waits
PAUSE = 0.1  # seconds between two requests of one honest client
SMALL = 4096  # bytes that the kernel keeps for those who read slowly
UPLOAD, RATE = 25_000_000, 3_000_000  # bytes, and bytes a second
EDGE = "slow-clients"
STATIC = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"


@dataclass(frozen=True, slots=True)
class SlowAttack:
    """The bytes that a socket sends at once, and those that it sends every second; without the latter, it reads."""

    name: str
    head: bytes
    drop: bytes = b""


def post(path: str, *lines: str, length: int = 60_000) -> bytes:
    """Return the head of a request, with its length or, without one, in chunks."""
    size = f"Content-Length: {length}" if length else "Transfer-Encoding: chunked"
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: 127.0.0.1", size, *lines, "", ""]).encode()


def get(path: str, *lines: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def attacks(*, token: str, memory: str = "", asset: str = "", static: str = "") -> list[SlowAttack]:
    """Return every kind of slow client; those that need a memory, an attachment or a static file only with one."""
    form, data = "Content-Type: application/x-www-form-urlencoded", "Content-Type: application/json"
    bearer, multipart = f"Authorization: Bearer {token}", f"Content-Type: multipart/form-data; boundary={EDGE}"
    part = f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'.encode()
    found = [
        SlowAttack("form", post("/login/", form), b"a"),
        SlowAttack("form in chunks", post("/login/", form, length=0), b"1\r\na\r\n"),
        SlowAttack("API without a token", post("/api/v1/memories", data), b" "),
        SlowAttack("API", post("/api/v1/memories", data, bearer), b" "),
        SlowAttack("API in chunks", post("/api/v1/memories", data, bearer, length=0), b"1\r\n \r\n"),
        SlowAttack("large API", post("/api/v1/memories", data, bearer, length=1_500_000), b" "),
        SlowAttack("MCP", post("/mcp", data, bearer), b" "),
        SlowAttack("headers", b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b"a"),
        SlowAttack("nothing", b"", b"P"),
    ]
    if memory:
        upload = post(f"/api/v1/memories/{memory}/assets", multipart, bearer, length=20_000_000)
        found.append(SlowAttack("upload", upload + part, b"a"))
    if asset:
        found.append(SlowAttack("reading a download", get(f"/api/v1/memories/{memory}/assets/{asset}", bearer)))
    if static:
        found.append(SlowAttack("reading a static file", get(static)))
    return found


@dataclass
class Slow:
    """A number of sockets in a thread of their own, each with one kind of attack over and over."""

    port: int
    kinds: list[SlowAttack]
    sockets: int
    answers: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> "Slow":
        self.loop, self.stopped = asyncio.new_event_loop(), asyncio.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=[self._attack()])
        self.thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.loop.call_soon_threadsafe(self.stopped.set)
        self.thread.join()
        self.loop.close()

    async def _attack(self) -> None:
        kinds = [self.kinds[number % len(self.kinds)] for number in range(self.sockets)]
        tasks = [asyncio.create_task(self._repeat(kind)) for kind in kinds]
        await self.stopped.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _repeat(self, kind: SlowAttack) -> None:
        while True:
            try:
                answer = await self._send_slowly(kind)
            except OSError:
                answer = "closed"
            self.answers[f"{kind.name}: {answer}"] += 1
            await asyncio.sleep(0.1)

    async def _send_slowly(self, kind: SlowAttack) -> str:
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
            sock.setblocking(False)
            await self.loop.sock_connect(sock, ("127.0.0.1", self.port))
            await self.loop.sock_sendall(sock, kind.head)
            return await (self._trickle(kind, sock) if kind.drop else self._read_slowly(sock))

    async def _trickle(self, kind: SlowAttack, sock: socket.socket) -> str:
        answer = asyncio.create_task(self.loop.sock_recv(sock, SMALL))
        try:
            while not answer.done():
                await self.loop.sock_sendall(sock, kind.drop)
                await asyncio.wait([answer], timeout=1)
            return answer.result()[9:12].decode() or "closed"
        finally:
            answer.cancel()

    async def _read_slowly(self, sock: socket.socket) -> str:
        while await self.loop.sock_recv(sock, 1):
            await asyncio.sleep(1)
        return "closed"


SendRequest = Callable[[http.client.HTTPConnection], None]


@dataclass
class Honest:
    """Clients that ask and wait, each in a thread, and what they met with."""

    port: int
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[str] = field(default_factory=Counter)
    last: dict[str, str] = field(default_factory=dict)

    def ask(self, name: str, send: SendRequest) -> None:
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_PATIENCE)
        try:
            send(connection)
            response = connection.getresponse()
            response.read()
            if response.status >= 400:
                raise OSError(f"{response.status} {response.reason}")
        except (OSError, http.client.HTTPException) as error:
            self.failed[name] += 1
            self.last[name] = repr(error)
        finally:
            connection.close()
        self.took[name].append(time.monotonic() - start)

    def keep_asking(self, name: str, send: SendRequest, until: float) -> None:
        while time.monotonic() < until:
            self.ask(name, send)
            time.sleep(PAUSE)

    def lines(self) -> Iterator[str]:
        for name, took in self.took.items():
            p50, p99, most = (sorted(took)[int(part * (len(took) - 1))] for part in (0.5, 0.99, 1))
            failed = self.failed[name]
            yield (
                f"{name:<22} {len(took):>5} requests  p50 {p50:6.3f} s  p99 {p99:6.3f} s  longest {most:6.3f} s"
                f"  failed {failed / len(took):.1%} {self.last.get(name, '')}"
            )


def asks(token: str) -> dict[str, SendRequest]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    memory, question = json.dumps({"content": "The berth is closed."}), json.dumps({"query": "berth"})
    return {
        "GET /healthz": lambda connection: connection.request("GET", "/healthz"),
        "GET /readyz": lambda connection: connection.request("GET", "/readyz"),
        "GET /login/": lambda connection: connection.request("GET", "/login/"),
        "POST /memories": lambda connection: connection.request("POST", "/api/v1/memories", memory, headers),
        "POST /recall": lambda connection: connection.request("POST", "/api/v1/recall", question, headers),
    }


def upload(memory: str, token: str) -> SendRequest:
    """Return what attaches a file at a steady rate that an honest line may have."""
    before = f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'.encode()
    body = before + os.urandom(UPLOAD) + f"\r\n--{EDGE}--\r\n".encode()
    piece = RATE // 10

    def send(connection: http.client.HTTPConnection) -> None:
        connection.putrequest("POST", f"/api/v1/memories/{memory}/assets")
        connection.putheader("Authorization", f"Bearer {token}")
        connection.putheader("Content-Type", f"multipart/form-data; boundary={EDGE}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        for start in range(0, len(body), piece):
            connection.send(body[start : start + piece])
            time.sleep(piece / RATE)

    return send


def measure_slow_clients(
    *, port: int, token: str, memory: str, kinds: list[SlowAttack], sockets: int, seconds: float
) -> Iterator[str]:
    honest, until = Honest(port), time.monotonic() + seconds
    with Slow(port, kinds, sockets) as slow:
        time.sleep(2)  # until the sockets are all there
        clients = [
            threading.Thread(target=honest.keep_asking, args=(name, send, until)) for name, send in asks(token).items()
        ]
        clients.append(threading.Thread(target=honest.ask, args=("upload of 25 MB", upload(memory, token))))
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    yield from honest.lines()
    yield f"The slow ones: {dict(sorted(slow.answers.items()))}"


def prepare_slow_clients() -> tuple[str, str, str]:
    """Return a token, a memory and an attachment of it."""
    from django.core.files.base import ContentFile

    from benchmarks.hub import disconnect
    from memories import operations
    from teams import auth
    from teams import operations as registry

    team = registry.ensure_team(organization=registry.ensure_organization(slug="bench"), slug="bench")
    token = registry.issue_token(agent=registry.ensure_agent(team=team, slug="bench")).text
    actor = auth.authenticate_agent(token=token)
    memory = operations.save_memory(actor=actor, draft=operations.Draft(content="The berth is open."))
    file = ContentFile(os.urandom(20_000_000))
    asset = operations.attach_file(actor=actor, memory_id=memory.pk, file=file, name="large.bin")
    disconnect()
    return token, str(memory.pk), str(asset.pk)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    with database():
        token, memory, asset = prepare_slow_clients()
        with start_server() as port:
            kinds = attacks(token=token, memory=memory, asset=asset, static=STATIC)
            said = {"port": port, "token": token, "memory": memory, "kinds": kinds}
            for line in measure_slow_clients(**said, sockets=arguments.sockets, seconds=arguments.seconds):
                say(line)


if __name__ == "__main__":
    main()
