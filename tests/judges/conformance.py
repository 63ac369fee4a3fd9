"""MCP's public conformance suite against the door, revision by revision: `make conformance`.

`expected.yml` lists the checks that may fail, each with the reason. Any other failure ends this with an error, and so
does a check that is listed there but passes.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.judges import node, proxy

CONFORMANCE_PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"  # the first ones that know 2026-07-28
CONFORMANCE_REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")  # that it has scenarios for
EXPECTED = Path(__file__).with_name("expected.yml")


def main() -> None:
    command = node.command(CONFORMANCE_PACKAGE, "conformance")
    wrong = []
    with node.start_judged_hub() as (hub, token), proxy.with_token(hub.port, token) as address:
        for revision in CONFORMANCE_REVISIONS:
            with TemporaryDirectory() as folder:
                if not run_conformance([*command, "server", "--url", f"{address}/mcp"], revision, folder):
                    wrong.append(revision)
                print(revision, tally(Path(folder)), flush=True)
    sys.exit(f"Not as expected: {', '.join(wrong)}." if wrong else 0)


def run_conformance(command: list[str], revision: str, folder: str) -> bool:
    which = ["--suite", "all", "--spec-version", revision, "--expected-failures", str(EXPECTED)]
    done = subprocess.run([*command, *which, "-o", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[done.stdout.find("=== SUMMARY") :], done.stderr)
    return done.returncode == 0


def tally(folder: Path) -> str:
    """Return a summary of how many checks had each result."""
    checks = [check for file in folder.glob("*/checks.json") for check in json.loads(file.read_text())]
    count = Counter(check["status"] for check in checks)
    return ", ".join(f"{count[status]} {status.lower()}" for status in ("SUCCESS", "FAILURE", "WARNING", "SKIPPED"))


if __name__ == "__main__":
    main()
