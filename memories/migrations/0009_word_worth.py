"""Databases from before get the function that tells what a word of a query is worth in a row."""

from importlib import import_module

from django.db import migrations

FUNCTIONS = import_module("memories.migrations.0001_search_functions").FUNCTIONS


class Migration(migrations.Migration):
    dependencies = [("memories", "0008_roles")]

    operations = [migrations.RunSQL(FUNCTIONS.read_text(encoding="utf-8"), migrations.RunSQL.noop)]
