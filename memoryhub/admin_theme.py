"""The theme of the admin, and its sidebar by task."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy


def require_permission(permission: str) -> Callable[[HttpRequest], bool]:
    """Return a check whether the user of a request has the permission."""

    def is_allowed(request: HttpRequest) -> bool:
        return request.user.has_perm(permission)

    return is_allowed


def model_page(title: str, icon: str, model: str) -> dict[str, Any]:
    """Return the sidebar's entry for a model, visible to those who may view it."""
    app, name = model.split(".")
    link, is_allowed = reverse_lazy(f"admin:{app}_{name}_changelist"), require_permission(f"{app}.view_{name}")
    return {"title": title, "icon": icon, "link": link, "permission": is_allowed}


def page_group(title: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(items)}


def static_url(path: str) -> Callable[[HttpRequest], str]:
    """Return a function that gives the file's address when a page is rendered: names change with the contents."""
    return lambda request: static(path)


NAVIGATION = [
    {"items": [{"title": "Overview", "icon": "monitoring", "link": reverse_lazy("admin:index")}]},
    page_group(
        "Memories",
        model_page("Memories", "neurology", "memories.memory"),
        model_page("Revisions", "history", "memories.revision"),
        model_page("Bulk changes", "checklist", "memories.batch"),
        model_page("Links", "hub", "memories.association"),
        model_page("Attachments", "attach_file", "memories.asset"),
        model_page("Sources", "format_quote", "memories.source"),
    ),
    page_group(
        "Files",
        model_page("Files", "description", "memories.teamfile"),
        model_page("Versions", "history", "memories.fileversion"),
    ),
    page_group(
        "Recall",
        model_page("Recalls", "search", "memories.recalllog"),
        model_page("Resolved questions", "task_alt", "memories.settledquestion"),
        model_page("Golden questions", "quiz", "memories.goldenquestion"),
        model_page("Runs of golden questions", "monitoring", "memories.goldenrun"),
        model_page("Embedding models", "model_training", "memories.embeddingmodel"),
        model_page("Pending embeddings", "pending", "memories.unembedded"),
        model_page("Vectors", "scatter_plot", "memories.embedding"),
        model_page("Vocabularies", "dictionary", "memories.vocabulary"),
    ),
    page_group(
        "Access",
        model_page("Tokens", "key", "teams.token"),
        model_page("Invitations", "forward_to_inbox", "teams.invitation"),
        model_page("Memberships", "badge", "teams.membership"),
        model_page("Guest access", "door_open", "teams.admission"),
        model_page("Sessions", "forum", "teams.session"),
        model_page("Idempotency records", "repeat", "memories.answer"),
    ),
    page_group(
        "People and teams",
        model_page("Organizations", "domain", "teams.organization"),
        model_page("Teams", "groups", "teams.team"),
        model_page("Agents", "smart_toy", "teams.agent"),
        model_page("Projects", "folder_special", "teams.project"),
        model_page("Workspaces", "workspaces", "teams.workspace"),
        model_page("People", "person", "teams.person"),
    ),
    page_group(
        "Operators",
        model_page("Users", "account_circle", "auth.user"),
        model_page("Roles", "shield_person", "auth.group"),
        model_page("Audit log", "receipt_long", "admin.logentry"),
        model_page("Erasures", "person_off", "memories.erasure"),
        model_page("Legal holds", "gavel", "memories.legalhold"),
        model_page("Jobs", "work_history", "procrastinate.procrastinatejob"),
    ),
]

# The colours of static/css/memoryhub.css that these pages name.
ADMIN_THEME: dict[str, Any] = {
    "SITE_TITLE": "MemoryHub",
    "SITE_HEADER": "MemoryHub",
    "SITE_SUBHEADER": "For operators",
    "SITE_ICON": static_url("img/mark.svg"),
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": static_url("img/mark.svg")}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": True,
    "BORDER_RADIUS": "6px",
    "DASHBOARD_CALLBACK": "memories.admin.overview.dashboard_context",
    "STYLES": [static_url("css/admin.css")],
    "SCRIPTS": [static_url("js/admin.js")],
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
