"""Ids of other teams and organizations, in every place of every endpoint that takes one: there is nothing, and nothing
changes. The endpoints come from the URL map, so that a new one cannot be forgotten."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model
from django.test import Client

from memories import operations
from memories.api import bodies
from memories.api.describing import Published
from memories.models import Asset, Association, FileVersion, Memory, Revision, Source, TeamFile
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent
from tests.cast import Cast, Member
from tests.doors import headers
from tests.test_api_schema import ENDPOINTS

STRANGERS = ("stranger", "outsider", "elsewhere")
SECRET = "The pager is in the left drawer."
OWN = {  # whoever says another's name there makes its own
    "put keys/<path:key>": 201,
    "put files/<path:path>": 201,
    "put sessions/<path:name>": 201,
    "post sessions/<path:name>/archive": 201,
    "post sessions/<path:name>/extract": 200,
}


@dataclass(frozen=True)
class Belongings:
    """What one agent has, by the places in which its ids and names are said."""

    memory: Memory
    link: Association
    asset: Asset
    source: Source
    file: TeamFile
    session: str

    @property
    def places(self) -> dict[str, str]:
        return {
            "memory_id": str(self.memory.pk),
            "target_id": str(self.link.target_id),
            "asset_id": str(self.asset.pk),
            "source_id": str(self.source.pk),
            "key": self.memory.key,
            "path": self.file.path,
            "name": self.session,
            "project_id": str(self.memory.project_id or self.memory.pk),
            "agent_id": str(self.memory.agent_id),
            "person_id": str(self.memory.person_id or self.memory.pk),
            "session_id": str(self.memory.session_id or self.memory.pk),
        }

    def rows(self) -> list[list[dict[str, Any]]]:
        """All of it, as it stands in the database."""
        models: list[tuple[type[Model], dict[str, Any]]] = [
            (Memory, {"pk__in": [self.memory.pk, self.link.target_id]}),
            (Revision, {"memory__in": [self.memory.pk, self.link.target_id]}),
            (Association, {"origin__in": [self.memory.pk, self.link.target_id]}),
            (Association, {"target__in": [self.memory.pk, self.link.target_id]}),
            (Asset, {"memory": self.memory}),
            (Source, {"memory": self.memory}),
            (TeamFile, {"pk": self.file.pk}),
            (FileVersion, {"file": self.file}),
        ]
        return [list(model._default_manager.filter(**rule).order_by("pk").values()) for model, rule in models]


def belongings(actor: Actor, name: str, content: str) -> Belongings:
    memory = operations.save(actor=actor, draft=operations.Draft(content=content, key=f"{name}/key"))
    other = operations.save(actor=actor, draft=operations.Draft(content=f"Lunch of {name}."))
    upload = ContentFile(content.encode())
    return Belongings(
        memory,
        operations.associate(actor=actor, origin_id=memory.pk, target_id=other.pk),
        operations.attach(actor=actor, memory_id=memory.pk, file=upload, name="x.txt"),
        operations.cite(actor=actor, memory_id=memory.pk, quote=content),
        operations.files.write(actor=actor, path=f"{name}/file.md", content=content),
        registry.open_session(agent=Agent.objects.get(pk=actor.agent_id), name=f"{name}/chat").name,
    )


def places_of(endpoint: str, said: Published) -> set[str]:
    """Every place in which it is told an id or a name."""
    inside = dict(said.asks) | (said.takes or {}).get("properties", {})
    ids = {name for name, schema in inside.items() if schema.get("format") == "uuid"}
    return ids | set(re.findall(r"<\w+:(\w+)>", endpoint))


def attempts(places: set[str], theirs: dict[str, str], mine: dict[str, str]) -> Iterator[dict[str, str]]:
    """All of theirs, and each single one of theirs among mine."""
    yield {place: theirs[place] for place in places}
    for chosen in places if len(places) > 1 else ():
        yield {place: (theirs if place == chosen else mine)[place] for place in places}


def expected(endpoint: str, names: dict[str, str], mine: dict[str, str]) -> int:
    """Nothing there; but another's id as a filter leaves an empty answer."""
    theirs = {place for place, value in names.items() if value != mine[place]}
    if theirs <= set(bodies.FILTERS):
        return 200
    return OWN.get(endpoint, 404)


def call(member: Member, endpoint: str, said: Published, names: dict[str, str]) -> Any:
    method, pattern = endpoint.split(" ")
    path = re.sub(r"<\w+:(\w+)>", lambda place: names[place[1]], pattern)
    asked = {name: names[name] for name in said.asks if name in names}
    asked |= {"relation": "related_to"} if "relation" in said.asks else {}
    body = dict(said.example) if isinstance(said.example, dict) else {}
    body |= {name: names[name] for name in (said.takes or {}).get("properties", {}) if name in names and name != "path"}
    if said.takes is bodies.UPLOAD:
        return Client().post(f"/api/v1/{path}", {"file": SimpleUploadedFile("a", b"x")}, headers=headers(member))
    client: Any = getattr(Client(), method)
    query = {"query_params": asked} if asked else {}
    sent = {} if said.takes is None else {"data": body, "content_type": "application/json"}
    return client(f"/api/v1/{path}", **query, **sent, headers=headers(member))


TOOLS = "post tools/"  # each dialect's tests try what its tools take
TAKING = [name for name, said in ENDPOINTS.items() if places_of(name, said) and not name.startswith(TOOLS)]


@pytest.mark.parametrize("endpoint", TAKING)
def test_what_is_not_yours_is_not_there(cast: Cast, endpoint: str) -> None:
    said = ENDPOINTS[endpoint]
    theirs = belongings(cast["writer"].actor(), "theirs", SECRET)
    before = theirs.rows()
    for name in STRANGERS:
        mine = belongings(cast[name].actor(), f"mine of {name}", "My own drawer.")
        for names in attempts(places_of(endpoint, said), theirs.places, mine.places):
            response = call(cast[name], endpoint, said, names)
            assert response.status_code == expected(endpoint, names, mine.places), (name, names, response.content)
            assert SECRET not in str(b"".join(response))
            assert theirs.rows() == before, (name, names)


def test_the_same_calls_reach_what_is_ones_own(cast: Cast) -> None:
    """So that the test above is about strangers, and not about calls that nobody could make."""
    for endpoint in TAKING:
        own = belongings(cast["writer"].actor(), f"of {TAKING.index(endpoint)}", SECRET)
        names = own.places | {"key": own.memory.key}
        if endpoint.endswith("/restore"):
            operations.forget(actor=cast["writer"].actor(), memory_id=own.memory.pk)
        response = call(cast["writer"], endpoint, ENDPOINTS[endpoint], names)
        assert response.status_code < 300, endpoint
        b"".join(response)  # a file is open until it is read
