"""JSON-RPC: the form of messages and of their answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryhub import strict_json
from memoryhub.errors import LONGEST_MESSAGE, Invalid, TooMany
from memoryhub.text import cut_text

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
RESOURCE_NOT_FOUND = -32002  # until 2025-11-25; from then on its parameters are invalid
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022
TOO_MANY_REQUESTS = -32029

Answer = dict[str, Any]
Id = str | int | None


class Refused(Exception):
    """A message that cannot be answered as it asks."""

    def __init__(self, code: int, message: str, *, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, cut_text(message, longest=LONGEST_MESSAGE), data


@dataclass(frozen=True, slots=True)
class Request:
    id: str | int
    method: str
    params: Mapping[str, Any]

    @property
    def meta(self) -> Mapping[str, Any]:
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}


def load_message(body: bytes) -> Any:
    try:
        return strict_json.load_json(body)
    except strict_json.NotJSON as error:
        raise Refused(PARSE_ERROR, str(error)) from error
    except Invalid as error:
        raise Refused(INVALID_REQUEST, error.message) from error


def get_message_id(message: object) -> Id:
    """Return the id that an answer to the message must carry, or None if it has no valid one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def parse_request(message: object) -> Request | None:
    """Return the request, or None if no answer is expected: for a notification, or a response that nobody asked for."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, "This is not a JSON-RPC 2.0 message.")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        raise Refused(INVALID_REQUEST, "The message does not name a method.")
    if not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "params must be an object.")
    if "id" not in message:
        return None
    identity = get_message_id(message)
    if identity is None:
        raise Refused(INVALID_REQUEST, "The id must be text or a whole number.")
    return Request(identity, method, params)


def refuse_too_many(error: TooMany) -> Refused:
    """Return the refusal of a message whose token has to wait, which says for how long."""
    return Refused(TOO_MANY_REQUESTS, error.message, data={"retry_after": error.retry_after})


def build_result(identity: Id, content: Mapping[str, Any]) -> Answer:
    return {"jsonrpc": "2.0", "id": identity, "result": content}


def build_error(identity: Id, refusal: Refused) -> Answer:
    content = {"code": refusal.code, "message": refusal.message}
    return {"jsonrpc": "2.0", "id": identity, "error": content | ({"data": refusal.data} if refusal.data else {})}
