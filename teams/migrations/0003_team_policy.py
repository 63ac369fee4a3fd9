from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("teams", "0002_team_language"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="policy",
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False),
        ),
    ]
