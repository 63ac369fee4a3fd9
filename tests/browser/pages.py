"""Every page, by the name it has in a picture and in a report: what is true of all of them is tested by this table."""

TEAM = "/t/tidewater/engineering/"

# Of the demo organization, as its owner sees it. What stands in braces is looked for as FOUND says.
PAGES = {
    "home": TEAM,
    "memories": f"{TEAM}memories/",
    "search": f"{TEAM}memories/?q=rollback",
    "memory": f"{TEAM}memories/{{memory}}/",
    "core": f"{TEAM}core/",
    "recall": f"{TEAM}recall/",
    "activity": f"{TEAM}activity/",
    "files": f"{TEAM}files/",
    "conversations": f"{TEAM}conversations/",
    "agents": f"{TEAM}agents/",
    "members": f"{TEAM}members/",
    "tree": f"{TEAM}tree/",
    "account": "/account/",
    "nowhere": f"{TEAM}no-such-page/",
}
OUTSIDE = {"login": "/login/"}

# Where a page links to one, and what of the link names it.
FOUND = {
    "memory": (f"{TEAM}memories/?q=rollback", r"/memories/([0-9a-f-]{36})/"),
}
