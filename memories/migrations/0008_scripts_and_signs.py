"""Found by more of what is written: identifiers amid signs, writing without spaces, letters in either Unicode form."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

# One form of what Unicode can write in two; plain ASCII has only one.
NORMAL = """
CREATE FUNCTION memory_normal(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length($1) = char_length($1) THEN $1 ELSE normalize($1, NFC) END
"""

# The same as before, thirty times as quick: each sign becomes one space.
PLAIN = r"""
CREATE OR REPLACE FUNCTION memory_plain(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace($1, '[!-/:-@[-`{-~]', ' ', 'g')
"""
WORDS = """
CREATE OR REPLACE FUNCTION memory_words(text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_tsvector('pg_catalog.english', memory_plain(memory_normal($1)))
"""
OLD_WORDS = """
CREATE OR REPLACE FUNCTION memory_words(text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_tsvector('pg_catalog.english', memory_plain($1))
"""

# The text with spaces where signs join one identifier to another: quotation marks, brackets, commas, arrows, and the
# border between letters with and without spaces between words.
APART = r"""
CREATE FUNCTION memory_apart(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
    regexp_replace($1, '->|[,;=*|~"''`()\[\]{}<>“”„‚‘’«»‹›「」『』【】（）〈〉《》…—–。、！？：；，．]', ' ', 'g'),
    '(?<=[!-~])(?=[\u0e00-\u0e7f\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef])|(?<=[\u0e00-\u0e7f\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef])(?=[!-~])',
    ' ', 'g'
)
"""

# Names, numbers, paths, flags and the like, as they were written: what stands between spaces or apart, less the
# punctuation around it, if it is more than plain letters. They carry a "=" so that they are never taken for words.
IDENTIFIERS = r"""
CREATE OR REPLACE FUNCTION memory_identifiers(text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT '=' || token
    FROM (
        SELECT rtrim(ltrim(word, '([{<"''`*_“„‘«‹「『【（〈《'), '.,;:!?)]}>"''`*_”“’»›」』】）〉》…。、！？：；，．') AS token
        FROM (SELECT lower(memory_normal($1)) AS whole) AS said,
            regexp_split_to_table(whole || ' ' || memory_apart(whole), '\s+') AS word
        WHERE word ~ '[^a-z]'
    ) AS tokens
    WHERE token ~ '[^a-z]' AND length(token) <= 200 AND (length(token) > 1 OR octet_length(token) > 1)
)
"""
OLD_IDENTIFIERS = r"""
CREATE OR REPLACE FUNCTION memory_identifiers(text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT '=' || token
    FROM (
        SELECT rtrim(ltrim(word, '([{<"''`'), '.,;:!?)]}>"''`') AS token
        FROM regexp_split_to_table(lower($1), '\s+') AS word
    ) AS tokens
    WHERE token ~ '[^a-z]' AND length(token) BETWEEN 2 AND 200
)
"""

# Writing without spaces between its words (Chinese, Japanese, Korean, Thai and others): each two neighbours are a word.
# They carry a "~".
PAIRS = r"""
CREATE FUNCTION memory_pairs(text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length($1) = char_length($1) THEN '{}'::text[] ELSE ARRAY(
    SELECT DISTINCT '~' || substr(run[1], place, 2)
    FROM regexp_matches(memory_normal($1), '[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}', 'g') AS run,
        generate_series(1, length(run[1]) - 1) AS place
) END
"""
MEMORY = """
CREATE OR REPLACE FUNCTION memory_search(audience uuid, key text, tags text[], summary text, category text, content text)
RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(memory_words(key || ' ' || array_to_string(tags, ' ')), 'A')
    || setweight(memory_words(summary || ' ' || category), 'B')
    || setweight(memory_words(content), 'C')
    || array_to_tsvector(
        memory_identifiers(key || ' ' || array_to_string(tags, ' ') || ' ' || summary || ' ' || content)
        || memory_pairs(key || ' ' || array_to_string(tags, ' ') || ' ' || summary || ' ' || content)
        || coalesce('@' || audience::text, '@')
    )
"""
OLD_MEMORY = MEMORY.replace(
    "        || memory_pairs(key || ' ' || array_to_string(tags, ' ') || ' ' || summary || ' ' || content)\n", ""
)
AUDIENCE = models.Case(
    models.When(scope="team", then=models.F("team")),
    models.When(scope="project", then=models.F("project")),
    models.When(scope="agent", then=models.F("agent")),
    models.When(scope="global", then=models.F("person")),
    output_field=models.UUIDField(),
)
INDEX = django.contrib.postgres.indexes.GinIndex(
    condition=models.Q(("forgotten_at", None)), fields=["search"], name="memory_search"
)


class Migration(migrations.Migration):
    dependencies = [("memories", "0007_vocabulary_in_bytes")]

    operations = [
        migrations.RemoveIndex(model_name="memory", name="memory_search"),
        migrations.RemoveField(model_name="memory", name="search"),
        migrations.RunSQL(NORMAL, "DROP FUNCTION memory_normal"),
        migrations.RunSQL(PLAIN, migrations.RunSQL.noop),
        migrations.RunSQL(WORDS, OLD_WORDS),
        migrations.RunSQL(APART, "DROP FUNCTION memory_apart"),
        migrations.RunSQL(IDENTIFIERS, OLD_IDENTIFIERS),
        migrations.RunSQL(PAIRS, "DROP FUNCTION memory_pairs"),
        migrations.RunSQL(MEMORY, OLD_MEMORY),
        migrations.AddField(
            model_name="memory",
            name="search",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(
                    AUDIENCE,
                    "key",
                    "tags",
                    "summary",
                    "category",
                    "content",
                    function="memory_search",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                output_field=django.contrib.postgres.search.SearchVectorField(),
            ),
        ),
        migrations.AddIndex(model_name="memory", index=INDEX),
        migrations.RunSQL("DELETE FROM memories_vocabulary", migrations.RunSQL.noop),
    ]
