"""What was asked and answered: recalls, and requests that may be repeated."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.models.signed import Signed, Traced, by_token, signature
from memories.models.vocabulary import QUESTION_LENGTH
from memoryhub.tenancy import SameOrganization, Tenant, link


class RecallLog(Traced):
    """The ledger of recalls: who asked what, and which memories in which versions came back."""

    team = link("teams.Team", db_index=False)
    session = link("teams.Session", null=True, blank=True, db_index=False)
    query = models.TextField(blank=True)
    mode = models.CharField(max_length=16)
    filters = models.JSONField(default=dict, blank=True)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    versions = ArrayField(models.PositiveIntegerField(), default=list)
    total_found = models.PositiveIntegerField(default=0)
    took_ms = models.FloatField(null=True, blank=True)  # how long it took here; unknown of older ones

    class Meta:
        constraints = [
            signature("recall"),
            SameOrganization(field="team", to="teams.Team", name="recall_team_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="recall_session_is_of_its_organization"),
            models.CheckConstraint(
                condition=Q(memory_ids__len=F("versions__len")), name="recalled_memories_have_versions"
            ),
        ]
        indexes = [
            models.Index(F("organization"), F("team"), F("created_at").desc(), name="recall_newest"),
            models.Index(
                F("organization"),
                F("team"),
                F("agent"),
                F("created_at").desc(),
                name="recall_by_agent",
                condition=Q(agent__isnull=False),
            ),
            models.Index(
                F("organization"),
                F("team"),
                F("created_at").desc(),
                name="recall_unanswered",
                condition=Q(~Q(query=""), total_found=0),
            ),
            by_token("recall"),
        ]

    def __str__(self) -> str:
        return self.query[:60] or self.mode


class SettledQuestion(Signed):
    """A question that found nothing and is off the list of those: dismissed, or answered by a memory."""

    team = link("teams.Team", db_index=False)
    question = models.CharField(max_length=QUESTION_LENGTH)  # as `memories.questions` writes it
    memory = link("memories.Memory", null=True, blank=True, db_index=False)

    class Meta:
        constraints = [
            signature("settled"),
            SameOrganization(field="team", to="teams.Team", name="settled_team_is_of_its_organization"),
            SameOrganization(field="memory", to="memories.Memory", name="settled_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "team", "question"], name="question_is_settled_once"),
        ]

    def __str__(self) -> str:
        return self.question


class Usage(models.Model):
    """How often and when last a memory was recalled.

    Apart from the memory, and without a constraint on it, so that counting a recall locks nothing that a writer wants.
    """

    pk = models.CompositePrimaryKey("organization_id", "memory_id")
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")
    memory = link("memories.Memory", db_index=False)
    audience = models.UUIDField()  # the memory's own, to find what an audience uses
    access_count = models.PositiveIntegerField()
    last_accessed_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "usages"
        indexes = [
            models.Index(F("organization"), F("audience"), F("last_accessed_at").desc(), name="usage_latest"),
            models.Index(F("organization"), F("audience"), F("access_count").desc(), name="usage_most"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id}: {self.access_count} recalls"


class Day(models.Model):
    """How much a team saved and recalled on a day that is over (see memories.days)."""

    pk = models.CompositePrimaryKey("organization_id", "team_id", "day")
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")
    team = link("teams.Team", db_index=False)
    day = models.DateField()
    saved = models.PositiveIntegerField()
    recalled = models.PositiveIntegerField()

    class Meta:
        constraints = [SameOrganization(field="team", to="teams.Team", name="day_team_is_of_its_organization")]

    def __str__(self) -> str:
        return f"{self.day}: {self.saved} saved, {self.recalled} recalled"


class Growth(models.Model):
    """How many memories and recalls the hub as a whole got on a day that is over (see memories.growth)."""

    day = models.DateField(primary_key=True)
    memories = models.PositiveIntegerField()
    recalls = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "growth"

    def __str__(self) -> str:
        return f"{self.day}: {self.memories} memories, {self.recalls} recalls"


class Answer(Tenant):
    """What a request with an idempotency key was answered, so that its repetition is answered the same."""

    caller = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "caller", "key"], name="idempotency_key_is_used_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="answer_age")]

    def __str__(self) -> str:
        return self.key
