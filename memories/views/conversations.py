"""Conversations that agents archived: a list by day, and one conversation as a page."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.conversations import transcript
from memories.conversations.transcript import Conversation, Message
from memories.models import Memory, Source, TeamFile
from memories.views import files
from teams.models import Session
from teams.team_page import TeamPage, in_team

CONVERSATIONS_PER_PAGE = 30  # on a page
TITLE_CHARACTERS = 2_000  # characters of a file, enough to find its title
MESSAGES_PER_PAGE = 200  # messages on a page
MAX_CONVERSATION_SOURCES = 200  # memories saved from a conversation
ROLE_ICONS = {"user": "user", "assistant": "bot"}


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in the list."""

    file: TeamFile
    title: transcript.ConversationTitle
    memory: Memory | None

    @property
    def path(self) -> str:
        return self.file.path.removeprefix(f"{transcript.ARCHIVE_FOLDER}/")

    @property
    def day(self) -> date:
        """Return the date in its name, when it was first archived."""
        try:
            return date.fromisoformat(self.path[:10])
        except ValueError:
            return self.file.updated_at.date()


@in_team
def show_conversations(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """List conversations, newest first, or search them."""
    query = request.GET.get("q", "").replace("\0", "").strip()[: files.MAX_FILE_QUERY]
    context: dict[str, object] = {"section": "conversations", "query": query}
    if query:
        result = files.search_team_files(team_page, query, folder=transcript.ARCHIVE_FOLDER)
        hits = zip(
            _conversation_rows(team_page, [file for file, _ in result.hits]),
            (part for _, part in result.hits),
            strict=True,
        )
        return render(request, "memories/conversations.html", context | {"hits": list(hits), "more": result.more})
    before = request.GET.get("before", "").replace("\0", "")
    rows = files.readable_files(team_page).last_below(transcript.ARCHIVE_FOLDER, before=before)
    files_page = list(rows.with_beginning(characters=TITLE_CHARACTERS)[: CONVERSATIONS_PER_PAGE + 1])
    following = files_page[CONVERSATIONS_PER_PAGE - 1].path if len(files_page) > CONVERSATIONS_PER_PAGE else ""
    conversations = _conversation_rows(team_page, files_page[:CONVERSATIONS_PER_PAGE])
    return render(
        request, "memories/conversations.html", context | {"conversations": conversations, "following": following}
    )


def _conversation_rows(team_page: TeamPage, team_files: Sequence[TeamFile]) -> list[ConversationRow]:
    memories = {memory.key: memory for memory in _conversation_memories(team_page, [file.path for file in team_files])}
    titles = [transcript.read_title(file.beginning, path=file.path) for file in team_files]
    return [
        ConversationRow(file, title, memories.get(file.path)) for file, title in zip(team_files, titles, strict=True)
    ]


def _conversation_memories(team_page: TeamPage, paths: Sequence[str]) -> Sequence[Memory]:
    """Return the memories by which recall finds the conversations: their keys are the paths."""
    own = Memory.objects.visible_to(team_page.team_only_actor).filter(audience=team_page.team.pk)
    rows = own.filter(owns_key=True, key__in=paths)
    return list(rows.defer("search"))


# One conversation


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    number: int
    message: Message
    memories: Sequence[Memory] = ()  # saved from this message

    @property
    def icon(self) -> str:
        return ROLE_ICONS.get(self.message.role, "settings")


@in_team
def show_conversation(request: HttpRequest, team_page: TeamPage, path: str) -> HttpResponse:
    """Show a conversation message by message; a file that cannot be parsed as plain text."""
    file = files.get_file(team_page, f"{transcript.ARCHIVE_FOLDER}/{path}")
    context = {
        "section": "conversations",
        "file": file,
        "memory": next(iter(_conversation_memories(team_page, [file.path])), None),
    }
    try:
        conversation = transcript.parse_conversation(file.content)
    except transcript.UnreadableConversation:
        title = transcript.read_title(file.content, path=file.path)
        return render(request, "memories/conversation.html", context | {"title": title, "text": file.content})
    by_message = _memories_by_message(team_page, file, conversation)
    first = _first_message_on_page(request.GET.get("from", ""), len(conversation.messages))
    turns = [
        ConversationTurn(number, message, by_message.get(message.id, ()) if message.id else ())
        for number, message in enumerate(conversation.messages[first - 1 : first - 1 + MESSAGES_PER_PAGE], first)
    ]
    context |= {
        "title": transcript.ConversationTitle(conversation.name, conversation.by),
        "conversation": conversation,
        "turns": turns,
        "unattributed": _find_unattributed(conversation.messages, by_message),
    }
    return render(request, "memories/conversation.html", context | _page_range(first, len(conversation.messages)))


def _first_message_on_page(requested: str, count: int) -> int:
    """Return the number of the first message on the page that holds the requested one."""
    number = int(requested) if requested.isascii() and requested.isdecimal() and len(requested) < 9 else 1
    number = min(max(number, 1), max(count, 1))
    return (number - 1) // MESSAGES_PER_PAGE * MESSAGES_PER_PAGE + 1


def _page_range(first: int, count: int) -> dict[str, object]:
    final = min(first + MESSAGES_PER_PAGE - 1, count)
    earlier, later = first - MESSAGES_PER_PAGE, first + MESSAGES_PER_PAGE
    return {"first": first, "final": final, "earlier": max(earlier, 0), "later": later if later <= count else 0}


def _find_unattributed(messages: Sequence[Message], by_message: Mapping[str, Sequence[Memory]]) -> list[Memory]:
    """Return the memories saved from the session that quote none of these messages."""
    known_ids = {message.id for message in messages if message.id}
    return [memory for message_id, memories in by_message.items() if message_id not in known_ids for memory in memories]


def _memories_by_message(
    team_page: TeamPage, file: TeamFile, conversation: Conversation
) -> Mapping[str, Sequence[Memory]]:
    """Return the memories saved from the session, by the message that they quote."""
    organization = team_page.team.organization_id
    sessions = Session.objects.in_organization(organization).filter(agent=file.agent_id, name=conversation.session)
    sources = Source.objects.in_organization(organization).filter(session__in=sessions)
    pairs = (
        list(sources.values_list("memory", "message_id")[:MAX_CONVERSATION_SOURCES])
        if conversation.session and file.agent_id
        else []
    )
    rows = Memory.objects.visible_to(team_page.team_only_actor).filter(pk__in={memory_id for memory_id, _ in pairs})
    memories: dict[UUID, Memory] = {memory.pk: memory for memory in rows.exclude(key=file.path).defer("search")}
    by_message: dict[str, list[Memory]] = defaultdict(list)
    for memory_id, message_id in pairs:
        if memory_id in memories:
            by_message[message_id].append(memories[memory_id])
    return by_message
