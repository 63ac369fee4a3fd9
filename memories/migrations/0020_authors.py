"""What an agent wrote for an audience, the newest first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0019_batches_in_order")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.F("agent"),
                models.OrderBy(models.F("created_at"), descending=True),
                condition=models.Q(("forgotten_at", None)),
                name="memory_authored",
            ),
        ),
    ]
