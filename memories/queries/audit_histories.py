"""The histories that the audit chain covers, and how an entry of each is hashed."""

from memories.models import FIRST_HASH, AuditEntry, AuditPlace


def _digest_sql(*columns: str) -> str:
    written = ", ".join(f"coalesce({column}::text, '-')" for column in columns)
    return f"sha256(convert_to(concat_ws(E'\\x1f', {written}), 'UTF8'))"


_WHO = ("id", "organization_id", "agent_id", "user_id", "token_id", "extract(epoch FROM created_at)", "change")
# Of each history: its table, the id of what an entry is about, and the columns of the two digests.
HISTORIES: dict[str, tuple[str, str, str, str]] = {
    AuditPlace.MEMORY_VERSION: (
        "memories_revision",
        "memory_id::text",
        _digest_sql(*_WHO, "memory_id", "version"),
        _digest_sql("key", "content", "summary", "tags", "category", "type", "scope", "audience", "metadata"),
    ),
    AuditPlace.FILE_VERSION: (
        "memories_fileversion",
        "file_id::text",
        _digest_sql(*_WHO, "file_id", "version"),
        _digest_sql("path", "content"),
    ),
    AuditPlace.ADMIN: (
        "django_admin_log",
        "''",
        _digest_sql("id", "extract(epoch FROM action_time)", "user_id", "content_type_id", "object_id", "action_flag"),
        _digest_sql("object_repr", "change_message"),
    ),
}


def format_head(entry: AuditEntry | None) -> str:
    """Return the number and the hash of an entry, to be kept elsewhere."""
    return f"{entry.number}:{entry.hex_hash}" if entry else f"0:{FIRST_HASH.hex()}"
