"""Counts of use: how often memories are recalled, and what a team and the whole hub do in a day."""

from datetime import date
from typing import Self

from django.db import models
from django.db.models import F

from memories.models.base import TenantQuerySet
from memories.models.memory import Memory
from memoryhub.tenancy import SameOrganization, tenant_link
from teams.models import Team


class UsageQuerySet(TenantQuerySet["Usage"]):
    def of_memory(self, memory: Memory) -> Self:
        return self.in_organization(memory.organization_id).filter(memory=memory.pk)


class Usage(models.Model):
    """The number of a memory's recalls, and the last of them.

    Kept apart from the memory, and without a constraint on it, so that counting a recall does not lock out writers.
    """

    pk = models.CompositePrimaryKey("organization_id", "memory_id")
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")
    memory = tenant_link("memories.Memory", db_index=False)
    audience = models.UUIDField()  # the memory's own, to find what an audience uses
    access_count = models.PositiveIntegerField()
    last_accessed_at = models.DateTimeField()

    objects = UsageQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "usages"
        indexes = [
            models.Index(F("organization"), F("audience"), F("last_accessed_at").desc(), name="usage_latest"),
            models.Index(F("organization"), F("audience"), F("access_count").desc(), name="usage_most"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id}: {self.access_count} recalls"


class DayQuerySet(TenantQuerySet["Day"]):
    def of_team(self, team: Team) -> Self:
        return self.in_organization(team.organization_id).filter(team=team.pk)

    def since(self, day: date) -> Self:
        return self.filter(day__gte=day)


class Day(models.Model):
    """A team's saves and recalls on a past day, for each workspace where these are separated (see
    memories.queries.daily_usage)."""

    pk = models.CompositePrimaryKey("organization_id", "team_id", "workspace_key", "day")
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")
    team = tenant_link("teams.Team", db_index=False)
    workspace_key = models.UUIDField()
    day = models.DateField()
    saved = models.PositiveIntegerField()
    recalled = models.PositiveIntegerField()

    objects = DayQuerySet.as_manager()

    class Meta:
        constraints = [SameOrganization(field="team", to="teams.Team", name="day_team_is_of_its_organization")]

    def __str__(self) -> str:
        return f"{self.day}: {self.saved} saved, {self.recalled} recalled"


class GrowthQuerySet(models.QuerySet["Growth"]):
    def since(self, day: date) -> Self:
        return self.filter(day__gte=day)


class Growth(models.Model):
    """New memories and recalls of the whole hub on a past day (see memories.queries.growth)."""

    day = models.DateField(primary_key=True)
    memories = models.PositiveIntegerField()
    recalls = models.PositiveIntegerField()

    objects = GrowthQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "growth"

    def __str__(self) -> str:
        return f"{self.day}: {self.memories} memories, {self.recalls} recalls"
