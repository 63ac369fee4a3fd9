"""Every page and every state that one can bring it into, by the name it has in a picture and in a report: what is true
of all of them is tested by these tables."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from playwright.sync_api import Page, Response, expect

TEAM = "/t/tidewater/engineering/"
Move = Callable[[str], str]
PATIENCE = 30_000  # milliseconds, for machines that are busy; nothing is waited for any longer than it takes
expect.set_options(timeout=PATIENCE)
EVERY = slice(None)

# Of the demo organization, as its owner sees it. What stands in braces is looked for as FOUND says.
PAGES = {
    "home": TEAM,
    "memories": f"{TEAM}memories/",
    "search": f"{TEAM}memories/?q=rollback",
    "narrowed": f"{TEAM}memories/?type=decision&scope=team&sort=importance",
    "forgotten": f"{TEAM}memories/?forgotten=yes",
    "batches": f"{TEAM}memories/batches/",
    "memory": f"{TEAM}memories/{{memory}}/",
    "memory-linked": f"{TEAM}memories/{{linked}}/",
    "memory-new": f"{TEAM}memories/new/",
    "memory-edit": f"{TEAM}memories/{{memory}}/edit/",
    "memory-history": f"{TEAM}memories/{{memory}}/history/",
    "memory-version": f"{TEAM}memories/{{memory}}/history/?version=1",
    "memory-link": f"{TEAM}memories/{{memory}}/link/?find=rollback",
    "memory-cite": f"{TEAM}memories/{{memory}}/cite/",
    "core": f"{TEAM}core/",
    "core-edit": f"{TEAM}core/{{core}}/edit/",
    "core-history": f"{TEAM}core/{{core}}/history/",
    "core-read": f"{TEAM}core/read/?query=rollback",
    "recall": f"{TEAM}recall/",
    "recall-asked": f"{TEAM}recall/?query=rollback&why=core",
    "review": f"{TEAM}review/",
    "review-due": f"{TEAM}review/?kind=due",
    "insights": f"{TEAM}insights/",
    "golden-new": f"{TEAM}insights/golden/new/?query=rollback",
    "rules": f"{TEAM}rules/",
    "rule-new": f"{TEAM}rules/new/",
    "rule": f"{TEAM}rules/1/",
    "retention": f"{TEAM}retention/",
    "activity": f"{TEAM}activity/",
    "recalls": f"{TEAM}activity/recalls/",
    "known": f"{TEAM}activity/known/",
    "questions": f"{TEAM}activity/questions/",
    "files": f"{TEAM}files/",
    "files-found": f"{TEAM}files/?q=main",
    "files-deleted": f"{TEAM}file/deleted/",
    "folder": f"{TEAM}files/{{folder}}/",
    "file": f"{TEAM}files/{{file}}",
    "file-source": f"{TEAM}files/{{file}}?as=text",
    "file-edit": f"{TEAM}file/edit/{{file}}",
    "file-history": f"{TEAM}file/history/{{file}}",
    "file-move": f"{TEAM}file/move/{{file}}",
    "file-new": f"{TEAM}file/new/",
    "file-upload": f"{TEAM}file/upload/",
    "conversations": f"{TEAM}conversations/",
    "conversations-found": f"{TEAM}conversations/?q=rollback",
    "conversation": f"{TEAM}conversations/{{conversation}}",
    "agents": f"{TEAM}agents/",
    "agent-new": f"{TEAM}agents/new/",
    "agent": f"{TEAM}agents/{{agent}}/",
    "token-new": f"{TEAM}agents/{{agent}}/tokens/new/",
    "token-shown": f"{TEAM}agents/{{agent}}/tokens/shown/",
    "token": f"{TEAM}activity/tokens/{{token}}/",
    "token-persons": f"{TEAM}tokens/{{token}}/persons/",
    "projects": f"{TEAM}projects/",
    "project-new": f"{TEAM}projects/new/",
    "project": f"{TEAM}projects/{{project}}/",
    "members": f"{TEAM}members/",
    "invite": f"{TEAM}members/invite/",
    "link-shown": f"{TEAM}members/invite/shown/",
    "tree": f"{TEAM}tree/",
    "export": f"{TEAM}export/",
    "account": "/account/",
    "password": "/account/password/",
    "nowhere": f"{TEAM}no-such-page/",
}
OUTSIDE = {"login": "/login/", "join": "/join/{link}/"}
ERROR_SELECTOR = ".wrong, .note.bad, [role=alert]"
VIEWED = ("home", "memories", "memory-linked", "core", "recall-asked", "activity", "file", "agents", "members", "tree")


@dataclass(frozen=True)
class State:
    """A state of a page: the path, and the steps that bring the page into that state."""

    path: str
    steps: Callable[[Page], None]
    who: str = "owner"


def press(page: Page, *keys: str) -> None:
    """Press keys, once the page listens to them."""
    page.wait_for_load_state()
    for key in keys:
        page.keyboard.press(key)


def _palette(page: Page) -> None:
    press(page, "Control+k")
    expect(page.locator("#palette [aria-selected=true]")).to_be_visible()


def _ask_question(page: Page) -> None:
    _palette(page)
    page.keyboard.type("rollback")
    expect(page.get_by_role("group", name="Memories")).to_be_visible()


def _press_step(key: str, shown: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        press(page, key)
        expect(page.locator(shown).first).to_be_visible()

    return act


def _open_menu_step(menu: str) -> Callable[[Page], None]:
    def click(page: Page) -> None:
        page.locator(menu).first.click()

    return click


def submit_step(button: str, shown: str, **fields: str) -> Callable[[Page], None]:
    """Return a step that sends a form and waits for the response: what was asked for, or what is wrong."""

    def send(page: Page) -> None:
        for name, value in fields.items():
            page.locator(f"main [name={name}]").fill(value)
        page.locator("main").get_by_role("button", name=button, exact=True).first.click()
        expect(page.locator(shown).first).to_be_visible()

    return send


def _select_step(then: str) -> Callable[[Page], None]:
    def select(page: Page) -> None:
        press(page, "j", "x")
        expect(page.locator("#batch")).to_be_visible()
        if then:
            with page.expect_navigation():
                page.keyboard.press(then)

    return select


def _overtaken(field: str, shown: str) -> Callable[[Page], None]:
    """Return a step in which somebody else saves the same text while the user is editing it."""

    def race(page: Page) -> None:
        text = page.locator(f"main [name={field}]")
        began = text.input_value()
        page.evaluate(
            """async ([name, words]) => {
              const form = document.querySelector(`main [name=${name}]`).form;
              const sent = new FormData(form);
              sent.set(name, words);
              await fetch(form.action, { method: "POST", body: sent, redirect: "manual" });
            }""",
            [field, f"{began}\n\nTheirs, at once."],
        )
        text.fill(f"{began}\n\nYours, a moment later.")
        page.locator("main").get_by_role("button", name="Save").first.click()
        expect(page.locator(shown).first).to_be_visible()

    return race


def _upload_file(page: Page) -> None:
    files = [("photo.png", b"\xff\xd8"), ("new notes.md", b"Some.")]
    page.locator("[type=file]").set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files]
    )
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()


STATES = {
    "palette": State(PAGES["home"], _palette),
    "palette-asked": State(PAGES["home"], _ask_question),
    "shortcuts": State(PAGES["home"], _press_step("?", "#shortcuts")),
    "menu-account": State(PAGES["home"], _open_menu_step(".account > summary")),
    "menu-teams": State(PAGES["home"], _open_menu_step(".top > .menu > summary")),
    "home-refused": State(PAGES["home"], submit_step("Save", ERROR_SELECTOR, content="")),
    "filters": State(PAGES["narrowed"], _open_menu_step(".narrowing > summary")),
    "selected": State(PAGES["memories"], _select_step("")),
    "batch-preview": State(PAGES["memories"], _select_step("P")),
    "batch-asking": State(PAGES["memories"], _select_step("T")),
    "memory-editing": State(PAGES["memory"], _press_step("e", "#id_content")),
    "memory-linking": State(PAGES["memory"], _press_step("l", "#link input")),
    "memory-forgetting": State(PAGES["memory"], _open_menu_step("#forgetting > summary")),
    "memory-expiring": State(PAGES["memory"], _open_menu_step(".menu.change > summary")),
    "memory-refused": State(PAGES["memory-new"], submit_step("Save", ERROR_SELECTOR, content="Words.", importance="7")),
    "memory-merge": State(PAGES["memory-edit"], _overtaken("content", "[data-merges]")),
    "core-merge": State(PAGES["core-edit"], _overtaken("content", ".sides")),
    "file-merge": State(PAGES["file-edit"], _overtaken("file", ".sides")),
    "upload-outcomes": State(PAGES["file-upload"], _upload_file),
    "file-refused": State(PAGES["file-new"], submit_step("Save", ERROR_SELECTOR, path="../x", file="Words.")),
    "agent-refused": State(PAGES["agent-new"], submit_step("Add the agent", ERROR_SELECTOR, slug="Not a slug!")),
    "token-made": State(PAGES["token-new"], submit_step("Create the token", "#secret")),
    "link-made": State(PAGES["invite"], submit_step("Create the link", "#link")),
    "password-refused": State(
        PAGES["password"],
        submit_step("Change it", ERROR_SELECTOR, old_password="wrong", new_password1="a", new_password2="b"),
    ),
    "login-refused": State(
        OUTSIDE["login"], submit_step("Log in", ERROR_SELECTOR, username="nobody", password="wrong"), "visitor"
    ),
}
JOINED = {f"viewer-{name}": State(PAGES[name], lambda page: None, "viewer") for name in VIEWED}
LEFT = {"no-team": State("/", lambda page: None, "viewer")}  # once the viewer is in no team any more

# Where a page links to one, and what of the link names it.
FOUND = {
    "conversation": (f"{TEAM}conversations/", r"/conversations/(.+)$"),
    "core": (f"{TEAM}core/", r"/core/([0-9a-f-]{36})/edit/"),
    "file": (f"{TEAM}files/?q=main", r"/files/((?!conversations/).+\.md)$"),
    "folder": (f"{TEAM}files/", r"/files/((?!conversations/).+)/$"),
    "memory": (f"{TEAM}memories/?q=rollback", r"/memories/([0-9a-f-]{36})/"),
    "linked": (f"{TEAM}memories/?q=inc-38+oom+solver+incident+rollback", r"/memories/([0-9a-f-]{36})/"),
    "agent": (f"{TEAM}agents/", r"/agents/([0-9a-f-]{36})/"),
    "token": (f"{TEAM}activity/", r"/activity/tokens/([0-9a-f-]{36})/"),
    "project": (f"{TEAM}projects/", r"/projects/([0-9a-f-]{36})/"),
}


def walk(people: Mapping[str, Page], *, move: Move = str, part: slice = EVERY) -> Iterator[tuple[str, Page, Response]]:
    """Yield every page and state as the owner and a visitor see it, then some as a viewer who joins and leaves.
    Each stays as it is until the next one."""
    names = find_address_values(people["owner"], move=move)
    pages = {name: State(path, lambda page: None) for name, path in PAGES.items()}
    pages |= {name: State(path, lambda page: None, "visitor") for name, path in OUTSIDE.items()}
    for name, state in list((pages | STATES).items())[part]:
        yield name, people[state.who], _enter_state(people[state.who], state, names, move)
    join(people["viewer"], create_invitation(people["owner"], move=move), name="vera")
    for name, state in list(JOINED.items())[part]:
        yield name, people[state.who], _enter_state(people[state.who], state, names, move)
    leave(people["viewer"], move=move)
    for name, state in LEFT.items():
        yield name, people[state.who], _enter_state(people[state.who], state, names, move)


def _enter_state(page: Page, state: State, names: Mapping[str, str], move: Move) -> Response:
    response = page.goto(move(state.path).format(**names))
    assert response
    state.steps(page)
    return response


def find_address_values(page: Page, *, move: Move = str) -> dict[str, str]:
    """Return the values for the braces in addresses, found by following links as a person would."""
    names = {"link": create_invitation(page, move=move)}
    for name, (path, pattern) in FOUND.items():
        page.goto(move(path))
        links = page.locator("main a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        found = [match[1] for link in links if (match := re.search(pattern, link or ""))]
        assert found, f"{path} links to no {name}: {links}"
        names[name] = found[0]
    return names


def create_invitation(page: Page, *, move: Move = str) -> str:
    """Make an invitation and return its secret."""
    page.goto(move(f"{TEAM}members/invite/"))
    page.get_by_role("button", name="Create the link").click()
    return page.locator("#link").inner_text().rstrip("/").rpartition("/")[2]


def join(page: Page, link: str, *, name: str) -> None:
    """Create an account by an invitation."""
    page.goto(f"/join/{link}/")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password", exact=True).fill("a fine long one 9")
    page.get_by_label("Password again").fill("a fine long one 9")
    page.get_by_role("button", name="Create an account and join").click()
    page.wait_for_url("**/t/**")


def leave(page: Page, *, move: Move = str) -> None:
    page.goto(move(f"{TEAM}members/"))
    page.locator("summary", has_text="Leave").click()
    page.get_by_role("button", name="Leave", exact=True).click()
    page.wait_for_url("/")
