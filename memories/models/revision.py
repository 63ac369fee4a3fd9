"""Versions of memories: every one is kept in full."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import F, OuterRef, Q, Subquery

from memories.models.base import TokenAudited, TokenAuditedQuerySet, author_constraint, token_index
from memories.models.constants import Change, Status
from memories.models.memory import Memory, MemoryFields
from memories.rules import access
from memoryhub.tenancy import SameOrganization, tenant_link
from teams.actor import Actor


class RevisionQuerySet(TokenAuditedQuerySet["Revision"]):
    def visible_to(self, actor: Actor) -> Self:
        """Return the versions that were written for an audience which the actor reads."""
        active = access.is_active_or_own_proposal(actor)
        return self.filter(access.readable_by(actor, workspace="memory__workspace"), active)

    def of_memory(self, memory: Memory) -> Self:
        """Return the versions that the memory's present readers may see: one that was written for another audience
        stays with that audience, and one that was only proposed with those who decided about it. Index:
        memory_has_each_version_once."""
        versions = self.in_organization(memory.organization_id).filter(memory=memory.pk, audience=memory.audience)
        return versions.filter(status=Status.ACTIVE) if memory.status == Status.ACTIVE else versions

    def of_versions(self, wanted: Iterable[tuple[Memory, Collection[int]]]) -> Self:
        """Return these versions of the memories, as far as each memory's present readers may see them. Index:
        memory_has_each_version_once."""
        rule, organizations = Q(pk__in=[]), set()
        for memory, numbers in wanted:
            rule |= Q(memory=memory.pk, audience=memory.audience, version__in=sorted(numbers))
            organizations.add(memory.organization_id)
        return self.filter(rule, organization__in=organizations, status=Status.ACTIVE)

    def known_at(self, moment: datetime) -> Self:
        """Return of each memory the version that was the latest at that moment, unless it was forgotten, expired or not
        approved then. Index: memory_has_each_version_once."""
        earlier = Revision.objects.filter(organization=OuterRef("organization"), memory=OuterRef("memory"))
        latest = earlier.filter(created_at__lte=moment).order_by("-version").values("version")[:1]
        known = self.filter(version=Subquery(latest), status=Status.ACTIVE, forgotten_at=None)
        return known.filter(Q(expires_at=None) | Q(expires_at__gt=moment))

    def written_for(self, audiences: Iterable[UUID]) -> Self:
        return self.filter(audience__in=audiences)

    def of_every_audience(self, organization_id: UUID, memory_ids: Iterable[UUID]) -> Self:
        """Return all versions of the memories, for writes and audits that nobody reads the text of."""
        return self.in_organization(organization_id).filter(memory__in=memory_ids)

    def latest_first(self) -> Self:
        return self.order_by("-version")


class Revision(TokenAudited, MemoryFields):
    """One version of a memory in full: who made it, when, and by what kind of change."""

    memory = tenant_link("memories.Memory", related_name="revisions", db_index=False)
    change = models.CharField(max_length=16, choices=Change.choices)
    audience = models.UUIDField()

    objects = RevisionQuerySet.as_manager()

    class Meta:
        constraints = [
            author_constraint("revision"),
            SameOrganization(field="memory", to="memories.Memory", name="revision_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "version"], name="memory_has_each_version_once"),
        ]
        indexes = [
            models.Index(F("organization"), F("audience"), F("created_at").desc(), name="revision_newest"),
            models.Index(
                F("organization"),
                F("audience"),
                F("agent"),
                F("created_at").desc(),
                name="revision_by_agent",
                condition=Q(agent__isnull=False),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("user"),
                F("created_at").desc(),
                name="revision_by_user",
                condition=Q(user__isnull=False),
            ),
            models.Index(  # most are the first: of those, the newest are found without
                F("organization"),
                F("audience"),
                F("change"),
                F("created_at").desc(),
                name="revision_by_change",
                condition=~Q(change=Change.CREATED),
            ),
            token_index("revision"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} v{self.version}"
