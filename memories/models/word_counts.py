"""Word frequencies within an audience: counted in the background now and then, never by writes."""

from collections.abc import Iterable
from typing import Self
from uuid import UUID

from django.db import models

from memories.models.base import Row, TenantQuerySet
from memoryhub.tenancy import Tenant


class WordCountQuerySet(TenantQuerySet[Row]):
    def of_audiences(self, organization_id: UUID, audiences: Iterable[UUID]) -> Self:
        return self.in_organization(organization_id).filter(audience__in=list(audiences))


class VocabularyQuerySet(WordCountQuerySet["Vocabulary"]):
    """Totals of audiences."""


class LexemeQuerySet(WordCountQuerySet["Lexeme"]):
    """Words of audiences."""


class Vocabulary(Tenant):
    """The totals of one audience's memories, and when they were counted."""

    audience = models.UUIDField()  # or what `memories.recall.word_stats.Within` makes of it and a workspace
    memories = models.PositiveIntegerField()
    mean_bytes = models.FloatField()  # mean length of their contents
    counted_at = models.DateTimeField()

    objects = VocabularyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "vocabularies"
        constraints = [models.UniqueConstraint(fields=["organization", "audience"], name="audience_has_one_vocabulary")]

    def __str__(self) -> str:
        return f"{self.audience}: {self.memories} memories"


class Lexeme(models.Model):
    """The number of the audience's memories that contain a word; a missing word occurs in one or none."""

    pk = models.CompositePrimaryKey("organization_id", "audience", "lexeme")
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")
    audience = models.UUIDField()
    lexeme = models.TextField()
    memories = models.PositiveIntegerField()

    objects = LexemeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.lexeme}: {self.memories}"
