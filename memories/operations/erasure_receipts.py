"""Receipts of erasures, signed by the hub, and the file of all of them.

The file is kept in the data folder, outside the database: a backup from before an erasure does not know of it. Whoever
restores one replays the file.
"""

import hmac
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from memoryhub.errors import Invalid
from memoryhub.ids import parse_uuid

RECEIPT_SALT = "memories.erasures.receipt"  # stays as it is: a new one would disown every receipt made before
HANDLE_SALT = "memories.erasures.handle"
Receipt = dict[str, Any]
ID_LISTS = ("memory_ids", "file_ids")


def digest_handle(organization_id: object, handle: str, *, secret: str | bytes | None = None) -> str:
    """Return a digest of a handle, by which nobody but this hub can tell whose it is."""
    return salted_hmac(
        HANDLE_SALT, f"{organization_id} {handle}", secret=secret or settings.SECRET_KEY, algorithm="sha256"
    ).hexdigest()


def sign_receipt(receipt: Mapping[str, Any]) -> Receipt:
    return {**receipt, "signature": _sign(receipt, settings.SECRET_KEY)}


def _sign(receipt: Mapping[str, Any], secret: str | bytes) -> str:
    unsigned = {name: value for name, value in receipt.items() if name != "signature"}
    return salted_hmac(
        RECEIPT_SALT, json.dumps(unsigned, sort_keys=True), secret=secret, algorithm="sha256"
    ).hexdigest()


def read_receipt(text: str) -> Receipt:
    """Return a receipt that this hub has signed, by its present secret key or a former one, and nobody changed."""
    try:
        receipt = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid({"receipt": "This is not the JSON of a receipt."}) from error
    if not _is_receipt(receipt):
        raise Invalid({"receipt": "This is not a receipt of an erasure."})
    if not any(hmac.compare_digest(_sign(receipt, secret), receipt["signature"]) for secret in _list_secrets()):
        raise Invalid({"receipt": "This hub has not signed this receipt, or it was changed since."})
    return dict(receipt)


def names_handle(receipt: Mapping[str, Any], handle: str) -> bool:
    """Return whether the receipt is about the person who had this handle."""
    digests = [digest_handle(receipt["organization"], handle, secret=secret) for secret in _list_secrets()]
    return receipt["handle_hmac"] in digests


def _list_secrets() -> list[str | bytes]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _is_receipt(receipt: object) -> bool:
    if not isinstance(receipt, dict):
        return False
    ids = [receipt.get("id"), receipt.get("organization"), receipt.get("person")]
    for name in ID_LISTS:
        ids += receipt[name] if isinstance(receipt.get(name), list) else [None]
    texts = all(isinstance(receipt.get(name), str) for name in ("signature", "handle_hmac", "erased_at"))
    return texts and receipt["signature"].isascii() and all(isinstance(pk, str) and parse_uuid(pk) for pk in ids)


def append_receipt(receipt: Mapping[str, Any]) -> None:
    """Add the receipt to the file, which is on disk when this returns."""
    path = Path(settings.ERASURES_FILE)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
            file.write(json.dumps(receipt, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise Invalid({"erasures": f"{path} cannot be written, so nothing was erased: {error.strerror}."}) from error


def read_receipts() -> list[Receipt]:
    """Return the receipts of all erasures; refuse to go on if the file cannot be read."""
    path = Path(settings.ERASURES_FILE)
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid({"erasures": f"{path}, the list of erased people, cannot be read: {error}."}) from error
    return list(_read_lines(path, lines))


def _read_lines(path: Path, lines: list[str]) -> Iterator[Receipt]:
    for number, line in enumerate(lines, start=1):
        try:
            yield read_receipt(line)
        except Invalid as error:
            raise Invalid({"erasures": f"{path}, line {number}: {error.message}"}) from error
