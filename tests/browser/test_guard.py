"""Tests that typed text is never lost: not by a failed request, an ended session, a reload or a browser crash."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Route, expect

from memories import operations
from memories.models import Memory, TeamFile
from teams import rights
from teams.models import Role, Team
from tests import factories
from tests.browser.conftest import Visit, session_of
from tests.browser.pages import press
from tests.browser.test_every_page import flaws

pytestmark = pytest.mark.django_db(transaction=True)

AT = "/t/harbour/pilots/"
BASE = "The crane comes on Friday.\n\nBerth 4 is closed."
TYPED = " Typed with care: <b>&amp;</b> “ä”."
ATTEMPT_PAUSES = 100  # of 50 milliseconds, until an attempt to leave is repeated
STILL_HERE = "Your text is still here."
PAGE_OF_PROXY = "<html><title>502</title><body><h1>Bad Gateway</h1><form><textarea name=x></textarea></form>"
DRAFTS = "Object.keys(localStorage).filter((name) => name.startsWith('draft:')).length"
# The policy of pages keeps `wait_for_function` out.
DRAFTED = """(text) => new Promise((done) => {
  const written = () => Object.values(localStorage).some((draft) => draft.includes(text));
  const look = () => (written() ? done() : setTimeout(look, 20));
  look();
})"""


class Complaints(list[str]):
    """A list of complaints that ignores failed requests, because these tests make requests fail."""

    def append(self, text: str) -> None:
        if not re.search("Failed to load resource|htmx:error", text):
            super().append(text)


@pytest.fixture
def complaints() -> list[str]:
    return Complaints()


@pytest.fixture
def pilots() -> Team:
    return factories.team(factories.organization("harbour"), "pilots")


@pytest.fixture
def mira(pilots: Team) -> User:
    return factories.member(pilots, Role.OWNER, "mira")


@pytest.fixture
def joao(pilots: Team) -> User:
    return factories.member(pilots, Role.EDITOR, "joao")


@dataclass(frozen=True)
class Form:
    """A form to write in: its page, its field, and the text that is saved by it."""

    path: str
    field: str
    read: Callable[[], str]
    keys: str = ""
    fill: str = ""


def memory_text() -> str:
    return Memory.objects.get(key="crane").content


def new_text() -> str:
    return Memory.objects.exclude(key__in=("crane", "core")).get().content


def core_text() -> str:
    return Memory.objects.get(key="core").content


def file_text(path: str = "notes/tides.md") -> str:
    return TeamFile.objects.get(path=path).content


FORMS = {
    "memory-in-place": Form("memories/{crane}/", "content", memory_text, keys="e"),
    "memory": Form("memories/{crane}/edit/", "content", memory_text),
    "new-memory": Form("memories/new/", "content", new_text),
    "core": Form("core/{core}/edit/", "content", core_text),
    "file": Form("file/edit/notes/tides.md", "file", file_text),
    "new-file": Form("file/new/", "file", lambda: file_text("notes/new.md"), fill="notes/new.md"),
    "quick-save": Form("", "content", new_text),
}
EDITING = ("memory-in-place", "core", "file")  # texts that others may change meanwhile
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
every_editor = pytest.mark.parametrize("form", [FORMS[name] for name in EDITING], ids=EDITING)


@pytest.fixture
def address(pilots: Team, mira: User) -> Callable[[Form], str]:
    """Return a function that gives a form's address, once there is something to edit."""
    writer = factories.actor(factories.agent(pilots, "writer"))
    crane = factories.memory(writer, BASE, key="crane", tags=["crane"])
    core = factories.memory(writer, BASE, key="core", category="core")
    operations.files.write_file(actor=writer, path="notes/tides.md", content=BASE)
    return lambda form: AT + form.path.format(crane=crane.pk, core=core.pk)


def enter(page: Page, form: Form) -> Locator:
    """Open the form and return its field."""
    if form.keys:
        press(page, form.keys)
    if form.fill:
        page.get_by_label("Path").fill(form.fill)
    field = field_of(page, form)
    field.focus()
    return field


def field_of(page: Page, form: Form) -> Locator:
    return page.locator(f"main textarea[name={form.field}]").first


def type_text(page: Page, form: Form) -> str:
    """Type at the end of the form's text and return the whole."""
    field = enter(page, form)
    press(page, "Control+End")
    page.keyboard.type(TYPED)
    return field.input_value()


def press_save(page: Page) -> None:
    press(page, "Control+Enter")


def expect_kept(page: Page, form: Form, text: str, sentence: str) -> None:
    """Expect the form as it was, with the focus and the cursor, and the error beside the button, once."""
    expect(page.locator("[data-not-saved][role=alert]")).to_contain_text(sentence)
    expect(page.locator("[data-not-saved]")).to_have_count(1)
    expect(page.locator("[data-not-saved]")).to_contain_text(STILL_HERE)
    field = field_of(page, form)
    expect(field).to_have_value(text)
    expect(field).to_be_focused()
    expect(field).to_be_editable()
    assert field.evaluate("field => field.selectionStart") == len(text)


def expect_saved(page: Page, form: Form, text: str) -> None:
    expect(page.locator(".toast:not(.error)")).to_contain_text(re.compile("saved|written", re.IGNORECASE))
    expect(page.locator("[data-not-saved]")).to_have_count(0)
    assert form.read() == text
    assert page.evaluate(DRAFTS) == 0


@dataclass
class Interceptor:
    """Answers the requests of a page in place of the server, while it has a handler."""

    handler: Callable[[Route], None] | None = None

    def handle(self, route: Route) -> None:
        if self.handler:
            self.handler(route)
        else:
            route.continue_()


def intercept(page: Page) -> Interceptor:
    """Reload the page with an interceptor. On a page that is loaded already, Chromium begins to intercept a little
    later than it says, and under load a request slips through."""
    interceptor = Interceptor()
    page.route("**/*", interceptor.handle)
    page.reload()
    return interceptor


def of_posts(act: Callable[[Route], None]) -> Callable[[Route], None]:
    return lambda route: act(route) if route.request.method == "POST" else route.continue_()


def answer(status: int, body: str = PAGE_OF_PROXY, kind: str = "text/html") -> Callable[[Route], None]:
    return of_posts(lambda route: route.fulfill(status=status, content_type=kind, body=body))


PROBLEM = '{"type": "about:blank", "status": 507, "detail": "The database\'s disk is full. Nothing was saved."}'
REFUSED = '<html><main id="main"><p data-refusal>There is no such memory.</p></main></html>'
FAILURES = {
    "Perhaps not saved: MemoryHub does not answer just now.": answer(502),
    "Not saved: MemoryHub does not answer just now.": answer(503),
    "Perhaps not saved: MemoryHub does not answer": answer(504),
    "Perhaps not saved: something went wrong on the server.": answer(500, ""),
    "Not saved: The database's disk is full.": answer(507, PROBLEM, "application/problem+json"),
    "Not saved: it is too large.": answer(413),
    "Not saved: too many requests came at once.": answer(429),
    "Not saved: the server refused it (418).": answer(418),
    "Not saved: There is no such memory.": answer(404, REFUSED),
    "Not saved: the server refused it (200).": answer(200, "<html><body>Welcome to the airport. Log in.</body></html>"),
    "Perhaps not saved: MemoryHub cannot be reached.": of_posts(lambda route: route.abort("connectionrefused")),
    "Perhaps not saved: MemoryHub cannot": of_posts(lambda route: route.abort("connectionreset")),
}


@every_form
def test_text_outlasts_every_failure_and_is_then_saved(
    visit: Visit, mira: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    network = intercept(page)
    text = type_text(page, form)
    for sentence, fail in FAILURES.items():
        network.handler = fail
        press_save(page)
        expect_kept(page, form, text, sentence)
    network.handler = None
    page.context.set_offline(True)
    press_save(page)
    expect_kept(page, form, text, "Not saved: you are offline.")
    page.context.set_offline(False)
    press_save(page)
    expect_saved(page, form, text)


@every_form
def test_a_request_that_never_comes_back_gives_the_form_back(
    visit: Visit, mira: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    network = intercept(page)
    text = type_text(page, form)
    page.evaluate("htmx.config.defaultTimeout = 300")
    network.handler = of_posts(lambda route: None)
    press_save(page)
    expect_kept(page, form, text, "Perhaps not saved: the server did not answer in time.")
    network.handler = None
    page.evaluate("htmx.config.defaultTimeout = 60000")
    press_save(page)
    expect_saved(page, form, text)


def log_in(context: BrowserContext, name: str) -> None:
    """Log in in another tab."""
    tab = context.new_page()
    tab.goto("/login/")
    tab.get_by_label("User name").fill(name)
    tab.get_by_label("Password").fill("correct horse battery")
    tab.get_by_role("button", name="Log in").click()
    expect(tab.locator(".account")).to_be_attached()
    tab.close()


def log_out(context: BrowserContext) -> None:
    """End all sessions on the server, as when they expire."""
    Session.objects.all().delete()


@every_form
def test_another_log_in_of_the_same_person_is_not_noticed(
    visit: Visit, mira: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    text = type_text(page, form)
    log_out(page.context)
    log_in(page.context, "mira")
    press_save(page)
    expect_saved(page, form, text)


@every_form
def test_nothing_is_saved_in_the_name_of_somebody_else(
    visit: Visit, mira: User, joao: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    text = type_text(page, form)
    log_out(page.context)
    log_in(page.context, "joao")
    versions = Memory.objects.count(), TeamFile.objects.count(), memory_text(), core_text(), file_text()
    for _ in range(2):
        press_save(page)
        expect_kept(page, form, text, "Not saved: you are logged in as joao now, but this was written by mira.")
    assert versions == (Memory.objects.count(), TeamFile.objects.count(), memory_text(), core_text(), file_text())
    log_out(page.context)
    log_in(page.context, "mira")
    press_save(page)
    expect_saved(page, form, text)


@every_form
def test_after_the_session_ended_one_logs_in_elsewhere_and_saves(
    visit: Visit, mira: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    text = type_text(page, form)
    log_out(page.context)
    press_save(page)
    expect_kept(page, form, text, "Not saved: you are logged out.")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Log in in a new tab, then save again.").click()
    tab = opened.value
    tab.get_by_label("User name").fill("mira")
    tab.get_by_label("Password").fill("correct horse battery")
    tab.get_by_role("button", name="Log in").click()
    expect(tab.locator(".account")).to_be_attached()
    tab.close()
    page.locator("main form[data-guarded] button.primary").click()
    expect_saved(page, form, text)


def crash(page: Page) -> Page:
    """Close the page without asking, once the draft is written, and open it again."""
    page.evaluate(DRAFTED, TYPED)
    address = page.url
    context = page.context
    page.close(run_before_unload=False)
    again = context.new_page()
    again.goto(address)
    return again


@every_form
def test_a_draft_outlasts_a_crash_and_is_offered_not_put_in(
    visit: Visit, mira: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    text = type_text(page, form)
    page = crash(page)
    if form.keys:
        press(page, form.keys)
    expect(page.get_by_role("button", name="Restore what you typed")).to_be_visible()
    expect(field_of(page, form)).not_to_have_value(text)
    page.get_by_role("button", name="Restore what you typed").click()
    expect(page.locator("[data-draft-offer]")).to_have_count(0)
    expect(field_of(page, form)).to_have_value(text)
    expect(field_of(page, form)).to_be_focused()
    press_save(page)
    expect_saved(page, form, text)


@every_editor
def test_a_draft_of_an_older_version_leads_to_the_merge_screen(
    visit: Visit, mira: User, joao: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form))
    type_text(page, form)
    page.evaluate(DRAFTED, TYPED)
    other = rights.login_actor(user=joao)
    theirs = BASE.replace("Friday", "Monday")
    for key in ("crane", "core"):
        operations.update_memory(actor=other, memory_id=Memory.objects.get(key=key).pk, content=theirs)
    operations.files.write_file(actor=other, path="notes/tides.md", content=theirs)
    page = crash(page)
    if form.keys:
        press(page, form.keys)
    expect(page.locator("[data-draft-offer]")).to_contain_text("The text has changed since")
    page.get_by_role("button", name="Restore what you typed").click()
    press_save(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Someone else edited")
    expect(field_of(page, form)).to_have_value(theirs + TYPED)
    page.locator("main form[data-guarded] button.primary").click()
    expect_saved(page, form, theirs + TYPED)


def test_a_draft_is_discarded_by_hand_and_by_leaving_on_purpose(
    visit: Visit, mira: User, address: Callable[[Form], str]
) -> None:
    form = FORMS["core"]
    page = visit(mira, address(form))
    type_text(page, form)
    page = crash(page)
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator("[data-draft-offer]")).to_have_count(0)
    page.reload()
    expect(page.locator("[data-draft-offer]")).to_have_count(0)
    type_text(page, form)
    page.evaluate(DRAFTED, TYPED)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Core memory")
    assert page.evaluate(DRAFTS) == 0


def test_logging_out_takes_the_drafts_along(visit: Visit, mira: User, address: Callable[[Form], str]) -> None:
    page = visit(mira, address(FORMS["core"]))
    type_text(page, FORMS["core"])
    page = crash(page)
    page.locator(".account summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    assert page.evaluate(DRAFTS) == 0


def test_logging_out_of_the_admin_does_so_too(visit: Visit, mira: User, address: Callable[[Form], str]) -> None:
    User.objects.filter(pk=mira.pk).update(is_staff=True, is_superuser=True)
    page = visit(mira, address(FORMS["core"]))
    type_text(page, FORMS["core"])
    page = crash(page)
    page.goto("/admin/")
    page.wait_for_load_state()
    assert page.evaluate(DRAFTS) == 1
    with page.expect_navigation():
        page.evaluate("document.getElementById('logout-form').requestSubmit()")
    page.goto("/login/")
    assert page.evaluate(DRAFTS) == 0


def test_nobody_sees_the_drafts_of_somebody_else(
    visit: Visit, mira: User, joao: User, address: Callable[[Form], str]
) -> None:
    page = visit(mira, address(FORMS["core"]))
    type_text(page, FORMS["core"])
    page.evaluate(DRAFTED, TYPED)
    page.context.add_cookies([{"name": "sessionid", "value": session_of(joao), "url": page.evaluate("origin")}])
    page = crash(page)
    expect(page.get_by_label("Text")).to_be_focused()
    expect(page.locator("[data-draft-offer]")).to_have_count(0)
    assert page.evaluate(DRAFTS) == 0


def test_no_draft_is_kept_for_ever(visit: Visit, mira: User, address: Callable[[Form], str]) -> None:
    page = visit(mira, address(FORMS["core"]))
    type_text(page, FORMS["core"])
    page = crash(page)
    expect(page.locator("[data-draft-offer]")).to_be_visible()
    page.evaluate(
        "Object.entries(localStorage).forEach(([name, it]) => localStorage.setItem(name, `1${it.slice(13)}`))"
    )
    page.reload()
    expect(page.locator("[data-draft-offer]")).to_have_count(0)
    assert page.evaluate(DRAFTS) == 0


@every_form
def test_leaving_is_asked_about(visit: Visit, mira: User, address: Callable[[Form], str], form: Form) -> None:
    page = visit(mira, AT)
    page.goto(address(form))
    text = type_text(page, form)
    dismissed: list[str] = []

    def stay(dialog: Dialog) -> None:
        dialog.dismiss()
        dismissed.append(dialog.type)

    def expect_question(leave: Callable[[], object]) -> None:
        """Leave until it is asked about: Chromium ignores an attempt while it still handles the one before."""
        before = len(dismissed)
        for pause in range(10 * ATTEMPT_PAUSES):
            if pause % ATTEMPT_PAUSES == 0:
                leave()
            page.wait_for_timeout(50)
            if len(dismissed) > before:
                return
        pytest.fail("The page let itself be left without asking.")

    page.on("dialog", stay)
    for script in ("document.querySelector('#go-activity').click()", "location.reload()", "history.back()"):
        expect_question(partial(page.evaluate, script))
        expect(field_of(page, form)).to_have_value(text)
    expect_question(lambda: page.close(run_before_unload=True))
    expect(field_of(page, form)).to_have_value(text)
    assert dismissed == ["beforeunload"] * 4
    page.locator("main form[data-guarded] button.primary").click()
    expect_saved(page, form, text)


def test_other_buttons_of_the_page_ask_before_they_replace_the_form(
    visit: Visit, mira: User, address: Callable[[Form], str]
) -> None:
    form = FORMS["memory-in-place"]
    page = visit(mira, address(form))
    text = type_text(page, form)
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="Pin").click()
    expect(field_of(page, form)).to_have_value(text)
    assert asked == ["Leave without saving what you wrote?"]
    assert not Memory.objects.get(key="crane").pinned


@every_editor
def test_a_merge_shows_both_texts_though_the_field_has_the_focus(
    visit: Visit, mira: User, joao: User, address: Callable[[Form], str], form: Form
) -> None:
    """Otherwise saving it would undo what the other one wrote."""
    page = visit(mira, address(form))
    type_text(page, form)
    other, theirs = rights.login_actor(user=joao), BASE.replace("Friday", "Monday")
    for key in ("crane", "core"):
        operations.update_memory(actor=other, memory_id=Memory.objects.get(key=key).pk, content=theirs)
    operations.files.write_file(actor=other, path="notes/tides.md", content=theirs)
    press_save(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Someone else edited")
    expect(field_of(page, form)).to_have_value(theirs + TYPED)


def test_the_script_loaded_twice_sends_once(visit: Visit, mira: User, address: Callable[[Form], str]) -> None:
    form = FORMS["memory"]
    page = visit(mira, address(form))
    page.evaluate("import(`${document.querySelector('[src*=guard]').src}?again`)")
    text = type_text(page, form)
    sent: list[str] = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    log_out(page.context)
    log_in(page.context, "mira")
    press_save(page)
    expect_saved(page, form, text)
    assert len(sent) == 2  # refused for its token, then with a new one


def test_a_search_and_small_forms_outlast_failures_too(
    visit: Visit, mira: User, address: Callable[[Form], str]
) -> None:
    page = visit(mira, f"{AT}recall/")
    network = intercept(page)
    page.get_by_label("Question", exact=True).fill("Where is the crane?")
    network.handler = lambda route: route.fulfill(status=502, content_type="text/html", body=PAGE_OF_PROXY)
    press(page, "Enter")
    expect(page.locator(".toast[role=alert]")).to_contain_text("Not loaded: MemoryHub does not answer just now.")
    expect(page.get_by_label("Question", exact=True)).to_have_value("Where is the crane?")
    network.handler = None
    page.goto(address(FORMS["memory-in-place"]))
    press(page, "t")
    page.keyboard.type("harbour")
    network.handler = answer(502)
    press(page, "Enter")
    expect(page.locator("[data-not-saved]")).to_contain_text("Perhaps not saved")
    expect(page.get_by_label("Add tags")).to_have_value("harbour")
    network.handler = None
    press(page, "Enter")
    expect(page.get_by_role("button", name="Remove the tag harbour")).to_be_visible()


def test_files_that_could_not_be_sent_stay_chosen(visit: Visit, mira: User, address: Callable[[Form], str]) -> None:
    page = visit(mira, f"{AT}file/upload/")
    network = intercept(page)
    page.get_by_label("Files", exact=True).set_input_files(
        {"name": "buoys.md", "mimeType": "text/plain", "buffer": b"Green is right."}
    )
    for fail in (answer(502), of_posts(lambda route: route.abort())):
        network.handler = fail
        page.get_by_role("button", name="Upload", exact=True).click()
        expect(page.locator("[data-not-saved]")).to_contain_text("Perhaps not saved")
    network.handler = None
    log_out(page.context)
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator("[data-not-saved]")).to_contain_text("you are logged out")
    log_in(page.context, "mira")
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("buoys.md")
    assert file_text("buoys.md") == "Green is right."


@pytest.mark.parametrize("form", [FORMS["memory"], FORMS["core"], FORMS["file"]], ids=["memory", "core", "file"])
def test_without_scripts_the_text_comes_back_to_be_sent_again(
    visit: Visit, mira: User, address: Callable[[Form], str], form: Form
) -> None:
    page = visit(mira, address(form), scripts=False)
    text = f"{BASE}\n\n  {TYPED}</textarea>"
    field_of(page, form).fill(text)
    log_out(page.context)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("You are logged out, so nothing was changed.")
    expect(field_of(page, form)).to_have_value(text)
    log_in(page.context, "mira")
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("alert")).to_contain_text("You logged in or out since this page was opened")
    expect(field_of(page, form)).to_have_value(text)
    page.get_by_role("button", name="Send it again as mira").click()
    expect(page.get_by_role("status")).to_contain_text(re.compile("saved", re.IGNORECASE))
    assert form.read() == text


def test_what_the_guard_says_keeps_nobody_out(visit: Visit, mira: User, address: Callable[[Form], str]) -> None:
    found: list[str] = []
    for form in FORMS.values():
        page = visit(mira, address(form))
        type_text(page, form)
        page = crash(page)
        network = intercept(page)
        if form.keys:
            press(page, form.keys)
        expect(page.locator("[data-draft-offer]")).to_be_visible()
        found += flaws(page)
        page.get_by_role("button", name="Restore what you typed").click()
        network.handler = answer(502)
        press_save(page)
        expect(page.locator("[data-not-saved]")).to_be_visible()
        found += flaws(page)
    assert found == []
