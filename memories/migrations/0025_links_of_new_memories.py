from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0024_forgotten_words")]

    operations = [
        migrations.AddField("unembedded", "links", models.BooleanField(default=False, db_default=False)),
    ]
