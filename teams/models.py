"""Who: organizations, their teams, the people and agents in them, and what identifies a caller."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now

from memoryhub.ids import uuid7
from memoryhub.tenancy import SameOrganization, Tenant, link, own_key

SLUG = r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
HANDLE_LENGTH = 128


class Level(models.TextChoices):
    MEMBER = "member"
    DIRECTOR = "director"
    EXECUTIVE = "executive"


class Role(models.TextChoices):
    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"


class Verb(models.TextChoices):
    READ = "read"
    WRITE = "write"
    FORGET = "forget"


def slug_field() -> "models.CharField[str, str]":
    return models.CharField(max_length=64, help_text="Lower-case letters, digits, dots, dashes and underscores.")


def slug_is_plain(table: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(slug__regex=SLUG), name=f"{table}_slug_is_plain")


def _login() -> "models.ForeignKey[User | None, User | None]":
    """A person who did something, remembered as long as their login is kept."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )


def all_verbs() -> list[str]:
    return list(Verb)


class Organization(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = slug_field()
    name = models.CharField(max_length=200)
    workspaces_enabled = models.BooleanField(
        default=False, help_text="Memories are then also separated by the workspace that a call names."
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        permissions = [("export_organization", "Can export organizations and teams")]
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="organization_slug_is_unique"),
            slug_is_plain("organization"),
        ]

    def __str__(self) -> str:
        return self.name


class Workspace(Tenant):
    slug = slug_field()
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [
            own_key("workspace"),
            models.UniqueConstraint(fields=["organization", "slug"], name="workspace_slug_is_unique_in_organization"),
            slug_is_plain("workspace"),
        ]

    def __str__(self) -> str:
        return self.name


class Team(Tenant):
    """One node of the organization's tree; the root is the executive team."""

    parent = link("self", null=True, blank=True, related_name="children", on_delete=models.PROTECT)
    slug = slug_field()
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, max_length=1000)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            own_key("team"),
            SameOrganization(field="parent", to="teams.Team", name="team_parent_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "slug"], name="team_slug_is_unique_in_organization"),
            models.UniqueConstraint(
                fields=["organization"], condition=Q(parent=None), name="organization_has_one_root_team"
            ),
            models.CheckConstraint(condition=~Q(parent=models.F("id")), name="team_is_not_its_own_parent"),
            slug_is_plain("team"),
        ]

    def clean(self) -> None:
        """No team stands under itself, however far."""
        above, seen = self.parent, {self.pk}
        while above:
            if above.pk in seen:
                raise ValidationError({"parent": "This would bend the tree into a circle."})
            seen.add(above.pk)
            above = above.parent

    def __str__(self) -> str:
        return self.name


class Membership(Tenant):
    team = link("teams.Team", related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            SameOrganization(field="team", to="teams.Team", name="membership_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["team", "user"], name="person_has_one_role_in_a_team"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.team}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, *, now: datetime) -> Self:
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=now)


class Invitation(Tenant):
    """A link by which one person joins a team. Only its digest is kept."""

    team = link("teams.Team", related_name="invitations")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    digest = models.BinaryField(max_length=32, editable=False)
    made_by = _login()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    used_by = _login()
    used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        permissions = [("revoke_invitation", "Can revoke invitations")]
        constraints = [
            SameOrganization(field="team", to="teams.Team", name="invitation_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["digest"], name="invitation_digest_is_unique"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.team}"


class Person(Tenant):
    """Whoever the memory serves: a handle that agents use, linked to a login where there is one."""

    handle = models.CharField(max_length=HANDLE_LENGTH)
    name = models.CharField(max_length=200, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="people"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name_plural = "people"
        constraints = [
            own_key("person"),
            models.UniqueConstraint(fields=["organization", "handle"], name="person_handle_is_unique_in_organization"),
            models.UniqueConstraint(fields=["organization", "user"], name="login_is_one_person_in_an_organization"),
            models.CheckConstraint(condition=~Q(handle=""), name="person_has_a_handle"),
        ]

    def __str__(self) -> str:
        return self.name or self.handle


class Agent(Tenant):
    team = link("teams.Team", related_name="agents")
    slug = slug_field()
    name = models.CharField(max_length=200, blank=True)
    level = models.CharField(max_length=16, choices=Level.choices, default=Level.MEMBER)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            own_key("agent"),
            SameOrganization(field="team", to="teams.Team", name="agent_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["team", "slug"], name="agent_slug_is_unique_in_team"),
            models.CheckConstraint(condition=Q(level__in=Level.values), name="agent_level_is_known"),
            slug_is_plain("agent"),
        ]

    def __str__(self) -> str:
        return self.slug


class TokenQuerySet(models.QuerySet["Token"]):
    def working(self, *, now: datetime) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)

    def unused(self, *, since: datetime) -> Self:
        """Neither used nor made since, the longest unused first. Hopes for the index token_unused."""
        idle = self.alias(idle_since=Coalesce("last_used_at", "created_at")).filter(idle_since__lt=since)
        return idle.filter(revoked_at=None).order_by("idle_since")


class Token(Tenant):
    """An agent's key to the API. Only its digest is kept."""

    agent = link("teams.Agent", related_name="tokens")
    person = link("teams.Person", null=True, blank=True)  # whom it serves when a call names nobody
    label = models.CharField(max_length=100, blank=True)
    prefix = models.CharField(max_length=16, editable=False)
    digest = models.BinaryField(max_length=32, editable=False)
    verbs = ArrayField(models.CharField(max_length=16, choices=Verb.choices), default=all_verbs)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = TokenQuerySet.as_manager()

    class Meta:
        permissions = [("revoke_token", "Can revoke tokens")]
        indexes = [
            models.Index(Coalesce("last_used_at", "created_at"), name="token_unused", condition=Q(revoked_at=None))
        ]
        constraints = [
            SameOrganization(field="agent", to="teams.Agent", name="token_agent_is_of_its_organization"),
            SameOrganization(field="person", to="teams.Person", name="token_person_is_of_its_organization"),
            models.UniqueConstraint(fields=["prefix"], name="token_prefix_is_unique"),
            models.CheckConstraint(
                condition=Q(verbs__contained_by=Verb.values, verbs__len__gte=1), name="token_verbs_are_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"


class Pace(models.Model):
    """How often a token called in its latest minute. Not logged: after a crash it starts anew."""

    pk = models.CompositePrimaryKey("organization_id", "token_id")
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, db_index=False, related_name="+")
    token_id = models.UUIDField()
    minute = models.DateTimeField()
    requests = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.token_id}: {self.requests}"


class Attempts(models.Model):
    """How many wrong passwords somebody gave of late. Not logged: after a crash it starts anew."""

    who = models.BinaryField(primary_key=True, max_length=32)  # a digest: neither names nor addresses are kept
    tries = models.PositiveIntegerField()
    until = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "attempts"

    def __str__(self) -> str:
        return f"{self.tries} until {self.until}"


class Project(Tenant):
    team = link("teams.Team", related_name="projects")
    slug = slug_field()
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            own_key("project"),
            SameOrganization(field="team", to="teams.Team", name="project_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "slug"], name="project_slug_is_unique_in_organization"),
            slug_is_plain("project"),
        ]

    def __str__(self) -> str:
        return self.name


class Admission(Tenant):
    """An agent or a person of another team who may use a project."""

    project = link("teams.Project", related_name="admissions")
    agent = link("teams.Agent", null=True, blank=True, related_name="admissions")
    person = link("teams.Person", null=True, blank=True, related_name="admissions")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            SameOrganization(field="project", to="teams.Project", name="admission_project_is_of_its_organization"),
            SameOrganization(field="agent", to="teams.Agent", name="admission_agent_is_of_its_organization"),
            SameOrganization(field="person", to="teams.Person", name="admission_person_is_of_its_organization"),
            models.UniqueConstraint(fields=["project", "agent"], name="agent_is_admitted_once"),
            models.UniqueConstraint(fields=["project", "person"], name="person_is_admitted_once"),
            models.CheckConstraint(
                condition=Q(agent=None, person__isnull=False) | Q(agent__isnull=False, person=None),
                name="admission_is_of_an_agent_or_a_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent or self.person} in {self.project}"


class Session(Tenant):
    """An agent's conversation, by the agent's own id for it, and the context that its calls inherit."""

    agent = link("teams.Agent", related_name="sessions")
    name = models.CharField(max_length=200)
    project = link("teams.Project", null=True, blank=True)
    person = link("teams.Person", null=True, blank=True)
    workspace = link("teams.Workspace", null=True, blank=True)
    channel_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            own_key("session"),
            SameOrganization(field="agent", to="teams.Agent", name="session_agent_is_of_its_organization"),
            SameOrganization(field="project", to="teams.Project", name="session_project_is_of_its_organization"),
            SameOrganization(field="person", to="teams.Person", name="session_person_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="session_workspace_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "agent", "name"], name="session_name_is_unique_for_agent"),
            models.CheckConstraint(condition=~Q(name=""), name="session_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name
