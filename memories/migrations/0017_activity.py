"""Who changed and who asked what, the newest first: by agent, by person, by kind of change; and what found nothing."""

from django.db import migrations, models


def newest(*fields: str, name: str, condition: models.Q) -> models.Index:
    columns = [models.F(field) for field in ("organization", *fields)]
    return models.Index(
        *columns, models.OrderBy(models.F("created_at"), descending=True), name=name, condition=condition
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0016_batches")]

    operations = [
        migrations.AddIndex(
            model_name="revision",
            index=newest("audience", "agent", name="revision_by_agent", condition=models.Q(("agent__isnull", False))),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=newest("audience", "user", name="revision_by_user", condition=models.Q(("user__isnull", False))),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=newest(
                "audience",
                "change",
                name="revision_by_change",
                condition=models.Q(("change", "created"), _negated=True),
            ),
        ),
        migrations.AddIndex(
            model_name="recalllog",
            index=newest("team", "agent", name="recall_by_agent", condition=models.Q(("agent__isnull", False))),
        ),
        migrations.AddIndex(
            model_name="recalllog",
            index=newest(
                "team",
                name="recall_unanswered",
                condition=models.Q(models.Q(("query", ""), _negated=True), ("total_found", 0)),
            ),
        ),
    ]
