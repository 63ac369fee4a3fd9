"""Archiving: a conversation kept as a file, and the memory by which recall finds it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from django.db import transaction
from django.utils import timezone

from memories import archives
from memories.archives import Conversation, Message
from memories.models import SUMMARY_LENGTH, Memory, TeamFile
from memories.operations import files
from memories.operations.attaching import cite
from memories.operations.recording import require
from memories.operations.saving import Draft, save
from memoryhub import locks
from memoryhub.errors import TooLarge
from teams.actor import Actor
from teams.models import Session, Verb

CATEGORY = "conversation"


@dataclass(frozen=True, slots=True)
class Archived:
    file: TeamFile
    memory: Memory


@transaction.atomic
def archive(
    *, actor: Actor, name: str, messages: Sequence[Message], summary: str = "", now: datetime | None = None
) -> Archived:
    """Writes `conversations/{day}-{name}.md` and the memory by which recall finds it. The same session's again
    overwrites both; another's is left alone, and this one gets a number."""
    now = now or timezone.now()
    require(actor, Verb.WRITE)
    session = session_name(actor)
    kept = archives.conversation(name=name, messages=messages, summary=summary.strip(), by=actor.name, session=session)
    path = _own_path(actor, kept, now=now)
    try:
        file = files.write(actor=actor, path=path, content=archives.markdown(kept), now=now)
    except TooLarge as error:
        raise TooLarge({"messages": error.fields["file"]}) from error
    memory = save(actor=actor, draft=_draft(kept, path=path), now=now)
    if session and memory.version == 1:
        cite(actor=actor, memory_id=memory.pk, session=session, now=now)
    return Archived(file, memory)


def _draft(kept: Conversation, *, path: str) -> Draft:
    content = kept.summary or archives.digest(kept)
    short = kept.summary if len(kept.summary) <= SUMMARY_LENGTH else ""
    return Draft(
        content=content,
        summary="" if short else archives.gist(kept),
        key=path,
        type="event",
        category=CATEGORY,
        tags=[CATEGORY],
        source="auto",
        metadata={"file": path, "messages": len(kept.messages)},
    )


def session_name(actor: Actor) -> str:
    if actor.session_id is None:
        return ""
    return Session.objects.values_list("name", flat=True).get(organization=actor.organization_id, pk=actor.session_id)


def _own_path(actor: Actor, kept: Conversation, *, now: datetime) -> str:
    """The first path of that name and day at which nothing lies, or what this session put there. Whoever looks for one
    of the same name meanwhile waits."""
    locks.take_turns(f"archive {actor.team_id} {archives.path(name=kept.name, day=now.date())}")
    paths = (archives.path(name=kept.name, day=now.date(), number=number) for number in count(1))
    return next(path for path in paths if _is_own(actor, kept, path, now=now))


def _is_own(actor: Actor, kept: Conversation, path: str, *, now: datetime) -> bool:
    file = TeamFile.objects.writable_by(actor).filter(team=actor.team_id).at(path).defer("search").first()
    if file and _origin(file) != (kept.by, kept.session):
        return False
    owners = Memory.objects.writable_by(actor, now=now).filter(audience=actor.team_id, key=path, owns_key=True)
    owner = owners.defer("search").first()
    mine = (actor.session_id, actor.agent_id, actor.user_id)
    return owner is None or (owner.session_id, owner.agent_id, owner.user_id) == mine


def _origin(file: TeamFile) -> tuple[str, str] | None:
    try:
        found = archives.parse(file.content)
    except archives.Unreadable:
        return None
    return found.by, found.session
