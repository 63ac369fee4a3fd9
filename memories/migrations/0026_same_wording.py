"""The function and the index by which a text in the same words is found."""

from importlib import import_module

from django.db import migrations, models

from memoryhub.migration_operations import BuildIndex

FUNCTIONS = import_module("memories.migrations.0001_search_functions").FUNCTIONS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("memories", "0025_undo_of_merged_proposals")]

    operations = [
        migrations.RunSQL(FUNCTIONS.read_text(encoding="utf-8"), migrations.RunSQL.noop),
        BuildIndex(
            "memory",
            models.Index(
                models.F("organization"),
                models.F("audience"),
                models.Func(
                    models.Func("content", function="memory_wording"), function="md5", output_field=models.TextField()
                ),
                condition=models.Q(("forgotten_at", None)),
                name="memory_same_wording",
            ),
        ),
    ]
