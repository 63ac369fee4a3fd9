"""What a team filed as core, the latest change first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0013_days")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("updated_at"), descending=True),
                condition=models.Q(("category", "core"), ("forgotten_at", None)),
                name="memory_core",
            ),
        ),
    ]
