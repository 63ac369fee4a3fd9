"""The command palette: pages, things to do, teams and memories by a few letters of them."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from memories import recall
from teams.models import Role
from teams.place import Place, in_team
from teams.views import looks

ANYBODY = (Role.VIEWER, Role.EDITOR, Role.OWNER)
WRITERS = (Role.EDITOR, Role.OWNER)
OWNERS = (Role.OWNER,)
PAGES = (
    ("team-home", "Team home", "house", ANYBODY),
    ("memories", "Memories", "brain", ANYBODY),
    ("core", "Core memory", "book-open-text", ANYBODY),
    ("playground", "Recall playground", "search", ANYBODY),
    ("activity", "Activity", "activity", ANYBODY),
    ("activity-questions", "Unanswered questions", "circle-question-mark", ANYBODY),
    ("memories-batches", "Batches", "history", WRITERS),
    ("files", "Files", "folder", ANYBODY),
    ("conversations", "Conversations", "messages-square", ANYBODY),
    ("agents", "Agents and tokens", "bot", ANYBODY),
    ("projects", "Projects", "layers", ANYBODY),
    ("members", "Members", "users", ANYBODY),
    ("tree", "Team tree", "network", ANYBODY),
    ("export", "Export", "download", OWNERS),
)
ACTIONS = (
    ("memory-new", "New memory", "plus", WRITERS),
    ("core-write", "Edit core memory", "pencil", WRITERS),
    ("core-read", "See what an agent reads", "eye", ANYBODY),
    ("file-new", "New file", "file-plus", WRITERS),
    ("file-upload", "Upload files", "upload", WRITERS),
    ("agent-new", "New agent", "bot", OWNERS),
    ("project-new", "New project", "layers", OWNERS),
    ("invite", "Invite somebody", "user-plus", OWNERS),
)
MEMORIES = 8


@dataclass(frozen=True, slots=True)
class Command:
    """A page to go to, or with a name something to send there."""

    address: str
    title: str
    sign: str
    name: str = ""
    value: str = ""


def _anywhere(*, keys: str) -> list[Command]:
    """What one can do outside of teams, too."""
    theme, other = reverse("theme"), "on" if keys == "off" else "off"
    return [
        Command(reverse("account"), "Account", "settings"),
        Command(reverse("password"), "Change the password", "key-round"),
        Command(theme, "Light theme", "sun", "theme", "light"),
        Command(theme, "Dark theme", "moon", "theme", "dark"),
        Command(theme, "Theme of the system", "monitor", "theme", "system"),
        Command(reverse("keys"), f"Switch single keys {other}", "keyboard", "keys", other),
        Command(reverse("logout"), "Log out", "log-out", "out", "1"),
    ]


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    asked = request.GET.get("q", "").strip()[: recall.QUERY_LENGTH]
    words = asked.lower().split()
    teams = [team for team in place.teams if team != place.team and _says(team.name, words)]
    hits = recall.recall(actor=place.here, query=asked, limit=MEMORIES, noted=False).hits if asked else []
    found = {
        "asked": asked,
        "pages": _found(_offered(PAGES, place), words),
        "actions": _found([*_offered(ACTIONS, place), *_anywhere(keys=looks.chosen(request, "keys"))], words),
        "teams": teams[:MEMORIES],
        "memories": [hit.memory for hit in hits],
    }
    return render(request, "memories/_palette.html", found)


def _offered(rows: tuple[tuple[str, str, str, tuple[Role, ...]], ...], place: Place) -> list[Command]:
    return [Command(place.to(name), title, sign) for name, title, sign, roles in rows if place.role in roles]


def _found(commands: list[Command], words: list[str]) -> list[Command]:
    return [command for command in commands if _says(command.title, words)]


def _says(title: str, words: list[str]) -> bool:
    """Each word, in whichever order."""
    return all(word in title.lower() for word in words)
