"""Memories and files get a language, which is detected from the texts that are there."""

from importlib import import_module
from typing import Any

from django.db import migrations, models
from django.db.models.functions import Left

from memories.text.language import SAMPLE, choose_language

FUNCTIONS = import_module("memories.migrations.0001_search_functions").FUNCTIONS
BATCH = 2_000  # rows


def detect_languages(apps: Any, schema_editor: Any) -> None:
    """Set the language of what is not English."""
    for name in ("Memory", "TeamFile"):
        rows = apps.get_model("memories", name).objects.using(schema_editor.connection.alias)
        texts = rows.annotate(sample=Left("content", SAMPLE)).values_list("pk", "sample")
        found: dict[str, list[Any]] = {}
        for pk, sample in texts.iterator(chunk_size=BATCH):
            if (language := choose_language(sample)) != "english":
                found.setdefault(language, []).append(pk)
        for language, ids in found.items():
            for start in range(0, len(ids), BATCH):
                rows.filter(pk__in=ids[start : start + BATCH]).update(language=language)


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_word_worth")]

    operations = [
        migrations.RunSQL(FUNCTIONS.read_text(encoding="utf-8"), migrations.RunSQL.noop),
        migrations.AddField(
            "memory",
            "language",
            models.CharField(db_default="english", default="english", editable=False, max_length=16),
        ),
        migrations.AddField(
            "teamfile",
            "language",
            models.CharField(db_default="english", default="english", editable=False, max_length=16),
        ),
        migrations.RunPython(detect_languages, migrations.RunPython.noop),
    ]
