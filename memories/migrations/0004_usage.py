"""How often a memory was recalled moves to a table of its own, which counting may lock."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0003_standing"), ("teams", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "memory_id",
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                ("audience", models.UUIDField()),
                ("access_count", models.PositiveIntegerField()),
                ("last_accessed_at", models.DateTimeField()),
            ],
            options={"verbose_name_plural": "usages"},
        ),
        migrations.RunSQL(
            """
            INSERT INTO memories_usage (organization_id, memory_id, audience, access_count, last_accessed_at)
            SELECT organization_id, id, audience, access_count, coalesce(last_accessed_at, updated_at)
            FROM memories_memory WHERE access_count > 0
            """,
            migrations.RunSQL.noop,
        ),
        migrations.RemoveField(model_name="memory", name="access_count"),
        migrations.RemoveField(model_name="memory", name="last_accessed_at"),
        migrations.AddIndex(
            model_name="usage",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("last_accessed_at"), descending=True),
                name="usage_latest",
            ),
        ),
        migrations.AddIndex(
            model_name="usage",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("access_count"), descending=True),
                name="usage_most",
            ),
        ),
    ]
