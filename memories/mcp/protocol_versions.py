"""The revisions of the protocol: which one a message uses, and how they differ.

Until 2025-11-25 a client begins with the handshake `initialize` and names the agreed revision in a header; from
2026-07-28 on each request describes itself in `_meta`, and repeats in headers what intermediaries look at.
"""

import base64
import binascii
import re
from collections.abc import Mapping

from memories.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Refused,
    Request,
)
from memoryhub.text import cut_text

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
ALL = (*HANDSHAKE, *MODERN)
NEWEST_FIRST = ALL[::-1]
ASSUMED_VERSION = "2025-03-26"  # the last one without the header
BATCHING = "2025-03-26"  # the only one with batches

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER = "io.modelcontextprotocol/serverInfo"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}  # by Mcp-Name
ENCODED = re.compile(r"=\?base64\?(.*)\?=")

Headers = Mapping[str, str]


def batches(headers: Headers) -> bool:
    return negotiate_version(headers) == BATCHING


def is_modern(message: object, headers: Headers) -> bool:
    """Return whether the sender uses a revision without a handshake, be it known to us or not."""
    if version := headers.get("MCP-Protocol-Version"):
        return version not in HANDSHAKE
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION in meta


def negotiate_version(headers: Headers) -> str:
    return headers.get("MCP-Protocol-Version") or ASSUMED_VERSION


def read_revision(request: Request, headers: Headers) -> str:
    """Return the revision of a modern request, and refuse a request that does not keep to it."""
    version = headers.get("MCP-Protocol-Version")
    if missing := [name for name in (VERSION, CAPABILITIES) if name not in request.meta]:
        refuse_unknown(version or "")
        raise Refused(INVALID_PARAMS, f"params._meta needs {' and '.join(missing)}.")
    _refuse_other_headers(request, headers)
    refuse_unknown(request.meta[VERSION])
    return str(request.meta[VERSION])


def refuse_unknown(version: object) -> None:
    """Refuse a version that is not one of the modern revisions."""
    if version not in MODERN:
        data = {"supported": list(NEWEST_FIRST), "requested": cut_text(str(version), longest=200)}
        raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data)


def choose_status(refusal: Refused, *, modern: bool) -> int:
    """Return the HTTP status of a refusal. An invalid message is a bad request to all clients; otherwise older clients
    look into the body of a 200, while newer ones look at the status first."""
    if refusal.code == METHOD_NOT_FOUND:
        return 404 if modern else 200
    return 400 if modern or refusal.code == INVALID_REQUEST else 200


def _refuse_other_headers(request: Request, headers: Headers) -> None:
    expected = {"MCP-Protocol-Version": request.meta[VERSION], "Mcp-Method": request.method}
    name = request.params.get(NAMED.get(request.method, ""))
    if name is not None:
        expected["Mcp-Name"] = name
    for header, value in expected.items():
        if _decode_header(headers.get(header)) != value:
            raise Refused(HEADER_MISMATCH, f"The header {header} must agree with the body.")


def _decode_header(value: str | None) -> str | None:
    """Return the value of a header, decoded if it came in base64 because it does not fit into a header as it is."""
    found = ENCODED.fullmatch(value or "")
    if not found:
        return value
    try:
        return base64.b64decode(found[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
