"""The admin pages of access: memberships, invitations, tokens, admissions, sessions."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from memoryhub.admin import (
    MAX_LIST_ROWS,
    KeptAdmin,
    ListAdmin,
    LogAdmin,
    OperatedAdmin,
    ReadOnlyMixin,
    RowFilter,
    SameOrganizationForm,
)
from memoryhub.errors import Conflict
from memoryhub.forms import LinesField
from teams import rights, tokens
from teams.actor import Actor
from teams.models import Admission, Invitation, Membership, Role, Session, Team, Token
from teams.operations import agents, invitations, members, projects, revoke_token
from teams.querysets import TokenQuerySet

UNUSED_AFTER = timedelta(days=90)
ACCESS_STATE_COLORS = {
    "working": "success",
    "open": "success",
    "expired": "warning",
    "revoked": "danger",
    "used": "info",
}


def operator_of(request: HttpRequest, team: Team) -> Actor:
    """Return the logged-in operator as an actor who may do what an owner of the team may."""
    assert request.user.is_authenticated
    return rights.operator_actor(user=request.user, team=team, audiences=[team.pk])


class LinkAdmin(OperatedAdmin):
    """Manages a link between rows of one organization, chosen by their names. It can be removed."""

    form = SameOrganizationForm
    get_autocomplete_fields = KeptAdmin.get_autocomplete_fields


@admin.register(Membership)
class MembershipAdmin(LinkAdmin):
    list_display = ("user", "team", "role", "created_at")
    list_select_related = ("user", "team")
    list_filter = (("team", RowFilter), ("role", ChoicesDropdownFilter))
    search_fields = ("user__username", "user__email", "team__name")
    search_help_text = "A login's name or e-mail address, or a team"
    immutable_fields = ("organization", "team", "user")

    def add_one(self, request: HttpRequest, row: Membership) -> Membership:
        return members.add_member(actor=operator_of(request, row.team), user=row.user, role=Role(row.role))

    def change_one(self, request: HttpRequest, row: Membership) -> None:
        members.change_role(actor=operator_of(request, row.team), membership_id=row.pk, role=Role(row.role))

    def remove_one(self, request: HttpRequest, row: Membership) -> None:
        members.remove_member(actor=operator_of(request, row.team), membership_id=row.pk)


@admin.register(Admission)
class AdmissionAdmin(LinkAdmin):
    list_display = ("project", "agent", "person", "created_at")
    list_select_related = ("project", "agent", "person")
    list_filter = (("project", RowFilter),)
    search_fields = ("project__name", "agent__slug", "person__handle")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse changes: an admission exists or it does not."""
        return False

    def add_one(self, request: HttpRequest, row: Admission) -> Admission:
        actor = operator_of(request, row.project.team)
        return projects.create_admission(actor=actor, project=row.project, agent=row.agent, person=row.person)

    def remove_one(self, request: HttpRequest, row: Admission) -> None:
        projects.dismiss_guest(actor=operator_of(request, row.project.team), admission_id=row.pk)


class RevocableAdmin(ReadOnlyMixin, ListAdmin):
    """Lists rows that can be revoked, but not changed. The row's history says who revoked it."""

    actions = ("revoke",)
    change_form_outer_before_template = "admin/teams/_revoke.html"
    shows_history = True

    def has_revoke_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(f"teams.revoke_{self.opts.model_name}")

    def revoke_one(self, row: Any) -> None:
        raise NotImplementedError

    @action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        rows = list(queryset[: MAX_LIST_ROWS + 1])
        if len(rows) > MAX_LIST_ROWS:
            messages.error(request, f"At most {MAX_LIST_ROWS:,} can be revoked at once. Narrow the list first.")
            return
        revoked = [row for row in rows if self.revoke_if_active(request, row)]
        messages.success(request, f"Revoked {len(revoked)}; {len(rows) - len(revoked)} no longer worked anyway.")

    def revoke_if_active(self, request: HttpRequest, row: Any) -> bool:
        """Revoke the row, and return whether that changed anything."""
        if row.revoked_at:
            return False
        try:
            self.revoke_one(row)
        except Conflict:
            return False
        self.log_change(request, row, "Revoked.")
        return True

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        row = context["original"]
        context["may_revoke"] = not row.revoked_at and self.has_revoke_permission(request)
        return super().render_change_form(request, context, *args, **options)


@admin.register(Invitation)
class InvitationAdmin(RevocableAdmin):
    """Lists invitations. Only owners create the links, and only they see them."""

    list_display = ("team", "role", "made_by", "created_at", "expires_at", "used_by", "state")
    list_select_related = ("organization", "team", "made_by", "used_by")
    list_filter = (("team", RowFilter),)
    search_fields = ("team__name", "made_by__username", "made_by__email", "used_by__username", "used_by__email")
    search_help_text = "A team, or the person who created or used it, by name or e-mail address"
    fields = (
        *("organization", "team", "role", "made_by", "created_at"),
        *("expires_at", "used_by", "used_at", "revoked_at", "state"),
    )
    readonly_fields = fields

    def revoke_one(self, row: Invitation) -> None:
        invitations.withdraw_invitation(invitation=row)

    @display(description="State", label=ACCESS_STATE_COLORS)
    def state(self, invitation: Invitation) -> str:
        if invitation.revoked_at:
            return "revoked"
        if invitation.used_at:
            return "used"
        return "expired" if invitation.expires_at <= timezone.now() else "open"


class TokenState(DropdownFilter):
    title, parameter_name = "state", "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (
            ("working", "Active"),
            ("unused", f"Unused for {UNUSED_AFTER.days} days"),
            ("expired", "Expired"),
            ("revoked", "Revoked"),
        )

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        tokens, now = cast("TokenQuerySet", queryset), timezone.now()
        match self.value():
            case "working":
                return tokens.working(now=now)
            case "unused":
                return tokens.working(now=now).not_used(since=now - UNUSED_AFTER)
            case "expired":
                return tokens.filter(revoked_at=None, expires_at__lte=now)
            case "revoked":
                return tokens.filter(revoked_at__isnull=False)
        return tokens


class TokenForm(forms.ModelForm):
    persons = LinesField(
        label="People it may name",
        help_text="Handles, one per line, besides the person it serves. Empty: only the person it serves.",
    )
    any_person = forms.BooleanField(
        label="Any person",
        required=False,
        help_text="Its calls may name anybody, and use what is remembered about them.",
    )


@admin.register(Token)
class TokenAdmin(RevocableAdmin, OperatedAdmin):
    """Lists tokens. Only owners and `create_token` issue and show them. The people whom a token may name can be changed
    here."""

    form = TokenForm
    list_display = (
        *("prefix", "agent", "team", "person", "may_name", "label", "verbs"),
        *("last_used_at", "expires_at", "state"),
    )
    list_select_related = ("organization", "agent__team", "person")
    list_filter = (TokenState, ("agent", RowFilter))
    search_fields = ("=prefix", "label", "agent__slug")
    search_help_text = "A whole token or its beginning, its label, or its agent"
    fields = (
        *("prefix", "organization", "agent", "person", "may_name", "persons", "any_person", "label", "verbs"),
        *("created_at", "last_used_at", "expires_at", "revoked_at", "state"),
    )
    readonly_fields = tuple(field for field in fields if field not in ("persons", "any_person"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse changes to a revoked token."""
        return request.user.has_perm("teams.change_token") and not (obj and obj.revoked_at)

    def change_one(self, request: HttpRequest, row: Token) -> None:
        actor = operator_of(request, row.agent.team)
        agents.change_token_persons(actor=actor, token_id=row.pk, persons=row.persons, any_person=row.any_person)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Leave the changes of a form to the operation, which logs them in words."""
        return super().log_change(request, obj, message) if isinstance(message, str) else None

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Look up a whole token by its prefix, which is not secret."""
        secret = tokens.parse_token(search_term.strip())
        return super().get_search_results(request, queryset, secret.prefix if secret else search_term)

    def revoke_one(self, row: Token) -> None:
        revoke_token(token=row)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        path = reverse("admin:memories_by_token", args=[context["original"].pk])
        link = {"title": "Activity", "icon": "history", "variant": ActionVariant.DEFAULT, "path": path}
        context["actions_detail"] = [link]
        return super().render_change_form(request, context, *args, **options)

    @display(description="May name")
    def may_name(self, token: Token) -> str:
        return token.naming

    @display(description="Team")
    def team(self, token: Token) -> str:
        return str(token.agent.team)

    @display(description="State", label=ACCESS_STATE_COLORS)
    def state(self, token: Token) -> str:
        if token.revoked_at:
            return "revoked"
        return "expired" if token.expires_at and token.expires_at <= timezone.now() else "working"


@admin.register(Session)
class SessionAdmin(LogAdmin):
    list_display = ("name", "agent", "project", "person", "channel_id", "created_at")
    list_filter = (("agent", RowFilter), ("project", RowFilter))
    list_select_related = ("organization", "agent", "project", "person", "workspace")
    search_fields = ("name", "channel_id")
    search_help_text = "An id, or part of the name or channel of a recent session"
