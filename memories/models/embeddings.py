"""Memories' vectors, the models that make them, and what still waits for one."""

from django.db import models
from django.utils import timezone

from memories.vectors import VectorField
from memoryhub.tenancy import SameOrganization, Tenant, link


class Embedding(Tenant):
    """A memory's vector by one model; another model's may stand beside it while it takes over."""

    memory = link("memories.Memory", related_name="embeddings", db_index=False)
    audience = models.UUIDField()  # the memory's own, to find an audience's vectors together
    model = models.CharField(max_length=100)
    dimension = models.PositiveIntegerField()
    memory_version = models.PositiveIntegerField()
    vector = VectorField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            SameOrganization(field="memory", to="memories.Memory", name="embedding_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "model"], name="memory_has_one_vector_per_model"),
        ]
        # `memories.extensions` adds an index that finds the nearest of an audience.

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.model}"


class EmbeddingModel(models.Model):
    """What is known of a model that makes vectors: whether they cover every memory, and how it fares."""

    name = models.CharField(max_length=100, primary_key=True)
    made_by = models.JSONField(default=dict)  # the settings that name its provider, without a key
    dimension = models.PositiveIntegerField(default=0)  # of its vectors; 0 until the first is made
    created_at = models.DateTimeField(default=timezone.now)
    queued_at = models.DateTimeField(null=True, blank=True)  # since then its backlog holds whatever it lacks
    covered_at = models.DateTimeField(null=True, blank=True)  # since then it serves
    failed_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True, default="")

    def __str__(self) -> str:
        return self.name


class Unembedded(Tenant):
    """A memory that waits for its vector by a model."""

    memory = link("memories.Memory", db_index=False)
    model = models.CharField(max_length=100)
    memory_version = models.PositiveIntegerField()
    attempts = models.PositiveSmallIntegerField(default=0)
    links = models.BooleanField(default=False, db_default=False)  # it is new: linked to what it nearly repeats

    class Meta:
        verbose_name_plural = "unembedded"
        constraints = [
            SameOrganization(field="memory", to="memories.Memory", name="unembedded_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "model"], name="memory_waits_once_per_model"),
        ]
        indexes = [models.Index(fields=["model", "attempts", "id"], name="unembedded_first")]

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.model}"
