"""Recalls: the log, the use of each memory, the counts of words and of days, and questions that were settled."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import F, Q
from django.utils import timezone

from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    replaces = [
        ("memories", "0004_usage"),
        ("memories", "0007_vocabulary_in_bytes"),
        ("memories", "0013_days"),
        ("memories", "0018_settled_questions"),
        ("memories", "0026_speed_and_growth"),
        ("memories", "0033_contexts_of_recalls"),
        ("memories", "0034_indexes_of_recalls"),
    ]

    dependencies = [("memories", "0004_files")]

    operations = [
        migrations.CreateModel(
            name="RecallLog",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("query", models.TextField(blank=True)),
                ("mode", models.CharField(max_length=16)),
                ("filters", models.JSONField(blank=True, default=dict)),
                ("memory_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ("versions", ArrayField(base_field=models.PositiveIntegerField(), default=list, size=None)),
                ("total_found", models.PositiveIntegerField(default=0)),
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
                    "session",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="teams.session",
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
                ("took_ms", models.FloatField(blank=True, null=True)),
                ("audience", models.UUIDField(blank=True, null=True)),
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
                "constraints": [
                    SameOrganization(field="agent", name="recall_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="team", name="recall_team_is_of_its_organization", to="teams.Team"),
                    SameOrganization(field="session", name="recall_session_is_of_its_organization", to="teams.Session"),
                    SameOrganization(
                        field="workspace", name="recall_workspace_is_of_its_organization", to="teams.Workspace"
                    ),
                    models.CheckConstraint(
                        condition=Q(("memory_ids__len", F("versions__len"))), name="recalled_memories_have_versions"
                    ),
                ],
                "indexes": [
                    models.Index(F("organization"), F("team"), F("created_at").desc(), name="recall_newest"),
                    models.Index(
                        F("organization"), F("team"), F("audience"), F("created_at").desc(), name="recall_of_audience"
                    ),
                    models.Index(
                        F("organization"),
                        F("team"),
                        F("agent"),
                        F("created_at").desc(),
                        condition=Q(("agent__isnull", False)),
                        name="recall_by_agent",
                    ),
                    models.Index(
                        F("organization"),
                        F("team"),
                        F("audience"),
                        F("created_at").desc(),
                        condition=Q(Q(("query", ""), _negated=True), ("total_found", 0)),
                        name="recall_unanswered",
                    ),
                    models.Index(
                        F("organization"),
                        F("token"),
                        F("created_at").desc(),
                        condition=Q(("token__isnull", False)),
                        name="recall_by_token",
                    ),
                    models.Index(condition=Q(("session__isnull", False)), fields=["session"], name="recall_by_session"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SettledQuestion",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
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
                ("created_at", models.DateTimeField(default=timezone.now)),
                (
                    "team",
                    models.ForeignKey(
                        db_constraint=False, db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.team"
                    ),
                ),
                ("question", models.CharField(max_length=500)),
                (
                    "memory",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                ("audience", models.UUIDField(blank=True, null=True)),
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
                "constraints": [
                    SameOrganization(field="agent", name="settled_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="team", name="settled_team_is_of_its_organization", to="teams.Team"),
                    SameOrganization(
                        field="memory", name="settled_memory_is_of_its_organization", to="memories.Memory"
                    ),
                    SameOrganization(
                        field="workspace", name="settled_workspace_is_of_its_organization", to="teams.Workspace"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "team", "audience", "workspace", "question"),
                        name="question_is_settled_once",
                        nulls_distinct=False,
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id", "memory_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
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
                ("audience", models.UUIDField()),
                ("access_count", models.PositiveIntegerField()),
                ("last_accessed_at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "usages",
                "indexes": [
                    models.Index(F("organization"), F("audience"), F("last_accessed_at").desc(), name="usage_latest"),
                    models.Index(F("organization"), F("audience"), F("access_count").desc(), name="usage_most"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Vocabulary",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("audience", models.UUIDField()),
                ("memories", models.PositiveIntegerField()),
                ("mean_bytes", models.FloatField()),
                ("counted_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "vocabularies",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "audience"), name="audience_has_one_vocabulary")
                ],
            },
        ),
        migrations.CreateModel(
            name="Lexeme",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "audience",
                        "lexeme",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("audience", models.UUIDField()),
                ("lexeme", models.TextField()),
                ("memories", models.PositiveIntegerField()),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Day",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "team_id",
                        "workspace_key",
                        "day",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("workspace_key", models.UUIDField()),
                ("day", models.DateField()),
                ("saved", models.PositiveIntegerField()),
                ("recalled", models.PositiveIntegerField()),
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
            ],
            options={
                "constraints": [SameOrganization(field="team", name="day_team_is_of_its_organization", to="teams.Team")]
            },
        ),
        migrations.CreateModel(
            name="Growth",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("memories", models.PositiveIntegerField()),
                ("recalls", models.PositiveIntegerField()),
            ],
            options={"verbose_name_plural": "growth"},
        ),
    ]
