"""Who may come in: memberships, invitations, tokens, admissions, sessions."""

from datetime import timedelta
from typing import Any, cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from memoryhub.admin import LOOK, Chosen, Kept, Ledger, Listed, Looking, Operated, SameHouse
from memoryhub.errors import Conflict
from teams import auth, tokens
from teams.actor import Actor
from teams.models import Admission, Invitation, Membership, Role, Session, Team, Token, TokenQuerySet
from teams.operations import invitations, members, projects, revoke_token

UNUSED_AFTER = timedelta(days=90)
STANDING = {"working": "success", "open": "success", "expired": "warning", "revoked": "danger", "used": "info"}


def operator(request: HttpRequest, team: Team) -> Actor:
    """Whoever asks, at work on the team as an owner would be."""
    assert request.user.is_authenticated
    return auth.operator_actor(user=request.user, team=team, audiences=[team.pk])


class Linked(Operated):
    """A link between rows of one organization, chosen by their names; it can be taken away."""

    form = SameHouse
    get_autocomplete_fields = Kept.get_autocomplete_fields


@admin.register(Membership)
class MembershipAdmin(Linked):
    list_display = ("user", "team", "role", "created_at")
    list_select_related = ("user", "team")
    list_filter = (("team", Chosen), ("role", ChoicesDropdownFilter))
    search_fields = ("user__username", "user__email", "team__name")
    search_help_text = "A login's name or e-mail address, or a team"
    settled = ("organization", "team", "user")

    def add_one(self, request: HttpRequest, row: Membership) -> Membership:
        return members.add(actor=operator(request, row.team), user=row.user, role=Role(row.role))

    def change_one(self, request: HttpRequest, row: Membership) -> None:
        members.change_role(actor=operator(request, row.team), membership_id=row.pk, role=Role(row.role))

    def remove_one(self, request: HttpRequest, row: Membership) -> None:
        members.remove(actor=operator(request, row.team), membership_id=row.pk)


@admin.register(Admission)
class AdmissionAdmin(Linked):
    list_display = ("project", "agent", "person", "created_at")
    list_select_related = ("project", "agent", "person")
    list_filter = (("project", Chosen),)
    search_fields = ("project__name", "agent__slug", "person__handle")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Somebody is admitted or not: there is nothing to change."""
        return False

    def add_one(self, request: HttpRequest, row: Admission) -> Admission:
        actor = operator(request, row.project.team)
        return projects.let_in(actor=actor, project=row.project, agent=row.agent, person=row.person)

    def remove_one(self, request: HttpRequest, row: Admission) -> None:
        projects.dismiss(actor=operator(request, row.project.team), admission_id=row.pk)


class Revocable(Looking, Listed):
    """Watched, and revoked for good. Who did it is in the row's own history."""

    actions = ("revoke",)
    change_form_outer_before_template = "admin/teams/_revoke.html"
    shows_history = True

    def has_revoke_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(f"teams.revoke_{self.opts.model_name}")

    def revoke_one(self, row: Any) -> None:
        raise NotImplementedError

    @action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        rows = list(queryset[: LOOK + 1])
        if len(rows) > LOOK:
            messages.error(request, f"At most {LOOK:,} at once; these are more. Narrow the list first.")
            return
        revoked = [row for row in rows if self.tried(request, row)]
        messages.success(request, f"Revoked {len(revoked)}; {len(rows) - len(revoked)} could not be used any more.")

    def tried(self, request: HttpRequest, row: Any) -> bool:
        """Whether it was revoked just now."""
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
class InvitationAdmin(Revocable):
    """Links are made by owners, who alone are shown them."""

    list_display = ("team", "role", "made_by", "created_at", "expires_at", "used_by", "standing")
    list_select_related = ("organization", "team", "made_by", "used_by")
    list_filter = (("team", Chosen),)
    search_fields = ("team__name", "made_by__username", "made_by__email", "used_by__username", "used_by__email")
    search_help_text = "A team, or whoever made or used it, by name or e-mail address"
    fields = (
        *("organization", "team", "role", "made_by", "created_at"),
        *("expires_at", "used_by", "used_at", "revoked_at", "standing"),
    )
    readonly_fields = fields

    def revoke_one(self, row: Invitation) -> None:
        invitations.withdraw(invitation=row)

    @display(description="State", label=STANDING)
    def standing(self, invitation: Invitation) -> str:
        if invitation.revoked_at:
            return "revoked"
        if invitation.used_at:
            return "used"
        return "expired" if invitation.expires_at <= timezone.now() else "open"


class TokenState(DropdownFilter):
    title, parameter_name = "state", "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (
            ("working", "Working"),
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
                return tokens.working(now=now).unused(since=now - UNUSED_AFTER)
            case "expired":
                return tokens.filter(revoked_at=None, expires_at__lte=now)
            case "revoked":
                return tokens.filter(revoked_at__isnull=False)
        return tokens


@admin.register(Token)
class TokenAdmin(Revocable):
    """Tokens are made by owners and by `create_token`, which alone can show them."""

    list_display = ("prefix", "agent", "team", "person", "label", "verbs", "last_used_at", "expires_at", "standing")
    list_select_related = ("organization", "agent__team", "person")
    list_filter = (TokenState, ("agent", Chosen))
    search_fields = ("=prefix", "label", "agent__slug")
    search_help_text = "A whole token or its beginning, its label, or its agent"
    fields = (
        *("prefix", "organization", "agent", "person", "label", "verbs"),
        *("created_at", "last_used_at", "expires_at", "revoked_at", "standing"),
    )
    readonly_fields = fields

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """A whole token is looked up by the part that is no secret."""
        secret = tokens.parse(search_term.strip())
        return super().get_search_results(request, queryset, secret.prefix if secret else search_term)

    def revoke_one(self, row: Token) -> None:
        revoke_token(token=row)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        path = reverse("admin:memories_by_token", args=[context["original"].pk])
        way = {"title": "What it did", "icon": "history", "variant": ActionVariant.DEFAULT, "path": path}
        context["actions_detail"] = [way]
        return super().render_change_form(request, context, *args, **options)

    @display(description="Team")
    def team(self, token: Token) -> str:
        return str(token.agent.team)

    @display(description="State", label=STANDING)
    def standing(self, token: Token) -> str:
        if token.revoked_at:
            return "revoked"
        return "expired" if token.expires_at and token.expires_at <= timezone.now() else "working"


@admin.register(Session)
class SessionAdmin(Ledger):
    list_display = ("name", "agent", "project", "person", "channel_id", "created_at")
    list_filter = (("agent", Chosen), ("project", Chosen))
    list_select_related = ("organization", "agent", "project", "person", "workspace")
    search_fields = ("name", "channel_id")
    search_help_text = "An id, or a part of the newest ones' names or channels"
