"""How the operators' pages look and what their side lists, by task."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy


def seen_with(permission: str) -> Callable[[HttpRequest], bool]:
    """Whether whoever asks has the permission."""

    def seen(request: HttpRequest) -> bool:
        return request.user.has_perm(permission)

    return seen


def page(title: str, icon: str, model: str) -> dict[str, Any]:
    """The list of a model, for those who may look at it."""
    app, name = model.split(".")
    link, seen = reverse_lazy(f"admin:{app}_{name}_changelist"), seen_with(f"{app}.view_{name}")
    return {"title": title, "icon": icon, "link": link, "permission": seen}


def group(title: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(items)}


def asset(path: str) -> Callable[[HttpRequest], str]:
    """Its address, asked for when a page is shown: names change with what is in the files."""
    return lambda request: static(path)


NAVIGATION = [
    {"items": [{"title": "Overview", "icon": "monitoring", "link": reverse_lazy("admin:index")}]},
    group(
        "Memories",
        page("Memories", "neurology", "memories.memory"),
        page("Revisions", "history", "memories.revision"),
        page("Batches", "checklist", "memories.batch"),
        page("Links", "hub", "memories.association"),
        page("Attachments", "attach_file", "memories.asset"),
        page("Sources", "format_quote", "memories.source"),
    ),
    group(
        "Files",
        page("Files", "description", "memories.teamfile"),
        page("Versions", "history", "memories.fileversion"),
    ),
    group(
        "Recall",
        page("Recalls", "search", "memories.recalllog"),
        page("Settled questions", "task_alt", "memories.settledquestion"),
        page("Embedding models", "model_training", "memories.embeddingmodel"),
        page("Waiting for a vector", "pending", "memories.unembedded"),
        page("Vectors", "scatter_plot", "memories.embedding"),
        page("Vocabularies", "dictionary", "memories.vocabulary"),
    ),
    group(
        "Access",
        page("Tokens", "key", "teams.token"),
        page("Invitations", "forward_to_inbox", "teams.invitation"),
        page("Memberships", "badge", "teams.membership"),
        page("Admissions", "door_open", "teams.admission"),
        page("Sessions", "forum", "teams.session"),
        page("Repeatable answers", "repeat", "memories.answer"),
    ),
    group(
        "Who",
        page("Organizations", "domain", "teams.organization"),
        page("Teams", "groups", "teams.team"),
        page("Agents", "smart_toy", "teams.agent"),
        page("Projects", "folder_special", "teams.project"),
        page("Workspaces", "workspaces", "teams.workspace"),
        page("People", "person", "teams.person"),
    ),
    group(
        "Operators",
        page("Logins", "account_circle", "auth.user"),
        page("Roles", "shield_person", "auth.group"),
        page("What operators did", "receipt_long", "admin.logentry"),
        page("Jobs", "work_history", "procrastinate.procrastinatejob"),
    ),
]

# The colours of static/css/memoryhub.css, as far as these pages name them.
UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "MemoryHub",
    "SITE_HEADER": "MemoryHub",
    "SITE_SUBHEADER": "For operators",
    "SITE_ICON": asset("img/mark.svg"),
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": asset("img/mark.svg")}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": True,
    "BORDER_RADIUS": "6px",
    "DASHBOARD_CALLBACK": "memories.admin.overview.shown",
    "STYLES": [asset("css/admin.css")],
    "SCRIPTS": [asset("js/admin.js")],
    "COLORS": {
        "base": {
            "50": "#f7f6f2",
            "100": "#f0efe9",
            "200": "#e2e0d8",
            "300": "#c3c8c8",
            "400": "#a3b0b4",
            "500": "#586369",
            "600": "#465055",
            "700": "#343e43",
            "800": "#2c3439",
            "900": "#1b2024",
            "950": "#14171a",
        },
        "primary": {
            "50": "#eef8f6",
            "100": "#e3f1ee",
            "200": "#bfe3dc",
            "300": "#8fd5ca",
            "400": "#57d3c3",
            "500": "#2fb3a3",
            "600": "#0b6a61",
            "700": "#0a5a52",
            "800": "#0b4a44",
            "900": "#17332f",
            "950": "#08211e",
        },
    },
    "SIDEBAR": {"show_search": True, "navigation": NAVIGATION},
}
