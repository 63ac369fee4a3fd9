"""Files as people go through them: folder by folder, and those deleted last."""

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Collate


class Migration(migrations.Migration):
    dependencies = [("memories", "0014_core_memories")]

    operations = [
        migrations.AddIndex(
            model_name="teamfile",
            index=models.Index(
                F("organization"),
                F("team"),
                Collate("path", "C"),
                condition=Q(("deleted_at", None)),
                name="file_place",
            ),
        ),
        migrations.AddIndex(
            model_name="teamfile",
            index=models.Index(
                F("organization"),
                F("team"),
                F("deleted_at").desc(),
                condition=Q(("deleted_at__isnull", False)),
                name="file_deleted",
            ),
        ),
    ]
