"""Organizations and who is in them: teams, agents, people, projects, sessions, tokens and invitations."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

import teams.models
from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("teams", "0002_pace"),
        ("teams", "0003_invitations"),
        ("teams", "0004_attempts"),
        ("teams", "0005_operators"),
        ("teams", "0006_whom_tokens_serve"),
        ("teams", "0007_unused_tokens"),
        ("teams", "0008_exporting"),
        ("teams", "0009_whom_tokens_may_name"),
        ("teams", "0010_unused_people_and_sessions"),
    ]

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Organization",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "slug",
                    models.CharField(
                        help_text="Lower-case letters, digits, dots, dashes and underscores.", max_length=64
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "workspaces_enabled",
                    models.BooleanField(
                        default=False, help_text="Memories are then also separated by the workspace that a call names."
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
            ],
            options={
                "permissions": [("export_organization", "Can export organizations and teams")],
                "constraints": [
                    models.UniqueConstraint(fields=("slug",), name="organization_slug_is_unique"),
                    models.CheckConstraint(
                        condition=Q(("slug__regex", "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$")),
                        name="organization_slug_is_plain",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Workspace",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "slug",
                    models.CharField(
                        help_text="Lower-case letters, digits, dots, dashes and underscores.", max_length=64
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="workspace_is_of_one_organization"),
                    models.UniqueConstraint(
                        fields=("organization", "slug"), name="workspace_slug_is_unique_in_organization"
                    ),
                    models.CheckConstraint(
                        condition=Q(("slug__regex", "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$")),
                        name="workspace_slug_is_plain",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "slug",
                    models.CharField(
                        help_text="Lower-case letters, digits, dots, dashes and underscores.", max_length=64
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True, max_length=1000)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="children",
                        to="teams.team",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="team_is_of_one_organization"),
                    SameOrganization(field="parent", name="team_parent_is_of_its_organization", to="teams.Team"),
                    models.UniqueConstraint(
                        fields=("organization", "slug"), name="team_slug_is_unique_in_organization"
                    ),
                    models.UniqueConstraint(
                        condition=Q(("parent", None)), fields=("organization",), name="organization_has_one_root_team"
                    ),
                    models.CheckConstraint(
                        condition=Q(("parent", F("id")), _negated=True), name="team_is_not_its_own_parent"
                    ),
                    models.CheckConstraint(
                        condition=Q(("slug__regex", "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$")), name="team_slug_is_plain"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("editor", "Editor"), ("owner", "Owner")],
                        default="viewer",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL
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
                        db_constraint=False, on_delete=models.CASCADE, related_name="memberships", to="teams.team"
                    ),
                ),
            ],
            options={
                "constraints": [
                    SameOrganization(field="team", name="membership_team_is_of_its_organization", to="teams.Team"),
                    models.UniqueConstraint(fields=("team", "user"), name="person_has_one_role_in_a_team"),
                    models.CheckConstraint(
                        condition=Q(("role__in", ["viewer", "editor", "owner"])), name="membership_role_is_known"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("editor", "Editor"), ("owner", "Owner")],
                        default="viewer",
                        max_length=16,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
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
                        db_constraint=False, on_delete=models.CASCADE, related_name="invitations", to="teams.team"
                    ),
                ),
                (
                    "used_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "permissions": [("revoke_invitation", "Can revoke invitations")],
                "constraints": [
                    SameOrganization(field="team", name="invitation_team_is_of_its_organization", to="teams.Team"),
                    models.UniqueConstraint(fields=("digest",), name="invitation_digest_is_unique"),
                    models.CheckConstraint(
                        condition=Q(("role__in", ["viewer", "editor", "owner"])), name="invitation_role_is_known"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Agent",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "slug",
                    models.CharField(
                        help_text="Lower-case letters, digits, dots, dashes and underscores.", max_length=64
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200)),
                (
                    "level",
                    models.CharField(
                        choices=[("member", "Member"), ("director", "Director"), ("executive", "Executive")],
                        default="member",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="agents", to="teams.team"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="agent_is_of_one_organization"),
                    SameOrganization(field="team", name="agent_team_is_of_its_organization", to="teams.Team"),
                    models.UniqueConstraint(fields=("team", "slug"), name="agent_slug_is_unique_in_team"),
                    models.CheckConstraint(
                        condition=Q(("level__in", ["member", "director", "executive"])), name="agent_level_is_known"
                    ),
                    models.CheckConstraint(
                        condition=Q(("slug__regex", "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$")), name="agent_slug_is_plain"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Person",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("handle", models.CharField(max_length=128)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
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
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="people",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("last_used_at", models.DateTimeField(db_default=Now(), default=timezone.now, editable=False)),
            ],
            options={
                "verbose_name_plural": "people",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="person_is_of_one_organization"),
                    models.UniqueConstraint(
                        fields=("organization", "handle"), name="person_handle_is_unique_in_organization"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "user"), name="login_is_one_person_in_an_organization"
                    ),
                    models.CheckConstraint(condition=Q(("handle", ""), _negated=True), name="person_has_a_handle"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Project",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "slug",
                    models.CharField(
                        help_text="Lower-case letters, digits, dots, dashes and underscores.", max_length=64
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="projects", to="teams.team"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="project_is_of_one_organization"),
                    SameOrganization(field="team", name="project_team_is_of_its_organization", to="teams.Team"),
                    models.UniqueConstraint(
                        fields=("organization", "slug"), name="project_slug_is_unique_in_organization"
                    ),
                    models.CheckConstraint(
                        condition=Q(("slug__regex", "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$")), name="project_slug_is_plain"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Admission",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="admissions",
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
                        related_name="admissions",
                        to="teams.person",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="admissions", to="teams.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    SameOrganization(
                        field="project", name="admission_project_is_of_its_organization", to="teams.Project"
                    ),
                    SameOrganization(field="agent", name="admission_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="person", name="admission_person_is_of_its_organization", to="teams.Person"),
                    models.UniqueConstraint(fields=("project", "agent"), name="agent_is_admitted_once"),
                    models.UniqueConstraint(fields=("project", "person"), name="person_is_admitted_once"),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("agent", None), ("person__isnull", False)),
                            Q(("agent__isnull", False), ("person", None)),
                            _connector="OR",
                        ),
                        name="admission_is_of_an_agent_or_a_person",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                ("channel_id", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="sessions", to="teams.agent"
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
                ("last_used_at", models.DateTimeField(db_default=Now(), default=timezone.now, editable=False)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "id"), name="session_is_of_one_organization"),
                    SameOrganization(field="agent", name="session_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(
                        field="project", name="session_project_is_of_its_organization", to="teams.Project"
                    ),
                    SameOrganization(field="person", name="session_person_is_of_its_organization", to="teams.Person"),
                    SameOrganization(
                        field="workspace", name="session_workspace_is_of_its_organization", to="teams.Workspace"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "agent", "name"), name="session_name_is_unique_for_agent"
                    ),
                    models.CheckConstraint(condition=Q(("name", ""), _negated=True), name="session_has_a_name"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("label", models.CharField(blank=True, max_length=100)),
                ("prefix", models.CharField(editable=False, max_length=16)),
                ("digest", models.BinaryField(max_length=32)),
                (
                    "verbs",
                    ArrayField(
                        base_field=models.CharField(
                            choices=[("read", "Read"), ("write", "Write"), ("forget", "Forget")], max_length=16
                        ),
                        default=teams.models.all_verbs,
                        size=None,
                    ),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="tokens", to="teams.agent"
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
                    "persons",
                    ArrayField(
                        base_field=models.CharField(max_length=128), blank=True, db_default=[], default=list, size=None
                    ),
                ),
                ("any_person", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "permissions": [("revoke_token", "Can revoke tokens")],
                "constraints": [
                    SameOrganization(field="agent", name="token_agent_is_of_its_organization", to="teams.Agent"),
                    SameOrganization(field="person", name="token_person_is_of_its_organization", to="teams.Person"),
                    models.UniqueConstraint(fields=("prefix",), name="token_prefix_is_unique"),
                    models.CheckConstraint(
                        condition=Q(("verbs__contained_by", ["read", "write", "forget"]), ("verbs__len__gte", 1)),
                        name="token_verbs_are_known",
                    ),
                    models.CheckConstraint(
                        condition=Q(("any_person", False), ("persons", []), _connector="OR"),
                        name="token_lists_people_or_takes_anybody",
                        violation_error_message="List people, or choose any person, not both.",
                    ),
                ],
                "indexes": [
                    models.Index(
                        Coalesce("last_used_at", "created_at"), condition=Q(("revoked_at", None)), name="token_unused"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Pace",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id", "token_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                ("token_id", models.UUIDField()),
                ("minute", models.DateTimeField()),
                ("requests", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Registrations",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id", "token_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to="teams.organization"
                    ),
                ),
                ("token_id", models.UUIDField()),
                ("day", models.DateField()),
                ("registered", models.PositiveIntegerField()),
            ],
            options={"verbose_name_plural": "registrations"},
        ),
        migrations.CreateModel(
            name="Attempts",
            fields=[
                ("who", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("tries", models.PositiveIntegerField()),
                ("until", models.DateTimeField(db_index=True)),
            ],
            options={"verbose_name_plural": "attempts"},
        ),
        # What they hold matters for minutes, or for a day: it need not survive a crash, nor wait for the disk.
        *(
            migrations.RunSQL(f"ALTER TABLE teams_{table} SET UNLOGGED", migrations.RunSQL.noop)
            for table in ("pace", "registrations", "attempts")
        ),
    ]
