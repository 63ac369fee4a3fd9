"""Legal holds: what must be kept, whatever the settings, people and tokens say."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.base import TenantQuerySet
from memories.models.constants import KEY_LENGTH, LABEL_LENGTH, SUMMARY_LENGTH
from memoryhub.tenancy import SameOrganization, Tenant, tenant_link


class LegalHoldQuerySet(TenantQuerySet["LegalHold"]):
    def active(self) -> Self:
        """Return the holds that were not released. Index: legal_hold_active."""
        return self.filter(released_at=None)


class LegalHold(Tenant):
    """Keeps what matches all that is set: the whole organization, if nothing is. `memories.rules.holds` says what a
    hold covers."""

    team = tenant_link("teams.Team", null=True, blank=True, db_index=False)
    person = tenant_link("teams.Person", null=True, blank=True, help_text="Whose memories, sessions and recalls.")
    category = models.CharField(max_length=LABEL_LENGTH, blank=True, default="", help_text="Of memories.")
    key_prefix = models.CharField(
        max_length=KEY_LENGTH, blank=True, default="", help_text="The beginning of memories' keys and files' paths."
    )
    reason = models.CharField(max_length=SUMMARY_LENGTH, help_text="Only operators see it.")
    created_by = models.ForeignKey(  # empty, if it was imported and the login is not known here
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        db_index=False,
    )
    released_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = LegalHoldQuerySet.as_manager()

    class Meta:
        permissions = [("release_legalhold", "Can release legal holds")]
        constraints = [
            SameOrganization(field="team", to="teams.Team", name="hold_team_is_of_its_organization"),
            SameOrganization(field="person", to="teams.Person", name="hold_person_is_of_its_organization"),
            models.CheckConstraint(condition=~Q(reason=""), name="hold_has_a_reason"),
        ]
        indexes = [models.Index(fields=["organization"], name="legal_hold_active", condition=Q(released_at=None))]

    def __str__(self) -> str:
        named = {"team": self.team, "person": self.person, "category": self.category, "key": self.key_prefix}
        parts = [f"{name} {value}" for name, value in named.items() if value]
        return ", ".join(parts) or "everything"
