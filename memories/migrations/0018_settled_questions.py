"""Questions that found nothing and were dismissed, or answered."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryhub.ids
import memoryhub.tenancy


def link(to: str, **options: object) -> models.ForeignKey:
    defaults = {"db_constraint": False, "db_index": False, "on_delete": django.db.models.deletion.CASCADE}
    return models.ForeignKey(**defaults | {"related_name": "+", "to": to} | options)


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0017_activity"),
        ("teams", "0002_pace"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SettledQuestion",
            fields=[
                (
                    "id",
                    models.UUIDField(default=memoryhub.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("organization", link("teams.organization", db_constraint=True)),
                ("agent", link("teams.agent", blank=True, null=True, on_delete=models.DO_NOTHING)),
                (
                    "user",
                    link(
                        settings.AUTH_USER_MODEL,
                        blank=True,
                        null=True,
                        db_constraint=True,
                        on_delete=models.DO_NOTHING,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("team", link("teams.team")),
                ("question", models.CharField(max_length=500)),
                ("memory", link("memories.memory", blank=True, null=True)),
            ],
            options={
                "constraints": [
                    memoryhub.tenancy.SameOrganization(
                        field="agent", name="settled_agent_is_of_its_organization", to="teams.Agent"
                    ),
                    memoryhub.tenancy.SameOrganization(
                        field="team", name="settled_team_is_of_its_organization", to="teams.Team"
                    ),
                    memoryhub.tenancy.SameOrganization(
                        field="memory", name="settled_memory_is_of_its_organization", to="memories.Memory"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "team", "question"), name="question_is_settled_once"
                    ),
                ],
            },
        ),
    ]
