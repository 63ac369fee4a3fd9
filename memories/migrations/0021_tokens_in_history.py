"""The history says with which token an agent did something, and what each token did, the newest first."""

from django.db import migrations, models

TRACED = {"revision": "revision", "fileversion": "version", "recalllog": "recall"}


def by_token(name: str) -> models.Index:
    return models.Index(
        models.F("organization"),
        models.F("token"),
        models.OrderBy(models.F("created_at"), descending=True),
        condition=models.Q(("token__isnull", False)),
        name=f"{name}_by_token",
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0020_authors"), ("teams", "0004_attempts")]

    operations = [
        *(
            migrations.AddField(
                model_name=model,
                name="token",
                field=models.ForeignKey(
                    to="teams.token",
                    on_delete=models.DO_NOTHING,
                    null=True,
                    blank=True,
                    db_constraint=False,
                    db_index=False,
                    related_name="+",
                ),
            )
            for model in TRACED
        ),
        *(migrations.AddIndex(model_name=model, index=by_token(name)) for model, name in TRACED.items()),
    ]
