"""The log of recalls, and the questions in it that were settled."""

from datetime import datetime
from typing import Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from memories.models.base import (
    Authored,
    AuthoredQuerySet,
    TokenAudited,
    TokenAuditedQuerySet,
    author_constraint,
    token_index,
)
from memories.models.constants import QUESTION_LENGTH
from memories.rules import access
from memoryhub.tenancy import SameOrganization, tenant_link
from teams.actor import Actor


class RecallLogQuerySet(TokenAuditedQuerySet["RecallLog"]):
    def visible_to(self, actor: Actor) -> Self:
        """Return the recalls that were made in the context of an audience which the actor reads."""
        return self.filter(access.readable_by(actor))

    def of_team(self, team_id: UUID) -> Self:
        return self.filter(team=team_id)

    def with_callers(self) -> Self:
        """Load who asked, with which token and in which session."""
        return self.select_related("agent", "user", "token", "session")

    def between(self, since: datetime, until: datetime) -> Self:
        return self.filter(created_at__gte=since, created_at__lt=until)

    def found_nothing(self) -> Self:
        """Return the recalls with a query that found no memory. Index: recall_unanswered."""
        return self.filter(total_found=0).exclude(query="")


class RecallLog(TokenAudited):
    """A recall: who asked what, and which memories in which versions came back.

    `audience` is in whose context it was asked: the person's, or else the project's, or else the team's. Only those who
    read that audience know of it (`memories.rules.access`); nobody, where it is not known.
    """

    team = tenant_link("teams.Team", db_index=False)
    audience = models.UUIDField(null=True, blank=True)
    workspace = tenant_link("teams.Workspace", null=True, blank=True, db_index=False)
    session = tenant_link("teams.Session", null=True, blank=True, db_index=False)
    query = models.TextField(blank=True)
    mode = models.CharField(max_length=16)
    filters = models.JSONField(default=dict, blank=True)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    versions = ArrayField(models.PositiveIntegerField(), default=list)
    total_found = models.PositiveIntegerField(default=0)
    floor = models.FloatField(null=True, blank=True)  # the confidence that was needed, if any
    confidence = models.FloatField(null=True, blank=True)  # confidence of the best hit, even if it was left out
    took_ms = models.FloatField(null=True, blank=True)  # how long it took here; unknown of older ones

    objects = RecallLogQuerySet.as_manager()

    class Meta:
        constraints = [
            author_constraint("recall"),
            SameOrganization(field="team", to="teams.Team", name="recall_team_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="recall_session_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="recall_workspace_is_of_its_organization"),
            models.CheckConstraint(
                condition=Q(memory_ids__len=F("versions__len")), name="recalled_memories_have_versions"
            ),
        ]
        indexes = [
            models.Index(F("organization"), F("team"), F("created_at").desc(), name="recall_newest"),
            models.Index(
                F("organization"), F("team"), F("audience"), F("created_at").desc(), name="recall_of_audience"
            ),
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
                F("audience"),
                F("created_at").desc(),
                name="recall_unanswered",
                condition=Q(~Q(query=""), total_found=0),
            ),
            token_index("recall"),
            models.Index(fields=["session"], name="recall_by_session", condition=Q(session__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.query[:60] or self.mode


class SettledQuestionQuerySet(AuthoredQuerySet["SettledQuestion"]):
    def visible_to(self, actor: Actor) -> Self:
        """Return the questions that were asked in the context of an audience which the actor reads."""
        return self.filter(access.readable_by(actor))

    def of_team(self, team_id: UUID) -> Self:
        return self.filter(team=team_id)

    def dismissed(self) -> Self:
        """Return the questions that were settled without a memory that answers them."""
        return self.filter(memory=None)


class SettledQuestion(Authored):
    """An unanswered question that was dismissed, or answered by a memory. Like the recall, it is visible to those in
    whose context it was asked."""

    team = tenant_link("teams.Team", db_index=False)
    audience = models.UUIDField(null=True, blank=True)
    workspace = tenant_link("teams.Workspace", null=True, blank=True, db_index=False)
    question = models.CharField(max_length=QUESTION_LENGTH)  # as `memories.queries.unanswered` writes it
    memory = tenant_link("memories.Memory", null=True, blank=True, db_index=False)

    objects = SettledQuestionQuerySet.as_manager()

    class Meta:
        constraints = [
            author_constraint("settled"),
            SameOrganization(field="team", to="teams.Team", name="settled_team_is_of_its_organization"),
            SameOrganization(field="memory", to="memories.Memory", name="settled_memory_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="settled_workspace_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "team", "audience", "workspace", "question"],
                nulls_distinct=False,
                name="question_is_settled_once",
            ),
        ]

    def __str__(self) -> str:
        return self.question
