"""Golden questions: a team's own test of recall, and the runs in which they were asked."""

from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import F

from memories.models.base import Authored, AuthoredQuerySet, TenantQuerySet, author_constraint
from memories.models.constants import QUESTION_LENGTH
from memories.rules import access
from memoryhub.tenancy import SameOrganization, Tenant, tenant_link
from teams.actor import Actor

FIRST_PLACES = 5  # among which the expected memory should be


class GoldenQuestionQuerySet(AuthoredQuerySet["GoldenQuestion"]):
    def visible_to(self, actor: Actor) -> Self:
        """Return the questions of contexts whose audience the actor reads."""
        return self.filter(access.readable_by(actor))

    def of_team(self, team_id: UUID) -> Self:
        """Return the team's questions. Index: golden_question_is_there_once."""
        return self.filter(team=team_id)

    def of_memory(self, organization_id: UUID, memory_id: UUID) -> Self:
        return self.in_organization(organization_id).filter(memory=memory_id)

    def active(self) -> Self:
        """Return the questions that were not removed."""
        return self.filter(removed_at=None)


class GoldenQuestion(Authored):
    """A question and a memory that recall should find first. Like a recall, it is visible to those who read the
    audience in whose context it is asked."""

    team = tenant_link("teams.Team", db_index=False)
    audience = models.UUIDField()
    workspace = tenant_link("teams.Workspace", null=True, blank=True, db_index=False)
    query = models.CharField(max_length=QUESTION_LENGTH)
    memory = tenant_link("memories.Memory", db_index=False)
    removed_at = models.DateTimeField(null=True, blank=True)  # kept for a while, so that it can be restored

    objects = GoldenQuestionQuerySet.as_manager()

    class Meta:
        constraints = [
            author_constraint("golden"),
            SameOrganization(field="team", to="teams.Team", name="golden_team_is_of_its_organization"),
            SameOrganization(field="memory", to="memories.Memory", name="golden_memory_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="golden_workspace_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "team", "audience", "workspace", "query", "memory"],
                nulls_distinct=False,
                name="golden_question_is_there_once",
            ),
        ]
        indexes = [models.Index(fields=["organization", "memory"], name="golden_by_memory")]

    def __str__(self) -> str:
        return self.query[:60]


class GoldenRunQuerySet(TenantQuerySet["GoldenRun"]):
    def visible_to(self, actor: Actor) -> Self:
        """Return the runs of questions that the actor may see."""
        return self.filter(access.readable_by(actor))

    def of_team(self, team_id: UUID) -> Self:
        return self.filter(team=team_id)


class GoldenRun(Tenant):
    """A run of the golden questions of one audience: where each expected memory was among the hits.

    `places` has the place by the id of the question: 1 for the first, 0 if the memory was not found. A question whose
    memory nobody there could find, such as a forgotten one, is not in it.
    """

    team = tenant_link("teams.Team", db_index=False)
    audience = models.UUIDField()
    workspace = tenant_link("teams.Workspace", null=True, blank=True, db_index=False)
    created_at = models.DateTimeField()
    asked = models.PositiveIntegerField()
    found = models.PositiveIntegerField()  # expected memories among the first five
    returned = models.PositiveIntegerField()  # memories among the first five, expected or not
    places = models.JSONField()

    objects = GoldenRunQuerySet.as_manager()

    class Meta:
        constraints = [
            SameOrganization(field="team", to="teams.Team", name="golden_run_team_is_of_its_organization"),
            SameOrganization(
                field="workspace", to="teams.Workspace", name="golden_run_workspace_is_of_its_organization"
            ),
        ]
        indexes = [
            models.Index(
                F("organization"),
                F("team"),
                F("audience"),
                F("workspace"),
                F("created_at").desc(),
                name="golden_run_newest",
            )
        ]

    def __str__(self) -> str:
        return f"{self.found} of {self.asked} found"

    def place_of(self, question_id: UUID) -> int | None:
        """Return the place of the memory that the question expects; None if it was not asked for."""
        place: int | None = self.places.get(str(question_id))
        return place

    def found_first(self, question_id: UUID) -> bool:
        """Return True if the expected memory was among the first five."""
        return 1 <= (self.place_of(question_id) or 0) <= FIRST_PLACES
