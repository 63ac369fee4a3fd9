"""Who did what with which token: revisions, versions of files and recalls are found by it, and one page tells all that
was done with it."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from unfold.decorators import display

from memories import traces
from memories.models import FileVersion, RecallLog, Revision
from memoryhub.admin import LOOK, PER_PAGE, Ledger, beginning
from memoryhub.errors import Invalid
from teams import tokens
from teams.models import Token


class Traced(Ledger):
    """What names the token by which it was done, and is found by it."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "agent", "user", "token")

    def found(self, request: HttpRequest, term: str) -> list[Any] | None:
        """Hopes for revision_by_token, version_by_token or recall_by_token."""
        if not term.startswith(tokens.MARK):
            return super().found(request, term)
        known = Token.objects.filter(prefix=term[: tokens.PREFIX_LENGTH]).first()
        if known is None:
            return []
        rows = self.model._default_manager.filter(organization=known.organization_id, token=known.pk)
        return list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:LOOK])

    @display(description="By")
    def byline(self, row: Any) -> str:
        return str(row.byline)


class Telling(Traced):
    """The list that also tells, on a page of its own, what was done with one token."""

    def get_urls(self) -> list[URLPattern]:
        told = self.admin_site.admin_view(self.told)
        return [path("by/<uuid:token_id>/", told, name="memories_by_token"), *super().get_urls()]

    def told(self, request: HttpRequest, token_id: Any) -> TemplateResponse:
        if not all(map(request.user.has_perm, SEEN)):
            raise PermissionDenied
        token = get_object_or_404(Token.objects.select_related("agent__team"), pk=token_id)
        try:
            found, following = traces.marks(token=token, limit=PER_PAGE, cursor=request.GET.get("after"))
        except Invalid as odd:
            raise Http404 from odd
        shown = {
            **self.admin_site.each_context(request),
            "title": f"What {token.prefix}… did",
            "model_admin": self.admin_site._registry[Token],
            "token": token,
            "deeds": [told(row) for row in traces.rows(found)],
            "following": following,
        }
        return TemplateResponse(request, "admin/memories/by_token.html", shown)


SEEN = ("teams.view_token", "memories.view_revision", "memories.view_fileversion", "memories.view_recalllog")


def told(row: traces.Row) -> dict[str, Any]:
    """When, what and to what, with the row in which it is written."""
    link = reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])
    match row:
        case Revision():
            did, what = row.get_change_display(), f"memory {row.key or row.memory_id}, version {row.version}"
        case FileVersion():
            did, what = row.get_change_display(), f"file {row.path}, version {row.version}"
        case RecallLog():
            did, what = "Recalled", f"{beginning(row.query) or row.mode}: {len(row.memory_ids)} given"
    return {"at": row.created_at, "did": did, "what": what, "link": link}
