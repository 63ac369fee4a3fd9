"""The audit chain: one entry for each entry of the hub's histories, with the hash of the entry before it."""

from hashlib import sha256
from typing import Self

from django.db import models
from django.db.models import Q


class AuditPlace(models.TextChoices):
    """The histories that the chain covers, and what it notes itself."""

    MEMORY_VERSION = "memory version"
    FILE_VERSION = "file version"
    ADMIN = "admin", "Audit log"
    REWRITTEN = "rewritten"  # a covered entry's text was redacted or erased
    REMOVED = "removed"  # a memory or a file was removed for good, with its versions


COVERED_PLACES = (AuditPlace.MEMORY_VERSION, AuditPlace.FILE_VERSION, AuditPlace.ADMIN)
FIRST_HASH = bytes(32)  # stands before the first entry


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def last_first(self) -> Self:
        return self.order_by("-number")


class AuditEntry(models.Model):
    """A link of the chain. It has hashes and ids, no words: these stay in the histories."""

    number = models.BigIntegerField(primary_key=True)
    place = models.CharField(max_length=16, choices=AuditPlace.choices)
    row_id = models.CharField(max_length=36)
    subject_id = models.CharField(max_length=36, blank=True)  # the memory or the file that a version is of
    digest = models.BinaryField(max_length=32)  # digest of who did what and when
    text_digest = models.BinaryField(max_length=32)  # digest of the words
    previous = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    sealed_at = models.DateTimeField()
    form = models.SmallIntegerField(default=1)  # which columns the digests are of

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        constraints = [
            models.UniqueConstraint(
                fields=["place", "row_id"], condition=Q(place__in=COVERED_PLACES), name="row_is_in_the_audit_chain_once"
            )
        ]
        indexes = [models.Index(fields=["place", "row_id"], name="audit_notes", condition=~Q(place__in=COVERED_PLACES))]

    def __str__(self) -> str:
        return f"{self.number}: {self.place} {self.row_id}"

    def compute_hash(self) -> bytes:
        """Return the hash that the entry must have."""
        words = [self.number, self.place, self.row_id, self.subject_id, self.sealed_at.timestamp()]
        words += [self.form] if self.form > 1 else []  # the first entries had none
        written = "\x1f".join(map(str, words)).encode()
        digests = bytes(self.digest) + bytes(self.text_digest)
        return sha256(bytes(self.previous) + digests + written).digest()

    @property
    def hex_hash(self) -> str:
        return bytes(self.hash).hex()
