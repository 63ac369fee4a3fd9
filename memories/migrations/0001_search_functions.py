"""The functions behind the generated search columns: what a memory and a file can be found by."""

from django.db import migrations

# Names, numbers, paths, flags and the like, as they were written: what stands between spaces, less the punctuation
# around it, if it is more than plain letters. They carry a "=" so that they are never taken for words.
IDENTIFIERS = """
CREATE FUNCTION memory_identifiers(text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT '=' || token
    FROM (
        SELECT rtrim(ltrim(word, '([{<"''`'), '.,;:!?)]}>"''`') AS token
        FROM regexp_split_to_table(lower($1), '\\s+') AS word
    ) AS tokens
    WHERE token ~ '[^a-z]' AND length(token) BETWEEN 2 AND 200
)
"""

# Words alone: Postgres' parser, which also looks for addresses, paths and numbers, takes a time that grows with the
# square of a long run of punctuation. What it would have found is among the identifiers.
PLAIN = """
CREATE FUNCTION memory_plain(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate($1, '!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~', repeat(' ', 32))
"""
WORDS = """
CREATE FUNCTION memory_words(text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_tsvector('pg_catalog.english', memory_plain($1))
"""

# The audience is a lexeme too ("@" and its id), so that one index finds words within a team without reading others'.
MEMORY = """
CREATE FUNCTION memory_search(audience uuid, key text, tags text[], summary text, category text, content text)
RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(memory_words(key || ' ' || array_to_string(tags, ' ')), 'A')
    || setweight(memory_words(summary || ' ' || category), 'B')
    || setweight(memory_words(content), 'C')
    || array_to_tsvector(
        memory_identifiers(key || ' ' || array_to_string(tags, ' ') || ' ' || summary || ' ' || content)
        || coalesce('@' || audience::text, '@')
    )
"""

# A tsvector holds at most 1 MiB: the first 65,536 characters of a file always fit.
FILE = """
CREATE FUNCTION file_search(path text, content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(memory_words(path), 'A')
    || setweight(memory_words(left(content, 65536)), 'C')
"""


class Migration(migrations.Migration):
    operations = [
        migrations.RunSQL(IDENTIFIERS, "DROP FUNCTION memory_identifiers"),
        migrations.RunSQL(PLAIN, "DROP FUNCTION memory_plain"),
        migrations.RunSQL(WORDS, "DROP FUNCTION memory_words"),
        migrations.RunSQL(MEMORY, "DROP FUNCTION memory_search"),
        migrations.RunSQL(FILE, "DROP FUNCTION file_search"),
    ]
