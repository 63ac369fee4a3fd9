"""A team's text files, with every version of them."""

from collections.abc import Collection
from typing import Self
from uuid import UUID

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Collate, Left
from django.db.models.lookups import LessThanOrEqual
from django.utils import timezone

from memories import scopes
from memories.models.signed import Signed, Traced, by_token, signature
from memories.models.vocabulary import FILE_BYTES, PATH_LENGTH, Change, octets
from memoryhub.tenancy import SameOrganization, link, own_key
from teams.actor import Actor
from teams.models import Verb

PLACE = Collate("path", "C")  # by its bytes, so that what is in a folder stands together in every database


class TeamFileQuerySet(models.QuerySet["TeamFile"]):
    def alive(self) -> Self:
        return self.filter(deleted_at=None)

    def visible_to(self, actor: Actor) -> Self:
        if not actor.may(Verb.READ):
            return self.none()
        return self.alive()._within(actor, teams=actor.readable_team_ids)

    def restorable_by(self, actor: Actor) -> Self:
        return self.filter(deleted_at__isnull=False)._within(actor, teams=actor.writes)

    def writable_by(self, actor: Actor) -> Self:
        return self.alive()._within(actor, teams=actor.writes)

    def _within(self, actor: Actor, *, teams: Collection[UUID]) -> Self:
        return self.filter(scopes.in_workspace(actor), organization=actor.organization_id, team__in=teams)

    def at(self, path: str) -> Self:
        """Those under the path, the last changed first: there may be several once workspaces were switched off."""
        return self.filter(path=path).order_by("-updated_at", "-id")

    def below(self, folder: str, *, beyond: str = "") -> Self:
        """Those in the folder and the folders in it, or in the whole tree; from a place on, if one is said."""
        rows = self.alias(place=PLACE).order_by("place")
        if not folder:
            return rows.filter(place__gte=beyond)
        return rows.filter(place__gte=max(f"{folder}/", beyond), place__lt=f"{folder}0")  # "0" follows "/"

    def listed(self) -> Self:
        """With their size instead of their text."""
        return self.annotate(size=octets("content")).defer("content", "search")

    def with_beginning(self, *, characters: int) -> Self:
        return self.listed().annotate(beginning=Left("content", characters))

    def last_below(self, folder: str, *, before: str = "") -> Self:
        """The same from the end; up to a place, if one is said."""
        end = min(f"{folder}0", before or f"{folder}0")
        return self.alias(place=PLACE).filter(place__gte=f"{folder}/", place__lt=end).order_by("-place")


class TeamFile(Signed):
    """A text file of a team, addressed by its path."""

    team = link("teams.Team", related_name="files", db_index=False)
    workspace = link("teams.Workspace", null=True, blank=True)
    path = models.CharField(max_length=PATH_LENGTH)
    content = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    search = models.GeneratedField(
        expression=Func("path", "content", function="file_search", output_field=SearchVectorField()),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    beginning: str = ""  # of its text: filled in by `with_beginning`

    objects = TeamFileQuerySet.as_manager()

    class Meta:
        constraints = [
            own_key("file"),
            signature("file"),
            SameOrganization(field="team", to="teams.Team", name="file_team_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="file_workspace_is_of_its_organization"),
            models.UniqueConstraint(  # the path before the workspace: lists are by path, in one workspace or in all
                fields=["organization", "team", "path", "workspace"],
                condition=Q(deleted_at=None),
                nulls_distinct=False,
                name="path_has_one_living_file",
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(octets("content"), FILE_BYTES), name="file_is_1_mib_at_most"
            ),
            models.CheckConstraint(condition=~Q(path__regex=r"(^|/)\.{0,2}(/|$)"), name="path_stays_inside"),
        ]
        indexes = [
            GinIndex(fields=["search"], name="file_search", condition=Q(deleted_at=None)),
            models.Index(F("organization"), F("team"), PLACE, name="file_place", condition=Q(deleted_at=None)),
            models.Index(
                F("organization"),
                F("team"),
                F("deleted_at").desc(),
                name="file_deleted",
                condition=Q(deleted_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.path


class FileVersion(Traced):
    file = link("memories.TeamFile", related_name="versions", db_index=False)
    version = models.PositiveIntegerField()
    path = models.CharField(max_length=PATH_LENGTH)
    content = models.TextField(blank=True)
    change = models.CharField(max_length=16, choices=Change.choices)

    class Meta:
        constraints = [
            signature("version"),
            SameOrganization(field="file", to="memories.TeamFile", name="version_file_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "file", "version"], name="file_has_each_version_once"),
        ]
        indexes = [by_token("version")]

    def __str__(self) -> str:
        return f"{self.path} v{self.version}"
