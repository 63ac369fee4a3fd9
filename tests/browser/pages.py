"""Every page, by the name it has in a picture and in a report: what is true of all of them is tested by this table."""

import re
from collections.abc import Callable, Mapping

from playwright.sync_api import Page

TEAM = "/t/tidewater/engineering/"

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
OUTSIDE = {"login": "/login/"}

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


def filled(page: Page, pages: Mapping[str, str], move: Callable[[str], str] = str) -> dict[str, str]:
    """The pages with addresses of what is there, found by links as a person would."""
    names = {}
    for name, (path, pattern) in FOUND.items():
        page.goto(move(path))
        links = page.locator("main a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        names[name] = next(found[1] for link in links if (found := re.search(pattern, link or "")))
    return {name: path.format(**names) for name, path in pages.items()}
