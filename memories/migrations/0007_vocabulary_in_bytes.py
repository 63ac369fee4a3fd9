"""Lengths are counted in bytes of content; what was counted in words is counted anew when it is needed."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memories", "0006_embedding_models")]

    operations = [
        migrations.RunSQL("DELETE FROM memories_vocabulary", migrations.RunSQL.noop),
        migrations.RenameField(model_name="vocabulary", old_name="mean_length", new_name="mean_bytes"),
    ]
