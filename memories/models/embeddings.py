"""Memories' vectors, the models that make them, and the backlog of each."""

from collections.abc import Iterable
from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.base import Row, TenantQuerySet
from memories.models.memory import Memory
from memories.models.vector_field import VectorField
from memoryhub.tenancy import SameOrganization, Tenant, tenant_link


class ByModelQuerySet(TenantQuerySet[Row]):
    def by_model(self, name: str) -> Self:
        return self.filter(model=name)

    def of_memories(self, memories: Iterable[Memory]) -> Self:
        owners = {memory.pk: memory.organization_id for memory in memories}
        return self.filter(organization__in=set(owners.values()), memory__in=list(owners))


class EmbeddingQuerySet(ByModelQuerySet["Embedding"]):
    """Vectors of memories."""


class Embedding(Tenant):
    """A memory's vector by one model; another model's may stand beside it while it takes over."""

    memory = tenant_link("memories.Memory", related_name="embeddings", db_index=False)
    audience = models.UUIDField()  # the memory's own, to find an audience's vectors together
    model = models.CharField(max_length=100)
    dimension = models.PositiveIntegerField()
    memory_version = models.PositiveIntegerField()
    vector = VectorField()
    created_at = models.DateTimeField(default=timezone.now)

    objects = EmbeddingQuerySet.as_manager()

    class Meta:
        constraints = [
            SameOrganization(field="memory", to="memories.Memory", name="embedding_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "model"], name="memory_has_one_vector_per_model"),
        ]
        # `memories.models.pgvector` adds an index that finds the nearest of an audience.

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.model}"


class EmbeddingModelQuerySet(models.QuerySet["EmbeddingModel"]):
    def covering(self) -> Self:
        """Return the models whose vectors cover every memory."""
        return self.filter(covered_at__isnull=False)

    def in_use(self) -> Self:
        """Return the models that cover every memory or are about to."""
        return self.filter(Q(covered_at__isnull=False) | Q(queued_at__isnull=False))

    def of_provider(self, description: dict[str, Any]) -> Self:
        return self.filter(made_by=description)


class EmbeddingModel(models.Model):
    """The status of an embedding model: whether its vectors cover every memory, and whether it fails."""

    name = models.CharField(max_length=100, primary_key=True)
    made_by = models.JSONField(default=dict)  # the settings that name its provider, without a key
    dimension = models.PositiveIntegerField(default=0)  # length of its vectors; 0 until the first is made
    created_at = models.DateTimeField(default=timezone.now)
    queued_at = models.DateTimeField(null=True, blank=True)  # since then its backlog holds whatever it lacks
    covered_at = models.DateTimeField(null=True, blank=True)  # since then it serves
    failed_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True, default="")

    objects = EmbeddingModelQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class UnembeddedQuerySet(ByModelQuerySet["Unembedded"]):
    def attempted_less_than(self, attempts: int) -> Self:
        return self.filter(attempts__lt=attempts)

    def next_first(self) -> Self:
        """Order by what is tried next. Index: unembedded_first."""
        return self.order_by("attempts", "pk")


class Unembedded(Tenant):
    """A memory that waits for its vector by a model."""

    memory = tenant_link("memories.Memory", db_index=False)
    model = models.CharField(max_length=100)
    memory_version = models.PositiveIntegerField()
    attempts = models.PositiveSmallIntegerField(default=0)
    links = models.BooleanField(default=False, db_default=False)  # it is new: linked to what it nearly repeats

    objects = UnembeddedQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "unembedded"
        constraints = [
            SameOrganization(field="memory", to="memories.Memory", name="unembedded_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "model"], name="memory_waits_once_per_model"),
        ]
        indexes = [models.Index(fields=["model", "attempts", "id"], name="unembedded_first")]

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.model}"
