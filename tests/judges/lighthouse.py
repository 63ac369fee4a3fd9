"""Lighthouse on every page of a hub with the demo's data, as its owner sees it: `make lighthouse`.

What a page lost is told; one that has less than `ENOUGH` of 100 in either category ends this with an error.
"""

import json
import os
import subprocess
import sys
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser import chromium
from tests.browser.pages import OUTSIDE, PAGES, find_address_values
from tests.browser.screenshots import people, shown_hub
from tests.judges import node

LIGHTHOUSE_PACKAGE = "lighthouse@12.8.2"
CATEGORIES = ("accessibility", "best-practices")
ENOUGH = 95
# Speed is not asked for here, and a page may be one that says that there is none.
OPTIONS = ["--output=json", "--quiet", "--throttling-method=provided", "--ignore-status-code"]


def main(wanted: list[str]) -> None:
    """Every page, or those that are named."""
    command = node.command(LIGHTHOUSE_PACKAGE, "lighthouse")
    wrong = []
    with shown_hub() as (hub, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.path(), args=chromium.arguments())
        with people(browser, hub, "light", password) as visiting:
            names, session = find_address_values(visiting["owner"]), cookie(visiting["owner"])
            for name, path in (PAGES | OUTSIDE).items():
                if not wanted or name in wanted:
                    address = f"http://127.0.0.1:{hub.port}{path.format(**names)}"
                    report = run_lighthouse(command, address, headers={} if name in OUTSIDE else {"Cookie": session})
                    scores = [round(100 * report["categories"][category]["score"]) for category in CATEGORIES]
                    print(name, *scores, *lost(report), flush=True)
                    wrong += [name] if min(scores) < ENOUGH else []
    sys.exit(f"Less than {ENOUGH}: {', '.join(wrong)}." if wrong else 0)


def cookie(page: Page) -> str:
    (session,) = [found["value"] for found in page.context.cookies() if found["name"] == "sessionid"]
    return f"sessionid={session}"


def run_lighthouse(command: list[str], address: str, *, headers: dict[str, str]) -> Any:
    flags = " ".join(["--headless", "--no-first-run", *chromium.arguments()])
    said = [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={flags}"]
    said += [f"--extra-headers={json.dumps(headers)}"]
    environment = os.environ | {"CHROME_PATH": chromium.path() or "", "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        [*command, address, *OPTIONS, *said], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{address}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def lost(report: Any) -> list[str]:
    """The names of what counts and is not as it should be."""
    counted = [part for category in CATEGORIES for part in report["categories"][category]["auditRefs"]]
    names = [part["id"] for part in counted if part["weight"]]
    return [name for name in names if report["audits"][name]["score"] not in (None, 1)]


if __name__ == "__main__":
    main(sys.argv[1:])
