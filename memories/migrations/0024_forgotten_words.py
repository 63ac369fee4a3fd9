"""Forgotten memories are found by their words, whosever they were."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

FORGOTTEN = models.Q(("forgotten_at__isnull", False), ("purged_at", None))


class Migration(migrations.Migration):
    atomic = False  # beside the writers
    dependencies = [("memories", "0023_operators")]

    operations = [
        AddIndexConcurrently(
            model_name="memory", index=GinIndex(condition=FORGOTTEN, fields=["search"], name="memory_search_gone")
        ),
    ]
