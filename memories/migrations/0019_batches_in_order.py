"""The latest batches of a team."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0018_settled_questions")]

    operations = [
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                models.F("organization"),
                models.F("team"),
                models.OrderBy(models.F("created_at"), descending=True),
                name="batch_newest",
            ),
        ),
    ]
