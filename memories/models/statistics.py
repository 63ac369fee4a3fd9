"""How frequent words are within an audience: counted now and then beside the writes, never by them."""

from django.db import models

from memoryhub.tenancy import Tenant


class Vocabulary(Tenant):
    """What was counted of one audience's memories, and when."""

    audience = models.UUIDField()
    memories = models.PositiveIntegerField()
    mean_bytes = models.FloatField()  # of their contents
    counted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "vocabularies"
        constraints = [models.UniqueConstraint(fields=["organization", "audience"], name="audience_has_one_vocabulary")]

    def __str__(self) -> str:
        return f"{self.audience}: {self.memories} memories"


class Lexeme(models.Model):
    """In how many of the audience's memories a word occurs; what is missing occurs in one or none."""

    pk = models.CompositePrimaryKey("organization_id", "audience", "lexeme")
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")
    audience = models.UUIDField()
    lexeme = models.TextField()
    memories = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.lexeme}: {self.memories}"
