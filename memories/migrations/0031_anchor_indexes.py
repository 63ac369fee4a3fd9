"""The indexes by which anchors are found, built beside the writers."""

from django.db import migrations, models

from memoryhub.migration_operations import BuildIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("memories", "0030_golden_questions")]

    operations = [
        BuildIndex(
            "source",
            models.Index(
                condition=models.Q(("removed_at", None), ("state__in", ("changed", "gone"))),
                fields=["organization", "memory"],
                name="source_failed",
            ),
        ),
        BuildIndex(
            "source",
            models.Index(
                condition=models.Q(("removed_at", None), models.Q(("sha256", ""), _negated=True)),
                fields=["organization", "repository", "created_at", "id"],
                name="source_anchors",
            ),
        ),
    ]
