from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # beside the writers
    dependencies = [
        ("memories", "0021_tokens_in_history"),
        ("teams", "0004_attempts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("forgotten_at__isnull", False)), fields=["forgotten_at"], name="memory_forgotten_at"
            ),
        ),
    ]
