"""Previews of attachments: pictures in full, texts by their beginning."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memories.models import Asset

PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"})
TEXT_TYPES = frozenset({"application/json", "application/xml", "application/x-yaml", "application/toml"})
PREVIEW_BYTES = 1_200  # bytes of a text
MAX_TEXT_PREVIEWS = 8  # texts of one memory that are opened


@dataclass(frozen=True, slots=True)
class AttachmentPreview:
    asset: Asset
    picture: bool = False
    text: str = ""


def is_picture(asset: Asset) -> bool:
    return asset.content_type in PICTURE_TYPES


def is_text(asset: Asset) -> bool:
    return asset.content_type.startswith("text/") or asset.content_type in TEXT_TYPES


def build_previews(assets: Iterable[Asset]) -> Iterator[AttachmentPreview]:
    opened = 0
    for asset in assets:
        sampled = is_text(asset) and opened < MAX_TEXT_PREVIEWS
        opened += sampled
        yield AttachmentPreview(asset, picture=is_picture(asset), text=_read_beginning(asset) if sampled else "")


def _read_beginning(asset: Asset) -> str:
    """Return the first characters of a text, or nothing if its file is missing: the page must still load."""
    try:
        with asset.file.open("rb") as file:
            return bytes(file.read(PREVIEW_BYTES)).decode(errors="ignore")
    except OSError:
        return ""
