"""The order by importance of what was never recalled, for an index (see memories.importance)."""

from django.db import migrations

STANDING = """
CREATE FUNCTION memory_standing(importance float8, updated_at timestamptz) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ln(greatest(importance, 1e-9)) / ln(2.0::float8)
    + extract(epoch FROM updated_at - '2020-01-01 00:00+00'::timestamptz)::float8 / (86400.0 * 90.0)
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_memories")]

    operations = [migrations.RunSQL(STANDING, "DROP FUNCTION memory_standing")]
