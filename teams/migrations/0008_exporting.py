"""Who may carry organizations and teams away."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("teams", "0007_unused_tokens")]

    operations = [
        migrations.AlterModelOptions(
            name="organization",
            options={"permissions": [("export_organization", "Can export organizations and teams")]},
        ),
    ]
