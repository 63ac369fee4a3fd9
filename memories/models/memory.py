"""A memory: its fields, and the querysets that say who may see and change it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Self
from uuid import UUID

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Case, F, Func, OuterRef, Q, Subquery, Value, When
from django.db.models.base import ModelState
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.db.models.lookups import LessThanOrEqual
from django.utils import timezone

from memories.models.anchors import anchor_state_sql
from memories.models.base import Authored, AuthoredQuerySet, author_constraint
from memories.models.constants import (
    CONTENT_BYTES,
    CORE_CATEGORY,
    CORE_KEY,
    KEY_LENGTH,
    LABEL_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    TRIMMED_SIGNS,
    Provenance,
    Scope,
    Status,
    Type,
    octet_length,
)
from memories.models.disputes import disputed_sql
from memories.rules import access
from memories.text.comparison import Difference
from memoryhub.errors import NotFound
from memoryhub.languages import ENGLISH, LANGUAGE_LENGTH
from memoryhub.tenancy import SameOrganization, tenant_key, tenant_link
from teams.actor import Actor
from teams.models import Team

NO_SUCH_MEMORY = "There is no such memory."


@dataclass(frozen=True, slots=True)
class Similar:
    """Another memory that says nearly the same."""

    memory_id: UUID
    similarity: float


@dataclass(frozen=True, slots=True)
class Conflicting:
    """Another memory that says something that cannot hold beside this one."""

    memory_id: UUID
    similarity: float
    differences: Sequence[Difference]  # the words of this memory first, then those of the other


AUDIENCE = Case(
    When(scope=Scope.TEAM, then=F("team")),
    When(scope=Scope.PROJECT, then=F("project")),
    When(scope=Scope.AGENT, then=F("agent")),
    When(scope=Scope.GLOBAL, then=F("person")),
    output_field=models.UUIDField(),
)


TEXT_HASH = Func(  # identifies equal texts
    Func("content", Value(TRIMMED_SIGNS), function="btrim"), function="md5", output_field=models.TextField()
)


WORDING_HASH = Func(  # by which a text in the same words is found
    Func("content", function="memory_wording"), function="md5", output_field=models.TextField()
)


class MemoryFields(models.Model):
    """The fields that each version of a memory has."""

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
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    superseded_by = models.UUIDField(null=True, blank=True, editable=False)  # no key: a purged successor leaves its id
    status = models.CharField(
        max_length=16, choices=Status.choices, default=Status.ACTIVE, db_default=Status.ACTIVE, editable=False
    )
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.AGENT, db_default=Provenance.AGENT, editable=False
    )
    forgotten_at = models.DateTimeField(null=True, blank=True)
    forgotten_by = models.CharField(max_length=200, blank=True, default="")
    forget_reason = models.CharField(max_length=SUMMARY_LENGTH, blank=True, default="")

    class Meta:
        abstract = True


def match_holding(moment: datetime) -> Q:
    """Match the memories, or versions of them, whose period of validity has that moment in it."""
    begun = Q(valid_from=None) | Q(valid_from__lte=moment)
    return begun & (Q(valid_until=None) | Q(valid_until__gt=moment))


class MemoryQuerySet(AuthoredQuerySet["Memory"]):
    def require(self, memory_id: UUID) -> "Memory":
        """Return the memory with this id. If it is not among these rows, it does not exist."""
        return self.filter(pk=memory_id).require_first()

    def require_first(self) -> "Memory":
        if memory := self.first():
            return memory
        raise NotFound(NO_SUCH_MEMORY)

    def alive(self, *, now: datetime | None = None) -> Self:
        """Return the memories that are neither forgotten, nor expired at that moment, nor waiting for approval."""
        return self.filter(forgotten_at=None, status=Status.ACTIVE).not_expired(now=now)

    def holding(self, at: datetime | None = None) -> Self:
        """Return the memories whose period of validity has that moment in it: by default, what holds now."""
        return self.filter(match_holding(at or timezone.now()))

    def not_expired(self, *, now: datetime | None = None) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now or timezone.now()))

    def expired_unswept(self, *, now: datetime | None = None) -> Self:
        """Return the expired memories that the sweep has not forgotten yet."""
        return self.filter(forgotten_at=None, expires_at__lte=now or timezone.now())

    def forgotten(self) -> Self:
        return self.filter(forgotten_at__isnull=False, purged_at=None, status=Status.ACTIVE)

    def active_or_proposed_by(self, actor: Actor) -> Self:
        """Return active memories, and the proposals that the actor made itself."""
        return self.filter(access.is_active_or_own_proposal(actor))

    def visible_to(self, actor: Actor, *, now: datetime | None = None) -> Self:
        """Return the memories that the actor may see: active ones, and the actor's own proposals. Those that no longer
        hold are among them: see `holding`."""
        living = self.filter(forgotten_at=None).not_expired(now=now).active_or_proposed_by(actor)
        return living.filter(access.readable_by(actor))

    def writable_by(self, actor: Actor, *, now: datetime | None = None) -> Self:
        return self.alive(now=now).filter(access.writable_by(actor))

    def annotatable_by(self, actor: Actor, *, now: datetime | None = None) -> Self:
        """Return the memories that the actor may add links, sources and attachments to: those that it may change, and
        its own proposals."""
        living = self.filter(forgotten_at=None).not_expired(now=now).active_or_proposed_by(actor)
        return living.filter(access.writable_by(actor))

    def restorable_by(self, actor: Actor) -> Self:
        return self.forgotten().filter(access.writable_by(actor))

    def visible_or_restorable_by(self, actor: Actor, *, now: datetime | None = None) -> Self:
        """Return the memories that the actor may see, and forgotten or expired ones that it may read and restore."""
        unexpired = Q(expires_at=None) | Q(expires_at__gt=now or timezone.now())
        seen = Q(forgotten_at=None) & unexpired & access.is_active_or_own_proposal(actor)
        restorable = Q(status=Status.ACTIVE) & access.writable_by(actor)
        return self.filter(access.readable_by(actor), seen | restorable, purged_at=None)

    def explainable_to(self, actor: Actor) -> Self:
        """Return the memories about which the actor may ask why recall leaves them out: those that it may read,
        forgotten and expired ones too."""
        return self.active_or_proposed_by(actor).filter(access.readable_by(actor), purged_at=None)

    def purgeable_by(self, actor: Actor) -> Self:
        return self.filter(access.owned_by(actor), purged_at=None)

    def in_slot(self, organization_id: UUID, audience: UUID, workspace_id: UUID | None) -> Self:
        """Return the memories among which a key has one owner."""
        return self.in_organization(organization_id).filter(audience=audience, workspace=workspace_id)

    def core_of(self, *team_ids: UUID) -> Self:
        """Return the memories that the prompts of these teams begin with, one per team and workspace.

        Index: key_has_one_living_owner.
        """
        return self.filter(scope=Scope.TEAM, audience__in=team_ids, key=CORE_KEY, owns_key=True)

    def in_core_category_of(self, team_id: UUID) -> Self:
        """Return the team's memories with the category of core memories. Index: memory_core."""
        return self.filter(scope=Scope.TEAM, audience=team_id, category=CORE_CATEGORY)

    def editable_as_core_of(self, team_id: UUID) -> Self:
        """Return the team's memories with the category or the key of core memories."""
        return self.filter(Q(category=CORE_CATEGORY) | Q(key=CORE_KEY), scope=Scope.TEAM, audience=team_id)

    def count_by_language(self, team: Team) -> Sequence[tuple[str, int]]:
        """Return the languages of the team's active memories, those of the most first."""
        rows = self.filter(organization=team.organization_id, team=team, forgotten_at=None)
        return list(rows.values_list("language").annotate(count=models.Count("pk")).order_by("-count", "language"))

    def owning_keys(self, scope: str) -> Self:
        """Return the memories that own a key in this scope."""
        return self.filter(owns_key=True, scope=scope)

    def with_key(self, key: str) -> Self:
        """Return the memories with the key, its owner first."""
        return self.filter(key=key).order_by("-owns_key", "-updated_at")

    def with_usage(self) -> Self:
        """Load how often and when last they were recalled, whether another one that holds contradicts them, and whether
        an anchor of theirs has failed."""
        usage = apps.get_model("memories", "Usage").objects.filter(
            organization=OuterRef("organization"), memory=OuterRef("pk")
        )
        return self.annotate(
            access_count=Coalesce(Subquery(usage.values("access_count")), 0),
            last_accessed_at=Subquery(usage.values("last_accessed_at")),
            disputed=RawSQL(disputed_sql(Memory._meta.db_table), (), models.BooleanField()),  # noqa: S611 (no values)
            anchor_state=RawSQL(anchor_state_sql(Memory._meta.db_table), (), models.TextField()),  # noqa: S611
        )


class Memory(Authored, MemoryFields):
    team = tenant_link("teams.Team", db_index=False)
    person = tenant_link("teams.Person", null=True, blank=True)
    project = tenant_link("teams.Project", null=True, blank=True)
    session = tenant_link("teams.Session", null=True, blank=True)
    workspace = tenant_link("teams.Workspace", null=True, blank=True)
    channel_id = models.CharField(max_length=200, blank=True, default="")
    owns_key = models.BooleanField(default=False, editable=False)
    language = models.CharField(max_length=LANGUAGE_LENGTH, default=ENGLISH, db_default=ENGLISH, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)
    purged_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What its author saved just before it, as one turn of a conversation follows another. Recall looks there for what
    # a short answer leaves unsaid. No key: whatever is gone from there is simply not found.
    follows = models.UUIDField(null=True, blank=True, editable=False)

    audience = models.GeneratedField(expression=AUDIENCE, output_field=models.UUIDField(), db_persist=True)
    search = models.GeneratedField(
        expression=Func(
            *(AUDIENCE, "key", "tags", "summary", "category", "content", "language"),
            function="memory_search",
            output_field=SearchVectorField(),
        ),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    opening = models.GeneratedField(  # the first word of the content: who or what it is about
        expression=Func("content", function="memory_opening", output_field=models.TextField()),
        output_field=models.TextField(),
        db_persist=True,
    )

    # How often and when last it was recalled: kept in Usage, filled in by `with_usage` and by recall.
    access_count: int = 0
    last_accessed_at: datetime | None = None
    # What it nearly repeats: filled in by the save that made it.
    similar: Sequence["Similar"] = ()
    # Whether the text was there already: filled in by the save that found it instead of making another memory.
    duplicate: bool = False
    # What it contradicts: filled in by a save.
    conflicts: Sequence["Conflicting"] = ()
    # Whether it contradicts another memory that holds, and nobody has settled that: filled in by reads.
    disputed: bool = False
    # What became of what it is anchored to, if a check found that changed or gone: filled in by reads.
    anchor_state: str | None = None
    # The change that was proposed instead of made: filled in by the write that was held.
    proposal_id: UUID | None = None
    # What was found in the text, and what became of it: filled in by the write.
    screening: Sequence[Mapping[str, Any]] = ()

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "memories"
        permissions = [  # for operators; `memories.rules.access` has the rights of people and agents
            ("pin_memory", "Can pin and unpin memories"),
            ("tag_memory", "Can tag memories"),
            ("expire_memory", "Can let memories expire"),
            ("forget_memory", "Can forget memories"),
            ("restore_memory", "Can restore memories"),
            ("purge_memory", "Can purge memories"),
            ("reembed_memory", "Can have memories' vectors made anew"),
        ]
        constraints = [
            tenant_key("memory"),
            SameOrganization(field="team", to="teams.Team", name="memory_team_is_of_its_organization"),
            author_constraint("memory"),
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
                condition=Q(LessThanOrEqual(octet_length("content"), CONTENT_BYTES)) & ~Q(content=""),
                name="content_is_1_to_50000_bytes",
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=0, importance__lte=1), name="importance_is_between_0_and_1"
            ),
            models.CheckConstraint(condition=Q(tags__len__lte=TAG_COUNT), name="tags_are_32_at_most"),
            models.CheckConstraint(condition=Q(version__gte=1), name="version_is_positive"),
            models.CheckConstraint(
                condition=Q(valid_from=None) | Q(valid_until=None) | Q(valid_until__gte=F("valid_from")),
                name="valid_until_is_not_before_valid_from",
            ),
            models.CheckConstraint(
                condition=Q(owns_key=False) | Q(status=Status.ACTIVE), name="only_an_active_memory_owns_its_key"
            ),
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
            models.Index(
                F("organization"),
                F("audience"),
                F("type"),
                F("created_at").desc(),
                name="memory_typed",
                condition=Q(forgotten_at=None),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                Func(F("importance"), F("updated_at"), function="memory_standing").desc(),
                name="memory_standing",
                condition=Q(forgotten_at=None),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("importance").desc(),
                name="memory_unfading",
                condition=Q(Q(pinned=True) | Q(type=Type.IDENTITY), forgotten_at=None),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("importance").desc(),
                F("id").desc(),
                name="memory_weightiest",
                condition=Q(forgotten_at=None),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("created_at").desc(),
                name="memory_forgotten",
                condition=Q(forgotten_at__isnull=False, purged_at=None),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("importance").desc(),
                F("id").desc(),
                name="memory_pinned",
                condition=Q(pinned=True, forgotten_at=None),
            ),
            models.Index(
                fields=["organization", "audience", "expires_at", "id"],
                name="memory_vanishing",
                condition=Q(forgotten_at=None, expires_at__isnull=False),
            ),
            models.Index(
                fields=["organization", "audience", "review_by", "id"],
                name="memory_due",
                condition=Q(forgotten_at=None, review_by__isnull=False),
            ),
            models.Index(
                F("organization"),
                F("audience"),
                F("agent"),
                F("created_at").desc(),
                name="memory_authored",
                condition=Q(forgotten_at=None),
            ),
            models.Index(
                F("organization"), F("audience"), TEXT_HASH, name="memory_same_text", condition=Q(forgotten_at=None)
            ),
            models.Index(
                F("organization"),
                F("audience"),
                WORDING_HASH,
                name="memory_same_wording",
                condition=Q(forgotten_at=None),
            ),
            models.Index(fields=["organization", "audience", "key"], name="memory_key", condition=~Q(key="")),
            models.Index(
                F("organization"),
                F("audience"),
                F("updated_at").desc(),
                name="memory_core",
                condition=Q(category="core", forgotten_at=None),
            ),
            models.Index(
                fields=["expires_at"], name="memory_expiring", condition=Q(forgotten_at=None, expires_at__isnull=False)
            ),
            models.Index(fields=["forgotten_at"], name="memory_forgotten_at", condition=Q(forgotten_at__isnull=False)),
            models.Index(  # the languages that are searched besides English
                fields=["organization", "audience", "language", "workspace"],
                name="memory_language",
                condition=Q(forgotten_at=None) & ~Q(language=ENGLISH),
            ),
            GinIndex(fields=["search"], name="memory_search", condition=Q(forgotten_at=None)),
            GinIndex(  # for operators, who look for what anybody lost
                fields=["search"],
                name="memory_search_gone",
                condition=Q(forgotten_at__isnull=False, purged_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.key or self.content[:60]

    TEXT_HASH: ClassVar = TEXT_HASH
    COLUMNS: ClassVar[tuple[str, ...]]  # all but what only the database needs, and what a living memory has not got
    LIVING: ClassVar = {"forgotten_at": None, "forgotten_by": "", "forget_reason": "", "purged_at": None}

    @classmethod
    def from_row(
        cls,
        row: Sequence[Any],
        *,
        access_count: int | None = None,
        last_accessed_at: datetime | None = None,
        disputed: bool = False,
        anchor_state: str | None = None,
    ) -> "Memory":
        """Build an active memory from its columns, as selected by raw SQL, with its usage if there is any.

        Does the same as `from_db`, which sets attributes one by one and takes as long as the rest of a recall.
        """
        memory = cls.__new__(cls)
        memory.__dict__.update(cls.LIVING, **dict(zip(cls.COLUMNS, row, strict=True)))
        memory._state = ModelState()
        memory._state.adding, memory._state.db = False, "default"
        memory.access_count, memory.last_accessed_at, memory.disputed = access_count or 0, last_accessed_at, disputed
        memory.anchor_state = anchor_state
        return memory


Memory.COLUMNS = tuple(
    field.attname
    for field in Memory._meta.concrete_fields
    if field.attname not in {"search", "opening", "follows", *Memory.LIVING}
)
