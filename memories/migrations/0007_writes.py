"""Bulk edits, which can be undone as a whole, and the answers to requests that may be repeated."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import F, Q
from django.utils import timezone

from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    replaces = [("memories", "0016_batches"), ("memories", "0019_batches_in_order")]

    dependencies = [("memories", "0006_embeddings")]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                (
                    "deed",
                    models.CharField(
                        choices=[
                            ("pin", "Pin"),
                            ("unpin", "Unpin"),
                            ("tag", "Add tags"),
                            ("untag", "Remove tags"),
                            ("expire", "Set expiry"),
                            ("forget", "Forget"),
                            ("restore", "Restore"),
                        ],
                        max_length=16,
                    ),
                ),
                ("tags", ArrayField(base_field=models.TextField(), default=list, size=None)),
                ("expires_at", models.DateTimeField(null=True)),
                ("memory_ids", ArrayField(base_field=models.UUIDField(), size=None)),
                ("versions_before", ArrayField(base_field=models.PositiveIntegerField(), size=None)),
                ("versions_after", ArrayField(base_field=models.PositiveIntegerField(), size=None)),
                ("undone_at", models.DateTimeField(null=True)),
                ("undone_by", models.CharField(blank=True, default="", max_length=200)),
                ("left_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="teams.agent",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        db_constraint=False, db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.team"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="teams.workspace",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "batches",
                "constraints": [
                    SameOrganization(field="agent", name="batch_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="team", name="batch_team_is_of_its_organization", to="teams.Team"),
                    SameOrganization(
                        field="workspace", name="batch_workspace_is_of_its_organization", to="teams.Workspace"
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            ("memory_ids__len", F("versions_before__len")),
                            ("versions_before__len", F("versions_after__len")),
                        ),
                        name="batched_memories_have_versions",
                    ),
                ],
                "indexes": [models.Index(F("organization"), F("team"), F("created_at").desc(), name="batch_newest")],
            },
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("caller", models.CharField(max_length=64)),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(max_length=64)),
                ("answer", models.JSONField(null=True)),
                ("memory_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "caller", "key"), name="idempotency_key_is_used_once"
                    )
                ],
                "indexes": [models.Index(fields=["created_at"], name="answer_age")],
            },
        ),
    ]
