"""The first word of each memory, which recall would otherwise look for in every candidate."""

import django.db.models.expressions
from django.db import migrations, models

OPENING = """
CREATE FUNCTION memory_opening(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(substring(left($1, 100) FROM '\\w+'))
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_lists_by_importance")]

    operations = [
        migrations.RunSQL(OPENING, "DROP FUNCTION memory_opening"),
        migrations.AddField(
            model_name="memory",
            name="opening",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.expressions.Func(
                    "content", function="memory_opening", output_field=models.TextField()
                ),
                output_field=models.TextField(),
            ),
        ),
    ]
