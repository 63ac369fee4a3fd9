"""JSON-RPC: what a message is, and what its answer looks like."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryhub import json
from memoryhub.errors import Invalid

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
RESOURCE_NOT_FOUND = -32002  # until 2025-11-25; from then on its parameters are invalid
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

Answer = dict[str, Any]
Id = str | int | None


class Refused(Exception):
    """A message that cannot be answered as it asks."""

    def __init__(self, code: int, message: str, *, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True, slots=True)
class Request:
    id: str | int
    method: str
    params: Mapping[str, Any]

    @property
    def meta(self) -> Mapping[str, Any]:
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}


def loaded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except json.NotJSON as error:
        raise Refused(PARSE_ERROR, str(error)) from error
    except Invalid as error:
        raise Refused(INVALID_REQUEST, error.message) from error


def id_of(said: object) -> Id:
    """What an answer to it must name, as far as that can be told."""
    found = said.get("id") if isinstance(said, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def request(said: object) -> Request | None:
    """The request; None where no answer is expected: a notification, or a response to what nobody asked."""
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, "This is no JSON-RPC 2.0 message.")
    if "method" not in said and ("result" in said or "error" in said):
        return None
    method, params = said.get("method"), said.get("params", {})
    if not isinstance(method, str):
        raise Refused(INVALID_REQUEST, "A message names a method.")
    if not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "params must be an object.")
    if "id" not in said:
        return None
    identity = id_of(said)
    if identity is None:
        raise Refused(INVALID_REQUEST, "The id must be text or a whole number.")
    return Request(identity, method, params)


def result(identity: Id, content: Mapping[str, Any]) -> Answer:
    return {"jsonrpc": "2.0", "id": identity, "result": content}


def error(identity: Id, refusal: Refused) -> Answer:
    told = {"code": refusal.code, "message": refusal.message}
    return {"jsonrpc": "2.0", "id": identity, "error": told | ({"data": refusal.data} if refusal.data else {})}
