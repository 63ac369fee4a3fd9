"""Ids of other teams and organizations, in every place of every endpoint that takes one: there is nothing, and nothing
changes. The endpoints come from the URL map, so that a new one cannot be forgotten."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from memories import operations
from memories.contract import inputs
from memoryhub.ids import parse_uuid
from tests import factories
from tests.belongings import SECRET_WORD, belongings, call, places_of
from tests.cast import Cast
from tests.doors import headers
from tests.test_api_schema import ENDPOINTS

STRANGERS = ("stranger", "outsider", "elsewhere")
OWN = {  # whoever says another's name there makes its own
    "put keys/<path:key>": 201,
    "put files/<path:path>": 201,
    "put sessions/<path:name>": 201,
    "post sessions/<path:name>/archive": 201,
    "post sessions/<path:name>/extract": 200,
}

REFUSED = {  # to every agent; owners do it on their pages. And nobody has settled the pair.
    "post memories/<uuid:memory_id>/purge": 403,
    "post pairs/<uuid:pair_id>/reopen": 409,
}


def attempts(places: set[str], theirs: dict[str, str], mine: dict[str, str]) -> Iterator[dict[str, str]]:
    """All of theirs, and each single one of theirs among mine."""
    yield {place: theirs[place] for place in places}
    for chosen in places if len(places) > 1 else ():
        yield {place: (theirs if place == chosen else mine)[place] for place in places}


def expected_status(endpoint: str, names: dict[str, str], mine: dict[str, str]) -> int:
    """Nothing there; but another's id as a filter leaves an empty answer."""
    theirs = {place for place, value in names.items() if value != mine[place]}
    if theirs <= set(inputs.FILTERS) or endpoint == "get pairs":
        return 200
    return OWN.get(endpoint, 404)


TOOLS = "post tools/"  # `tests.writing` and `tests.doors` try what each of them takes
TAKING = [name for name, said in ENDPOINTS.items() if places_of(name, said) and not name.startswith(TOOLS)]


@pytest.mark.parametrize("endpoint", TAKING)
def test_what_is_not_yours_is_not_there(cast: Cast, endpoint: str) -> None:
    said = ENDPOINTS[endpoint]
    writer = replace(cast["writer"], context=replace(cast["writer"].context, session="theirs/chat"))
    theirs = belongings(writer.actor(), "theirs", SECRET_WORD)
    before = theirs.rows()
    for name in STRANGERS:
        mine = belongings(cast[name].actor(), f"mine of {name}", "My own drawer.")
        for names in attempts(places_of(endpoint, said), theirs.places, mine.places):
            response = call(headers(cast[name]), endpoint, said, names)
            text = b"".join(response).decode()
            assert response.status_code == expected_status(endpoint, names, mine.places), (name, names, text)
            assert SECRET_WORD not in text
            assert theirs.rows() == before, (name, names)
            unknown = {
                place: value if value == mine.places[place] else nowhere(value) for place, value in names.items()
            }
            refused = call(headers(cast[name]), endpoint, said, unknown)
            if response.status_code == 404:
                assert nameless(text, names) == nameless(b"".join(refused).decode(), unknown)


def nowhere(value: str) -> str:
    """The same kind of name, of nothing."""
    return "nowhere" if parse_uuid(value) is None else str(uuid4())


def nameless(text: str, names: dict[str, str]) -> str:
    for value in names.values():
        text = text.replace(value, "…")
    return text


def test_the_same_calls_reach_what_is_ones_own(cast: Cast) -> None:
    """So that the test above is about strangers, and not about calls that nobody could make."""
    for endpoint in TAKING:
        own = belongings(cast["writer"].actor(), f"of {TAKING.index(endpoint)}", SECRET_WORD)
        names = own.places | {"key": own.memory.key}
        if endpoint.endswith("/verify"):  # which an agent cannot do for what it wrote
            names["memory_id"] = str(factories.memory(cast["teammate"].actor()).pk)
        if endpoint.endswith("/restore"):
            operations.forget_memory(actor=cast["writer"].actor(), memory_id=own.memory.pk)
        if endpoint.endswith("/reinstate"):
            by = own.link.target_id
            operations.supersede_memory(actor=cast["writer"].actor(), memory_id=own.memory.pk, by=by)
        response = call(headers(cast["writer"]), endpoint, ENDPOINTS[endpoint], names)
        assert response.status_code < 300 or response.status_code == REFUSED.get(endpoint), endpoint
        b"".join(response)  # a file is open until it is read
