"""Indexes for the lists by type and by importance."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0004_usage")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.F("type"),
                models.OrderBy(models.F("created_at"), descending=True),
                condition=models.Q(("forgotten_at", None)),
                name="memory_typed",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(
                    models.Func(models.F("importance"), models.F("updated_at"), function="memory_standing"),
                    descending=True,
                ),
                condition=models.Q(("forgotten_at", None)),
                name="memory_standing",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("importance"), descending=True),
                condition=models.Q(
                    models.Q(("pinned", True), ("type", "identity"), _connector="OR"), ("forgotten_at", None)
                ),
                name="memory_unfading",
            ),
        ),
    ]
