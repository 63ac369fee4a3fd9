"""Organizations, their teams, the people and agents in them, and the tokens and sessions that identify a caller."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from memoryhub.ids import uuid7
from memoryhub.languages import LANGUAGE_CHOICES, LANGUAGE_LENGTH
from memoryhub.tenancy import SameOrganization, Tenant, tenant_key, tenant_link
from teams.querysets import (
    AdmissionQuerySet,
    AgentQuerySet,
    InvitationQuerySet,
    MembershipQuerySet,
    PersonQuerySet,
    ProjectQuerySet,
    SessionQuerySet,
    TeamQuerySet,
    TokenQuerySet,
    WorkspaceQuerySet,
)

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
    """Return a link to the login of a person who did something; empty once the login is deleted."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )


def _last_used_at() -> "models.DateTimeField[datetime, datetime]":
    """Return the field of when a call last named the row, within some hours: a row in use is not pruned while a request
    is underway."""
    return models.DateTimeField(default=timezone.now, db_default=Now(), editable=False)


class Digest(models.TextChoices):
    """How often a member gets mail about what waits for review."""

    OFF = "off"
    DAILY = "daily"
    WEEKLY = "weekly"


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

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("workspace"),
            models.UniqueConstraint(fields=["organization", "slug"], name="workspace_slug_is_unique_in_organization"),
            slug_is_plain("workspace"),
        ]

    def __str__(self) -> str:
        return self.name


class Team(Tenant):
    """A node of the organization's tree, whose root is the executive team."""

    parent = tenant_link("self", null=True, blank=True, related_name="children", on_delete=models.PROTECT)
    slug = slug_field()
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, max_length=1000)
    language = models.CharField(
        max_length=LANGUAGE_LENGTH,
        blank=True,
        default="",
        db_default="",
        choices=LANGUAGE_CHOICES,
        help_text="The language of texts that are too short to tell it. By default they are taken for English.",
    )
    # What becomes of writes: see memories.rules.policies. Empty: the defaults.
    policy = models.JSONField(default=dict, db_default={}, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            tenant_key("team"),
            SameOrganization(field="parent", to="teams.Team", name="team_parent_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "slug"], name="team_slug_is_unique_in_organization"),
            models.UniqueConstraint(
                fields=["organization"], condition=Q(parent=None), name="organization_has_one_root_team"
            ),
            models.CheckConstraint(condition=~Q(parent=models.F("id")), name="team_is_not_its_own_parent"),
            slug_is_plain("team"),
        ]

    def clean(self) -> None:
        """Refuse a team that would be its own ancestor."""
        above, seen = self.parent, {self.pk}
        while above:
            if above.pk in seen:
                raise ValidationError({"parent": "A team cannot be its own ancestor."})
            seen.add(above.pk)
            above = above.parent

    def __str__(self) -> str:
        return self.name


class Membership(Tenant):
    team = tenant_link("teams.Team", related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Mail comes only to those who asked for it.
    digest = models.CharField(
        max_length=16, choices=Digest.choices, default=Digest.OFF, db_default=Digest.OFF, editable=False
    )
    digest_sent_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            SameOrganization(field="team", to="teams.Team", name="membership_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["team", "user"], name="person_has_one_role_in_a_team"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_is_known"),
            models.CheckConstraint(condition=Q(digest__in=Digest.values), name="membership_digest_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.team}"


class Invitation(Tenant):
    """A link by which one person joins a team. Only its digest is kept."""

    team = tenant_link("teams.Team", related_name="invitations")
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
    """Somebody whom agents serve: a handle that agents use, linked to a login if there is one."""

    handle = models.CharField(max_length=HANDLE_LENGTH)
    name = models.CharField(max_length=200, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="people"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = _last_used_at()

    objects = PersonQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "people"
        constraints = [
            tenant_key("person"),
            models.UniqueConstraint(fields=["organization", "handle"], name="person_handle_is_unique_in_organization"),
            models.UniqueConstraint(fields=["organization", "user"], name="login_is_one_person_in_an_organization"),
            models.CheckConstraint(condition=~Q(handle=""), name="person_has_a_handle"),
        ]

    def __str__(self) -> str:
        return self.name or self.handle


class Agent(Tenant):
    team = tenant_link("teams.Team", related_name="agents")
    slug = slug_field()
    name = models.CharField(max_length=200, blank=True)
    level = models.CharField(max_length=16, choices=Level.choices, default=Level.MEMBER)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = AgentQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("agent"),
            SameOrganization(field="team", to="teams.Team", name="agent_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["team", "slug"], name="agent_slug_is_unique_in_team"),
            models.CheckConstraint(condition=Q(level__in=Level.values), name="agent_level_is_known"),
            slug_is_plain("agent"),
        ]

    def __str__(self) -> str:
        return self.slug


class Token(Tenant):
    """An agent's key to the API. Only its digest is kept."""

    agent = tenant_link("teams.Agent", related_name="tokens")
    person = tenant_link("teams.Person", null=True, blank=True)  # the person it serves when a call names nobody
    # Handles of others whom its calls may name. Empty: only the person it serves, or anybody if it serves nobody.
    persons = ArrayField(models.CharField(max_length=HANDLE_LENGTH), default=list, db_default=[], blank=True)
    any_person = models.BooleanField(default=False, db_default=False)
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
            models.CheckConstraint(
                condition=Q(any_person=False) | Q(persons=[]),
                name="token_lists_people_or_takes_anybody",
                violation_error_message="List people, or choose any person, not both.",
            ),
        ]

    @property
    def nameable(self) -> tuple[str, ...] | None:
        """Return the handles that a call may name as its user, the served person's first; None: any."""
        if self.any_person or not (self.persons or self.person_id):
            return None
        served = (self.person.handle,) if self.person else ()
        return tuple(dict.fromkeys((*served, *self.persons)))

    @property
    def naming(self) -> str:
        """Describe in words whom it may name."""
        handles = self.nameable
        return "any person" if handles is None else f"only {', '.join(handles)}"

    def __str__(self) -> str:
        return f"{self.prefix}…"


class Pace(models.Model):
    """Counts the calls of a token in its latest minute. The table is unlogged: a crash resets it."""

    pk = models.CompositePrimaryKey("organization_id", "token_id")
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, db_index=False, related_name="+")
    token_id = models.UUIDField()
    minute = models.DateTimeField()
    requests = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.token_id}: {self.requests}"


class Registrations(models.Model):
    """Counts the people and sessions that a token registered on its latest day. Unlogged: a crash resets it."""

    pk = models.CompositePrimaryKey("organization_id", "token_id")
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, db_index=False, related_name="+")
    token_id = models.UUIDField()
    day = models.DateField()
    registered = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "registrations"

    def __str__(self) -> str:
        return f"{self.token_id}: {self.registered} on {self.day}"


class Attempts(models.Model):
    """Counts recent wrong passwords by a key. The table is unlogged: a crash resets it."""

    who = models.BinaryField(primary_key=True, max_length=32)  # a digest: neither names nor addresses are stored
    tries = models.PositiveIntegerField()
    until = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "attempts"

    def __str__(self) -> str:
        return f"{self.tries} until {self.until}"


class Project(Tenant):
    team = tenant_link("teams.Team", related_name="projects")
    slug = slug_field()
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("project"),
            SameOrganization(field="team", to="teams.Team", name="project_team_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "slug"], name="project_slug_is_unique_in_organization"),
            slug_is_plain("project"),
        ]

    def __str__(self) -> str:
        return self.name


class Admission(Tenant):
    """An agent or a person of another team who may use a project."""

    project = tenant_link("teams.Project", related_name="admissions")
    agent = tenant_link("teams.Agent", null=True, blank=True, related_name="admissions")
    person = tenant_link("teams.Person", null=True, blank=True, related_name="admissions")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = AdmissionQuerySet.as_manager()

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
    """An agent's conversation under the agent's own id for it, with the context that its calls inherit."""

    agent = tenant_link("teams.Agent", related_name="sessions")
    name = models.CharField(max_length=200)
    project = tenant_link("teams.Project", null=True, blank=True)
    person = tenant_link("teams.Person", null=True, blank=True)
    workspace = tenant_link("teams.Workspace", null=True, blank=True)
    channel_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = _last_used_at()

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = [
            tenant_key("session"),
            SameOrganization(field="agent", to="teams.Agent", name="session_agent_is_of_its_organization"),
            SameOrganization(field="project", to="teams.Project", name="session_project_is_of_its_organization"),
            SameOrganization(field="person", to="teams.Person", name="session_person_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="session_workspace_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "agent", "name"], name="session_name_is_unique_for_agent"),
            models.CheckConstraint(condition=~Q(name=""), name="session_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name
