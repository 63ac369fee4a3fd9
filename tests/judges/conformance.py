"""MCP's public conformance suite against the door, revision by revision: `make conformance`.

What the suite may find wanting stands in `expected.yml`, with the reason; anything else ends this with an error, and so
does what stands there and is not wanting any more.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.judges import node, proxy

PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"  # the first ones that know 2026-07-28
REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")  # that it has scenarios for
EXPECTED = Path(__file__).with_name("expected.yml")


def main() -> None:
    command = node.command(PACKAGE, "conformance")
    wrong = []
    with node.judged() as (hub, token), proxy.with_token(hub.port, token) as address:
        for revision in REVISIONS:
            with TemporaryDirectory() as folder:
                if not judge([*command, "server", "--url", f"{address}/mcp"], revision, folder):
                    wrong.append(revision)
                print(revision, tally(Path(folder)), flush=True)
    sys.exit(f"Not as expected: {', '.join(wrong)}." if wrong else 0)


def judge(command: list[str], revision: str, folder: str) -> bool:
    which = ["--suite", "all", "--spec-version", revision, "--expected-failures", str(EXPECTED)]
    done = subprocess.run([*command, *which, "-o", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[done.stdout.find("=== SUMMARY") :], done.stderr)
    return done.returncode == 0


def tally(folder: Path) -> str:
    """How many checks came out in which way."""
    checks = [check for file in folder.glob("*/checks.json") for check in json.loads(file.read_text())]
    count = Counter(check["status"] for check in checks)
    return ", ".join(f"{count[status]} {status.lower()}" for status in ("SUCCESS", "FAILURE", "WARNING", "SKIPPED"))


if __name__ == "__main__":
    main()
