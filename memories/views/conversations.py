"""Conversations that agents archived: listed by day, and read as what was said."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories import archives
from memories.archives import Conversation, Message
from memories.models import Memory, Source, TeamFile
from memories.views import files
from teams.models import Session
from teams.place import Place, in_team

LISTED = 30  # on a page
BEGINNING = 2_000  # characters of a file, enough for what it is called
TURNS = 200  # messages on a page
SOURCES = 200  # of what was remembered from a conversation
SIGNS = {"user": "user", "assistant": "bot"}


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation in the list."""

    file: TeamFile
    title: archives.Title
    memory: Memory | None

    @property
    def path(self) -> str:
        return self.file.path.removeprefix(f"{archives.FOLDER}/")

    @property
    def day(self) -> date:
        """That of its name, which is when it was first archived."""
        try:
            return date.fromisoformat(self.path[:10])
        except ValueError:
            return self.file.updated_at.date()


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    """The newest first, or those in which some words were said."""
    asked = request.GET.get("q", "").replace("\0", "").strip()[: files.QUESTION]
    shown: dict[str, object] = {"section": "conversations", "asked": asked}
    if asked:
        found = files.found(place, asked, folder=archives.FOLDER)
        hits = zip(_kept(place, [file for file, _ in found.hits]), (part for _, part in found.hits), strict=True)
        return render(request, "memories/conversations.html", shown | {"hits": list(hits), "more": found.more})
    before = request.GET.get("before", "").replace("\0", "")
    rows = files.readable(place).last_below(archives.FOLDER, before=before)
    listed = list(rows.with_beginning(characters=BEGINNING)[: LISTED + 1])
    following = listed[LISTED - 1].path if len(listed) > LISTED else ""
    kept = _kept(place, listed[:LISTED])
    return render(request, "memories/conversations.html", shown | {"kept": kept, "following": following})


def _kept(place: Place, found: Sequence[TeamFile]) -> list[Kept]:
    memories = {memory.key: memory for memory in _memories(place, [file.path for file in found])}
    titles = [archives.title(file.beginning, path=file.path) for file in found]
    return [Kept(file, title, memories.get(file.path)) for file, title in zip(found, titles, strict=True)]


def _memories(place: Place, paths: Sequence[str]) -> Sequence[Memory]:
    """By which recall finds the conversations: their keys are the paths."""
    rows = Memory.objects.visible_to(place.here).filter(audience=place.team.pk, owns_key=True, key__in=paths)
    return list(rows.defer("search"))


# One of them


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    message: Message
    memories: Sequence[Memory] = ()  # that came of it

    @property
    def sign(self) -> str:
        return SIGNS.get(self.message.role, "settings")


@in_team
def read(request: HttpRequest, place: Place, path: str) -> HttpResponse:
    """As it was said; a file that is none of ours any more, as the text it is."""
    file = files.one(place, f"{archives.FOLDER}/{path}")
    shown = {"section": "conversations", "file": file, "memory": next(iter(_memories(place, [file.path])), None)}
    try:
        said = archives.parse(file.content)
    except archives.Unreadable:
        called = archives.title(file.content, path=file.path)
        return render(request, "memories/conversation.html", shown | {"title": called, "text": file.content})
    by_message = _remembered(place, file, said)
    first = _first(request.GET.get("from", ""), len(said.messages))
    turns = [
        Turn(number, message, by_message.get(message.id, ()) if message.id else ())
        for number, message in enumerate(said.messages[first - 1 : first - 1 + TURNS], first)
    ]
    loose = [memory for message_id, those in by_message.items() if not _said(said, message_id) for memory in those]
    shown |= {"title": archives.Title(said.name, said.by), "said": said, "turns": turns, "loose": loose}
    return render(request, "memories/conversation.html", shown | _around(first, len(said.messages)))


def _first(asked: str, count: int) -> int:
    """The message that the page begins with: the first of those that stand on a page together."""
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 9 else 1
    number = min(max(number, 1), max(count, 1))
    return (number - 1) // TURNS * TURNS + 1


def _around(first: int, count: int) -> dict[str, object]:
    final = min(first + TURNS - 1, count)
    earlier, later = first - TURNS, first + TURNS
    return {"first": first, "final": final, "earlier": max(earlier, 0), "later": later if later <= count else 0}


def _said(said: Conversation, message_id: str) -> bool:
    return bool(message_id) and any(message.id == message_id for message in said.messages)


def _remembered(place: Place, file: TeamFile, said: Conversation) -> Mapping[str, Sequence[Memory]]:
    """The memories that came of the session, by the message that they quote."""
    organization = place.team.organization_id
    sessions = Session.objects.filter(organization=organization, agent=file.agent_id, name=said.session)
    sources = Source.objects.filter(organization=organization, session__in=sessions)
    found = list(sources.values_list("memory", "message_id")[:SOURCES]) if said.session and file.agent_id else []
    rows = Memory.objects.visible_to(place.here).filter(pk__in={memory_id for memory_id, _ in found})
    memories: dict[UUID, Memory] = {memory.pk: memory for memory in rows.exclude(key=file.path).defer("search")}
    by_message: dict[str, list[Memory]] = defaultdict(list)
    for memory_id, message_id in found:
        if memory_id in memories:
            by_message[message_id].append(memories[memory_id])
    return by_message
