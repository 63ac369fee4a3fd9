"""The histories that the audit chain covers, and how an entry of each is hashed."""

from typing import NamedTuple

from memories.models import FIRST_HASH, AuditEntry, AuditPlace


class DigestForm(NamedTuple):
    """The SQL of two digests: of who did what when, and of the words, which may be taken away."""

    digest: str
    text_digest: str


class History(NamedTuple):
    table: str
    subject: str  # SQL of the id of what an entry is about
    forms: tuple[DigestForm, ...]  # the first one is form 1; new entries have the last one

    @property
    def latest_form(self) -> int:
        return len(self.forms)

    def get_form(self, number: int) -> DigestForm:
        return self.forms[number - 1]


def _digest_joined(*columns: str) -> str:
    written = ", ".join(f"coalesce({column}::text, '-')" for column in columns)
    return f"sha256(convert_to(concat_ws(E'\\x1f', {written}), 'UTF8'))"


def _digest_list(*columns: str) -> str:
    """Return the digest of a JSON list: no value can be taken for another one, or for none."""
    return f"sha256(convert_to(jsonb_build_array({', '.join(columns)})::text, 'UTF8'))"


def _read_epoch(*columns: str) -> list[str]:
    """Return moments as numbers: written as texts, they would depend on the time zone of the connection."""
    return [f"extract(epoch FROM {column})" for column in columns]


_WHO = ("id", "organization_id", "agent_id", "user_id", "token_id", *_read_epoch("created_at"), "change")
_TRUST = ("status", "provenance", "verified_by", "superseded_by", "pinned", "importance", "forgotten_by")
_TEXTS = ("key", "content", "summary", "tags", "category")
_MOMENTS = ("verified_at", "review_by", "valid_from", "valid_until", "expires_at", "forgotten_at")
HISTORIES: dict[str, History] = {
    AuditPlace.MEMORY_VERSION: History(
        "memories_revision",
        "memory_id::text",
        (
            DigestForm(
                _digest_joined(*_WHO, "memory_id", "version"),
                _digest_joined(
                    "key", "content", "summary", "tags", "category", "type", "scope", "audience", "metadata"
                ),
            ),
            DigestForm(
                _digest_list(
                    *_WHO, "memory_id", "version", "type", "scope", "audience", *_TRUST, *_read_epoch(*_MOMENTS)
                ),
                _digest_list(*_TEXTS, "metadata", "source", "forget_reason"),
            ),
        ),
    ),
    AuditPlace.FILE_VERSION: History(
        "memories_fileversion",
        "file_id::text",
        (DigestForm(_digest_joined(*_WHO, "file_id", "version"), _digest_joined("path", "content")),),
    ),
    AuditPlace.ADMIN: History(
        "django_admin_log",
        "''",
        (
            DigestForm(
                _digest_joined(
                    "id", *_read_epoch("action_time"), "user_id", "content_type_id", "object_id", "action_flag"
                ),
                _digest_joined("object_repr", "change_message"),
            ),
        ),
    ),
}


def format_head(entry: AuditEntry | None) -> str:
    """Return the number and the hash of an entry, to be kept elsewhere."""
    return f"{entry.number}:{entry.hex_hash}" if entry else f"0:{FIRST_HASH.hex()}"
