"""Extracting: what a conversation is worth remembering for, saved once and with where it comes from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories import archives
from memories.archives import Message
from memories.extraction import Extracted, Proposal, extract
from memories.fields import UNSAID, clean
from memories.models import Change, Memory, Scope, TeamFile
from memories.operations.archiving import CATEGORY, session_name
from memories.operations.attaching import cite
from memories.operations.embedding import drop
from memories.operations.recording import record, require
from memories.operations.saving import Draft, audience_of, save
from memoryhub import locks
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor
from teams.models import Person, Verb

HELD = "Held for review: restore it to approve it."


def propose(
    *, actor: Actor, messages: Sequence[Message] | None = None, scope: str = Scope.TEAM, now: datetime | None = None
) -> Extracted:
    """What is worth remembering of these messages, or of the session's newest archive. Nothing is saved yet; no
    transaction is open, for a model may take its time."""
    require(actor, Verb.WRITE)
    audience_of(actor=actor, scope=Scope(clean({"scope": scope}, now=now or timezone.now())["scope"]))
    spoken = _archived(actor) if messages is None else archives.checked(messages)
    return extract(spoken, person=_person_handle(actor))


def _person_handle(actor: Actor) -> str:
    if actor.person_id is None:
        return ""
    return Person.objects.values_list("handle", flat=True).get(organization=actor.organization_id, pk=actor.person_id)


def _archived(actor: Actor) -> tuple[Message, ...]:
    require(actor, Verb.READ)
    own = Memory.objects.visible_to(actor).filter(session=actor.session_id, agent=actor.agent_id, category=CATEGORY)
    paths = own.filter(audience=actor.team_id).exclude(key="").order_by("-updated_at").values_list("key", flat=True)
    path = paths.first() if actor.session_id else None
    file = TeamFile.objects.visible_to(actor).filter(team=actor.team_id).at(path or "").defer("search").first()
    if file is None:
        raise NotFound("This session has no archive; send its messages.")
    try:
        return archives.read(file.content)
    except archives.Unreadable as error:
        raise Invalid({"messages": f"{error} Send its messages."}) from error


@dataclass(frozen=True, slots=True)
class Known:
    """A proposal that was not saved, and the memory that says it already."""

    proposal: Proposal
    memory_id: UUID
    similarity: float


@dataclass(frozen=True, slots=True)
class Remembered:
    saved: tuple[Memory, ...] = ()
    held: tuple[Memory, ...] = ()
    known: tuple[Known, ...] = ()


class _Repeats(Exception):
    """Undoes a save that said nothing new."""

    def __init__(self, memory_id: UUID, similarity: float) -> None:
        super().__init__(memory_id)
        self.memory_id, self.similarity = memory_id, similarity


@transaction.atomic
def remember(
    *,
    actor: Actor,
    proposals: Sequence[Proposal],
    scope: str = Scope.TEAM,
    hold: bool = False,
    now: datetime | None = None,
) -> Remembered:
    """Saves what was extracted from a conversation, each with where it comes from, but nothing that is known already.

    Those held for review are forgotten from the start, with that reason: no read shows them, whoever may restore
    memories finds them among the forgotten, and to restore one is to approve it.
    """
    now = now or timezone.now()
    require(actor, Verb.WRITE)
    audience = audience_of(actor=actor, scope=Scope(clean({"scope": scope}, now=now)["scope"]))
    locks.take_turns(f"remember {audience}")  # so that of two who found the same, the second sees the first's
    session = session_name(actor)
    new: list[Memory] = []
    known: list[Known] = []
    for proposal in proposals:
        try:
            with transaction.atomic():
                new.append(_remember(actor, proposal, session=session, scope=scope, audience=audience, now=now))
        except _Repeats as found:
            known.append(Known(proposal, found.memory_id, found.similarity))
    if hold:
        return Remembered(held=tuple(_held(actor, new, now=now)), known=tuple(known))
    return Remembered(saved=tuple(new), known=tuple(known))


def _remember(actor: Actor, proposal: Proposal, *, session: str, scope: str, audience: UUID, now: datetime) -> Memory:
    draft = Draft(
        content=proposal.content,
        type=proposal.type,
        tags=list(proposal.tags),
        importance=UNSAID if proposal.importance is None else proposal.importance,
        source="auto",
        scope=scope,
    )
    if same := _same_text(actor, draft, audience=audience, now=now):
        raise _Repeats(same, 1.0)
    memory = save(actor=actor, draft=draft, now=now)
    _refuse_repetition(actor, memory)
    if session or proposal.message_id or proposal.quote:
        quote, message_id = proposal.quote, proposal.message_id
        cite(actor=actor, memory_id=memory.pk, session=session, message_id=message_id, quote=quote, now=now)
    return memory


def _same_text(actor: Actor, draft: Draft, *, audience: UUID, now: datetime) -> UUID | None:
    """A memory of the same audience with the same words; also one that was extracted and then forgotten or not
    approved: who does not want it need not say so again."""
    rows = Memory.objects.filter(organization=actor.organization_id, audience=audience, workspace=actor.workspace_id)
    alike = rows.filter(content=draft.content, purged_at=None)
    living = alike.alive(now=now).values_list("pk", flat=True).first()
    return living or alike.forgotten().filter(source="auto").values_list("pk", flat=True).first()


def _refuse_repetition(actor: Actor, memory: Memory) -> None:
    for similar in memory.similar:
        other = Memory.objects.filter(organization=actor.organization_id, pk=similar.memory_id)
        if not tells_more(memory.content, than=other.values_list("content", flat=True).get()):
            raise _Repeats(similar.memory_id, similar.similarity)


TELLING = re.compile(r"\b\w*\d\w*(?:[.:/-]\w+)*|(?<=\s)[A-Z]\w*|\b(?:not?|never|none|without|cannot|\w+n['’]t)\b")


def tells_more(text: str, *, than: str) -> bool:
    """Whether two texts that are nearly alike differ in a number, a name or a negation. To vectors the 5th of June and
    the 9th are the same; to whoever waits for the ship they are not."""
    return set(TELLING.findall(text)) != set(TELLING.findall(than))


def _held(actor: Actor, memories: Sequence[Memory], *, now: datetime) -> list[Memory]:
    ids = [memory.pk for memory in memories]
    rows = Memory.objects.filter(organization=actor.organization_id, pk__in=ids)
    rows.update(forgotten_at=now, forgotten_by=actor.name, forget_reason=HELD, version=F("version") + 1)
    record(organization_id=actor.organization_id, signer=actor, memory_ids=ids, change=Change.FORGOTTEN)
    drop(memories)
    held = {memory.pk: memory for memory in rows.defer("search")}
    return [held[pk] for pk in ids]
