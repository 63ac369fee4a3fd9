"""Abstract models: rows with an author, and with the token that was used."""

from typing import Self, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memoryhub.tenancy import SameOrganization, Tenant, tenant_link
from teams.models import Token

Row = TypeVar("Row", bound=models.Model)


class TenantQuerySet(models.QuerySet[Row]):
    """Rows of a table that belongs to organizations."""

    def in_organization(self, organization_id: UUID) -> Self:
        return self.filter(organization=organization_id)


class AuthoredQuerySet(TenantQuerySet[Row]):
    def with_authors(self) -> Self:
        """Load authors, for bylines."""
        return self.select_related("agent", "user")

    def newest(self) -> Self:
        return self.order_by("-created_at", "-id")


class TokenAuditedQuerySet(AuthoredQuerySet[Row]):
    def with_callers(self) -> Self:
        """Load authors and the tokens that they used."""
        return self.select_related("agent", "user", "token")

    def by_token(self, token: Token) -> Self:
        """Return what was done with a token. Index: the table's index by token."""
        return self.in_organization(token.organization_id).filter(token=token.pk)


class Authored(Tenant):
    """A row with an author: an agent or a login, or neither for the system itself.

    The database refuses to delete an author who is named in any row, so that history keeps its names.
    """

    agent = tenant_link("teams.Agent", null=True, blank=True, db_index=False, on_delete=models.DO_NOTHING)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, null=True, blank=True, db_index=False, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    @property
    def byline(self) -> str:
        """The author's name."""
        if self.user:
            return self.user.get_username()
        return str(self.agent or "system")


class TokenAudited(Authored):
    """A row of the history, with the token that an agent used.

    The row outlives the token, so no constraint holds the two together.
    """

    token = tenant_link("teams.Token", null=True, blank=True, db_index=False, on_delete=models.DO_NOTHING)

    class Meta:
        abstract = True


def token_index(table: str) -> models.Index:
    return models.Index(
        F("organization"),
        F("token"),
        F("created_at").desc(),
        name=f"{table}_by_token",
        condition=Q(token__isnull=False),
    )


def author_constraint(table: str) -> SameOrganization:
    return SameOrganization(field="agent", to="teams.Agent", name=f"{table}_agent_is_of_its_organization")
