"""The roles of operators. What they may is given after each migrate, once Django has noted it (see memoryhub.roles)."""

from typing import Any

from django.db import migrations

ROLES = ("support", "operator")


def create_roles(apps: Any, schema_editor: Any) -> None:
    roles = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    for name in ROLES:
        roles.get_or_create(name=name)


class Migration(migrations.Migration):
    replaces = [("memories", "0027_roles")]

    dependencies = [("memories", "0007_writes"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [migrations.RunPython(create_roles, migrations.RunPython.noop)]
