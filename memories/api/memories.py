"""Memories: listed, saved, read, changed, forgotten and brought back."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import finding, operations, reading
from memories.api import answers, bodies, shapes, versions
from memories.api.answering import Shape, made_or_changed, written
from memories.api.describing import IF_MATCH, IF_NONE_MATCH, endpoint
from memories.api.door import actor_of, document
from memories.filtering import narrowed
from memories.models import Memory, Revision
from memories.paging import page
from memories.schemas import checked
from memoryhub.errors import Invalid, Trouble
from teams.actor import Actor
from teams.models import Verb

EXAMPLE = {"content": answers.MEMORY_EXAMPLE["content"], "key": "berth-7", "type": "event", "tags": ["berths"]}
CHANGED = answers.MEMORY_EXAMPLE | {"version": 2, "pinned": True}


class Memories(APIView):
    @endpoint(
        summary="List memories",
        asks=bodies.LIST,
        gives=answers.page("memories", answers.MEMORY),
        answer={"memories": [answers.MEMORY_EXAMPLE], "next": None},
    )
    def get(self, request: Request, asked: Mapping[str, Any]) -> Response:
        """What the token may see, page by page. Rows that are added meanwhile neither hide nor repeat others."""
        return Response(listed(actor_of(request), asked))

    @endpoint(
        summary="Save a memory",
        takes=bodies.SAVE,
        gives=answers.SAVED_OR_RECEIPT,
        status=(201, 200),
        parameters=[IF_MATCH],
        example=EXAMPLE,
        answer=answers.MEMORY_EXAMPLE | {"similar": []},
        writes=True,
    )
    def post(self, request: Request, said: dict[str, Any]) -> Response:
        """A key that lives already gets a new version (200), in which what is left unsaid stays as it is. `similar`
        names the memories that say nearly the same."""
        version = versions.expected(request, said=said.pop("version", None))
        memory = operations.save(actor=actor_of(request), draft=operations.Draft(**said), version=version)
        return written(request, memory, shape=shapes.saved, status=made_or_changed(memory.version))


def listed(actor: Actor, asked: Mapping[str, Any]) -> dict[str, Any]:
    order = asked["order"]
    rows, parts = narrowed(actor=actor, asked=asked)
    wanted = {"order": order, "limit": asked["limit"], "cursor": asked.get("cursor"), "parts": parts}
    if asked["forgotten"]:
        return page(rows.with_usage().defer("search"), **wanted).shaped("memories", shapes.forgotten)
    found = page(rows, **wanted, read=lambda rows: reading.in_order(actor=actor, rows=rows, order=order))
    return found.shaped("memories", shapes.memory)


class Batch(APIView):
    @endpoint(
        summary="Save many memories",
        takes=bodies.BATCH,
        gives=answers.BATCH,
        example={"memories": [EXAMPLE]},
        answer={"memories": [answers.MEMORY_EXAMPLE]},
        writes=True,
    )
    def post(self, request: Request, said: Mapping[str, Any]) -> Response:
        """Answers in the same order. All or none; with `each`, every one has its own result, a memory or a problem."""
        return Response(saved_together(actor_of(request), said))


def saved_together(actor: Actor, said: Mapping[str, Any]) -> dict[str, Any]:
    memories, shape = said["memories"], shapes.memory if actor.may(Verb.READ) else shapes.receipt
    if said["each"]:
        return {"results": [_result(result, shape) for result in _save_each(actor, memories)]}
    drafts = [operations.Draft(**draft) for draft in checked(bodies.DRAFTS, {"memories": memories})["memories"]]
    return {"memories": [shape(memory) for memory in save_all(actor, drafts)]}


def save_all(actor: Actor, drafts: Sequence[operations.Draft]) -> list[Memory]:
    try:
        return operations.save_many(actor=actor, drafts=drafts)
    except Invalid as error:
        if error.position is None:
            raise
        place = f"memories.{error.position}"
        raise type(error)({f"{place}.{name}": sentence for name, sentence in error.fields.items()}) from error


def _save_each(actor: Actor, memories: Sequence[object]) -> list[Memory | Trouble]:
    read = [_draft_or_refusal(memory) for memory in memories]
    drafts = [draft for draft in read if isinstance(draft, operations.Draft)]
    saved = iter(operations.save_each(actor=actor, drafts=drafts))
    return [next(saved) if isinstance(found, operations.Draft) else found for found in read]


def _draft_or_refusal(said: object) -> operations.Draft | Invalid:
    try:
        return operations.Draft(**checked(bodies.DRAFT, said))
    except Invalid as refusal:
        return refusal


def _result(result: Memory | Trouble, shape: Shape) -> dict[str, Any]:
    return {"memory": shape(result)} if isinstance(result, Memory) else {"problem": document(result)}


class OneMemory(APIView):
    @endpoint(
        summary="Read a memory",
        gives=answers.MEMORY,
        parameters=[IF_NONE_MATCH],
        answer=answers.MEMORY_EXAMPLE,
    )
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The ETag is of this version alone."""
        memory = finding.memory(actor=actor_of(request), memory_id=memory_id)
        return versions.answered(request, shapes.memory(memory), etag=versions.tag(memory))

    @endpoint(
        summary="Change a memory",
        takes=bodies.CHANGE,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"pinned": True},
        answer=CHANGED,
        writes=True,
    )
    def patch(self, request: Request, memory_id: UUID, said: dict[str, Any]) -> Response:
        """Overwrites the fields that are said; null empties one."""
        version = versions.expected(request, said=said.pop("version", None))
        return written(
            request, operations.update(actor=actor_of(request), memory_id=memory_id, version=version, **said)
        )

    @endpoint(
        summary="Forget a memory",
        asks={"reason": bodies.REASON},
        gives=answers.RECEIPT,
        parameters=[IF_MATCH],
        answer={"id": answers.MEMORY_EXAMPLE["id"], "key": "berth-7", "version": 2},
        writes=True,
    )
    def delete(self, request: Request, memory_id: UUID, asked: Mapping[str, Any]) -> Response:
        """Gone from every read, kept for audit; it can be restored."""
        version = versions.expected(request)
        gone = operations.forget(actor=actor_of(request), memory_id=memory_id, version=version, **asked)
        return Response(shapes.receipt(gone), headers={"ETag": versions.tag(gone)})


class Append(APIView):
    @endpoint(
        summary="Add to a memory",
        takes=bodies.APPEND,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"text": "The crane comes on Friday."},
        answer=CHANGED,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: Mapping[str, Any]) -> Response:
        """Adds to the content on a line of its own, whatever others add meanwhile."""
        version = versions.expected(request, said=said.get("version"))
        memory = operations.append(actor=actor_of(request), memory_id=memory_id, text=said["text"], version=version)
        return written(request, memory)


class Verify(APIView):
    @endpoint(
        summary="Note that a memory is still true",
        takes=bodies.VERIFY,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"review_by": "2027-05-01T00:00:00Z"},
        answer=CHANGED | {"verified_at": "2026-11-02T09:00:00Z", "verified_by": "harbour-bot"},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: Mapping[str, Any]) -> Response:
        """And when to look again, if that is said."""
        version = versions.expected(request, said=said.get("version"))
        review_by = said.get("review_by")
        memory = operations.verify(actor=actor_of(request), memory_id=memory_id, review_by=review_by, version=version)
        return written(request, memory)


class Restore(APIView):
    @endpoint(
        summary="Bring back a forgotten memory",
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        answer=CHANGED,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """If its key has a new owner by now, it comes back without owning the key. `GET /memories?forgotten=true` lists
        what can be brought back."""
        version = versions.expected(request)
        return written(request, operations.restore(actor=actor_of(request), memory_id=memory_id, version=version))


class History(APIView):
    @endpoint(
        summary="Every version of a memory",
        asks=bodies.PAGE,
        gives=answers.page("versions", answers.REVISION),
        answer={"versions": [answers.REVISION_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, asked: Mapping[str, Any]) -> Response:
        """The newest first, each in full. Versions that were written for another audience stay with them."""
        return Response(versions_of(actor_of(request), memory_id, asked))


def versions_of(actor: Actor, memory_id: UUID, asked: Mapping[str, Any]) -> dict[str, Any]:
    memory = finding.memory(actor=actor, memory_id=memory_id)
    rows = Revision.objects.filter(
        organization=memory.organization_id, memory=memory_id, audience=memory.audience
    ).select_related("agent", "user")
    found = page(rows, order="-version", limit=asked["limit"], cursor=asked.get("cursor"))
    return found.shaped("versions", shapes.version)


class Revert(APIView):
    @endpoint(
        summary="Make an old version the newest",
        takes=bodies.REVERT,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"to_version": 1},
        answer=CHANGED | {"version": 3},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: Mapping[str, Any]) -> Response:
        """A new version that says what the old one said. An expiry that has passed meanwhile does not come back."""
        version = versions.expected(request, said=said.get("version"))
        to_version = said["to_version"]
        memory = operations.revert(actor=actor_of(request), memory_id=memory_id, to_version=to_version, version=version)
        return written(request, memory)
