"""Bulk edits: kept so that each can be undone as a whole."""

from typing import Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from memories.models.base import Authored, AuthoredQuerySet, author_constraint
from memories.models.constants import BulkActionKind
from memories.rules import access
from memoryhub.tenancy import SameOrganization, tenant_link
from teams.actor import Actor


class BatchQuerySet(AuthoredQuerySet["Batch"]):
    def visible_to(self, actor: Actor) -> Self:
        """Return the bulk edits that the actor made, and all of those in teams that it owns."""
        theirs = Q(user=actor.user_id, agent=actor.agent_id) | Q(team__in=actor.owns)
        return self.filter(theirs, access.in_workspace(actor), organization=actor.organization_id)


class Batch(Authored):
    team = tenant_link("teams.Team", db_index=False)
    workspace = tenant_link("teams.Workspace", null=True, blank=True, db_index=False)
    kind = models.CharField(max_length=16, choices=BulkActionKind.choices, db_column="deed")
    tags = ArrayField(models.TextField(), default=list)
    expires_at = models.DateTimeField(null=True)
    memory_ids = ArrayField(models.UUIDField())
    versions_before = ArrayField(models.PositiveIntegerField())
    versions_after = ArrayField(models.PositiveIntegerField())
    undone_at = models.DateTimeField(null=True)
    undone_by = models.CharField(max_length=200, blank=True, default="")
    left_ids = ArrayField(models.UUIDField(), default=list)  # memories that others had changed before the undo

    objects = BatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "batches"
        constraints = [
            author_constraint("batch"),
            SameOrganization(field="team", to="teams.Team", name="batch_team_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="batch_workspace_is_of_its_organization"),
            models.CheckConstraint(
                condition=Q(memory_ids__len=F("versions_before__len"), versions_before__len=F("versions_after__len")),
                name="batched_memories_have_versions",
            ),
        ]
        indexes = [models.Index(F("organization"), F("team"), F("created_at").desc(), name="batch_newest")]

    def __str__(self) -> str:
        return f"{self.kind} {len(self.memory_ids)}"

    @property
    def before(self) -> dict[UUID, int]:
        return dict(zip(self.memory_ids, self.versions_before, strict=True))

    @property
    def after(self) -> dict[UUID, int]:
        return dict(zip(self.memory_ids, self.versions_after, strict=True))
