"""Pairs: two memories of one audience that say the same, or that cannot both hold, and what was decided about them."""

from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memories.models.base import Authored, AuthoredQuerySet, author_constraint
from memories.models.memory import Memory
from memories.rules import access
from memoryhub.tenancy import SameOrganization, tenant_key, tenant_link
from teams.actor import Actor


class PairKind(models.TextChoices):
    DUPLICATE = "duplicate"  # the same text, but for capitals and signs
    NEAR_DUPLICATE = "near-duplicate"
    CONTRADICTION = "contradiction"


class PairState(models.TextChoices):
    OPEN = "open"
    SETTLED = "settled"


class PairDecision(models.TextChoices):
    KEEP = "keep", "Keep one, forget the other"
    SUPERSEDE = "supersede", "One replaces the other"
    BOTH_HOLD = "both-hold", "Both hold"
    NOT_DUPLICATE = "not-duplicate", "Not a duplicate"
    MERGE = "merge", "Merge into one"


class PairQuerySet(AuthoredQuerySet["Pair"]):
    def open(self) -> Self:
        return self.filter(state=PairState.OPEN)

    def of_kind(self, *kinds: str) -> Self:
        return self.filter(kind__in=kinds)

    def of_memories(self, memory_ids: "models.QuerySet[Memory, Memory] | list[object]") -> Self:
        return self.filter(Q(older__in=memory_ids) | Q(newer__in=memory_ids))

    def visible_to(self, actor: Actor) -> Self:
        """Return the pairs both of whose memories the actor may see; settled ones also if the actor may restore what is
        gone. An open pair of which one no longer holds is settled by that."""
        here = self.in_organization(actor.organization_id).filter(access.match_readable_audience(actor))
        holding = (
            Memory.objects.visible_to(actor).holding().filter(status="active", audience=models.OuterRef("audience"))
        )
        known = Memory.objects.visible_or_restorable_by(actor).filter(status="active")
        both_hold = Q(models.Exists(holding.filter(pk=models.OuterRef("older")))) & Q(
            models.Exists(holding.filter(pk=models.OuterRef("newer")))
        )
        both_known = Q(models.Exists(known.filter(pk=models.OuterRef("older")))) & Q(
            models.Exists(known.filter(pk=models.OuterRef("newer")))
        )
        return here.filter(Q(Q(state=PairState.OPEN) & both_hold) | Q(Q(state=PairState.SETTLED) & both_known))

    def settleable_by(self, actor: Actor) -> Self:
        """Return the pairs whose memories the actor may change."""
        return self.visible_to(actor).filter(access.match_writable_audience(actor))

    def with_memories(self) -> Self:
        """Load both memories with their authors, and who settled the pair."""
        return self.select_related("older__agent", "older__user", "newer__agent", "newer__user", "agent", "user")


class Pair(Authored):
    """Two memories of one audience, and the decision about them. Its author is whoever settled it."""

    older = tenant_link("memories.Memory", db_index=False)
    newer = tenant_link("memories.Memory")
    audience = models.UUIDField()  # audience of both when they were compared
    kind = models.CharField(max_length=16, choices=PairKind.choices)
    similarity = models.FloatField(default=0.0)
    # Of what was found: a decision is remembered as long as it is the same.
    fingerprint = models.CharField(max_length=32)
    state = models.CharField(max_length=16, choices=PairState.choices, default=PairState.OPEN)
    decision = models.CharField(max_length=16, choices=PairDecision.choices, blank=True, default="")
    reason = models.CharField(max_length=1000, blank=True, default="")
    kept = models.UUIDField(null=True, blank=True)  # the memory that was kept
    undo = models.JSONField(default=dict)  # what taking the decision back needs: ids and versions
    settled_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("pair"),
            author_constraint("pair"),
            SameOrganization(field="older", to="memories.Memory", name="pair_older_is_of_its_organization"),
            SameOrganization(field="newer", to="memories.Memory", name="pair_newer_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "older", "newer"], name="pair_is_there_once"),
            models.CheckConstraint(condition=~Q(older=F("newer")), name="pair_is_of_two"),
            models.CheckConstraint(condition=Q(kind__in=PairKind.values), name="pair_kind_is_known"),
            models.CheckConstraint(condition=Q(state__in=PairState.values), name="pair_state_is_known"),
        ]
        indexes = [
            models.Index(
                F("organization"), F("audience"), F("state"), F("created_at").desc(), F("id").desc(), name="pair_newest"
            ),
            models.Index(
                fields=["organization", "older"],
                name="pair_dispute_older",
                condition=Q(state=PairState.OPEN, kind=PairKind.CONTRADICTION),
            ),
            models.Index(
                fields=["organization", "newer"],
                name="pair_dispute_newer",
                condition=Q(state=PairState.OPEN, kind=PairKind.CONTRADICTION),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.older_id} and {self.newer_id}, {self.state}"

    @property
    def settled_by(self) -> str:
        """Name who settled it."""
        return self.byline if self.state == PairState.SETTLED else ""
