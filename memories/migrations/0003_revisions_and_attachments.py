"""What belongs to a memory: its versions, links, attachments and sources."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import F, Q
from django.utils import timezone

from memories.models import attachments
from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    replaces = [
        ("memories", "0017_activity"),
        ("memories", "0021_tokens_in_history"),
        ("memories", "0029_taken_off"),
        ("memories", "0030_taken_off_found"),
    ]

    dependencies = [("memories", "0002_memories")]

    operations = [
        migrations.CreateModel(
            name="Revision",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("key", models.CharField(blank=True, default="", max_length=200)),
                ("content", models.TextField()),
                ("summary", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("fact", "Fact"),
                            ("preference", "Preference"),
                            ("decision", "Decision"),
                            ("identity", "Identity"),
                            ("event", "Event"),
                            ("observation", "Observation"),
                            ("goal", "Goal"),
                            ("todo", "Todo"),
                            ("lesson", "Lesson"),
                        ],
                        default="fact",
                        max_length=16,
                    ),
                ),
                ("category", models.CharField(default="fact", max_length=64)),
                ("tags", ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ("importance", models.FloatField(default=0.5)),
                ("pinned", models.BooleanField(default=False)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("source", models.CharField(default="manual", max_length=64)),
                (
                    "scope",
                    models.CharField(
                        choices=[("team", "Team"), ("global", "Global"), ("project", "Project"), ("agent", "Agent")],
                        default="team",
                        max_length=16,
                    ),
                ),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("version", models.PositiveIntegerField(default=1)),
                ("verified_at", models.DateTimeField(blank=True, null=True)),
                ("verified_by", models.CharField(blank=True, default="", max_length=200)),
                ("review_by", models.DateTimeField(blank=True, null=True)),
                ("forgotten_at", models.DateTimeField(blank=True, null=True)),
                ("forgotten_by", models.CharField(blank=True, default="", max_length=200)),
                ("forget_reason", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "change",
                    models.CharField(
                        choices=[
                            ("created", "Created"),
                            ("updated", "Updated"),
                            ("appended", "Appended"),
                            ("pinned", "Pinned"),
                            ("unpinned", "Unpinned"),
                            ("tagged", "Tagged"),
                            ("expiry", "Expiry"),
                            ("verified", "Verified"),
                            ("forgotten", "Forgotten"),
                            ("restored", "Restored"),
                            ("reverted", "Reverted"),
                            ("renamed", "Renamed"),
                            ("purged", "Purged"),
                        ],
                        max_length=16,
                    ),
                ),
                ("audience", models.UUIDField()),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="revisions",
                        to="memories.memory",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
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
                    "token",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="teams.token",
                    ),
                ),
            ],
            options={
                "constraints": [
                    SameOrganization(field="agent", name="revision_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(
                        field="memory", name="revision_memory_is_of_its_organization", to="memories.Memory"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "memory", "version"), name="memory_has_each_version_once"
                    ),
                ],
                "indexes": [
                    models.Index(F("organization"), F("audience"), F("created_at").desc(), name="revision_newest"),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("agent"),
                        F("created_at").desc(),
                        condition=Q(("agent__isnull", False)),
                        name="revision_by_agent",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("user"),
                        F("created_at").desc(),
                        condition=Q(("user__isnull", False)),
                        name="revision_by_user",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("change"),
                        F("created_at").desc(),
                        condition=Q(("change", "created"), _negated=True),
                        name="revision_by_change",
                    ),
                    models.Index(
                        F("organization"),
                        F("token"),
                        F("created_at").desc(),
                        condition=Q(("token__isnull", False)),
                        name="revision_by_token",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Association",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                (
                    "relation",
                    models.CharField(
                        choices=[
                            ("related_to", "Related To"),
                            ("updates", "Updates"),
                            ("contradicts", "Contradicts"),
                            ("caused_by", "Caused By"),
                            ("result_of", "Result Of"),
                            ("part_of", "Part Of"),
                        ],
                        default="related_to",
                        max_length=16,
                    ),
                ),
                ("weight", models.FloatField(default=0.5)),
                ("updated_at", models.DateTimeField(default=timezone.now)),
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
                    "origin",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="links_out",
                        to="memories.memory",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="links_in", to="memories.memory"
                    ),
                ),
            ],
            options={
                "constraints": [
                    SameOrganization(field="agent", name="association_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(
                        field="origin", name="association_origin_is_of_its_organization", to="memories.Memory"
                    ),
                    SameOrganization(
                        field="target", name="association_target_is_of_its_organization", to="memories.Memory"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "origin", "target", "relation"), name="relation_is_unique_per_pair"
                    ),
                    models.CheckConstraint(
                        condition=Q(("origin", F("target")), _negated=True), name="association_is_between_two"
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            (
                                "relation__in",
                                ["related_to", "updates", "contradicts", "caused_by", "result_of", "part_of"],
                            )
                        ),
                        name="relation_is_known",
                    ),
                    models.CheckConstraint(
                        condition=Q(("weight__gte", 0), ("weight__lte", 1)), name="weight_is_between_0_and_1"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Asset",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("file", models.FileField(max_length=200, upload_to=attachments.asset_path)),
                ("name", models.CharField(max_length=255)),
                ("content_type", models.CharField(default="application/octet-stream", max_length=127)),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="assets", to="memories.memory"
                    ),
                ),
                ("removed_at", models.DateTimeField(editable=False, null=True)),
            ],
            options={
                "constraints": [
                    SameOrganization(field="agent", name="asset_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="memory", name="asset_memory_is_of_its_organization", to="memories.Memory"),
                    models.CheckConstraint(condition=Q(("sha256__regex", "^[0-9a-f]{64}$")), name="asset_has_a_sha256"),
                ],
                "indexes": [
                    models.Index(
                        condition=Q(("removed_at__isnull", False)), fields=["removed_at"], name="asset_removed_at"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("message_id", models.CharField(blank=True, default="", max_length=200)),
                ("url", models.URLField(blank=True, default="", max_length=2000)),
                ("quote", models.TextField(blank=True, default="", max_length=5000)),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="sources", to="memories.memory"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="teams.session",
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
                ("removed_at", models.DateTimeField(editable=False, null=True)),
            ],
            options={
                "constraints": [
                    SameOrganization(field="agent", name="source_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="memory", name="source_memory_is_of_its_organization", to="memories.Memory"),
                    SameOrganization(field="session", name="source_session_is_of_its_organization", to="teams.Session"),
                    models.CheckConstraint(
                        condition=Q(("message_id", ""), ("quote", ""), ("session", None), ("url", ""), _negated=True),
                        name="source_says_something",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=Q(("removed_at__isnull", False)), fields=["removed_at"], name="source_removed_at"
                    )
                ],
            },
        ),
    ]
