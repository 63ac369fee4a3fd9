"""Audit log by token: lists of revisions, file versions and recalls searchable by token, and a page with all that one
token did."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from unfold.decorators import display

from memories.models import FileVersion, RecallLog, Revision
from memories.queries import token_activity
from memoryhub.admin import MAX_LIST_ROWS, PER_PAGE, LogAdmin, shorten_text
from memoryhub.errors import Invalid
from teams import tokens
from teams.models import Token


class TokenLogAdmin(LogAdmin):
    """A log whose rows name a token and can be searched by it."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "agent", "user", "token")

    def find_exact(self, request: HttpRequest, term: str) -> list[Any] | None:
        """Find rows by token. Index: revision_by_token, version_by_token or recall_by_token."""
        if not term.startswith(tokens.LEADING_MARK):
            return super().find_exact(request, term)
        known = Token.objects.filter(prefix=term[: tokens.PREFIX_LENGTH]).first()
        if known is None:
            return []
        rows = self.model.objects.by_token(known)
        return list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:MAX_LIST_ROWS])

    @display(description="By")
    def byline(self, row: Any) -> str:
        return str(row.byline)


class TokenActivityAdmin(TokenLogAdmin):
    """A log that also has the page of everything done with one token."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.token_page)
        return [path("by/<uuid:token_id>/", view, name="memories_by_token"), *super().get_urls()]

    def token_page(self, request: HttpRequest, token_id: Any) -> TemplateResponse:
        if not all(map(request.user.has_perm, TOKEN_PAGE_PERMISSIONS)):
            raise PermissionDenied
        token = get_object_or_404(Token.objects.select_related("agent__team"), pk=token_id)
        try:
            marks, following = token_activity.list_marks(token=token, limit=PER_PAGE, cursor=request.GET.get("after"))
        except Invalid as odd:
            raise Http404 from odd
        context = {
            **self.admin_site.each_context(request),
            "title": f"What {token.prefix}… did",
            "model_admin": self.admin_site._registry[Token],
            "token": token,
            "deeds": [describe_row(row) for row in token_activity.load_marked_rows(marks)],
            "following": following,
        }
        return TemplateResponse(request, "admin/memories/by_token.html", context)


TOKEN_PAGE_PERMISSIONS = (
    "teams.view_token",
    "memories.view_revision",
    "memories.view_fileversion",
    "memories.view_recalllog",
)


def describe_row(row: token_activity.MarkedRow) -> dict[str, Any]:
    """Describe one row: when, what was done to what, and a link to the row."""
    link = reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])
    match row:
        case Revision():
            did, what = row.get_change_display(), f"memory {row.key or row.memory_id}, version {row.version}"
        case FileVersion():
            did, what = row.get_change_display(), f"file {row.path}, version {row.version}"
        case RecallLog():
            did, what = "Recalled", f"{shorten_text(row.query) or row.mode}: {len(row.memory_ids)} given"
    return {"at": row.created_at, "did": did, "what": what, "link": link}
