"""What can be shown of an attachment: pictures as they are, texts by their beginning."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memories.models import Asset

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"})
WRITINGS = frozenset({"application/json", "application/xml", "application/x-yaml", "application/toml"})
SAMPLE = 1_200  # bytes of a text
SAMPLED = 8  # texts of one memory that are opened


@dataclass(frozen=True, slots=True)
class Preview:
    asset: Asset
    picture: bool = False
    text: str = ""


def is_picture(asset: Asset) -> bool:
    return asset.content_type in PICTURES


def is_text(asset: Asset) -> bool:
    return asset.content_type.startswith("text/") or asset.content_type in WRITINGS


def previews(assets: Iterable[Asset]) -> Iterator[Preview]:
    opened = 0
    for asset in assets:
        sampled = is_text(asset) and opened < SAMPLED
        opened += sampled
        yield Preview(asset, picture=is_picture(asset), text=_beginning(asset) if sampled else "")


def _beginning(asset: Asset) -> str:
    """Nothing if the bytes are not there any more: the page is worth more than the preview."""
    try:
        with asset.file.open("rb") as file:
            return bytes(file.read(SAMPLE)).decode(errors="ignore")
    except OSError:
        return ""
