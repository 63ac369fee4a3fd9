"""Proposals: new memories and changes that wait for a person's decision."""

from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.models.base import TokenAudited, TokenAuditedQuerySet, author_constraint
from memories.rules import access
from memoryhub.tenancy import SameOrganization, tenant_key, tenant_link
from teams.actor import Actor
from teams.models import Verb


class ProposalState(models.TextChoices):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class ProposalCause(models.TextChoices):
    """Why a write was held instead of made."""

    POLICY = "policy", "Team policy"
    SCREENING = "screening"
    EXTRACTION = "extraction"
    REQUEST = "request", "Asked for by its author"


class ProposedOperation(models.TextChoices):
    """What an approval does: accept a new memory, or repeat the change that was held."""

    SAVE = "save", "New memory"
    UPDATE = "update", "Change"
    APPEND = "append", "Addition"
    PIN = "pin"
    TAG = "tag", "Tags"
    EXPIRE = "expire", "Expiry"
    REVERT = "revert"
    SUPERSEDE = "supersede"
    FORGET = "forget"


MOMENT_ARGUMENTS = ("expires_at", "review_by", "valid_from", "valid_until", "at")


class ProposalQuerySet(TokenAuditedQuerySet["Proposal"]):
    def open(self, *, now: datetime | None = None) -> Self:
        return self.filter(state=ProposalState.OPEN, expires_at__gt=now or timezone.now())

    def outdated(self, *, now: datetime) -> Self:
        """Return the open proposals that nobody decided about in time. Index: proposal_outdated."""
        return self.filter(state=ProposalState.OPEN, expires_at__lte=now)

    def reviewable_by(self, actor: Actor) -> Self:
        """Return the proposals that the actor may decide about: those for audiences that it writes for."""
        workspace = access.in_workspace(actor, column="memory__workspace")
        mine = self.in_organization(actor.organization_id).filter(workspace, memory__purged_at=None)
        return mine.filter(memory__audience__in=access.list_writable_audiences(actor))

    def decidable_by(self, actor: Actor) -> Self:
        """Return the open proposals that wait for this person: nobody decides about their own. Index: proposal_open."""
        if actor.agent_id or actor.user_id is None:
            return self.none()
        own = Q(agent=None, user=actor.user_id)
        return self.open().reviewable_by(actor).exclude(own)

    def made_by_caller(self, actor: Actor) -> Self:
        """Return the proposals that the caller made itself. Index: proposal_by_agent."""
        mine = Q(agent=actor.agent_id) if actor.agent_id else Q(agent=None, user=actor.user_id)
        return self.in_organization(actor.organization_id).filter(mine)

    def visible_to(self, actor: Actor) -> Self:
        """Return the actor's own proposals, as far as it still reads the audience, and those that it may decide."""
        if not actor.may(Verb.READ):
            return self.none()
        own = self.withdrawable_by(actor)
        return own if actor.agent_id else own | self.reviewable_by(actor)

    def withdrawable_by(self, actor: Actor) -> Self:
        """Return the actor's own proposals, as far as it still reads the audience."""
        workspace = access.in_workspace(actor, column="memory__workspace")
        mine = self.made_by_caller(actor).filter(workspace, memory__purged_at=None)
        return mine.filter(memory__audience__in=access.list_readable_audiences(actor))

    def newest(self) -> Self:
        return self.order_by("-created_at", "-id")

    def with_memories(self) -> Self:
        """Load authors and memories, for pages."""
        relations = ("agent", "user", "memory__agent", "memory__user", "memory__session", "memory__project")
        return self.select_related(*relations, "decided_by").defer("memory__search")


class Proposal(TokenAudited):
    """A write that was held. Of a new memory, the memory itself is there with the status `proposed`; of a change, its
    arguments are kept, and the version that they were meant for."""

    memory = tenant_link("memories.Memory", related_name="proposals", db_index=False)
    operation = models.CharField(max_length=16, choices=ProposedOperation.choices)
    arguments = models.JSONField(default=dict)
    base_version = models.PositiveIntegerField()
    cause = models.CharField(max_length=16, choices=ProposalCause.choices)
    reason = models.CharField(max_length=500, blank=True)  # a sentence without the held words
    findings = models.JSONField(default=list)  # what screening found: group, kind, field and place
    provenance = models.CharField(max_length=16, default="agent")
    state = models.CharField(max_length=16, choices=ProposalState.choices, default=ProposalState.OPEN)
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, null=True, blank=True, db_index=False, related_name="+"
    )
    decision_note = models.CharField(max_length=1000, blank=True)
    applied_version = models.PositiveIntegerField(null=True, blank=True)  # that an approval made
    undo = models.JSONField(default=dict)  # ids of what a merge moved to another memory

    objects = ProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("proposal"),
            author_constraint("proposal"),
            SameOrganization(field="memory", to="memories.Memory", name="proposal_memory_is_of_its_organization"),
            models.CheckConstraint(condition=Q(state__in=ProposalState.values), name="proposal_state_is_known"),
            models.CheckConstraint(
                condition=Q(operation__in=ProposedOperation.values), name="proposal_operation_is_known"
            ),
        ]
        indexes = [
            models.Index(
                F("organization"),
                F("memory"),
                F("created_at").desc(),
                name="proposal_of_memory",
            ),
            models.Index(
                F("organization"), F("created_at").desc(), name="proposal_open", condition=Q(state=ProposalState.OPEN)
            ),
            models.Index(fields=["expires_at"], name="proposal_outdated", condition=Q(state=ProposalState.OPEN)),
            models.Index(F("organization"), F("agent"), F("created_at").desc(), name="proposal_by_agent"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} of {self.memory_id}, {self.state}"

    @property
    def content(self) -> str:
        """Return the proposed text of a change, if it has one."""
        return str(self.arguments.get("content") or self.arguments.get("text") or "")

    @property
    def is_new_memory(self) -> bool:
        return self.operation == ProposedOperation.SAVE

    def read_arguments(self) -> dict[str, Any]:
        """Return the arguments of the held call, with moments and ids as the operation takes them."""
        arguments: dict[str, Any] = dict(self.arguments)
        for name in MOMENT_ARGUMENTS:
            if isinstance(arguments.get(name), str):
                arguments[name] = datetime.fromisoformat(arguments[name])
        if "by" in arguments:
            arguments["by"] = UUID(arguments["by"])
        return arguments
