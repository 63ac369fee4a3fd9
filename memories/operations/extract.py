"""Extraction: propose memories from a conversation, and save the new ones with their source."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.conversations import transcript
from memories.conversations.extraction import Extraction, Proposal, extract_proposals
from memories.conversations.transcript import Message
from memories.models import FILE_BYTES, Memory, ProposalCause, Provenance, Scope, TeamFile
from memories.operations.archive_session import ARCHIVE_CATEGORY, session_name
from memories.operations.attach import cite_new_memory
from memories.operations.save import Draft, resolve_audience, save_memory
from memories.operations.screen import ALL_BUT_INJECTION, EVERY_FINDING, Hold, ScreeningRefusal, screen_messages
from memories.rules.access import require_verb
from memories.rules.fields import UNSET, clean_fields
from memories.text.facts import differs_in_facts
from memoryhub import locks
from memoryhub.errors import Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Person, Verb

CONVERSATION_BYTES = FILE_BYTES  # read at once: whatever can be archived can be read
HELD_REASON = "It was extracted from a conversation, and this hub has people look at that first."


def propose_memories(
    *, actor: Actor, messages: Sequence[Message] | None = None, scope: str = Scope.TEAM, now: datetime | None = None
) -> Extraction:
    """Extract proposals from these messages, or from the session's newest archive, without saving them.

    No transaction is open meanwhile, because a model may take its time.
    """
    require_verb(actor, Verb.WRITE)
    resolve_audience(actor=actor, scope=Scope(clean_fields({"scope": scope}, now=now or timezone.now())["scope"]))
    spoken = _read_newest_archive(actor) if messages is None else transcript.check_messages(messages)
    _refuse_long_conversation(spoken)
    screened, _ = screen_messages(actor, spoken)
    return extract_proposals(screened, person=_person_handle(actor))


def _refuse_long_conversation(messages: Sequence[Message]) -> None:
    size = sum(len(message.content.encode()) for message in messages)
    if size > CONVERSATION_BYTES:
        sentence = f"At most {CONVERSATION_BYTES:,} bytes of text at once; these are {size:,}. Send them in parts."
        raise TooLarge({"messages": sentence})


def _person_handle(actor: Actor) -> str:
    if actor.person_id is None:
        return ""
    return (
        Person.objects.in_organization(actor.organization_id).values_list("handle", flat=True).get(pk=actor.person_id)
    )


def _read_newest_archive(actor: Actor) -> tuple[Message, ...]:
    require_verb(actor, Verb.READ)
    own = Memory.objects.visible_to(actor).filter(
        session=actor.session_id, agent=actor.agent_id, category=ARCHIVE_CATEGORY
    )
    paths = own.filter(audience=actor.team_id).exclude(key="").order_by("-updated_at").values_list("key", flat=True)
    path = paths.first() if actor.session_id else None
    file = TeamFile.objects.visible_to(actor).filter(team=actor.team_id).at(path or "").defer("search").first()
    if file is None:
        raise NotFound("This session has no archive; send its messages.")
    try:
        return transcript.read_messages(file.content)
    except transcript.UnreadableConversation as error:
        raise Invalid({"messages": f"{error} Send its messages."}) from error


@dataclass(frozen=True, slots=True)
class KnownProposal:
    """A proposal that was not saved, because a memory says it already."""

    proposal: Proposal
    memory_id: UUID
    similarity: float


@dataclass(frozen=True, slots=True)
class SavedProposals:
    saved: tuple[Memory, ...] = ()
    held: tuple[Memory, ...] = ()
    known: tuple[KnownProposal, ...] = ()


class _AlreadyKnown(Exception):
    """Rolls back a save that said nothing new."""

    def __init__(self, memory_id: UUID, similarity: float) -> None:
        super().__init__(memory_id)
        self.memory_id, self.similarity = memory_id, similarity


@transaction.atomic
def save_proposals(
    *,
    actor: Actor,
    proposals: Sequence[Proposal],
    scope: str = Scope.TEAM,
    hold: bool = False,
    now: datetime | None = None,
) -> SavedProposals:
    """Save the proposals from a conversation, each with its source, except those that are known already.

    With `hold` they are saved as proposals, which only their proposer sees until a person approves them.
    """
    now = now or timezone.now()
    require_verb(actor, Verb.WRITE)
    audience = resolve_audience(actor=actor, scope=Scope(clean_fields({"scope": scope}, now=now)["scope"]))
    locks.lock_names(f"remember {audience}")  # so that of two who found the same, the second sees the first's
    session = session_name(actor)
    new: list[Memory] = []
    known: list[KnownProposal] = []
    for proposal in proposals:
        try:
            with transaction.atomic():
                memory = _save_proposal(
                    actor, proposal, session=session, scope=scope, audience=audience, hold=hold, now=now
                )
                new.append(memory)
        except _AlreadyKnown as found:
            known.append(KnownProposal(proposal, found.memory_id, found.similarity))
    held = tuple(memory for memory in new if memory.proposal_id)
    return SavedProposals(
        saved=tuple(memory for memory in new if not memory.proposal_id), held=held, known=tuple(known)
    )


def _save_proposal(
    actor: Actor, proposal: Proposal, *, session: str, scope: str, audience: UUID, hold: bool, now: datetime
) -> Memory:
    draft = Draft(
        provenance=Provenance.EXTRACTION,
        hold=Hold(ProposalCause.EXTRACTION, HELD_REASON) if hold else None,
        content=proposal.content,
        type=proposal.type,
        tags=list(proposal.tags),
        importance=UNSET if proposal.importance is None else proposal.importance,
        source="auto",
        scope=scope,
    )
    if same := _find_same_text(actor, draft, audience=audience, now=now):
        raise _AlreadyKnown(same, 1.0)
    memory = save_memory(actor=actor, draft=draft, now=now)
    if memory.duplicate:
        raise _AlreadyKnown(memory.pk, 1.0)
    _refuse_repetition(actor, memory)
    if session or proposal.message_id or proposal.quote:
        _cite_proposal(actor, proposal, memory, session=session, now=now)
    return memory


def _cite_proposal(actor: Actor, proposal: Proposal, memory: Memory, *, session: str, now: datetime) -> None:
    """Record the source. A quotation that would be held by itself is left out, unless the memory is held, too."""
    groups = ALL_BUT_INJECTION if memory.proposal_id else EVERY_FINDING
    cite = partial(cite_new_memory, actor=actor, memory_id=memory.pk, session=session, now=now, groups=groups)
    try:
        cite(message_id=proposal.message_id, quote=proposal.quote)
    except ScreeningRefusal:
        if session or proposal.message_id:
            cite(message_id=proposal.message_id, quote="")


def _find_same_text(actor: Actor, draft: Draft, *, audience: UUID, now: datetime) -> UUID | None:
    """Return the id of a memory of the same audience with the same text, if any. One that was extracted and then
    forgotten, or that was not approved, counts, too: nobody should have to reject it twice."""
    rows = Memory.objects.in_slot(actor.organization_id, audience, actor.workspace_id)
    alike = rows.filter(content=draft.content, purged_at=None)
    living = alike.alive(now=now).values_list("pk", flat=True).first()
    return living or alike.filter(source="auto").values_list("pk", flat=True).first()


def _refuse_repetition(actor: Actor, memory: Memory) -> None:
    for similar in memory.similar:
        other = Memory.objects.in_organization(actor.organization_id).filter(pk=similar.memory_id)
        if not differs_in_facts(memory.content, than=other.values_list("content", flat=True).get()):
            raise _AlreadyKnown(similar.memory_id, similar.similarity)
