"""The tables of an archive, in the order in which they are written."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Model

from memories import models as memories
from memories.models import bulk_edits, embeddings, idempotency, usage, word_counts
from memories.transfer.selection import (
    FILE_ROWS,
    MEMORY_ROWS,
    OF_TEAM,
    RECALL_ROWS,
    REVISION_ROWS,
    WHOLE_ORGANIZATION,
    ExportReach,
    in_subquery,
    of_memory,
)
from teams import models as teams

ArchiveRow = dict[str, Any]  # by column, as JSON has it


@dataclass(frozen=True)
class Table:
    """A table of an archive. `own` says which rows belong to a selection. Rows that others refer to come along, if the
    table is shared. `access` names the columns by which its rows let somebody in."""

    model: type[Model]
    own: str
    shared: bool = False
    reach: ExportReach = ExportReach.AGENT
    key: str = "id"
    access: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return str(self.model._meta.db_table)

    @property
    def of_organization(self) -> str:
        return "id" if self.model is teams.Organization else "organization_id"

    @property
    def unique(self) -> str:
        return "id" if self.key == "id" else f"organization_id, {self.key}"

    @cached_property
    def fields(self) -> dict[str, "models.Field[Any, Any]"]:
        """Return the fields by column, except generated ones, which Postgres computes again."""
        concrete = self.model._meta.concrete_fields
        return {field.attname: field for field in concrete if not isinstance(field, models.GeneratedField)}

    @cached_property
    def logins(self) -> set[str]:
        """Return the columns that refer to a login, which has another id in each hub."""
        return {column for column, field in self.fields.items() if _target(field) == settings.AUTH_USER_MODEL}

    def links_to(self, other: "Table") -> list[str]:
        return [column for column, field in self.fields.items() if _target(field) == other.model._meta.label]

    @cached_property
    def links(self) -> dict[str, str]:
        """Return the table that each link points at, by column."""
        return {column: other.name for other in TABLES for column in self.links_to(other)}


def _target(field: "models.Field[Any, Any]") -> str:
    return str(field.related_model._meta.label) if field.is_relation and field.related_model else ""


# Whatever refers to another table's rows stands after it.
TABLES = (
    Table(teams.Organization, "true", shared=True),
    Table(teams.Workspace, WHOLE_ORGANIZATION, shared=True),
    Table(teams.Team, "(%(team)s::uuid IS NULL OR id = %(team)s::uuid)", shared=True),
    Table(teams.Person, WHOLE_ORGANIZATION, shared=True, access=("user_id",)),
    Table(teams.Membership, OF_TEAM, reach=ExportReach.OPERATOR, access=("team_id", "user_id", "role")),
    Table(
        teams.Invitation,
        OF_TEAM,
        reach=ExportReach.OPERATOR,
        access=("team_id", "role", "digest", "expires_at", "used_at", "revoked_at"),
    ),
    Table(teams.Agent, OF_TEAM, shared=True),
    Table(
        teams.Token,
        in_subquery("agent_id", "teams_agent", OF_TEAM),
        reach=ExportReach.OPERATOR,
        access=("agent_id", "person_id", "digest", "verbs", "expires_at", "revoked_at"),
    ),
    Table(teams.Project, OF_TEAM, shared=True),
    Table(
        teams.Admission,
        in_subquery("project_id", "teams_project", OF_TEAM),
        reach=ExportReach.OPERATOR,
        access=("project_id", "agent_id", "person_id"),
    ),
    Table(teams.Session, WHOLE_ORGANIZATION, shared=True),
    Table(memories.Memory, MEMORY_ROWS),
    Table(memories.Revision, f"{of_memory()} AND {REVISION_ROWS}"),
    Table(memories.Association, f"{of_memory('origin_id')} AND {of_memory('target_id')}"),
    Table(memories.Asset, f"removed_at IS NULL AND {of_memory()}"),
    Table(memories.Source, f"removed_at IS NULL AND {of_memory()}"),
    Table(memories.Proposal, of_memory(), reach=ExportReach.OWNER),
    Table(memories.Pair, f"{of_memory('older_id')} AND {of_memory('newer_id')}", reach=ExportReach.OWNER),
    Table(memories.Feedback, of_memory(), reach=ExportReach.OWNER),
    Table(usage.Usage, of_memory(), key="memory_id"),
    Table(memories.TeamFile, FILE_ROWS),
    Table(memories.FileVersion, in_subquery("file_id", "memories_teamfile", FILE_ROWS)),
    Table(memories.RecallLog, RECALL_ROWS, reach=ExportReach.OWNER),
    Table(memories.LegalHold, OF_TEAM, reach=ExportReach.OPERATOR),
    Table(memories.SettledQuestion, f"{RECALL_ROWS} AND (memory_id IS NULL OR {of_memory()})", reach=ExportReach.OWNER),
    Table(memories.GoldenQuestion, f"removed_at IS NULL AND {RECALL_ROWS} AND {of_memory()}", reach=ExportReach.OWNER),
    Table(memories.GoldenRun, RECALL_ROWS, reach=ExportReach.OWNER),
)

# What is made anew from the rest, or means nothing elsewhere.
NOT_EXPORTED: tuple[type[Model], ...] = (
    teams.Attempts,
    teams.Pace,
    teams.Registrations,
    embeddings.Embedding,
    memories.AuditEntry,
    memories.Erasure,
    bulk_edits.Batch,
    embeddings.EmbeddingModel,
    embeddings.Unembedded,
    idempotency.Answer,
    usage.Day,
    usage.Growth,
    word_counts.Vocabulary,
    word_counts.Lexeme,
)
