"""The hub as `manage.py serve` runs it, for benchmarks that ask over HTTP."""

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from benchmarks.harness import PROJECT_FOLDER

STOP_WITHIN = 60  # seconds for the server


@contextmanager
def start_server() -> Iterator[int]:
    """On the database of DATABASE_URL. Yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=PROJECT_FOLDER, stdout=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/readyz", process)
        yield port
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=STOP_WITHIN)


def wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while process.poll() is None:
        with suppress(OSError), direct.open(address, timeout=5):
            return
        time.sleep(0.1)
    raise SystemExit("The server did not start.")
