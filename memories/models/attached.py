"""What hangs on a memory: links to others, attachments, sources."""

from typing import TypeVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.models.signed import Signed, signature
from memories.models.vocabulary import Relation
from memoryhub.tenancy import SameOrganization, link

Row = TypeVar("Row", bound=models.Model)


class Association(Signed):
    """A directed link between two memories."""

    origin = link("memories.Memory", related_name="links_out", db_index=False)
    target = link("memories.Memory", related_name="links_in")
    relation = models.CharField(max_length=16, choices=Relation.choices, default=Relation.RELATED_TO)
    weight = models.FloatField(default=0.5)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            signature("association"),
            SameOrganization(field="origin", to="memories.Memory", name="association_origin_is_of_its_organization"),
            SameOrganization(field="target", to="memories.Memory", name="association_target_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "origin", "target", "relation"], name="relation_is_unique_per_pair"
            ),
            models.CheckConstraint(condition=~Q(origin=F("target")), name="association_is_between_two"),
            models.CheckConstraint(condition=Q(relation__in=Relation.values), name="relation_is_known"),
            models.CheckConstraint(condition=Q(weight__gte=0, weight__lte=1), name="weight_is_between_0_and_1"),
        ]

    def __str__(self) -> str:
        return f"{self.origin_id} {self.relation} {self.target_id}"


def asset_path(asset: "Asset", filename: str) -> str:
    """Never the uploader's name: that one is data, kept beside the bytes."""
    return f"assets/{asset.organization_id}/{asset.id}"


class StillThere(models.Manager[Row]):
    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(removed_at=None)


class Hanging(Signed):
    """What is taken off a memory is gone for all readers at once, and for good a while later: until then whoever took
    it off can put it back."""

    removed_at = models.DateTimeField(null=True, editable=False)

    objects = StillThere()
    everything = models.Manager()

    class Meta:
        abstract = True


def removed(table: str) -> models.Index:
    return models.Index(fields=["removed_at"], condition=Q(removed_at__isnull=False), name=f"{table}_removed_at")


class Asset(Hanging):
    """A binary attachment; its bytes are in Django's file storage."""

    memory = link("memories.Memory", related_name="assets")
    file = models.FileField(upload_to=asset_path, max_length=200)
    name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=127, default="application/octet-stream")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        indexes = [removed("asset")]
        constraints = [
            signature("asset"),
            SameOrganization(field="memory", to="memories.Memory", name="asset_memory_is_of_its_organization"),
            models.CheckConstraint(condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="asset_has_a_sha256"),
        ]

    def __str__(self) -> str:
        return self.name


class Source(Hanging):
    """Where a memory came from: the session, the message, the page, the words."""

    memory = link("memories.Memory", related_name="sources")
    session = link("teams.Session", null=True, blank=True)
    message_id = models.CharField(max_length=200, blank=True, default="")
    url = models.URLField(max_length=2000, blank=True, default="")
    quote = models.TextField(max_length=5000, blank=True, default="")

    class Meta:
        indexes = [removed("source")]
        constraints = [
            signature("source"),
            SameOrganization(field="memory", to="memories.Memory", name="source_memory_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="source_session_is_of_its_organization"),
            models.CheckConstraint(
                condition=~Q(session=None, message_id="", url="", quote=""), name="source_says_something"
            ),
        ]

    def __str__(self) -> str:
        return self.url or self.message_id or str(self.session_id)
