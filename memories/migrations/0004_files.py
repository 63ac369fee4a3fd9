"""Files of teams, and their versions."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import F, Q, lookups
from django.db.models.functions import Collate
from django.utils import timezone

from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    replaces = [("memories", "0011_files_of_workspaces"), ("memories", "0015_files_in_folders")]

    dependencies = [("memories", "0003_revisions_and_attachments")]

    operations = [
        migrations.CreateModel(
            name="TeamFile",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("path", models.CharField(max_length=500)),
                ("content", models.TextField(blank=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("updated_at", models.DateTimeField(default=timezone.now)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func(
                            "path", "content", function="file_search", output_field=SearchVectorField()
                        ),
                        output_field=SearchVectorField(),
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
                    "team",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="files",
                        to="teams.team",
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
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="file_is_of_one_organization"),
                    SameOrganization(field="agent", name="file_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="team", name="file_team_is_of_its_organization", to="teams.Team"),
                    SameOrganization(
                        field="workspace", name="file_workspace_is_of_its_organization", to="teams.Workspace"
                    ),
                    models.UniqueConstraint(
                        condition=Q(("deleted_at", None)),
                        fields=("organization", "team", "path", "workspace"),
                        name="path_has_one_living_file",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=lookups.LessThanOrEqual(
                            models.Func(F("content"), function="octet_length", output_field=models.IntegerField()),
                            1048576,
                        ),
                        name="file_is_1_mib_at_most",
                    ),
                    models.CheckConstraint(
                        condition=Q(("path__regex", "(^|/)\\.{0,2}(/|$)"), _negated=True), name="path_stays_inside"
                    ),
                ],
                "indexes": [
                    GinIndex(condition=Q(("deleted_at", None)), fields=["search"], name="file_search"),
                    models.Index(
                        F("organization"),
                        F("team"),
                        Collate("path", "C"),
                        condition=Q(("deleted_at", None)),
                        name="file_place",
                    ),
                    models.Index(
                        F("organization"),
                        F("team"),
                        F("deleted_at").desc(),
                        condition=Q(("deleted_at__isnull", False)),
                        name="file_deleted",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FileVersion",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("version", models.PositiveIntegerField()),
                ("path", models.CharField(max_length=500)),
                ("content", models.TextField(blank=True)),
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
                    "file",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="versions",
                        to="memories.teamfile",
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
                    SameOrganization(field="agent", name="version_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="file", name="version_file_is_of_its_organization", to="memories.TeamFile"),
                    models.UniqueConstraint(
                        fields=("organization", "file", "version"), name="file_has_each_version_once"
                    ),
                ],
                "indexes": [
                    models.Index(
                        F("organization"),
                        F("token"),
                        F("created_at").desc(),
                        condition=Q(("token__isnull", False)),
                        name="version_by_token",
                    )
                ],
            },
        ),
    ]
