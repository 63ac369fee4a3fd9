"""A real Chromium on a real server. A page that logs an error or breaks its own policy fails its test."""

import os
from collections.abc import Callable, Iterator
from threading import Condition

import pytest
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser import chromium
from tests.browser.pages import PATIENCE

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # playwright's own loop runs in this thread

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium.path(), args=chromium.arguments())
        yield made
        made.close()


@pytest.fixture
def complaints() -> list[str]:
    """Collect the browser's errors; a test that expects some empties the list."""
    return []


class Underway:
    """A counter of the requests that the server is answering. A test's tables are emptied once there are none."""

    def __init__(self) -> None:
        self.count, self.changed = 0, Condition()
        request_started.connect(self._begin)
        request_finished.connect(self._end)

    def _begin(self, **said: object) -> None:
        with self.changed:
            self.count += 1

    def _end(self, **said: object) -> None:
        with self.changed:
            self.count -= 1
            self.changed.notify_all()

    def ended(self) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: self.count == 0, timeout=PATIENCE / 1_000)


@pytest.fixture(scope="session")
def underway() -> Underway:
    return Underway()


@pytest.fixture
def visit(browser: Browser, live_server: LiveServer, complaints: list[str], underway: Underway) -> Iterator[Visit]:
    """Open a path as somebody: `visit(user, "/")`, with `scripts=False`, `dark=True` or `phone=True` where wanted."""
    contexts: list[BrowserContext] = []

    def opened(user: User | None, path: str, *, scripts: bool = True, dark: bool = False, phone: bool = False) -> Page:
        context = browser.new_context(
            base_url=live_server.url,
            java_script_enabled=scripts,
            color_scheme="dark" if dark else "light",
            viewport={"width": 390, "height": 844} if phone else {"width": 1280, "height": 900},
            reduced_motion="reduce",
        )
        contexts.append(context)
        if user:
            context.add_cookies([{"name": "sessionid", "value": session_of(user), "url": live_server.url}])
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: _note(complaints, message))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert underway.ended()
    assert complaints == []


def _note(complaints: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        complaints.append(f"{message.text} ({message.location.get('url')})")


def session_of(user: User) -> str:
    """Log a user in and return the session key."""
    client = Client()
    client.force_login(user)
    key = client.session.session_key
    assert key
    return key
