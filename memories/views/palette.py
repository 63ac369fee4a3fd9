"""The command palette: pages, actions, teams and memories that match a few letters."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from memories import recall
from teams.models import Role
from teams.team_page import TeamPage, in_team
from teams.views import appearance

EVERY_ROLE = (Role.VIEWER, Role.EDITOR, Role.OWNER)
WRITER_ROLES = (Role.EDITOR, Role.OWNER)
OWNER_ROLES = (Role.OWNER,)
PALETTE_PAGES = (
    ("team-home", "Team home", "house", EVERY_ROLE),
    ("memories", "Memories", "brain", EVERY_ROLE),
    ("core", "Core memory", "book-open-text", EVERY_ROLE),
    ("playground", "Recall playground", "search", EVERY_ROLE),
    ("activity", "Activity", "activity", EVERY_ROLE),
    ("activity-questions", "Unanswered questions", "circle-question-mark", EVERY_ROLE),
    ("insights", "Insights", "gauge", EVERY_ROLE),
    ("memories-batches", "Bulk changes", "history", WRITER_ROLES),
    ("files", "Files", "folder", EVERY_ROLE),
    ("conversations", "Conversations", "messages-square", EVERY_ROLE),
    ("agents", "Agents and tokens", "bot", EVERY_ROLE),
    ("projects", "Projects", "layers", EVERY_ROLE),
    ("members", "Members", "users", EVERY_ROLE),
    ("tree", "Team tree", "network", EVERY_ROLE),
    ("export", "Export", "download", OWNER_ROLES),
)
PALETTE_ACTIONS = (
    ("memory-new", "New memory", "plus", WRITER_ROLES),
    ("core-write", "Edit core memory", "pencil", WRITER_ROLES),
    ("core-read", "See what an agent reads", "eye", EVERY_ROLE),
    ("file-new", "New file", "file-plus", WRITER_ROLES),
    ("file-upload", "Upload files", "upload", WRITER_ROLES),
    ("agent-new", "New agent", "bot", OWNER_ROLES),
    ("project-new", "New project", "layers", OWNER_ROLES),
    ("invite", "Invite someone", "user-plus", OWNER_ROLES),
)
MAX_PALETTE_HITS = 8


@dataclass(frozen=True, slots=True)
class PaletteCommand:
    """A page to open; with a name, a form value to submit there."""

    address: str
    title: str
    icon: str
    name: str = ""
    value: str = ""


def _global_commands(*, keys: str) -> list[PaletteCommand]:
    """List the commands that are the same in every team."""
    theme, other = reverse("theme"), "on" if keys == "off" else "off"
    return [
        PaletteCommand(reverse("account"), "Account", "settings"),
        PaletteCommand(reverse("password"), "Change the password", "key-round"),
        PaletteCommand(theme, "Light theme", "sun", "theme", "light"),
        PaletteCommand(theme, "Dark theme", "moon", "theme", "dark"),
        PaletteCommand(theme, "System theme", "monitor", "theme", "system"),
        PaletteCommand(reverse("keys"), f"Turn {other} single-key shortcuts", "keyboard", "keys", other),
        PaletteCommand(reverse("logout"), "Log out", "log-out", "out", "1"),
    ]


@in_team
def show_palette(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    query = request.GET.get("q", "").strip()[: recall.QUERY_LENGTH]
    words = query.lower().split()
    teams = [team for team in team_page.teams if team != team_page.team and _contains_all(team.name, words)]
    found = _recall_memories(team_page, query) if query else None
    context = {
        "query": query,
        "pages": _matching_commands(_allowed_commands(PALETTE_PAGES, team_page), words),
        "actions": _matching_commands(
            [
                *_allowed_commands(PALETTE_ACTIONS, team_page),
                *_global_commands(keys=appearance.read_appearance_choice(request, "keys")),
            ],
            words,
        ),
        "teams": teams[:MAX_PALETTE_HITS],
        "memories": [hit.memory for hit in (found.hits or found.doubtful)] if found else [],
        "is_sure": bool(found and found.hits),
    }
    return render(request, "memories/_palette.html", context)


def _recall_memories(team_page: TeamPage, query: str) -> recall.Recalled:
    return recall.recall(
        actor=team_page.team_only_actor, query=query, limit=MAX_PALETTE_HITS, min_confidence=recall.AUTO, noted=False
    )


def _allowed_commands(
    rows: tuple[tuple[str, str, str, tuple[Role, ...]], ...], team_page: TeamPage
) -> list[PaletteCommand]:
    return [
        PaletteCommand(team_page.url(name), title, sign) for name, title, sign, roles in rows if team_page.role in roles
    ]


def _matching_commands(commands: list[PaletteCommand], words: list[str]) -> list[PaletteCommand]:
    return [command for command in commands if _contains_all(command.title, words)]


def _contains_all(title: str, words: list[str]) -> bool:
    """Return True if the title contains every word, in any order."""
    return all(word in title.lower() for word in words)
