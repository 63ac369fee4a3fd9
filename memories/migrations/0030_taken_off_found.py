from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False  # beside the writers
    dependencies = [("memories", "0029_taken_off")]

    operations = [
        AddIndexConcurrently(
            model_name=name,
            index=models.Index(
                condition=Q(("removed_at__isnull", False)), fields=["removed_at"], name=f"{name}_removed_at"
            ),
        )
        for name in ("asset", "source")
    ]
