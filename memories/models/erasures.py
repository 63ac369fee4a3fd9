"""Erasures: who was erased, without a word of them."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from memories.models.base import TenantQuerySet
from memoryhub.tenancy import Tenant


class Erasure(Tenant):
    """A person who was erased everywhere. The receipt proves what was erased, and has ids and counts alone."""

    person_id = models.UUIDField()  # no key: there is no such person any more
    erased_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    erased_at = models.DateTimeField(default=timezone.now)
    receipt = models.JSONField()

    objects = TenantQuerySet["Erasure"].as_manager()

    class Meta:
        indexes = [models.Index(fields=["organization", "person_id"], name="erasure_of_person")]

    def __str__(self) -> str:
        return str(self.person_id)
