"""How many wrong passwords somebody gave of late."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("teams", "0003_invitations")]

    operations = [
        migrations.CreateModel(
            name="Attempts",
            fields=[
                ("who", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("tries", models.PositiveIntegerField()),
                ("until", models.DateTimeField(db_index=True)),
            ],
            options={
                "verbose_name_plural": "attempts",
            },
        ),
        # What it holds matters for minutes: it need not survive a crash, nor wait for the disk.
        migrations.RunSQL("ALTER TABLE teams_attempts SET UNLOGGED", migrations.RunSQL.noop),
    ]
