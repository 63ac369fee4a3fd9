"""Schemathesis asks a hub with the demo data whatever its OpenAPI document allows, and more, with all of its checks:
`make schemathesis`. ARGS go to Schemathesis, such as `ARGS="--max-examples 50 --seed 7"`."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.hub import PROJECT_ROOT, hub

EXAMPLES = 20  # for each operation and phase: a few thousand requests


def main() -> None:
    os.environ |= {"REQUESTS_PER_MINUTE": "0", "NO_PROXY": "127.0.0.1"}
    with hub(new=True) as made:
        made.start("--no-worker", "--demo")
        (token,) = set(re.findall(r"mh_\w+", (made.folder / "serve.log").read_text()))
        judge, address = Path(sys.executable).with_name("schemathesis"), f"http://127.0.0.1:{made.port}/api/schema/"
        options = ["--checks", "all", "--max-examples", str(EXAMPLES), *sys.argv[1:]]
        environment = os.environ | {"MEMORYHUB_TOKEN": token}
        done = subprocess.run([judge, "run", address, *options], cwd=PROJECT_ROOT, env=environment, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
