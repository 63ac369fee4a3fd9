"""The index by which the same text is found."""

from django.db import migrations, models

from memoryhub.migration_operations import BuildIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("memories", "0017_pairs")]

    operations = [
        BuildIndex(
            "memory",
            models.Index(
                models.F("organization"),
                models.F("audience"),
                models.Func(
                    models.Func("content", models.Value(" \t\n\r"), function="btrim"),
                    function="md5",
                    output_field=models.TextField(),
                ),
                condition=models.Q(("forgotten_at", None)),
                name="memory_same_text",
            ),
        ),
    ]
