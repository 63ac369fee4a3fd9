"""Tokens that nobody used for long are found at once."""

from django.db import migrations, models
from django.db.models.functions import Coalesce


class Migration(migrations.Migration):
    dependencies = [("teams", "0006_whom_tokens_serve")]

    operations = [
        migrations.AddIndex(
            model_name="token",
            index=models.Index(
                Coalesce("last_used_at", "created_at"), condition=models.Q(("revoked_at", None)), name="token_unused"
            ),
        ),
    ]
