"""Vectors, the models that made them, and the memories that wait for one."""

from django.db import migrations, models
from django.utils import timezone

from memories.models.vector_field import VectorField
from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    replaces = [
        ("memories", "0006_embedding_models"),
        ("memories", "0025_links_of_new_memories"),
        ("memories", "0035_columns_of_embedding_models"),
    ]

    dependencies = [("memories", "0005_recall")]

    operations = [
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                ("name", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("made_by", models.JSONField(default=dict)),
                ("dimension", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("queued_at", models.DateTimeField(blank=True, null=True)),
                ("covered_at", models.DateTimeField(blank=True, null=True)),
                ("failed_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True, default="")),
            ],
        ),
        migrations.CreateModel(
            name="Embedding",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("audience", models.UUIDField()),
                ("model", models.CharField(max_length=100)),
                ("dimension", models.PositiveIntegerField()),
                ("memory_version", models.PositiveIntegerField()),
                ("vector", VectorField()),
                ("created_at", models.DateTimeField(default=timezone.now)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="embeddings",
                        to="memories.memory",
                    ),
                ),
            ],
            options={
                "constraints": [
                    SameOrganization(
                        field="memory", name="embedding_memory_is_of_its_organization", to="memories.Memory"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "memory", "model"), name="memory_has_one_vector_per_model"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Unembedded",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                ("model", models.CharField(max_length=100)),
                ("memory_version", models.PositiveIntegerField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("links", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "verbose_name_plural": "unembedded",
                "constraints": [
                    SameOrganization(
                        field="memory", name="unembedded_memory_is_of_its_organization", to="memories.Memory"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "memory", "model"), name="memory_waits_once_per_model"
                    ),
                ],
                "indexes": [models.Index(fields=["model", "attempts", "id"], name="unembedded_first")],
            },
        ),
    ]
