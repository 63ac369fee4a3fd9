"""A token may name the person whom its agent serves when a call names nobody."""

import django.db.models.deletion
from django.db import migrations, models

import memoryhub.tenancy


class Migration(migrations.Migration):
    dependencies = [("teams", "0005_operators")]

    operations = [
        migrations.AddField(
            model_name="token",
            name="person",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="teams.person",
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=memoryhub.tenancy.SameOrganization(
                field="person", name="token_person_is_of_its_organization", to="teams.Person"
            ),
        ),
    ]
