"""How often a token called in its latest minute."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("teams", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Pace",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "token_id",
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
                ("token_id", models.UUIDField()),
                ("minute", models.DateTimeField()),
                ("requests", models.PositiveIntegerField()),
            ],
        ),
        # What it holds matters for a minute: it need not survive a crash, nor wait for the disk.
        migrations.RunSQL("ALTER TABLE teams_pace SET UNLOGGED", migrations.RunSQL.noop),
    ]
