"""The browser that pages are tested in: found, or installed where that may be done.

`python -m tests.browser.chromium` installs Debian's if none is there, and says what is missing if it cannot.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def path() -> str | None:
    chosen = os.environ.get("CHROMIUM")
    return chosen or next(filter(None, map(shutil.which, NAMES)), None)


def arguments() -> list[str]:
    """As root, Chromium cannot lock itself in."""
    return [*QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def install() -> str:
    """Why it could not be installed; nothing if it was."""
    if not shutil.which("apt-get"):
        return "There is no apt-get here."
    if os.geteuid() != 0:
        return "Only root may install it: apt-get install chromium"
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}"
    return ""


if __name__ == "__main__":
    if not path():
        print("Installing Chromium …", flush=True)  # noqa: T201
        trouble = install()
        if trouble or not path():
            sys.exit(f"The pages cannot be tested without Chromium. {trouble} CHROMIUM names one that is elsewhere.")
