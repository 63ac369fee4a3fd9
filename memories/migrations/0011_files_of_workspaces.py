"""The workspace of each file. Those from before belong to none, and are seen where no workspace is named."""

import django.db.models.deletion
from django.db import migrations, models

import memoryhub.tenancy


class Migration(migrations.Migration):
    dependencies = [("memories", "0010_opening"), ("teams", "0002_pace")]

    operations = [
        migrations.AddField(
            model_name="teamfile",
            name="workspace",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="teams.workspace",
            ),
        ),
        migrations.AddConstraint(
            model_name="teamfile",
            constraint=memoryhub.tenancy.SameOrganization(
                field="workspace", name="file_workspace_is_of_its_organization", to="teams.Workspace"
            ),
        ),
        migrations.RemoveConstraint(model_name="teamfile", name="path_has_one_living_file"),
        migrations.AddConstraint(
            model_name="teamfile",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at", None)),
                fields=("organization", "team", "path", "workspace"),
                name="path_has_one_living_file",
                nulls_distinct=False,
            ),
        ),
    ]
