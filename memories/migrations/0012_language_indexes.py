"""The indexes of the search columns, and the one that tells which languages are searched."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models
from django.db.models import Q

from memoryhub.migration_operations import BuildIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("memories", "0011_search_by_language")]

    operations = [
        BuildIndex("memory", GinIndex(condition=Q(("forgotten_at", None)), fields=["search"], name="memory_search")),
        BuildIndex(
            "memory",
            GinIndex(
                condition=Q(("forgotten_at__isnull", False), ("purged_at", None)),
                fields=["search"],
                name="memory_search_gone",
            ),
        ),
        BuildIndex("teamfile", GinIndex(condition=Q(("deleted_at", None)), fields=["search"], name="file_search")),
        BuildIndex(
            "memory",
            models.Index(
                fields=["organization", "audience", "language", "workspace"],
                condition=Q(("forgotten_at", None), Q(("language", "english"), _negated=True)),
                name="memory_language",
            ),
        ),
    ]
