"""JSON as it comes in. A name that is said twice in one object is refused: who wrote it may have meant either."""

import json
from typing import Any

import orjson

from memoryhub.errors import Invalid


class NotJSON(Exception):
    """And where it is not."""


def loads(body: bytes) -> Any:
    try:
        found = orjson.loads(body)  # refuses NaN, broken UTF-8 and what is nested too deep
        json.loads(body, object_pairs_hook=_each_once)  # for orjson keeps the last of two in silence
    except orjson.JSONDecodeError as error:
        raise NotJSON(f"This is not JSON: {error}.") from error
    except RecursionError as error:
        raise NotJSON("This is nested too deep.") from error
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Invalid({name: "This is said twice." for name in names if names.count(name) > 1})
