"""A team's text files, with every version of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Collate, Left
from django.db.models.lookups import LessThanOrEqual
from django.utils import timezone

from memories.models.base import (
    Authored,
    AuthoredQuerySet,
    TokenAudited,
    TokenAuditedQuerySet,
    author_constraint,
    token_index,
)
from memories.models.constants import FILE_BYTES, PATH_LENGTH, Change, octet_length
from memories.rules import access
from memoryhub.languages import ENGLISH, LANGUAGE_LENGTH
from memoryhub.tenancy import SameOrganization, tenant_key, tenant_link
from teams.actor import Actor
from teams.models import Verb

PATH_ORDER = Collate("path", "C")  # by bytes, so that a folder's files are adjacent in every database


class TeamFileQuerySet(AuthoredQuerySet["TeamFile"]):
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

    def of_team(self, team_id: UUID) -> Self:
        return self.filter(team=team_id)

    def _within(self, actor: Actor, *, teams: Collection[UUID]) -> Self:
        return self.filter(access.in_workspace(actor), organization=actor.organization_id, team__in=teams)

    def at(self, path: str) -> Self:
        """Return the files at the path, the last changed first: there may be several once workspaces were switched
        off."""
        return self.filter(path=path).order_by("-updated_at", "-id")

    def below(self, folder: str, *, beyond: str = "") -> Self:
        """Return the files in the folder and its subfolders (or in the whole tree) by path, beginning at `beyond`."""
        rows = self.alias(place=PATH_ORDER).order_by("place")
        if not folder:
            return rows.filter(place__gte=beyond)
        return rows.filter(place__gte=max(f"{folder}/", beyond), place__lt=f"{folder}0")  # "0" follows "/"

    def with_size(self) -> Self:
        """Load the size of the files instead of their text."""
        return self.annotate(size=octet_length("content")).defer("content", "search")

    def with_beginning(self, *, characters: int) -> Self:
        return self.with_size().annotate(beginning=Left("content", characters))

    def last_below(self, folder: str, *, before: str = "") -> Self:
        """Return the files in the folder and its subfolders in reverse order of path, beginning below `before`."""
        end = min(f"{folder}0", before or f"{folder}0")
        return self.alias(place=PATH_ORDER).filter(place__gte=f"{folder}/", place__lt=end).order_by("-place")


class TeamFile(Authored):
    """A text file of a team, addressed by its path."""

    team = tenant_link("teams.Team", related_name="files", db_index=False)
    workspace = tenant_link("teams.Workspace", null=True, blank=True)
    path = models.CharField(max_length=PATH_LENGTH)
    content = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    language = models.CharField(max_length=LANGUAGE_LENGTH, default=ENGLISH, db_default=ENGLISH, editable=False)
    search = models.GeneratedField(
        expression=Func("path", "content", "language", function="file_search", output_field=SearchVectorField()),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    beginning: str = ""  # beginning of its text, filled in by `with_beginning`
    screening: Sequence[Mapping[str, Any]] = ()  # what was found in the text: filled in by the write

    objects = TeamFileQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("file"),
            author_constraint("file"),
            SameOrganization(field="team", to="teams.Team", name="file_team_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="file_workspace_is_of_its_organization"),
            models.UniqueConstraint(  # the path before the workspace: lists are by path, in one workspace or in all
                fields=["organization", "team", "path", "workspace"],
                condition=Q(deleted_at=None),
                nulls_distinct=False,
                name="path_has_one_living_file",
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(octet_length("content"), FILE_BYTES), name="file_is_1_mib_at_most"
            ),
            models.CheckConstraint(condition=~Q(path__regex=r"(^|/)\.{0,2}(/|$)"), name="path_stays_inside"),
        ]
        indexes = [
            GinIndex(fields=["search"], name="file_search", condition=Q(deleted_at=None)),
            models.Index(F("organization"), F("team"), PATH_ORDER, name="file_place", condition=Q(deleted_at=None)),
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


class FileVersionQuerySet(TokenAuditedQuerySet["FileVersion"]):
    def of_file(self, file: TeamFile) -> Self:
        """Return the versions of a file. Index: file_has_each_version_once."""
        return self.in_organization(file.organization_id).filter(file=file.pk)

    def latest_of(self, files: Iterable[TeamFile]) -> Self:
        """Return the version that each of these files has now."""
        return self.filter(file__in=[file.pk for file in files], version=F("file__version"))

    def with_size(self) -> Self:
        """Load the size of the versions instead of their text."""
        return self.annotate(size=octet_length("content")).defer("content")

    def latest_first(self) -> Self:
        return self.order_by("-version")


class FileVersion(TokenAudited):
    file = tenant_link("memories.TeamFile", related_name="versions", db_index=False)
    version = models.PositiveIntegerField()
    path = models.CharField(max_length=PATH_LENGTH)
    content = models.TextField(blank=True)
    change = models.CharField(max_length=16, choices=Change.choices)

    objects = FileVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            author_constraint("version"),
            SameOrganization(field="file", to="memories.TeamFile", name="version_file_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "file", "version"], name="file_has_each_version_once"),
        ]
        indexes = [token_index("version")]

    def __str__(self) -> str:
        return f"{self.path} v{self.version}"
