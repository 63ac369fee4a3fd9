import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryhub.ids
import memoryhub.tenancy


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0014_follows"),
        ("teams", "0003_team_policy"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Proposal",
            fields=[
                (
                    "id",
                    models.UUIDField(default=memoryhub.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "operation",
                    models.CharField(
                        choices=[
                            ("save", "New memory"),
                            ("update", "Change"),
                            ("append", "Addition"),
                            ("pin", "Pin"),
                            ("tag", "Tags"),
                            ("expire", "Expiry"),
                            ("revert", "Revert"),
                            ("supersede", "Supersede"),
                            ("forget", "Forget"),
                        ],
                        max_length=16,
                    ),
                ),
                ("arguments", models.JSONField(default=dict)),
                ("base_version", models.PositiveIntegerField()),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("policy", "Team policy"),
                            ("screening", "Screening"),
                            ("extraction", "Extraction"),
                            ("request", "Asked for by its author"),
                        ],
                        max_length=16,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("findings", models.JSONField(default=list)),
                ("provenance", models.CharField(default="agent", max_length=16)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("withdrawn", "Withdrawn"),
                            ("expired", "Expired"),
                        ],
                        default="open",
                        max_length=16,
                    ),
                ),
                ("expires_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("decision_note", models.CharField(blank=True, max_length=1000)),
                ("applied_version", models.PositiveIntegerField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name="memory",
            name="provenance",
            field=models.CharField(
                choices=[
                    ("person", "Person"),
                    ("agent", "Agent"),
                    ("import", "Import"),
                    ("extraction", "Extraction"),
                    ("tool", "Tool output"),
                ],
                db_default="agent",
                default="agent",
                editable=False,
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="memory",
            name="status",
            field=models.CharField(
                choices=[("active", "Active"), ("proposed", "Proposed"), ("rejected", "Rejected")],
                db_default="active",
                default="active",
                editable=False,
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="memory",
            name="superseded_by",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="memory",
            name="valid_from",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="memory",
            name="valid_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="revision",
            name="provenance",
            field=models.CharField(
                choices=[
                    ("person", "Person"),
                    ("agent", "Agent"),
                    ("import", "Import"),
                    ("extraction", "Extraction"),
                    ("tool", "Tool output"),
                ],
                db_default="agent",
                default="agent",
                editable=False,
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="status",
            field=models.CharField(
                choices=[("active", "Active"), ("proposed", "Proposed"), ("rejected", "Rejected")],
                db_default="active",
                default="active",
                editable=False,
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="revision",
            name="superseded_by",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="revision",
            name="valid_from",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="revision",
            name="valid_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="fileversion",
            name="change",
            field=models.CharField(
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
                    ("proposed", "Proposed"),
                    ("approved", "Approved"),
                    ("rejected", "Rejected"),
                    ("reopened", "Reopened"),
                    ("superseded", "Superseded"),
                    ("purged", "Purged"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="revision",
            name="change",
            field=models.CharField(
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
                    ("proposed", "Proposed"),
                    ("approved", "Approved"),
                    ("rejected", "Rejected"),
                    ("reopened", "Reopened"),
                    ("superseded", "Superseded"),
                    ("purged", "Purged"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("valid_from", None),
                    ("valid_until", None),
                    ("valid_until__gte", models.F("valid_from")),
                    _connector="OR",
                ),
                name="valid_until_is_not_before_valid_from",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("owns_key", False), ("status", "active"), _connector="OR"),
                name="only_an_active_memory_owns_its_key",
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="agent",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="teams.agent",
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="memory",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="proposals",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="organization",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="teams.organization"
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="token",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="teams.token",
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="user",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                models.F("organization"),
                models.F("memory"),
                models.OrderBy(models.F("created_at"), descending=True),
                name="proposal_of_memory",
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                models.F("organization"),
                models.OrderBy(models.F("created_at"), descending=True),
                condition=models.Q(("state", "open")),
                name="proposal_open",
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(condition=models.Q(("state", "open")), fields=["expires_at"], name="proposal_outdated"),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                models.F("organization"),
                models.F("agent"),
                models.OrderBy(models.F("created_at"), descending=True),
                name="proposal_by_agent",
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.UniqueConstraint(fields=("organization", "id"), name="proposal_is_of_one_organization"),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=memoryhub.tenancy.SameOrganization(
                field="agent", name="proposal_agent_is_of_its_organization", to="teams.Agent"
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=memoryhub.tenancy.SameOrganization(
                field="memory", name="proposal_memory_is_of_its_organization", to="memories.Memory"
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "approved", "rejected", "withdrawn", "expired"])),
                name="proposal_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "operation__in",
                        ["save", "update", "append", "pin", "tag", "expire", "revert", "supersede", "forget"],
                    )
                ),
                name="proposal_operation_is_known",
            ),
        ),
    ]
