"""The signature of an archive: it proves which hub made it, and that nothing in it was changed since.

A key that is derived from the hub's secret key authenticates the name, the size and the digest of every entry. The last
entry holds the signature, so that an archive is signed while it is sent, whatever its size.
"""

import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from hashlib import sha256
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.utils.crypto import salted_hmac

from memoryhub.errors import Invalid

SIGNATURE = "signature.json"
MAX_SIGNATURE_BYTES = 1024  # bytes of the entry that holds it
ARCHIVE_PIECE = 256 * 1024  # bytes at once
SIGNATURE_SALT = "memories.moving.signing"  # stays as it is: a new one would disown every archive made before


class Origin(StrEnum):
    THIS_HUB = "signed by this hub"
    UNKNOWN = "not signed by this hub"
    CHANGED = "changed since this hub signed it"


class Seal:
    """A signature in the making. Every entry adds its name, its size and its digest, in the order of the archive."""

    def __init__(self, *, secret: str | bytes) -> None:
        self._secret = secret
        self._mac = salted_hmac(SIGNATURE_SALT, b"", secret=secret, algorithm="sha256")

    def add(self, *, name: str, size: int, digest: bytes) -> None:
        encoded = name.encode()
        self._mac.update(len(encoded).to_bytes(8) + encoded + size.to_bytes(8) + digest)

    @property
    def key(self) -> str:
        """Return a name for the key, which does not reveal it."""
        return salted_hmac(f"{SIGNATURE_SALT}.key", b"", secret=self._secret, algorithm="sha256").hexdigest()[:16]

    def hexdigest(self) -> str:
        return self._mac.hexdigest()


class EntryWriter:
    """Write one entry, and keep its size and its digest for the signature."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest, self.size = file, sha256(), 0

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    def digest(self) -> bytes:
        return self._digest.digest()


class SignedWriter:
    """Write the entries of an archive, and the signature after the last one."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive, self._seal = archive, Seal(secret=settings.SECRET_KEY)

    @contextmanager
    def open(self, name: str) -> Iterator[EntryWriter]:
        with self._archive.open(_zip_entry(name), "w", force_zip64=True) as file:
            writer = EntryWriter(file)
            yield writer
        self._seal.add(name=name, size=writer.size, digest=writer.digest())

    def write(self, name: str, text: str) -> None:
        with self.open(name) as entry:
            entry.write(text.encode())

    def sign(self) -> None:
        signature = {"key": self._seal.key, "hmac_sha256": self._seal.hexdigest()}
        self._archive.writestr(_zip_entry(SIGNATURE), json.dumps(signature, indent=2) + "\n")


def _zip_entry(name: str) -> ZipInfo:
    """Return an entry without a time of its own: the same rows make the same bytes."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def find_origin(archive: ZipFile) -> Origin:
    """Return whether this hub signed the archive, by its present secret key or by a former one."""
    *entries, last = archive.infolist()
    if last.filename != SIGNATURE:
        return Origin.UNKNOWN
    signature = _read_signature(archive)
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        seal = Seal(secret=secret)
        if seal.key == signature["key"]:
            return _verify(archive, entries, seal, expected=signature["hmac_sha256"])
    return Origin.UNKNOWN


def _read_signature(archive: ZipFile) -> dict[str, str]:
    with archive.open(SIGNATURE) as file:
        signature: Any = json.loads(file.read(MAX_SIGNATURE_BYTES))
    if not isinstance(signature, dict) or not all(
        isinstance(signature.get(name), str) for name in ("key", "hmac_sha256")
    ):
        raise Invalid({"archive": f"{SIGNATURE} is not a signature."})
    return signature


def _verify(archive: ZipFile, entries: list[ZipInfo], seal: Seal, *, expected: str) -> Origin:
    for entry in entries:
        digest = sha256()
        with archive.open(entry) as file:
            while piece := file.read(ARCHIVE_PIECE):
                digest.update(piece)
        seal.add(name=entry.filename, size=entry.file_size, digest=digest.digest())
    same = hmac.compare_digest(seal.hexdigest().encode(), expected.encode())
    return Origin.THIS_HUB if same else Origin.CHANGED
