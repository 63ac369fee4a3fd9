"""One agent's belongings, with which tests check whether other agents can reach them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client

from memories import operations
from memories.api.openapi import Published
from memories.contract import inputs
from memories.models import (
    Asset,
    Association,
    Feedback,
    FileVersion,
    Memory,
    Pair,
    PairKind,
    Proposal,
    ProposalCause,
    ProposedOperation,
    Revision,
    Scope,
    Source,
    TeamFile,
)
from memories.operations.propose import NeedsApproval, propose_change
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent
from tests.anchors import anchor

SECRET_WORD = "The pager is in the left drawer."


@dataclass(frozen=True)
class Belongings:
    """The belongings of one agent, with their ids and names by the parameters that take them."""

    memory: Memory
    link: Association
    pair: Pair
    asset: Asset
    source: Source
    proposal: Proposal
    file: TeamFile
    session: str

    @property
    def places(self) -> dict[str, str]:
        return {
            "memory_id": str(self.memory.pk),
            "target_id": str(self.link.target_id),
            "by": str(self.link.target_id),
            "pair_id": str(self.pair.pk),
            "keep": str(self.memory.pk),
            "asset_id": str(self.asset.pk),
            "source_id": str(self.source.pk),
            "proposal_id": str(self.proposal.pk),
            "key": self.memory.key,
            "path": self.file.path,
            "name": self.session,
            "project_id": str(self.memory.project_id or self.memory.pk),
            "agent_id": str(self.memory.agent_id),
            "person_id": str(self.memory.person_id or self.memory.pk),
            "session_id": str(self.memory.session_id or self.memory.pk),
        }

    def rows(self) -> tuple[Any, ...]:
        """Return the rows of all belongings as they are in the database."""
        ends = [self.memory.pk, self.link.target_id]
        with connection.cursor() as cursor:
            cursor.execute(BELONGING_ROWS, {"ends": ends, "memory": self.memory.pk, "file": self.file.pk})
            found: tuple[Any, ...] = cursor.fetchone()
        return found


HANGING = {
    Memory: "id = ANY(%(ends)s)",
    Revision: "memory_id = ANY(%(ends)s)",
    Association: "%(ends)s && ARRAY[origin_id, target_id]",
    Pair: "%(ends)s && ARRAY[older_id, newer_id]",
    Asset: "memory_id = %(memory)s",
    Source: "memory_id = %(memory)s",
    Proposal: "memory_id = %(memory)s",
    Feedback: "memory_id = %(memory)s",
    TeamFile: "id = %(file)s",
    FileVersion: "file_id = %(file)s",
}
BELONGING_ROWS = "SELECT " + ", ".join(
    f"(SELECT json_agg(row ORDER BY id)::text FROM {model._meta.db_table} AS row WHERE {rule})"
    for model, rule in HANGING.items()
)


def belongings(actor: Actor, name: str, content: str = SECRET_WORD, *, scope: Scope = Scope.TEAM) -> Belongings:
    def save(text: str, key: str = "") -> Memory:
        return operations.save_memory(actor=actor, draft=operations.Draft(content=text, key=key, scope=scope))

    memory, other = save(content, f"{name}/key"), save(f"Lunch of {name}.")
    upload = ContentFile(content.encode())
    return Belongings(
        memory,
        operations.associate(actor=actor, origin_id=memory.pk, target_id=other.pk),
        pair_up(memory, other),
        operations.attach_file(actor=actor, memory_id=memory.pk, file=upload, name="x.txt"),
        operations.add_citation(actor=actor, memory_id=memory.pk, quote=content, anchor=anchor()),
        propose_append(actor, memory, content),
        operations.files.write_file(actor=actor, path=f"{name}/file.md", content=content),
        registry.open_session(agent=Agent.objects.get(pk=actor.agent_id), name=f"{name}/chat").name,
    )


def propose_append(actor: Actor, memory: Memory, text: str) -> Proposal:
    """Return an addition that waits for a decision."""
    held = NeedsApproval(memory, "It needs a person's approval.", cause=ProposalCause.REQUEST)
    changed = propose_change(ProposedOperation.APPEND, held, actor, {"text": text})
    return Proposal.objects.get(pk=changed.proposal_id)


def pair_up(older: Memory, newer: Memory) -> Pair:
    return Pair.objects.create(
        organization_id=older.organization_id,
        older=older,
        newer=newer,
        audience=older.audience,
        kind=PairKind.NEAR_DUPLICATE,
        fingerprint="of a test",
    )


def places_of(endpoint: str, said: Published) -> set[str]:
    """Return the parameters in which an endpoint takes an id or a name."""
    inside = dict(said.query) | (said.body or {}).get("properties", {})
    ids = {name for name, schema in inside.items() if schema.get("format") == "uuid"}
    return ids | set(re.findall(r"<\w+:(\w+)>", endpoint))


def call(headers: dict[str, str], endpoint: str, said: Published, names: dict[str, str]) -> Any:
    """Call an endpoint with its own example, with these names where it takes names, and return the response."""
    method, pattern = endpoint.split(" ")
    path = re.sub(r"<\w+:(\w+)>", lambda place: names[place[1]], pattern)
    asked = {name: names[name] for name in said.query if name in names}
    asked |= {"relation": "related_to"} if "relation" in said.query else {}
    body = dict(said.example) if isinstance(said.example, dict) else {}
    body |= {name: names[name] for name in (said.body or {}).get("properties", {}) if name in names and name != "path"}
    if said.body is inputs.UPLOAD:
        return Client().post(f"/api/v1/{path}", {"file": SimpleUploadedFile("a", b"x")}, headers=headers)
    client: Any = getattr(Client(), method)
    query = {"query_params": asked} if asked else {}
    sent = {} if said.body is None else {"data": body, "content_type": "application/json"}
    return client(f"/api/v1/{path}", **query, **sent, headers=headers)


@contextmanager
def undone() -> Iterator[None]:
    """Roll back whatever is written inside the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
