"""No part of a text is looked for by trigrams any more: the index only made saves dearer."""

from django.db import migrations


class Migration(migrations.Migration):
    atomic = False  # beside the writers
    dependencies = [("memories", "0027_roles")]
    operations = [migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS memory_trigrams", migrations.RunSQL.noop)]
