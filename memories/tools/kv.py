"""`kv`: one tool over a scratchpad of keys and texts that the team's agents share. Every prompt of the team begins with
the text of the key `core`."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from django.utils import timezone

from memories import operations
from memories.models import KEY_LENGTH, Memory
from memories.queries.lookup import clean_key, no_such_key
from memories.recall import QUERY_LENGTH, log
from memories.recall.literal_text import find_containing
from memories.rules.access import require_verb
from memories.tools import keyed_entries
from memories.tools.held_status import HELD_STATUS, describe_held_status
from memories.tools.tool import Arguments, Result, Tool
from memoryhub.errors import Conflict, Invalid
from memoryhub.json_schema import common_record, list_of, moment, one_of, record, text, whole_record
from teams.actor import Actor
from teams.models import Verb

FOUND = 3  # entries that a search gives


def memory(actor: Actor, arguments: Arguments) -> Result:
    name = arguments["command"]
    command = COMMANDS[name]
    if missing := [field for field in command.needs if not arguments.get(field)]:
        raise Invalid(dict.fromkeys(missing, f"The command {name} needs this."))
    return command.act(actor, arguments)


def view(actor: Actor, arguments: Arguments) -> Result:
    require_verb(actor, Verb.READ)
    found = keyed_entries.filter_by_name(keyed_entries.select_readable(actor), arguments["key"]).first()
    if found is None:
        raise no_such_key(arguments["key"])
    return _entry(actor, found)


def create(actor: Actor, arguments: Arguments) -> Result:
    key, content = clean_key(arguments["key"]), arguments["content"]
    draft = operations.Draft(key=key, content=content, dedupe=operations.Dedupe.REFUSE)
    return _entry(actor, operations.save_memory(actor=actor, draft=draft))


def update(actor: Actor, arguments: Arguments) -> Result:
    while found := keyed_entries.filter_by_name(keyed_entries.select_writable(actor), arguments["key"]).first():
        with suppress(Conflict):  # forgotten meanwhile: the key may have another owner by now
            return _entry(actor, _change_value(actor, found, arguments["content"], arguments["mode"]))
    raise no_such_key(arguments["key"])


def search(actor: Actor, arguments: Arguments) -> Result:
    """Find entries whose content contains the query, in upper or lower case. Wildcards are ordinary characters."""
    require_verb(actor, Verb.READ)
    began, now = time.perf_counter(), timezone.now()
    newest = keyed_entries.select_readable(actor).order_by("-updated_at", "-id")
    found = find_containing(newest, text=arguments["query"], limit=FOUND)
    log.queue_entry(
        actor=actor,
        query=arguments["query"],
        mode="substring",
        filters={"scope": "team"},
        memories=found,
        total=len(found),
        took=time.perf_counter() - began,
        now=now,
    )
    return {"entries": [_entry(actor, row) for row in found]}


def _change_value(actor: Actor, row: Memory, content: str, mode: str) -> Memory:
    if mode == "append":
        return operations.append_to_memory(actor=actor, memory_id=row.pk, text=content)
    return operations.update_memory(actor=actor, memory_id=row.pk, content=content)


def _entry(actor: Actor, row: Memory) -> Result:
    """Return the entry; without its content for a token that may not read, because others may have written some of
    it."""
    named = {"key": keyed_entries.name_entry(id=row.pk, key=row.key, owns_key=row.owns_key)}
    content = {"content": row.content} if actor.may(Verb.READ) else {}
    return named | content | {"createdAt": row.created_at, "updatedAt": row.updated_at} | describe_held_status(row)


class Command(NamedTuple):
    act: Callable[[Actor, Arguments], Result]
    needs: tuple[str, ...]
    verb: Verb


COMMANDS = {
    "view": Command(view, ("key",), Verb.READ),
    "create": Command(create, ("key", "content"), Verb.WRITE),
    "update": Command(update, ("key", "content"), Verb.WRITE),
    "search": Command(search, ("query",), Verb.READ),
}


def verbs_of_command(arguments: Arguments) -> tuple[Verb, ...]:
    """Return the verb of the command; of one that does not exist none, for it is refused as such."""
    command = COMMANDS.get(str(arguments.get("command")))
    return (command.verb,) if command else ()


ENTRY = whole_record(
    {
        "key": text(),
        "content": text(description="Left out for a token that may not read."),
        "createdAt": moment(),
        "updatedAt": moment(),
        **HELD_STATUS,
    },
    optional=["content", *HELD_STATUS],
)
FOUND_ENTRIES = whole_record({"entries": list_of(ENTRY, most=FOUND, description="What the search found.")})

TOOLS = (
    Tool(
        name="memory",
        title="Team memory",
        description=(
            "The team's persistent memory: texts under keys, shared by its agents and kept across conversations. "
            "view reads a key, create makes a new one, update changes an existing one, search finds the newest "
            f"{FOUND} entries whose text contains a keyword. The key core holds the team's base context: brand voice, "
            "business description, writing style, preferences, recurring topics."
        ),
        parameters=record(
            {
                "command": one_of(COMMANDS, description="The command to run."),
                "key": text(longest=KEY_LENGTH, description="The entry's key. Needed by view, create and update."),
                "content": text(description="The text, up to 50,000 bytes. Needed by create and update."),
                "mode": one_of(
                    ("overwrite", "append"),
                    default="overwrite",
                    description="For update: overwrite the text, or append to it on a new line.",
                ),
                "query": text(longest=QUERY_LENGTH, description="The keyword. Needed by search."),
            },
            required=["command"],
        ),
        act=memory,
        needs=verbs_of_command,
        gives=common_record(ENTRY, FOUND_ENTRIES),
        example={"command": "create", "key": "core", "content": "We are a B2B SaaS company targeting CTOs."},
        answer={
            "key": "core",
            "content": "We are a B2B SaaS company targeting CTOs.",
            "createdAt": "2026-11-02T08:15:00Z",
            "updatedAt": "2026-11-02T08:15:00Z",
        },
    ),
)
