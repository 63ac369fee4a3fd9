"""The search columns are written anew, each row by the words of its language."""

from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import F

AUDIENCE = models.Case(
    models.When(scope="team", then=F("team")),
    models.When(scope="project", then=F("project")),
    models.When(scope="agent", then=F("agent")),
    models.When(scope="global", then=F("person")),
    output_field=models.UUIDField(),
)
FORMER_FUNCTIONS = """
DROP FUNCTION memory_search(uuid, text, text[], text, text, text);
DROP FUNCTION file_search(text, text);
DROP FUNCTION IF EXISTS memory_pairs(text);
DROP FUNCTION IF EXISTS memory_words(text);
"""
# Small audiences are counted again by the next recall, larger ones beside it.
COUNTS_ARE_OLD = """
DELETE FROM memories_vocabulary WHERE memories <= 2000;
UPDATE memories_vocabulary SET counted_at = '2000-01-01';
"""


def search_column(function: str, *columns: object) -> models.GeneratedField:
    expression = models.Func(*columns, function=function, output_field=SearchVectorField())
    return models.GeneratedField(db_persist=True, expression=expression, output_field=SearchVectorField())


class Migration(migrations.Migration):
    dependencies = [("memories", "0010_languages")]

    operations = [
        migrations.RemoveIndex("memory", "memory_search"),
        migrations.RemoveIndex("memory", "memory_search_gone"),
        migrations.RemoveField("memory", "search"),
        migrations.AddField(
            "memory",
            "search",
            search_column("memory_search", AUDIENCE, "key", "tags", "summary", "category", "content", "language"),
        ),
        migrations.RemoveIndex("teamfile", "file_search"),
        migrations.RemoveField("teamfile", "search"),
        migrations.AddField("teamfile", "search", search_column("file_search", "path", "content", "language")),
        migrations.RunSQL(FORMER_FUNCTIONS, migrations.RunSQL.noop),
        migrations.RunSQL(COUNTS_ARE_OLD, migrations.RunSQL.noop),
    ]
