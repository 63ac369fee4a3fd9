"""Choices and limits that the tables share."""

from django.db import models
from django.db.models import F, Func

CONTENT_BYTES = 50_000
FILE_BYTES = 1024 * 1024
METADATA_BYTES = 8 * 1024
KEY_LENGTH = 200
SUMMARY_LENGTH = 1_000
LABEL_LENGTH = 64  # a category, a tag, a source
TAG_COUNT = 32
PATH_LENGTH = 500
CORE_KEY = "core"  # key of the memory that every prompt of the team begins with
CORE_CATEGORY = "core"
TRIMMED_SIGNS = " \t\n\r"  # around a text, which do not tell it from another
PURGED_CONTENT = "[purged]"  # stands for the text of a purged memory
QUESTION_LENGTH = 500  # more is cut off when questions are compared


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


class Status(models.TextChoices):
    """Whether a memory counts. Only people decide about proposals."""

    ACTIVE = "active"
    PROPOSED = "proposed"  # waits for a decision, and only its proposer sees it
    REJECTED = "rejected"


class Provenance(models.TextChoices):
    """Where the text of a version comes from. A text made of several has the least trusted of them."""

    PERSON = "person"
    AGENT = "agent"
    IMPORT = "import"
    EXTRACTION = "extraction"
    TOOL = "tool", "Tool output"


class Relation(models.TextChoices):
    RELATED_TO = "related_to"
    UPDATES = "updates"
    CONTRADICTS = "contradicts"
    CAUSED_BY = "caused_by"
    RESULT_OF = "result_of"
    PART_OF = "part_of"


class Change(models.TextChoices):
    """The kind of change that made a version."""

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
    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"
    REOPENED = "reopened"
    SUPERSEDED = "superseded"
    PURGED = "purged"


class BulkActionKind(models.TextChoices):
    """The actions of a bulk edit."""

    PIN = "pin"
    UNPIN = "unpin"
    TAG = "tag", "Add tags"
    UNTAG = "untag", "Remove tags"
    EXPIRE = "expire", "Set expiry"
    FORGET = "forget"
    RESTORE = "restore"


def octet_length(field: str) -> Func:
    return Func(F(field), function="octet_length", output_field=models.IntegerField())
