"""How long each recall took, and how the hub as a whole grew each day."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0025_links_of_new_memories")]

    operations = [
        migrations.AddField(model_name="recalllog", name="took_ms", field=models.FloatField(blank=True, null=True)),
        migrations.CreateModel(
            name="Growth",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("memories", models.PositiveIntegerField()),
                ("recalls", models.PositiveIntegerField()),
            ],
            options={"verbose_name_plural": "growth"},
        ),
    ]
