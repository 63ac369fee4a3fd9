"""Feedback: what those who read a memory say about it."""

from collections.abc import Collection
from datetime import datetime
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Func, OuterRef, Q

from memories.models.base import Authored, AuthoredQuerySet, author_constraint
from memories.models.constants import SUMMARY_LENGTH
from memories.models.memory import Memory
from memories.rules import access
from memoryhub.tenancy import SameOrganization, tenant_link
from teams.actor import Actor


class Rating(models.TextChoices):
    HELPFUL = "helpful", "Helpful"
    NOT_HELPFUL = "not-helpful", "Not helpful"
    WRONG = "wrong", "Wrong"
    OUTDATED = "outdated", "Outdated"


REPORTS = (Rating.WRONG, Rating.OUTDATED)  # what a person should look at
PRESENT_TEXT = Func(F("memory__content"), function="md5", output_field=models.TextField())
PRIOR_WEIGHT = 2.0  # weight of silent readers: the more ratings agree, the nearer the balance comes to 1 or -1

# From -1 to 1, of what was said about the text as it is. No row says nothing. Index: feedback_is_there_once.
BALANCE = """
(
    SELECT sum(rated.weight) / (sum(abs(rated.weight)) + {prior}) FROM memories_feedback AS rated
    WHERE rated.organization_id = {memory}.organization_id AND rated.memory_id = {memory}.id
        AND rated.settled_at IS NULL AND rated.text_hash = md5({memory}.content)
)
"""


def feedback_sql(memory: str) -> str:
    """Return the balance of what was said about a row of memories, by this name; null if nothing was."""
    return BALANCE.format(memory=memory, prior=PRIOR_WEIGHT)


class FeedbackQuerySet(AuthoredQuerySet["Feedback"]):
    def of_memory(self, memory: Memory) -> Self:
        return self.of_memories(memory.organization_id, [memory.pk])

    def of_memories(self, organization_id: UUID, memory_ids: Collection[UUID]) -> Self:
        return self.in_organization(organization_id).filter(memory__in=memory_ids)

    def by_actor(self, actor: Actor) -> Self:
        rows = self.in_organization(actor.organization_id)
        return rows.filter(agent=actor.agent_id) if actor.agent_id else rows.filter(user=actor.user_id, agent=None)

    def about_present_text(self) -> Self:
        """Return what was said about the text as it is; what was said about an earlier text counts no more."""
        return self.filter(text_hash=PRESENT_TEXT)

    def reports(self) -> Self:
        return self.filter(rating__in=REPORTS)

    def open_reports(self) -> Self:
        """Return the reports that nobody has decided about. Index: feedback_reports."""
        return self.reports().filter(settled_at=None)

    def reported_to(self, actor: Actor, *, now: datetime) -> Self:
        """Return the first open report of each memory that the actor may change."""
        changeable = Memory.objects.writable_by(actor, now=now).holding(now)
        here = self.in_organization(actor.organization_id).filter(access.match_writable_audience(actor))
        waiting = here.open_reports().about_present_text().filter(memory__in=changeable)
        same = Feedback.objects.filter(organization=OuterRef("organization"), memory=OuterRef("memory"))
        same = same.open_reports().filter(text_hash=OuterRef("text_hash"))
        earlier = Q(created_at__lt=OuterRef("created_at")) | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk"))
        return waiting.exclude(models.Exists(same.filter(earlier)))


class Feedback(Authored):
    """What one actor says about a memory, as its text was then. A later word of the same actor replaces it."""

    memory = tenant_link("memories.Memory", db_index=False)
    audience = models.UUIDField()  # the memory's own, to find what an audience has to decide about
    rating = models.CharField(max_length=16, choices=Rating.choices)
    reason = models.CharField(max_length=SUMMARY_LENGTH, blank=True, default="")
    weight = models.FloatField()  # effect on recall: above 0 for the memory, below 0 against it
    text_hash = models.CharField(max_length=32)  # hash of the text that was rated
    settled_at = models.DateTimeField(null=True, blank=True)  # when somebody said that the memory is right
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, null=True, blank=True, db_index=False, related_name="+"
    )

    objects = FeedbackQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "feedback"
        constraints = [
            author_constraint("feedback"),
            SameOrganization(field="memory", to="memories.Memory", name="feedback_memory_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "memory", "agent", "user"], nulls_distinct=False, name="feedback_is_there_once"
            ),
            models.CheckConstraint(condition=Q(rating__in=Rating.values), name="rating_is_known"),
        ]
        indexes = [
            models.Index(
                fields=["organization", "audience", "created_at", "id"],
                name="feedback_reports",
                condition=Q(rating__in=REPORTS, settled_at=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.rating}, says {self.byline}"
