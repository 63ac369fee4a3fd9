"""What is done to many memories at once, so that it can be taken back as a whole."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryhub.ids
import memoryhub.tenancy


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0015_files_in_folders"),
        ("teams", "0002_pace"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.UUIDField(default=memoryhub.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                ("expires_at", models.DateTimeField(null=True)),
                ("memory_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                (
                    "versions_before",
                    django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), size=None),
                ),
                (
                    "versions_after",
                    django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), size=None),
                ),
                ("undone_at", models.DateTimeField(null=True)),
                ("undone_by", models.CharField(blank=True, default="", max_length=200)),
                (
                    "left_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="teams.agent",
                    ),
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
                    "team",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="teams.team",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "batches",
                "constraints": [
                    memoryhub.tenancy.SameOrganization(
                        field="agent", name="batch_agent_is_of_its_organization", to="teams.Agent"
                    ),
                    memoryhub.tenancy.SameOrganization(
                        field="team", name="batch_team_is_of_its_organization", to="teams.Team"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("memory_ids__len", models.F("versions_before__len")),
                            ("versions_before__len", models.F("versions_after__len")),
                        ),
                        name="batched_memories_have_versions",
                    ),
                ],
            },
        ),
    ]
