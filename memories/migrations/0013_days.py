"""How much each team saved and recalled on each day that is over."""

import django.db.models.deletion
from django.db import migrations, models

import memoryhub.tenancy


class Migration(migrations.Migration):
    dependencies = [("memories", "0012_attention"), ("teams", "0002_pace")]

    operations = [
        migrations.CreateModel(
            name="Day",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "team_id",
                        "day",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
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
                ("day", models.DateField()),
                ("saved", models.PositiveIntegerField()),
                ("recalled", models.PositiveIntegerField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="day",
            constraint=memoryhub.tenancy.SameOrganization(
                field="team", name="day_team_is_of_its_organization", to="teams.Team"
            ),
        ),
    ]
