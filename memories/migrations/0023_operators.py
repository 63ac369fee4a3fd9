"""What operators may do to memories."""

from django.conf import settings
from django.db import migrations

PERMISSIONS = [
    ("pin_memory", "Can pin and unpin memories"),
    ("tag_memory", "Can tag memories"),
    ("expire_memory", "Can let memories expire"),
    ("forget_memory", "Can forget memories"),
    ("restore_memory", "Can restore memories"),
    ("purge_memory", "Can purge memories"),
    ("reembed_memory", "Can have memories' vectors made anew"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0022_forgotten_at"),
        ("teams", "0005_operators"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.AlterModelOptions(
            name="memory", options={"permissions": PERMISSIONS, "verbose_name_plural": "memories"}
        ),
    ]
