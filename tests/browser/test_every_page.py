"""What is true of every page: nobody is kept out by how it is made, and nothing that it shows runs."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from memories import demo
from teams.models import Membership
from tests.browser import attacks
from tests.browser.conftest import Visit
from tests.browser.pages import OUTSIDE, PAGES, TEAM, filled

pytestmark = pytest.mark.django_db(transaction=True)


LOOKS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # the rules that ask for colours
SIZE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def flaws(page: Page) -> list[str]:
    """What keeps somebody out, in the light, in the dark or on a phone."""
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
    found = Axe().run(page, options=options).response["violations"]
    return [f"{page.url} {rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


def test_no_page_keeps_anybody_out(visit: Visit, complaints: list[str]) -> None:
    demo.seed()
    found = flaws(visit(None, OUTSIDE["login"]))
    page = visit(demo.User.objects.get(username="demo"), "/")
    for path in filled(page, PAGES).values():
        page.goto(path)
        found += flaws(page)
    complaints[:] = [text for text in complaints if "404 (Not Found)" not in text]  # one page is not there
    assert found == []


def test_nothing_that_pages_show_runs(visit: Visit, complaints: list[str]) -> None:
    owner, team = attacks.planted()
    assert Membership.objects.filter(user=owner, team=team).exists()
    page = visit(owner, "/")
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    pages = {name: moved(path) for name, path in PAGES.items()}
    for name, path in filled(page, pages, move=moved).items():
        page.goto(path)
        assert page.evaluate(attacks.MARK) is None, name
        assert page.evaluate("document.baseURI") == page.url, name
        assert page.locator("main#main").count() == 1, name
    complaints[:] = [text for text in complaints if "404 (Not Found)" not in text]


def moved(path: str) -> str:
    """The same page of the hostile team."""
    return re.sub(re.escape(TEAM), "/t/hostile/team/", path)
