"""Pictures of every page in light, dark and phone width: `python -m tests.browser.screenshots [FOLDER [NAME …]]`."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import chromium
from tests.browser.pages import OUTSIDE, PAGES, filled
from tests.hub import Hub, hub

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", NARROW)}


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with shown_hub() as (served, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.path(), args=chromium.arguments())
        for look in LOOKS:
            with looking(browser, served, look) as context:
                take(context, OUTSIDE, names, folder, look)
                page = log_in(context, password)
                take(context, filled(page, PAGES), names, folder, look)


@contextmanager
def shown_hub() -> Iterator[tuple[Hub, str]]:
    with hub() as served, served.cluster.running():
        served.manage("migrate")
        served.manage("collectstatic", "--noinput")
        told = served.manage("seed_demo")
        served.start()
        yield served, re.search(r"password (\w+)", told)[1]  # type: ignore[index]


@contextmanager
def looking(browser: Browser, served: Hub, look: str) -> Iterator[BrowserContext]:
    scheme, size = LOOKS[look]
    address = f"http://127.0.0.1:{served.port}"
    context = browser.new_context(
        base_url=address,
        color_scheme=scheme,
        viewport=size,
        reduced_motion="reduce",  # type: ignore[arg-type]
    )
    yield context
    context.close()


def log_in(context: BrowserContext, password: str) -> Page:
    page = context.new_page()
    page.goto("/login/")
    page.get_by_label("User name").fill("demo")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/t/**")
    return page


def take(context: BrowserContext, pages: Mapping[str, str], names: list[str], folder: Path, look: str) -> None:
    for name, path in pages.items():
        if not names or name in names:
            page = context.new_page()
            page.goto(path, wait_until="networkidle")
            unroll(page)
            page.screenshot(path=folder / f"{name}-{look}.png")
            page.close()


def unroll(page: Page) -> None:
    """A window as high as the page, so that what sticks to its edges is at the page's."""
    size = page.viewport_size
    assert size
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})


if __name__ == "__main__":
    wanted = sys.argv[1:]
    main(Path(wanted[0] if wanted else "docs/screenshots"), wanted[1:])
