"""Links between memories, attachments and sources."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.models.anchors import FAILED_STATES, AnchorColumns, anchor_constraints, anchor_indexes
from memories.models.base import Authored, AuthoredQuerySet, author_constraint
from memories.models.constants import Relation
from memories.models.memory import Memory, MemoryQuerySet
from memoryhub.tenancy import SameOrganization, tenant_link
from teams.actor import Actor

AttachmentRow = TypeVar("AttachmentRow", bound=models.Model)


class AssociationQuerySet(AuthoredQuerySet["Association"]):
    def leaving(self, memory: Memory) -> Self:
        return self.in_organization(memory.organization_id).filter(origin=memory.pk)

    def reaching(self, memory: Memory) -> Self:
        return self.in_organization(memory.organization_id).filter(target=memory.pk)

    def between(self, memory_id: UUID, others: MemoryQuerySet) -> Self:
        """Return the links in either direction between a memory and those others."""
        return self.filter(Q(origin=memory_id, target__in=others) | Q(target=memory_id, origin__in=others))

    def heaviest(self) -> Self:
        return self.order_by("-weight", "-created_at")


class Association(Authored):
    """A directed link between two memories."""

    origin = tenant_link("memories.Memory", related_name="links_out", db_index=False)
    target = tenant_link("memories.Memory", related_name="links_in")
    relation = models.CharField(max_length=16, choices=Relation.choices, default=Relation.RELATED_TO)
    weight = models.FloatField(default=0.5)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = AssociationQuerySet.as_manager()

    class Meta:
        constraints = [
            author_constraint("association"),
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
    """Return where the bytes are stored: never under the uploader's name, which is kept in the row."""
    return f"assets/{asset.organization_id}/{asset.id}"


class AttachmentQuerySet(AuthoredQuerySet[AttachmentRow]):
    def removed_since(self, moment: datetime) -> Self:
        return self.filter(removed_at__gt=moment)

    def removed_before(self, moment: datetime) -> Self:
        return self.filter(removed_at__lt=moment)

    def visible_to(self, actor: Actor) -> Self:
        """Return the rows that belong to memories which the actor may see."""
        return self.in_organization(actor.organization_id).filter(memory__in=Memory.objects.visible_to(actor))

    def of_memory(self, memory: Memory) -> Self:
        return self.of_memories([memory.organization_id], [memory.pk])

    def of_memories(self, organization_ids: Iterable[UUID], memory_ids: Iterable[UUID]) -> Self:
        return self.filter(organization__in=organization_ids, memory__in=memory_ids)


class ActiveManager(models.Manager[AttachmentRow]):
    def get_queryset(self) -> models.QuerySet[AttachmentRow]:
        return super().get_queryset().filter(removed_at=None)


ActiveAttachmentManager = ActiveManager.from_queryset(AttachmentQuerySet)


class Attachment(Authored):
    """A row that belongs to a memory. Removing it hides it at once; until it is deleted a while later, it can be put
    back."""

    removed_at = models.DateTimeField(null=True, editable=False)

    objects = ActiveAttachmentManager()
    with_removed = AttachmentQuerySet.as_manager()

    class Meta:
        abstract = True


def removed_index(table: str) -> models.Index:
    return models.Index(fields=["removed_at"], condition=Q(removed_at__isnull=False), name=f"{table}_removed_at")


class Asset(Attachment):
    """A binary attachment; its bytes are in Django's file storage."""

    memory = tenant_link("memories.Memory", related_name="assets")
    file = models.FileField(upload_to=asset_path, max_length=200)
    name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=127, default="application/octet-stream")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        indexes = [removed_index("asset")]
        constraints = [
            author_constraint("asset"),
            SameOrganization(field="memory", to="memories.Memory", name="asset_memory_is_of_its_organization"),
            models.CheckConstraint(condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="asset_has_a_sha256"),
        ]

    def __str__(self) -> str:
        return self.name


class AnchorQuerySet(AttachmentQuerySet["Source"]):
    def there(self) -> Self:
        """Return the sources that are anchors and have not been removed."""
        return self.exclude(sha256="").filter(removed_at=None)

    def checkable_by(self, actor: Actor, *, now: datetime) -> Self:
        """Return the anchors of memories that the actor may see and that hold. Index: source_anchors."""
        holding = Memory.objects.visible_to(actor, now=now).holding(now)
        return self.there().in_organization(actor.organization_id).filter(memory__in=holding)

    def decidable_by(self, actor: Actor, *, now: datetime) -> Self:
        """Return the failed anchors of memories that the actor may change. Index: source_failed."""
        changeable = Memory.objects.writable_by(actor, now=now).holding(now)
        failed = self.there().in_organization(actor.organization_id).filter(state__in=FAILED_STATES)
        return failed.filter(memory__in=changeable)


class Source(Attachment, AnchorColumns):
    """The origin of a memory: the session, the message, the page, the words, the lines of a file."""

    memory = tenant_link("memories.Memory", related_name="sources")
    session = tenant_link("teams.Session", null=True, blank=True)
    message_id = models.CharField(max_length=200, blank=True, default="")
    url = models.URLField(max_length=2000, blank=True, default="")
    quote = models.TextField(max_length=5000, blank=True, default="")

    screening: Sequence[Mapping[str, Any]] = ()  # what was found in it: filled in by the write

    anchors = AnchorQuerySet.as_manager()

    class Meta:
        indexes = [removed_index("source"), *anchor_indexes()]
        constraints = [
            author_constraint("source"),
            SameOrganization(field="memory", to="memories.Memory", name="source_memory_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="source_session_is_of_its_organization"),
            models.CheckConstraint(
                condition=~Q(session=None, message_id="", url="", quote="", sha256=""), name="source_says_something"
            ),
            *anchor_constraints(),
        ]

    def __str__(self) -> str:
        if self.file_path:
            return self.place
        return self.url or self.message_id or str(self.session_id)
