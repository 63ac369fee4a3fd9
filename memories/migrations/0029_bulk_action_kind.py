"""The action of a bulk edit has another name in the code; its column stays, so that the former release can work on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0028_erasures")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("batch", "deed", "kind"),
                migrations.AlterField(
                    "batch",
                    "kind",
                    models.CharField(
                        choices=[
                            ("pin", "Pin"),
                            ("unpin", "Unpin"),
                            ("tag", "Add tags"),
                            ("untag", "Remove tags"),
                            ("expire", "Set expiry"),
                            ("forget", "Forget"),
                            ("restore", "Restore"),
                        ],
                        db_column="deed",
                        max_length=16,
                    ),
                ),
            ]
        )
    ]
