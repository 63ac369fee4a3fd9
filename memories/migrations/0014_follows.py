"""Memories say which one their author saved just before them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0013_recall_confidence")]

    operations = [
        migrations.AddField("memory", "follows", models.UUIDField(blank=True, editable=False, null=True)),
    ]
