"""Models that make vectors, and the memories that wait for one; the index by vector comes with pgvector."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memoryhub.ids
import memoryhub.tenancy


class Migration(migrations.Migration):
    dependencies = [("memories", "0005_lists"), ("teams", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                ("name", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("made_by", models.JSONField(default=dict)),
                ("dimension", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("queued_at", models.DateTimeField(blank=True, null=True)),
                ("covered_at", models.DateTimeField(blank=True, null=True)),
                ("failed_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True, default="")),
            ],
        ),
        migrations.CreateModel(
            name="Unembedded",
            fields=[
                (
                    "id",
                    models.UUIDField(default=memoryhub.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="teams.organization",
                    ),
                ),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                ("model", models.CharField(max_length=100)),
                ("memory_version", models.PositiveIntegerField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
            ],
            options={"verbose_name_plural": "unembedded"},
        ),
        migrations.AddConstraint(
            model_name="unembedded",
            constraint=memoryhub.tenancy.SameOrganization(
                field="memory", name="unembedded_memory_is_of_its_organization", to="memories.Memory"
            ),
        ),
        migrations.AddConstraint(
            model_name="unembedded",
            constraint=models.UniqueConstraint(
                fields=("organization", "memory", "model"), name="memory_waits_once_per_model"
            ),
        ),
        migrations.AddIndex(
            model_name="unembedded",
            index=models.Index(fields=["model", "attempts", "id"], name="unembedded_first"),
        ),
        migrations.RemoveIndex(model_name="embedding", name="embedding_audience"),
    ]
