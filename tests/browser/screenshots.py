"""Pictures of every page and state in light, dark and phone width.

`python -m tests.browser.screenshots [FOLDER [NAME …]]`
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import chromium
from tests.browser.pages import walk
from tests.hub import Hub, hub

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", NARROW)}


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.path(), args=chromium.arguments())
        for look in LOOKS:  # each from the beginning: what is done to take pictures is in none that is not about it
            with shown_hub() as (served, password), people(browser, served, look, password) as visiting:
                for name, page, _ in walk(visiting):
                    if not names or name in names:
                        take(page, folder / f"{name}-{look}.png")


@contextmanager
def shown_hub() -> Iterator[tuple[Hub, str]]:
    with hub() as served, served.cluster.running():
        served.manage("migrate")
        told = served.manage("seed_demo")
        served.start()
        yield served, re.search(r"password (\w+)", told)[1]  # type: ignore[index]


@contextmanager
def people(browser: Browser, served: Hub, look: str, password: str) -> Iterator[dict[str, Page]]:
    """The owner, somebody who is not logged in, and one who has no account yet."""
    contexts = [_looking(browser, served, look) for _ in range(3)]
    owner, visitor, viewer = [context.new_page() for context in contexts]
    for page in (owner, visitor, viewer):
        page.on("dialog", lambda dialog: dialog.accept())
    log_in(owner, password)
    yield {"owner": owner, "visitor": visitor, "viewer": viewer}
    for context in contexts:
        context.close()


def _looking(browser: Browser, served: Hub, look: str) -> BrowserContext:
    scheme, size = LOOKS[look]
    return browser.new_context(
        base_url=f"http://127.0.0.1:{served.port}",
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport=size,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )


def log_in(page: Page, password: str) -> None:
    page.goto("/login/")
    page.get_by_label("User name").fill("demo")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/t/**")


def take(page: Page, path: Path) -> None:
    page.wait_for_load_state("networkidle")
    size = page.viewport_size
    assert size
    unroll(page)
    page.screenshot(path=path)
    page.set_viewport_size(size)


def unroll(page: Page) -> None:
    """A window as high as the page, so that what sticks to its edges is at the page's."""
    size = page.viewport_size
    assert size
    if page.locator("dialog[open]").count():  # which stands in the middle of a window
        return
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})


if __name__ == "__main__":
    wanted = sys.argv[1:]
    main(Path(wanted[0] if wanted else "docs/screenshots"), wanted[1:])
