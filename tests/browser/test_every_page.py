"""Tests of every page in every state: it is accessible to everybody, nothing that it shows runs as code, and it follows
browsers' good practice."""

import re
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Page, Request, Response
from pytest_django.live_server_helper import LiveServer

from memories import demo
from tests.browser import attacks
from tests.browser.conftest import Visit
from tests.browser.pages import ERROR_SELECTOR, TEAM, submit_step, walk

pytestmark = pytest.mark.django_db(transaction=True)

AXE = next(Path(axe_playwright_python.__path__[0]).glob("**/axe.min.js")).read_text()
ALL = {"rules": {"target-size": {"enabled": True}}}  # what WCAG 2.2 adds is not asked unless it is named
LOOKS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # the rules that ask for colours
SIZE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SHIFT = 0.1  # of the window, by which a page may move while it comes: what Lighthouse takes for good
# Counts how far the page moves by itself, and notes what its policy kept out. A draft that was typed on an earlier page
# would be offered, and move this one.
WATCH = """
try { localStorage.clear(); } catch {}
window.shifted = 0; // while the page comes: what a key or a click opens may take longer than a browser calls recent
for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => (window.used = true), true);
window.kept = [];
new PerformanceObserver((list) =>
  list.getEntries().forEach((entry) => entry.hadRecentInput || window.used || (window.shifted += entry.value))
).observe({ type: "layout-shift", buffered: true });
document.addEventListener("securitypolicyviolation", (event) =>
  window.kept.push(`${event.violatedDirective} ${event.blockedURI}`));
"""
MADE = """() => ({
  doctype: document.doctype?.name === "html",
  lang: document.documentElement.lang === "en",
  title: document.title.trim() !== "",
  viewport: document.querySelector('meta[name=viewport][content*="width=device-width"]') !== null,
  charset: document.characterSet === "UTF-8",
  images: [...document.images].every((image) => image.hasAttribute("width") && image.hasAttribute("height")),
  policy: window.kept.length === 0,
  still: window.shifted < SHIFT,
})""".replace("SHIFT", str(SHIFT))


def flaws(page: Page) -> list[str]:
    """Return the accessibility flaws of a page in light mode, in dark mode and on a phone."""
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    found += violations(page, LOOKS)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    if over := page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"):
        found.append(f"{page.url} is {over} pixels wider than a phone.")
    page.set_viewport_size(SIZE)
    return found


def violations(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    """Return the violations of axe's rules. Lighthouse checks a part of them: without any, its score is full."""
    page.wait_for_load_state()
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    run = "options => axe.run(document, options).then(({ violations }) => violations)"
    found = page.evaluate(run, {"resultTypes": ["violations"], **(options or ALL)})
    return [f"{page.url} {rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


def find_build_faults(page: Page, response: Response) -> list[str]:
    """Return what Lighthouse would object to in how the page is built."""
    found = [f"{page.url}: {name}" for name, good in page.evaluate(MADE).items() if not good]
    policy = response.headers.get("content-security-policy", "")
    if "default-src 'none'" not in policy or "unsafe" in policy:
        found.append(f"{page.url} is shown under the policy {policy!r}")
    return found


def open_visitor_pages(visit: Visit, owner: User) -> dict[str, Page]:
    """Open a page each for the owner, for somebody who is not logged in, and for one who has no account yet."""
    people = {name: visit(user, "/login/") for name, user in (("owner", owner), ("visitor", None), ("viewer", None))}
    for page in people.values():
        page.on("dialog", _left)
        page.context.add_init_script(WATCH)
    return people


def _left(dialog: Dialog) -> None:
    """Accept the question whether to lose what was typed; any other dialog is an attack."""
    assert dialog.type == "beforeunload", dialog.message
    dialog.accept()


@pytest.mark.parametrize("part", [slice(0, None, 2), slice(1, None, 2)], ids=["even", "odd"])  # one for each core
def test_no_page_keeps_anybody_out(visit: Visit, complaints: list[str], live_server: LiveServer, part: slice) -> None:
    demo.seed()
    people = open_visitor_pages(visit, User.objects.get(username="demo"))
    found: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((live_server.url, "data:", "blob:")):
            found.append(f"{request.url} was asked for by {request.frame.url}")

    for page in people.values():
        page.on("request", note)
    for _, page, response in walk(people, part=part):
        found += find_build_faults(page, response)
        found += flaws(page)
    drop_refusal_complaints(complaints)
    assert found == []


def drop_refusal_complaints(complaints: list[str]) -> None:
    """Drop the browser's complaints about refusals, which some states are."""
    complaints[:] = [text for text in complaints if not re.search("status of 4(00|04|09)", text)]


# What no page has of its own, and no text may bring.
LIVE = r"""() => {
  const made = `[onerror], [onload], [onfocus], [onclick], iframe, base, object, embed, meta[http-equiv=refresh],
    [hx-get="/"], [hx-trigger=load], [hx-on\\:click], main style, main math, main script, .prose :is(form, input, svg)`;
  const leads = (element) => ["href", "action", "formaction", "src"].some((name) =>
    /^\s*(javascript|data|vbscript):/i.test(element.getAttribute(name) ?? ""));
  const found = [...document.querySelectorAll("*")].filter((element) => element.matches(made) || leads(element));
  return found.map((element) => element.outerHTML.slice(0, 200));
}"""


def test_nothing_that_pages_show_runs(visit: Visit, complaints: list[str]) -> None:
    owner = attacks.plant_hostile_team()
    people = open_visitor_pages(visit, owner)
    for name, page, _ in walk(people, move=hostile_path):
        assert harmless(page) == [], name
    page = people["owner"]
    for path in attacks.REFLECTED:
        page.goto(hostile_path(f"{TEAM}{path}"))
        assert harmless(page) == [], path
    for path, button, fields in attacks.REFUSED:
        page.goto(hostile_path(f"{TEAM}{path}"))
        submit_step(button, ERROR_SELECTOR, **fields)(page)
        assert harmless(page) == [], path
    drop_refusal_complaints(complaints)


def harmless(page: Page) -> list[str]:
    found: list[str] = page.evaluate(LIVE)
    found += page.evaluate("window.kept")
    if page.evaluate(attacks.MARK) is not None or page.evaluate("document.baseURI") != page.url:
        found.append(f"{page.url} ran something")
    if page.locator("main#main").count() != 1:
        found.append(f"{page.url} is broken")
    return found


def hostile_path(path: str) -> str:
    """Return the path of the same page of the hostile team."""
    return re.sub(re.escape(TEAM), "/t/hostile/team/", path)
