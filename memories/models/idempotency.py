"""Answers to requests with an idempotency key."""

from datetime import datetime
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from memories.models.base import TenantQuerySet
from memories.models.memory import Memory
from memoryhub.tenancy import Tenant


class AnswerQuerySet(TenantQuerySet["Answer"]):
    def made_after(self, moment: datetime) -> Self:
        return self.filter(created_at__gt=moment)

    def made_before(self, moment: datetime) -> Self:
        """Return the answers from before that moment. Index: answer_age."""
        return self.filter(created_at__lt=moment)

    def that_may_quote(self, memory: Memory) -> Self:
        """Return the answers that may have words of the memory; one that names no memory may have them all the same."""
        named = Q(memory_ids__contains=[memory.pk]) | Q(memory_ids=[])
        return self.in_organization(memory.organization_id).filter(named)


class Answer(Tenant):
    """The answer to a request with an idempotency key, so that its repetition gets the same."""

    caller = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    created_at = models.DateTimeField(default=timezone.now)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "caller", "key"], name="idempotency_key_is_used_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="answer_age")]

    def __str__(self) -> str:
        return self.key
