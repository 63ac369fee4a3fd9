"""What an undo needs of a proposal that was merged into another memory, and the form of an audit entry's digests."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0021_legal_holds"),
    ]

    operations = [
        migrations.AddField(
            model_name="proposal",
            name="undo",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="form",
            field=models.SmallIntegerField(default=1),
        ),
    ]
