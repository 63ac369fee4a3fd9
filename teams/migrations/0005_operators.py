"""What operators may do to tokens and invitations."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("teams", "0004_attempts")]

    operations = [
        migrations.AlterModelOptions(
            name="invitation", options={"permissions": [("revoke_invitation", "Can revoke invitations")]}
        ),
        migrations.AlterModelOptions(name="token", options={"permissions": [("revoke_token", "Can revoke tokens")]}),
    ]
