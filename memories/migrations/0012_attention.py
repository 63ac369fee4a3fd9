"""What of an audience is pinned, about to expire or due for review, each in its order."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0011_files_of_workspaces")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("organization"),
                models.F("audience"),
                models.OrderBy(models.F("importance"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                condition=models.Q(("forgotten_at", None), ("pinned", True)),
                name="memory_pinned",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False), ("forgotten_at", None)),
                fields=["organization", "audience", "expires_at", "id"],
                name="memory_vanishing",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("forgotten_at", None), ("review_by__isnull", False)),
                fields=["organization", "audience", "review_by", "id"],
                name="memory_due",
            ),
        ),
    ]
