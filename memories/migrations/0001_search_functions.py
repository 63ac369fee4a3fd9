"""The functions behind the generated search columns, and those that statements call."""

from pathlib import Path

from django.db import migrations

FUNCTIONS = Path(__file__).parents[1] / "sql" / "functions.sql"
# As the next migrations make the columns; 0011_search_by_language makes them anew and drops these.
FORMER_FUNCTIONS = """
CREATE OR REPLACE FUNCTION memory_search(
    audience uuid, key text, tags text[], summary text, category text, content text
) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN memory_search(audience, key, tags, summary, category, content, 'english');
CREATE OR REPLACE FUNCTION file_search(path text, content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN file_search(path, content, 'english');
"""


class Migration(migrations.Migration):
    replaces = [
        ("memories", "0003_standing"),
        ("memories", "0008_scripts_and_signs"),
        ("memories", "0010_opening"),
        ("memories", "0031_pairs_in_one_pass"),
        ("memories", "0032_marks_in_order"),
    ]

    operations = [
        migrations.RunSQL(FUNCTIONS.read_text(encoding="utf-8"), migrations.RunSQL.noop),
        migrations.RunSQL(FORMER_FUNCTIONS, migrations.RunSQL.noop),
    ]
