"""Forgotten memories are found by their words, whosever they were."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models

FORGOTTEN = models.Q(("forgotten_at__isnull", False), ("purged_at", None))


class Migration(migrations.Migration):
    dependencies = [("memories", "0023_operators")]

    operations = [
        migrations.AddIndex(
            model_name="memory", index=GinIndex(condition=FORGOTTEN, fields=["search"], name="memory_search_gone")
        ),
    ]
