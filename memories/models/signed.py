"""Rows that say who made them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memoryhub.tenancy import SameOrganization, Tenant, link


class Signed(Tenant):
    """A row that says who made it: an agent or a login, or neither for the system itself.

    Neither is ever deleted while it has signed something: the database refuses, so that history keeps its names.
    """

    agent = link("teams.Agent", null=True, blank=True, db_index=False, on_delete=models.DO_NOTHING)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, null=True, blank=True, db_index=False, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    @property
    def byline(self) -> str:
        """Who, in a word."""
        if self.user:
            return self.user.get_username()
        return str(self.agent or "system")


class Traced(Signed):
    """A row of the history: it says, too, with which token an agent did it.

    The row outlives the token, so no constraint holds the two together.
    """

    token = link("teams.Token", null=True, blank=True, db_index=False, on_delete=models.DO_NOTHING)

    class Meta:
        abstract = True


def by_token(table: str) -> models.Index:
    return models.Index(
        F("organization"),
        F("token"),
        F("created_at").desc(),
        name=f"{table}_by_token",
        condition=Q(token__isnull=False),
    )


def signature(table: str) -> SameOrganization:
    return SameOrganization(field="agent", to="teams.Agent", name=f"{table}_agent_is_of_its_organization")
