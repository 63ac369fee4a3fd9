"""Archiving: save a conversation as a file, and a memory by which recall finds it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from django.db import transaction
from django.db.models.functions import Left
from django.utils import timezone

from memories.conversations import transcript
from memories.conversations.transcript import Conversation, Message
from memories.models import SUMMARY_LENGTH, Memory, TeamFile
from memories.operations import files
from memories.operations.attach import add_citation
from memories.operations.save import Draft, save_memory
from memories.operations.screen import screen_digest, screen_messages
from memories.rules.access import require_verb
from memoryhub import locks
from memoryhub.errors import TooLarge
from teams.actor import Actor
from teams.models import Session, Verb

ARCHIVE_CATEGORY = "conversation"
MOST_OWN_FILES = 3  # of one name and day that are read to see whether they were edited; more are left alone


@dataclass(frozen=True, slots=True)
class ArchivedConversation:
    file: TeamFile
    memory: Memory


@transaction.atomic
def archive_conversation(
    *, actor: Actor, name: str, messages: Sequence[Message], summary: str = "", now: datetime | None = None
) -> ArchivedConversation:
    """Write `conversations/{day}-{name}.md` and the memory by which recall finds it.

    A session that archives again overwrites both. A file of another session is left alone: this one gets a number.
    """
    now = now or timezone.now()
    require_verb(actor, Verb.WRITE)
    session = session_name(actor)
    messages, screened = screen_messages(actor, messages, name=name, summary=summary)
    summary = screened.values["summary"]
    kept = transcript.build_conversation(
        name=name, messages=messages, summary=summary.strip(), by=actor.name, session=session
    )
    path = _choose_path(actor, kept, now=now)
    try:
        file = files.store_file(actor=actor, path=path, content=transcript.render_conversation(kept), now=now)
    except TooLarge as error:
        raise TooLarge({"messages": error.fields["file"]}) from error
    memory = save_memory(actor=actor, draft=_build_draft(actor, kept, path=path), now=now)
    memory.screening = [*screened.report, *memory.screening]
    if session and memory.version == 1 and memory.proposal_id is None:
        add_citation(actor=actor, memory_id=memory.pk, session=session, now=now)
    return ArchivedConversation(file, memory)


def _build_draft(actor: Actor, kept: Conversation, *, path: str) -> Draft:
    """Return the memory of an archive. A digest is screened message by message; a summary as any other text is."""
    content = kept.summary or screen_digest(actor, transcript.render_digest(kept))
    short = kept.summary if len(kept.summary) <= SUMMARY_LENGTH else ""
    return Draft(
        content=content,
        summary="" if short else screen_digest(actor, transcript.render_gist(kept)),
        is_screened=not kept.summary,
        key=path,
        type="event",
        category=ARCHIVE_CATEGORY,
        tags=[ARCHIVE_CATEGORY],
        source="auto",
        metadata={"file": path, "messages": len(kept.messages)},
    )


def session_name(actor: Actor) -> str:
    if actor.session_id is None:
        return ""
    return Session.objects.of_agent(actor).values_list("name", flat=True).get(pk=actor.session_id)


def _choose_path(actor: Actor, kept: Conversation, *, now: datetime) -> str:
    """Return the first path of that name and day that is free or holds this session's own archive. Locks the name, so
    that two sessions do not choose the same path."""
    first = transcript.archive_path(name=kept.name, day=now.date())
    locks.lock_names(f"archive {actor.team_id} {first}")
    groups = (range(10**power, 10 ** (power + 1)) for power in count())
    paths = (
        [transcript.archive_path(name=kept.name, day=now.date(), number=number) for number in group] for group in groups
    )
    found = (own for group in paths for own in _find_own_paths(actor, kept, group, now=now))
    files = count(1)
    return next(
        path
        for path, is_free in found
        if is_free or (next(files) <= MOST_OWN_FILES and _is_unchanged_archive(actor, path))
    )


def _find_own_paths(
    actor: Actor, kept: Conversation, paths: Sequence[str], *, now: datetime
) -> Iterator[tuple[str, bool]]:
    """Yield the paths that hold nothing of others, and whether they are free, by one statement for all files, of which
    only the beginning is read, and one for all memories."""
    front = f"{transcript.render_front_matter(kept)}\n"
    rows = TeamFile.objects.writable_by(actor).filter(team=actor.team_id, path__in=paths)
    beginnings = rows.annotate(front=Left("content", len(front))).order_by("updated_at", "pk")
    files = dict(beginnings.values_list("path", "front"))
    owners = Memory.objects.writable_by(actor, now=now).filter(audience=actor.team_id, key__in=paths, owns_key=True)
    mine = (actor.session_id, actor.agent_id, actor.user_id)
    others = {key for key, *whose in owners.values_list("key", "session", "agent", "user") if tuple(whose) != mine}
    for path in paths:
        if path not in others and files.get(path, front) == front:
            yield path, path not in files


def _is_unchanged_archive(actor: Actor, path: str) -> bool:
    """Return whether the file still is as it was archived: one that was changed by hand is left alone."""
    file = TeamFile.objects.writable_by(actor).filter(team=actor.team_id).at(path).defer("search").first()
    try:
        return bool(file and transcript.parse_conversation(file.content))
    except transcript.UnreadableConversation:
        return False
