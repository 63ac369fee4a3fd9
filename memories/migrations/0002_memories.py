"""Memories."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import F, Q, lookups
from django.utils import timezone

from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    replaces = [
        ("memories", "0005_lists"),
        ("memories", "0009_lists_by_importance"),
        ("memories", "0012_attention"),
        ("memories", "0014_core_memories"),
        ("memories", "0020_authors"),
        ("memories", "0022_forgotten_at"),
        ("memories", "0023_operators"),
        ("memories", "0024_forgotten_words"),
        ("memories", "0028_no_trigrams"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("memories", "0001_search_functions"),
        ("teams", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Memory",
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
                ("channel_id", models.CharField(blank=True, default="", max_length=200)),
                ("owns_key", models.BooleanField(default=False, editable=False)),
                ("updated_at", models.DateTimeField(default=timezone.now)),
                ("purged_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "audience",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Case(
                            models.When(scope="team", then=F("team")),
                            models.When(scope="project", then=F("project")),
                            models.When(scope="agent", then=F("agent")),
                            models.When(scope="global", then=F("person")),
                            output_field=models.UUIDField(),
                        ),
                        output_field=models.UUIDField(),
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
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="teams.person",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="teams.project",
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
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="teams.workspace",
                    ),
                ),
                (
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func(
                            models.Case(
                                models.When(scope="team", then=F("team")),
                                models.When(scope="project", then=F("project")),
                                models.When(scope="agent", then=F("agent")),
                                models.When(scope="global", then=F("person")),
                                output_field=models.UUIDField(),
                            ),
                            "key",
                            "tags",
                            "summary",
                            "category",
                            "content",
                            function="memory_search",
                            output_field=SearchVectorField(),
                        ),
                        output_field=SearchVectorField(),
                    ),
                ),
                (
                    "opening",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func("content", function="memory_opening", output_field=models.TextField()),
                        output_field=models.TextField(),
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "memories",
                "permissions": [
                    ("pin_memory", "Can pin and unpin memories"),
                    ("tag_memory", "Can tag memories"),
                    ("expire_memory", "Can let memories expire"),
                    ("forget_memory", "Can forget memories"),
                    ("restore_memory", "Can restore memories"),
                    ("purge_memory", "Can purge memories"),
                    ("reembed_memory", "Can have memories' vectors made anew"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="memory_is_of_one_organization"),
                    SameOrganization(field="team", name="memory_team_is_of_its_organization", to="teams.Team"),
                    SameOrganization(field="agent", name="memory_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="person", name="memory_person_is_of_its_organization", to="teams.Person"),
                    SameOrganization(field="project", name="memory_project_is_of_its_organization", to="teams.Project"),
                    SameOrganization(field="session", name="memory_session_is_of_its_organization", to="teams.Session"),
                    SameOrganization(
                        field="workspace", name="memory_workspace_is_of_its_organization", to="teams.Workspace"
                    ),
                    models.UniqueConstraint(
                        condition=Q(("forgotten_at", None), ("owns_key", True)),
                        fields=("organization", "audience", "workspace", "key"),
                        name="key_has_one_living_owner",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=Q(("owns_key", False), Q(("key", ""), _negated=True), _connector="OR"),
                        name="only_a_key_is_owned",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(
                                ("scope", "team"),
                                Q(("project__isnull", False), ("scope", "project")),
                                Q(("agent__isnull", False), ("scope", "agent")),
                                Q(("person__isnull", False), ("scope", "global")),
                                _connector="OR",
                            )
                        ),
                        name="scope_names_its_audience",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            (
                                "type__in",
                                [
                                    "fact",
                                    "preference",
                                    "decision",
                                    "identity",
                                    "event",
                                    "observation",
                                    "goal",
                                    "todo",
                                    "lesson",
                                ],
                            )
                        ),
                        name="type_is_known",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            lookups.LessThanOrEqual(
                                models.Func(F("content"), function="octet_length", output_field=models.IntegerField()),
                                50000,
                            ),
                            Q(("content", ""), _negated=True),
                        ),
                        name="content_is_1_to_50000_bytes",
                    ),
                    models.CheckConstraint(
                        condition=Q(("importance__gte", 0), ("importance__lte", 1)),
                        name="importance_is_between_0_and_1",
                    ),
                    models.CheckConstraint(condition=Q(("tags__len__lte", 32)), name="tags_are_32_at_most"),
                    models.CheckConstraint(condition=Q(("version__gte", 1)), name="version_is_positive"),
                ],
                "indexes": [
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("created_at").desc(),
                        condition=Q(("forgotten_at", None)),
                        name="memory_newest",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("updated_at").desc(),
                        condition=Q(("forgotten_at", None)),
                        name="memory_changed",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("type"),
                        F("created_at").desc(),
                        condition=Q(("forgotten_at", None)),
                        name="memory_typed",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        models.OrderBy(
                            models.Func(F("importance"), F("updated_at"), function="memory_standing"), descending=True
                        ),
                        condition=Q(("forgotten_at", None)),
                        name="memory_standing",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("importance").desc(),
                        condition=Q(Q(("pinned", True), ("type", "identity"), _connector="OR"), ("forgotten_at", None)),
                        name="memory_unfading",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("importance").desc(),
                        F("id").desc(),
                        condition=Q(("forgotten_at", None)),
                        name="memory_weightiest",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("created_at").desc(),
                        condition=Q(("forgotten_at__isnull", False), ("purged_at", None)),
                        name="memory_forgotten",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("importance").desc(),
                        F("id").desc(),
                        condition=Q(("forgotten_at", None), ("pinned", True)),
                        name="memory_pinned",
                    ),
                    models.Index(
                        condition=Q(("expires_at__isnull", False), ("forgotten_at", None)),
                        fields=["organization", "audience", "expires_at", "id"],
                        name="memory_vanishing",
                    ),
                    models.Index(
                        condition=Q(("forgotten_at", None), ("review_by__isnull", False)),
                        fields=["organization", "audience", "review_by", "id"],
                        name="memory_due",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("agent"),
                        F("created_at").desc(),
                        condition=Q(("forgotten_at", None)),
                        name="memory_authored",
                    ),
                    models.Index(
                        condition=Q(("key", ""), _negated=True),
                        fields=["organization", "audience", "key"],
                        name="memory_key",
                    ),
                    models.Index(
                        F("organization"),
                        F("audience"),
                        F("updated_at").desc(),
                        condition=Q(("category", "core"), ("forgotten_at", None)),
                        name="memory_core",
                    ),
                    models.Index(
                        condition=Q(("expires_at__isnull", False), ("forgotten_at", None)),
                        fields=["expires_at"],
                        name="memory_expiring",
                    ),
                    models.Index(
                        condition=Q(("forgotten_at__isnull", False)),
                        fields=["forgotten_at"],
                        name="memory_forgotten_at",
                    ),
                    GinIndex(condition=Q(("forgotten_at", None)), fields=["search"], name="memory_search"),
                    GinIndex(
                        condition=Q(("forgotten_at__isnull", False), ("purged_at", None)),
                        fields=["search"],
                        name="memory_search_gone",
                    ),
                ],
            },
        )
    ]
