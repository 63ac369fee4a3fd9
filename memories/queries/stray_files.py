"""Stored bytes that no attachment names, and attachments whose bytes are not there."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.core.files.storage import Storage

from memories.models import Asset
from memoryhub.ids import parse_uuid

ASSETS_FOLDER = "assets"
STRAY_AGE = timedelta(days=1)  # no upload takes as long
LOOKUP_BATCH = 1_000  # names looked up by one statement


def find_strays(*, organization_id: UUID, now: datetime) -> Iterator[str]:
    """Yield the names of an organization's files that have been there for a day and that no attachment names, not even
    one that was taken off and can be put back."""
    names = _list_files(f"{ASSETS_FOLDER}/{organization_id}")
    for start in range(0, len(names), LOOKUP_BATCH):
        for name in _find_without_row(names[start : start + LOOKUP_BATCH]):
            if attachment_storage().get_modified_time(name) < now - STRAY_AGE:
                yield name


def find_missing(*, at_once: int = LOOKUP_BATCH) -> Iterator[Asset]:
    """Yield the attachments whose bytes are not there."""
    for asset in Asset.with_removed.order_by("pk").iterator(chunk_size=at_once):
        if not attachment_storage().exists(str(asset.file.name)):
            yield asset


def attachment_storage() -> Storage:
    storage: Storage = Asset._meta.get_field("file").storage
    return storage


def _list_files(folder: str) -> list[str]:
    """Return the files in a folder that are named by an id; others are not ours."""
    try:
        names = attachment_storage().listdir(folder)[1]
    except FileNotFoundError:
        return []
    return [f"{folder}/{name}" for name in names if parse_uuid(name)]


def _find_without_row(names: Sequence[str]) -> list[str]:
    """Index: the primary key, which is the last part of the name."""
    ids = {UUID(name.rpartition("/")[2]): name for name in names}
    known = set(Asset.with_removed.filter(pk__in=list(ids)).values_list("pk", flat=True))
    return [name for asset_id, name in ids.items() if asset_id not in known]
