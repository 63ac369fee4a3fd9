"""Teams may say in which language their short texts are."""

from django.db import migrations, models

from memoryhub.languages import LANGUAGE_CHOICES


class Migration(migrations.Migration):
    dependencies = [("teams", "0001_initial")]

    operations = [
        migrations.AddField(
            "team",
            "language",
            models.CharField(
                blank=True,
                choices=LANGUAGE_CHOICES,
                db_default="",
                default="",
                help_text="The language of texts that are too short to tell it. By default they are taken for English.",
                max_length=16,
            ),
        )
    ]
