"""Parses incoming JSON strictly: a name that occurs twice in one object is refused, since either value may be meant."""

import json
import re
from collections import Counter
from itertools import chain, islice
from typing import Any

import orjson

from memoryhub.errors import Invalid

MAX_JSON_DEPTH = 500  # nested lists and objects; the code that reads them is recursive
MAX_REPEATED_NAMES = 10  # repeated names that a refusal lists
# A quotation mark that ends a string before a colon, as every name does. After a backslash it is inside a string.
NAME_END = re.compile(rb'"(?<!\\")[ \t\n\r]*:')
ESCAPED_BACKSLASH = rb'\\"'  # a name that ends with a backslash, which the pattern above misses


class NotJSON(Exception):
    """Says why and where a body is not JSON."""


def load_json(body: bytes) -> Any:
    try:
        value = orjson.loads(body)  # refuses NaN, broken UTF-8 and lone surrogates
        if _may_repeat_names(body, value):  # orjson silently keeps the last of two
            _REFUSING_REPETITION.decode(body.decode())
    except orjson.JSONDecodeError as error:
        raise NotJSON(f"This is not JSON: {error}.") from error
    return value


def _may_repeat_names(body: bytes, value: Any) -> bool:
    """Return whether the body could have more names than the parsed value: cheaper than parsing it twice."""
    return len(NAME_END.findall(body)) > _count_names(value) or ESCAPED_BACKSLASH in body


def _count_names(value: Any) -> int:
    """Count the names level by level, so that the allowed depth does not depend on the caller's stack."""
    count, depth, level = 0, 0, [value]
    while level:
        if depth > MAX_JSON_DEPTH:
            raise NotJSON(f"This is nested more than {MAX_JSON_DEPTH} deep.")
        objects = [value for value in level if isinstance(value, dict)]
        lists = [value for value in level if isinstance(value, list)]
        count, depth = count + sum(map(len, objects)), depth + 1
        level = [*chain.from_iterable(value.values() for value in objects), *chain.from_iterable(lists)]
    return count


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) == len(pairs):
        return
    counts = Counter(name for name, _ in pairs)
    repeated = (name for name, count in counts.items() if count > 1)
    raise Invalid(dict.fromkeys(islice(repeated, MAX_REPEATED_NAMES), "This name occurs twice."))


_REFUSING_REPETITION = json.JSONDecoder(object_pairs_hook=_refuse_repeated_names)
