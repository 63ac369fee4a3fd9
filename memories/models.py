"""What: memories with every version of them, what hangs on them, a team's files, and the ledgers."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Case, F, Func, Q, When
from django.db.models.lookups import LessThanOrEqual
from django.utils import timezone

from memories import scopes
from memories.vectors import VectorField
from memoryhub.tenancy import SameOrganization, Tenant, link, own_key
from teams.actor import Actor

CONTENT_BYTES = 50_000
FILE_BYTES = 1024 * 1024
METADATA_BYTES = 8 * 1024
KEY_LENGTH = 200
SUMMARY_LENGTH = 1_000
LABEL_LENGTH = 64  # a category, a tag, a source
TAG_COUNT = 32
PATH_LENGTH = 500
CORE_KEY = "core"


class Type(models.TextChoices):
    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    IDENTITY = "identity"
    EVENT = "event"
    OBSERVATION = "observation"
    GOAL = "goal"
    TODO = "todo"
    LESSON = "lesson"


class Scope(models.TextChoices):
    TEAM = "team"
    GLOBAL = "global"
    PROJECT = "project"
    AGENT = "agent"


class Relation(models.TextChoices):
    RELATED_TO = "related_to"
    UPDATES = "updates"
    CONTRADICTS = "contradicts"
    CAUSED_BY = "caused_by"
    RESULT_OF = "result_of"
    PART_OF = "part_of"


class Change(models.TextChoices):
    """What kind of change made a version."""

    CREATED = "created"
    UPDATED = "updated"
    APPENDED = "appended"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    TAGGED = "tagged"
    EXPIRY = "expiry"
    VERIFIED = "verified"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"
    REVERTED = "reverted"
    RENAMED = "renamed"
    PURGED = "purged"


def octets(field: str) -> Func:
    return Func(F(field), function="octet_length", output_field=models.IntegerField())


AUDIENCE = Case(
    When(scope=Scope.TEAM, then=F("team")),
    When(scope=Scope.PROJECT, then=F("project")),
    When(scope=Scope.AGENT, then=F("agent")),
    When(scope=Scope.GLOBAL, then=F("person")),
    output_field=models.UUIDField(),
)


class Signed(Tenant):
    """A row that says who made it: an agent or a login, or neither for the system itself.

    Neither is ever deleted while it has signed something: the database refuses, so that history keeps its names.
    """

    agent = link("teams.Agent", null=True, blank=True, db_index=False, on_delete=models.DO_NOTHING)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, null=True, blank=True, db_index=False, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    @property
    def byline(self) -> str:
        """Who, in a word."""
        if self.user:
            return self.user.get_username()
        return str(self.agent or "system")


def signature(table: str) -> SameOrganization:
    return SameOrganization(field="agent", to="teams.Agent", name=f"{table}_agent_is_of_its_organization")


class Described(models.Model):
    """What each version of a memory holds."""

    key = models.CharField(max_length=KEY_LENGTH, blank=True, default="")
    content = models.TextField()
    summary = models.CharField(max_length=SUMMARY_LENGTH, blank=True, default="")
    type = models.CharField(max_length=16, choices=Type.choices, default=Type.FACT)
    category = models.CharField(max_length=LABEL_LENGTH, default="fact")
    tags = ArrayField(models.CharField(max_length=LABEL_LENGTH), blank=True, default=list)
    importance = models.FloatField(default=0.5)
    pinned = models.BooleanField(default=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    source = models.CharField(max_length=LABEL_LENGTH, default="manual")
    scope = models.CharField(max_length=16, choices=Scope.choices, default=Scope.TEAM)
    metadata = models.JSONField(blank=True, default=dict)
    version = models.PositiveIntegerField(default=1)
    verified_at = models.DateTimeField(null=True, blank=True)
    verified_by = models.CharField(max_length=200, blank=True, default="")
    review_by = models.DateTimeField(null=True, blank=True)
    forgotten_at = models.DateTimeField(null=True, blank=True)
    forgotten_by = models.CharField(max_length=200, blank=True, default="")
    forget_reason = models.CharField(max_length=SUMMARY_LENGTH, blank=True, default="")

    class Meta:
        abstract = True


class MemoryQuerySet(models.QuerySet["Memory"]):
    def alive(self, *, now: datetime | None = None) -> Self:
        """Neither forgotten nor expired at that moment."""
        return self.filter(forgotten_at=None).unexpired(now=now)

    def unexpired(self, *, now: datetime | None = None) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now or timezone.now()))

    def expired(self, *, now: datetime | None = None) -> Self:
        """Past their time and not yet swept."""
        return self.filter(forgotten_at=None, expires_at__lte=now or timezone.now())

    def forgotten(self) -> Self:
        return self.filter(forgotten_at__isnull=False, purged_at=None)

    def visible_to(self, actor: Actor, *, now: datetime | None = None) -> Self:
        return self.alive(now=now).filter(scopes.readable(actor))

    def writable_by(self, actor: Actor, *, now: datetime | None = None) -> Self:
        return self.alive(now=now).filter(scopes.writable(actor))

    def restorable_by(self, actor: Actor) -> Self:
        return self.forgotten().filter(scopes.writable(actor))

    def keyed(self, key: str) -> Self:
        """Those that carry the key, its owner first."""
        return self.filter(key=key).order_by("-owns_key", "-updated_at")

    def with_authors(self) -> Self:
        """Ready for their bylines."""
        return self.select_related("agent", "user")

    def newest(self) -> Self:
        return self.order_by("-created_at", "-id")


class Memory(Signed, Described):
    team = link("teams.Team", db_index=False)
    person = link("teams.Person", null=True, blank=True)
    project = link("teams.Project", null=True, blank=True)
    session = link("teams.Session", null=True, blank=True)
    workspace = link("teams.Workspace", null=True, blank=True)
    channel_id = models.CharField(max_length=200, blank=True, default="")
    owns_key = models.BooleanField(default=False, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)
    purged_at = models.DateTimeField(null=True, blank=True, editable=False)
    access_count = models.PositiveIntegerField(default=0, editable=False)
    last_accessed_at = models.DateTimeField(null=True, blank=True, editable=False)

    audience = models.GeneratedField(expression=AUDIENCE, output_field=models.UUIDField(), db_persist=True)
    search = models.GeneratedField(
        expression=Func(
            *(AUDIENCE, "key", "tags", "summary", "category", "content"),
            function="memory_search",
            output_field=SearchVectorField(),
        ),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            own_key("memory"),
            SameOrganization(field="team", to="teams.Team", name="memory_team_is_of_its_organization"),
            signature("memory"),
            SameOrganization(field="person", to="teams.Person", name="memory_person_is_of_its_organization"),
            SameOrganization(field="project", to="teams.Project", name="memory_project_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="memory_session_is_of_its_organization"),
            SameOrganization(field="workspace", to="teams.Workspace", name="memory_workspace_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "audience", "workspace", "key"],
                condition=Q(owns_key=True, forgotten_at=None),
                nulls_distinct=False,
                name="key_has_one_living_owner",
            ),
            models.CheckConstraint(condition=Q(owns_key=False) | ~Q(key=""), name="only_a_key_is_owned"),
            models.CheckConstraint(
                condition=Q(
                    Q(scope=Scope.TEAM)
                    | Q(scope=Scope.PROJECT, project__isnull=False)
                    | Q(scope=Scope.AGENT, agent__isnull=False)
                    | Q(scope=Scope.GLOBAL, person__isnull=False)
                ),
                name="scope_names_its_audience",
            ),
            models.CheckConstraint(condition=Q(type__in=Type.values), name="type_is_known"),
            models.CheckConstraint(
                condition=Q(LessThanOrEqual(octets("content"), CONTENT_BYTES)) & ~Q(content=""),
                name="content_is_1_to_50000_bytes",
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=0, importance__lte=1), name="importance_is_between_0_and_1"
            ),
            models.CheckConstraint(condition=Q(tags__len__lte=TAG_COUNT), name="tags_are_32_at_most"),
            models.CheckConstraint(condition=Q(version__gte=1), name="version_is_positive"),
        ]
        indexes = [
            models.Index(
                F("organization"),
                F("audience"),
                F("created_at").desc(),
                name="memory_newest",
                condition=Q(forgotten_at=None),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("updated_at").desc(),
                name="memory_changed",
                condition=Q(forgotten_at=None),
            ),
            models.Index(fields=["organization", "audience", "key"], name="memory_key", condition=~Q(key="")),
            models.Index(
                fields=["expires_at"], name="memory_expiring", condition=Q(forgotten_at=None, expires_at__isnull=False)
            ),
            GinIndex(fields=["search"], name="memory_search", condition=Q(forgotten_at=None)),
        ]

    def __str__(self) -> str:
        return self.key or self.content[:60]


class Revision(Signed, Described):
    """One version of a memory in full: who made it, when, and by what kind of change."""

    memory = link("memories.Memory", related_name="revisions", db_index=False)
    change = models.CharField(max_length=16, choices=Change.choices)
    audience = models.UUIDField()

    class Meta:
        constraints = [
            signature("revision"),
            SameOrganization(field="memory", to="memories.Memory", name="revision_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "version"], name="memory_has_each_version_once"),
        ]
        indexes = [
            models.Index(F("organization"), F("audience"), F("created_at").desc(), name="revision_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} v{self.version}"


class Association(Signed):
    """A directed link between two memories."""

    origin = link("memories.Memory", related_name="links_out", db_index=False)
    target = link("memories.Memory", related_name="links_in")
    relation = models.CharField(max_length=16, choices=Relation.choices, default=Relation.RELATED_TO)
    weight = models.FloatField(default=0.5)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            signature("association"),
            SameOrganization(field="origin", to="memories.Memory", name="association_origin_is_of_its_organization"),
            SameOrganization(field="target", to="memories.Memory", name="association_target_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "origin", "target", "relation"], name="relation_is_unique_per_pair"
            ),
            models.CheckConstraint(condition=~Q(origin=F("target")), name="association_is_between_two"),
            models.CheckConstraint(condition=Q(relation__in=Relation.values), name="relation_is_known"),
            models.CheckConstraint(condition=Q(weight__gte=0, weight__lte=1), name="weight_is_between_0_and_1"),
        ]

    def __str__(self) -> str:
        return f"{self.origin_id} {self.relation} {self.target_id}"


def asset_path(asset: "Asset", filename: str) -> str:
    """Never the uploader's name: that one is data, kept beside the bytes."""
    return f"assets/{asset.organization_id}/{asset.id}"


class Asset(Signed):
    """A binary attachment; its bytes are in Django's file storage."""

    memory = link("memories.Memory", related_name="assets")
    file = models.FileField(upload_to=asset_path, max_length=200)
    name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=127, default="application/octet-stream")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            signature("asset"),
            SameOrganization(field="memory", to="memories.Memory", name="asset_memory_is_of_its_organization"),
            models.CheckConstraint(condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="asset_has_a_sha256"),
        ]

    def __str__(self) -> str:
        return self.name


class Source(Signed):
    """Where a memory came from: the session, the message, the page, the words."""

    memory = link("memories.Memory", related_name="sources")
    session = link("teams.Session", null=True, blank=True)
    message_id = models.CharField(max_length=200, blank=True, default="")
    url = models.URLField(max_length=2000, blank=True, default="")
    quote = models.TextField(max_length=5000, blank=True, default="")

    class Meta:
        constraints = [
            signature("source"),
            SameOrganization(field="memory", to="memories.Memory", name="source_memory_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="source_session_is_of_its_organization"),
            models.CheckConstraint(
                condition=~Q(session=None, message_id="", url="", quote=""), name="source_says_something"
            ),
        ]

    def __str__(self) -> str:
        return self.url or self.message_id or str(self.session_id)


class TeamFileQuerySet(models.QuerySet["TeamFile"]):
    def alive(self) -> Self:
        return self.filter(deleted_at=None)

    def visible_to(self, actor: Actor) -> Self:
        return self.alive().filter(organization=actor.organization_id, team__in=actor.readable_team_ids)

    def writable_by(self, actor: Actor) -> Self:
        return self.alive().filter(organization=actor.organization_id, team__in=actor.writes)


class TeamFile(Signed):
    """A text file of a team, addressed by its path."""

    team = link("teams.Team", related_name="files", db_index=False)
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

    objects = TeamFileQuerySet.as_manager()

    class Meta:
        constraints = [
            own_key("file"),
            signature("file"),
            SameOrganization(field="team", to="teams.Team", name="file_team_is_of_its_organization"),
            models.UniqueConstraint(
                fields=["organization", "team", "path"],
                condition=Q(deleted_at=None),
                name="path_has_one_living_file",
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(octets("content"), FILE_BYTES), name="file_is_1_mib_at_most"
            ),
            models.CheckConstraint(condition=~Q(path__regex=r"(^|/)\.{0,2}(/|$)"), name="path_stays_inside"),
        ]
        indexes = [GinIndex(fields=["search"], name="file_search", condition=Q(deleted_at=None))]

    def __str__(self) -> str:
        return self.path


class FileVersion(Signed):
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

    def __str__(self) -> str:
        return f"{self.path} v{self.version}"


class Embedding(Tenant):
    """A memory's vector by one model; another model's may stand beside it while it takes over."""

    memory = link("memories.Memory", related_name="embeddings", db_index=False)
    model = models.CharField(max_length=100)
    dimension = models.PositiveIntegerField()
    memory_version = models.PositiveIntegerField()
    vector = VectorField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            SameOrganization(field="memory", to="memories.Memory", name="embedding_memory_is_of_its_organization"),
            models.UniqueConstraint(fields=["organization", "memory", "model"], name="memory_has_one_vector_per_model"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.model}"


class RecallLog(Signed):
    """The ledger of recalls: who asked what, and which memories in which versions came back."""

    team = link("teams.Team", db_index=False)
    session = link("teams.Session", null=True, blank=True, db_index=False)
    query = models.TextField(blank=True)
    mode = models.CharField(max_length=16)
    filters = models.JSONField(default=dict, blank=True)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    versions = ArrayField(models.PositiveIntegerField(), default=list)
    total_found = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            signature("recall"),
            SameOrganization(field="team", to="teams.Team", name="recall_team_is_of_its_organization"),
            SameOrganization(field="session", to="teams.Session", name="recall_session_is_of_its_organization"),
            models.CheckConstraint(
                condition=Q(memory_ids__len=F("versions__len")), name="recalled_memories_have_versions"
            ),
        ]
        indexes = [models.Index(F("organization"), F("team"), F("created_at").desc(), name="recall_newest")]

    def __str__(self) -> str:
        return self.query[:60] or self.mode


class Answer(Tenant):
    """What a request with an idempotency key was answered, so that its repetition is answered the same."""

    caller = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "caller", "key"], name="idempotency_key_is_used_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="answer_age")]

    def __str__(self) -> str:
        return self.key
