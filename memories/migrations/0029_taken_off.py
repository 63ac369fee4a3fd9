"""What is taken off a memory can be put back for a while."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0028_no_trigrams")]

    operations = [
        migrations.AddField(model_name=name, name="removed_at", field=models.DateTimeField(editable=False, null=True))
        for name in ("asset", "source")
    ]
