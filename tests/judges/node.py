"""Node's part: commands of npm packages, of a stated version each, kept in npm's own cache."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.hub import Hub, hub

OLDEST = 22


def command(package: str, name: str) -> list[str]:
    """Return the command line of a package's command, fetched if need be, or exit with a sentence that says why not."""
    if not shutil.which("npm") or not shutil.which("node"):
        sys.exit(f"This needs npm and Node {OLDEST} or newer, and there is none on the PATH.")
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(told.removeprefix("v").split(".")[0]) < OLDEST:
        sys.exit(
            f"This needs Node {OLDEST} or newer; on the PATH is {told}. One way: npm install --prefix FOLDER "
            f"node@{OLDEST}, and put FOLDER/node_modules/node/bin first on the PATH."
        )
    fetch = ["npm", "exec", "--yes", f"--package={package}", "-c", f"command -v {name}"]
    fetched = subprocess.run(fetch, capture_output=True, text=True, check=False)
    if fetched.returncode:
        sys.exit(f"npm cannot fetch {package}:\n{fetched.stderr}")
    return [fetched.stdout.strip()]


@contextmanager
def start_judged_hub() -> Iterator[tuple[Hub, str]]:
    """Yield a new hub, and the token of an agent that is alone in its team, *judges*."""
    with hub() as made:
        made.start()
        made.manage("create_team", "--org", "judged", "--team", "judges")
        said = made.manage("create_token", "--org", "judged", "--team", "judges", "--agent", "judge")
        (token,) = re.findall(r"mh_\S+", said)
        yield made, token
