"""What is true of every page: nobody is kept out by how it is made, and nothing that it shows runs."""

import re
from collections.abc import Mapping

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from memories import demo
from teams.models import Membership
from tests.browser import attacks
from tests.browser.conftest import Visit
from tests.browser.pages import OUTSIDE, PAGES, TEAM, filled

pytestmark = pytest.mark.django_db(transaction=True)


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{page.url} {rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(visit: Visit, complaints: list[str], *, dark: bool) -> None:
    demo.seed()
    page = visit(None, OUTSIDE["login"], dark=dark)
    found = violations(page)
    page = visit(demo.User.objects.get(username="demo"), "/", dark=dark)
    for path in filled(page, PAGES).values():
        page.goto(path)
        found += violations(page)
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


def test_no_page_is_wider_than_a_phone(visit: Visit, complaints: list[str]) -> None:
    demo.seed()
    page = visit(demo.User.objects.get(username="demo"), "/", phone=True)
    wide: Mapping[str, int] = {}
    for name, path in filled(page, PAGES).items():
        page.goto(path)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        wide = {**wide, name: over} if over else wide
    complaints[:] = [text for text in complaints if "404 (Not Found)" not in text]
    assert wide == {}
