"""Anchors: sources with the hash of what they name, so that a check can say whether it is still the same."""

from django.db import models
from django.db.models import F, Q

from memories.models.constants import PATH_LENGTH

REPOSITORY_LENGTH = 300
MOST_HASHED_LINES = 500  # of an anchor with a hash for each line
LINE_HASH_LENGTH = 4  # hexadecimal digits: enough to tell lines apart, too few to be sure of a guessed one
SHA256_FORM = r"^[0-9a-f]{64}$"
COMMIT_FORM = r"^([0-9a-f]{7,64})?$"
SALT_FORM = r"^([0-9a-f]{16,64})?$"
LINE_HASHES_FORM = rf"^([0-9a-f]{{{LINE_HASH_LENGTH}}})*$"


class AnchorState(models.TextChoices):
    UNCHECKED = "unchecked", "Unchecked"
    HOLDS = "holds", "Holds"
    CHANGED = "changed", "Changed"
    GONE = "gone", "Gone"


FAILED_STATES = (AnchorState.CHANGED, AnchorState.GONE)
PLACE_FIELDS = ("sha256", "line_hashes", "first_line", "last_line", "commit")  # each has a twin: what was found there

# The worst state, for which it is enough that `gone` comes after `changed`. Index: source_failed.
FAILED_STATE = """
(
    SELECT max(anchor.state) FROM memories_source AS anchor
    WHERE anchor.organization_id = {memory}.organization_id AND anchor.memory_id = {memory}.id
        AND anchor.state IN ('changed', 'gone') AND anchor.removed_at IS NULL
)
"""


def anchor_state_sql(memory: str) -> str:
    """Return the state of the failed anchors of a row of memories, by this name; null if none has failed."""
    return FAILED_STATE.format(memory=memory)


class AnchorColumns(models.Model):
    """The columns of a source that is an anchor: a file of a repository, or some of its lines, or what is at a URL.
    Others have no `sha256`."""

    repository = models.CharField(max_length=REPOSITORY_LENGTH, blank=True, default="", db_default="")
    file_path = models.CharField(max_length=PATH_LENGTH, blank=True, default="", db_default="")
    salt = models.CharField(
        max_length=64, blank=True, default="", db_default=""
    )  # hexadecimal; in front of what is hashed
    sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    line_hashes = models.CharField(
        max_length=MOST_HASHED_LINES * LINE_HASH_LENGTH, blank=True, default="", db_default=""
    )
    first_line = models.PositiveIntegerField(null=True, blank=True)
    last_line = models.PositiveIntegerField(null=True, blank=True)
    commit = models.CharField(max_length=64, blank=True, default="", db_default="")
    state = models.CharField(max_length=16, choices=AnchorState.choices, blank=True, default="", db_default="")
    checked_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)  # since when it is changed or gone
    # What a check found instead; once somebody has accepted that, what was there before.
    found_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    found_line_hashes = models.CharField(
        max_length=MOST_HASHED_LINES * LINE_HASH_LENGTH, blank=True, default="", db_default=""
    )
    found_first_line = models.PositiveIntegerField(null=True, blank=True)
    found_last_line = models.PositiveIntegerField(null=True, blank=True)
    found_commit = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        abstract = True

    @property
    def is_anchor(self) -> bool:
        return bool(self.sha256)

    @property
    def failed(self) -> bool:
        return self.state in FAILED_STATES

    @property
    def place(self) -> str:
        """Return the place that the anchor names, for people."""
        lines = f":{self.first_line}-{self.last_line}" if self.first_line else ""
        return f"{self.repository}: {self.file_path}{lines}"


def anchor_constraints() -> list[models.CheckConstraint]:
    whole = Q(sha256__regex=SHA256_FORM, state__in=AnchorState.values)
    in_file = ~Q(repository="") & ~Q(file_path="") & Q(url="")
    at_url = Q(repository="", file_path="", first_line=None) & ~Q(url="")
    given = Q(first_line=None, last_line=None) | Q(first_line__gte=1, last_line__gte=F("first_line"))
    texts = Q(line_hashes__regex=LINE_HASHES_FORM, commit__regex=COMMIT_FORM, salt__regex=SALT_FORM)
    return [
        models.CheckConstraint(
            condition=Q(sha256="", state="", repository="", file_path="") | whole & (in_file | at_url),
            name="anchor_has_a_place_and_a_hash",
        ),
        models.CheckConstraint(condition=given & texts, name="anchor_has_lines_and_hashes_in_form"),
        models.CheckConstraint(
            condition=Q(state__in=FAILED_STATES, failed_at__isnull=False)
            | ~Q(state__in=FAILED_STATES) & Q(failed_at=None),
            name="failed_anchor_says_since_when",
        ),
    ]


def anchor_indexes() -> list[models.Index]:
    there = Q(removed_at=None)
    return [
        models.Index(
            fields=["organization", "memory"], name="source_failed", condition=there & Q(state__in=FAILED_STATES)
        ),
        models.Index(
            fields=["organization", "repository", "created_at", "id"],
            name="source_anchors",
            condition=there & ~Q(sha256=""),
        ),
    ]
