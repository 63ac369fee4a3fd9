"""Lists of memories in the order of their importance, and of the forgotten ones."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0008_scripts_and_signs")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("importance"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                condition=models.Q(("forgotten_at", None)),
                name="memory_weightiest",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("created_at"), descending=True),
                condition=models.Q(("forgotten_at__isnull", False), ("purged_at", None)),
                name="memory_forgotten",
            ),
        ),
    ]
