"""What an agent should read before it thinks: prompt blocks of what its team knows, within a budget of tokens.

The same memories make the same bytes: no times and no counts are in the text. What a memory says is data: it stands on
a line of its own or between the core's delimiters, and `memories.quoting` keeps it there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.utils import timezone

from memories.models import Scope
from memories.quoting import SPACE, Frame, on_one_line
from memories.recall import compiled, recall
from memoryhub.errors import Invalid
from memoryhub.prepared import prepared_cursor
from teams.actor import Actor

BUDGET = 2_000
LEAST_BUDGET, MOST_BUDGET = 100, 100_000
BYTES_PER_TOKEN = 4
NEWEST = 10
RELEVANT = 10
PINNED = 100  # at most looked at; more would not be read anyway
CORE_KEY = "core"


class Name(StrEnum):
    """The sections in the order of the text: what changes least comes first, so that a model's cache of it lasts."""

    CORE = "core"
    PINNED = "pinned"
    RECENT = "recent"
    RELEVANT = "relevant"


ALL = tuple(Name)
HEADINGS = {
    Name.PINNED: "## Pinned Memory",
    Name.RECENT: "## Recent Team Memory",
    Name.RELEVANT: "## Relevant Memory",
}
CORE_BEGINS, CORE_ENDS = "--- TEAM CORE MEMORY ---", "------------------------"
APART = "\n\n"  # between two sections
CUT = "[the rest is cut to fit]"
CORE_FRAME = Frame(
    rf"{SPACE}-{{10}}",
    rf"{SPACE}-+{SPACE}team core memory",
    rf"{SPACE}\[the rest is cut to fit\]",
    *(rf"{SPACE}#+{SPACE}{heading.removeprefix('## ')}" for heading in HEADINGS.values()),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """Of a memory just what a prompt needs."""

    pk: UUID
    type: str
    content: str
    summary: str
    byline: str


@dataclass(frozen=True, slots=True)
class Section:
    """A block of the text. As seeds have it, the core's ends with its delimiter, the others' with an empty line."""

    name: Name
    text: str = ""
    memory_ids: tuple[UUID, ...] = ()
    omitted: tuple[UUID, ...] = ()  # did not fit
    cut: bool = False  # the end of it did not fit


@dataclass(frozen=True, slots=True)
class Context:
    text: str
    sections: tuple[Section, ...]


def tokens(text: str) -> int:
    """About how many a model makes of it: one for every four bytes of UTF-8, which holds within a fifth or so for prose
    in most languages. An estimate that needs no model's tokenizer and is the same everywhere."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def context(
    *,
    actor: Actor,
    query: str = "",
    budget: int = BUDGET,
    sections: Sequence[str] = ALL,
    noted: bool = True,
    now: datetime | None = None,
) -> Context:
    """The sections that are asked for, within the budget. No memory is in two of them. What is relevant counts as
    recalled, unless somebody only looks around."""
    wanted = _checked(budget=budget, sections=sections)
    found = _gathered(actor=actor, query=query, wanted=wanted, noted=noted, now=now or timezone.now())
    return assembled(found, budget=budget)


def assembled(found: "Found", *, budget: int) -> Context:
    made = _fitted(found, room=budget * BYTES_PER_TOKEN)
    blocks = [section.text for section in made if section.text]
    apart = [block if block.endswith(APART) else block + APART for block in blocks[:-1]]
    return Context("".join([*apart, *blocks[-1:]]), tuple(made))


def core(*, actor: Actor, now: datetime | None = None) -> str:
    """The core block in full, or nothing where the team has no core memory."""
    found = _core(actor, now or timezone.now())
    return core_block(told(found[0])) if found else ""


def recent(*, actor: Actor, now: datetime | None = None) -> str:
    """The block of the team's newest memories in full."""
    return listed_block(Name.RECENT, map(line_of, _recent(actor, now or timezone.now(), besides=())))


def told(memory: Entry) -> str:
    return memory.summary or memory.content


def line_of(memory: Entry) -> str:
    author = on_one_line(memory.byline).translate(str.maketrans("[]", "()"))
    return f"[{memory.type}][{author}] {on_one_line(told(memory))}"


def core_block(content: str) -> str:
    return f"{CORE_BEGINS}\n{CORE_FRAME.kept_out(content)}\n{CORE_ENDS}"


def listed_block(name: Name, lines: Iterable[str]) -> str:
    """A heading and a memory a line; nothing where there is none."""
    body = "".join(f"{line}\n" for line in lines)
    return f"{HEADINGS[name]}\n{body}\n" if body else ""


def _checked(*, budget: int, sections: Sequence[str]) -> tuple[Name, ...]:
    wrong = {}
    if isinstance(budget, bool) or not isinstance(budget, int) or not LEAST_BUDGET <= budget <= MOST_BUDGET:
        wrong["budget"] = f"This must be a whole number of tokens from {LEAST_BUDGET:,} to {MOST_BUDGET:,}."
    if not sections or not set(sections) <= set(ALL):
        wrong["sections"] = f"These must be some of {', '.join(ALL)}."
    if wrong:
        raise Invalid(wrong)
    return tuple(name for name in ALL if name in sections)


# What there is to say


@dataclass(frozen=True, slots=True)
class Found:
    sections: Mapping[Name, Sequence[Entry]]
    ranked: Sequence[UUID] = ()  # what answers the query, best first, whichever section it is in


def _gathered(*, actor: Actor, query: str, wanted: Sequence[Name], noted: bool, now: datetime) -> Found:
    sections: dict[Name, Sequence[Entry]] = dict.fromkeys(wanted, ())
    ranked: list[UUID] = []
    if Name.CORE in wanted:
        sections[Name.CORE] = _core(actor, now)
    if Name.PINNED in wanted:
        sections[Name.PINNED] = _entries(PINNED_ONES, actor, now, besides=_ids(sections))
    if Name.RECENT in wanted:
        sections[Name.RECENT] = _recent(actor, now, besides=_ids(sections))
    if Name.RELEVANT in wanted and query.strip():
        above = _ids(sections)
        hits = recall(actor=actor, query=query, limit=RELEVANT, noted=noted, now=now).hits
        ranked = [hit.memory.pk for hit in hits]
        # Newest first: being recalled changes a memory's rank a little, and must not change the text.
        sections[Name.RELEVANT] = _entries(RELEVANT_ONES, actor, now, besides=above, ids=ranked)
    return Found(sections, ranked)


def _ids(sections: Mapping[Name, Sequence[Entry]]) -> set[UUID]:
    return {memory.pk for memories in sections.values() for memory in memories}


ENTRIES = """
SELECT memories_memory.id, type, content, summary, coalesce(username, slug, 'system')
FROM memories_memory
LEFT JOIN teams_agent AS agent ON agent.id = memories_memory.agent_id
LEFT JOIN auth_user AS login ON login.id = memories_memory.user_id
WHERE {visible} AND NOT memories_memory.id = ANY(%(besides)s::uuid[]) AND
"""
# Hopes for the index key_has_one_living_owner.
CORE_ONE = f"audience = %(team)s::uuid AND scope = '{Scope.TEAM}' AND key = '{CORE_KEY}' AND owns_key LIMIT 1"
# By what it was said to matter. Hopes for the index memory_unfading.
PINNED_ONES = (
    f"pinned ORDER BY importance DESC, memories_memory.created_at DESC, memories_memory.id DESC LIMIT {PINNED}"
)
# Hopes for the index memory_newest.
NEWEST_FIRST = "ORDER BY memories_memory.created_at DESC, memories_memory.id DESC"
NEWEST_ONES = f"audience = %(team)s::uuid {NEWEST_FIRST} LIMIT {NEWEST}"
RELEVANT_ONES = f"memories_memory.id = ANY(%(ids)s::uuid[]) {NEWEST_FIRST}"


def _entries(
    which: str, actor: Actor, now: datetime, *, besides: Iterable[UUID] = (), ids: Sequence[UUID] = ()
) -> list[Entry]:
    """Those that the actor sees, by a statement that is planned once."""
    visible, _ = compiled.visible(actor)
    said = {"now": now, "team": actor.team_id, "besides": list(besides), "ids": list(ids)}
    with prepared_cursor() as cursor:
        cursor.execute(ENTRIES.format(visible=visible) + which, compiled.bound(actor) | said)
        return [Entry(*row) for row in cursor.fetchall()]


def _core(actor: Actor, now: datetime) -> list[Entry]:
    """The own team's alone, even for those who read above it."""
    return _entries(CORE_ONE, actor, now)


def _recent(actor: Actor, now: datetime, *, besides: Iterable[UUID]) -> list[Entry]:
    """The own team's newest."""
    return _entries(NEWEST_ONES, actor, now, besides=besides)


# What of it fits


def _fitted(found: Found, *, room: int) -> list[Section]:
    """By whole memories, in the order in which they matter; a large one gives way to smaller ones after it."""
    head = [_fitted_core(found.sections[Name.CORE], room=room)] if Name.CORE in found.sections else []
    room -= sum(len(section.text.encode()) + len(APART) for section in head)
    lines: dict[UUID, str] = {}
    begun: set[Name] = set()
    for name, memory in _by_weight(found):
        line = line_of(memory)
        size = len(f"{line}\n".encode()) + (0 if name in begun else len(f"{HEADINGS[name]}\n\n"))
        if size <= room:
            lines[memory.pk] = line
            begun.add(name)
            room -= size
    listed = [(name, memories) for name, memories in found.sections.items() if name is not Name.CORE]
    return [*head, *(_listed(name, memories, lines) for name, memories in listed)]


def _by_weight(found: Found) -> Iterable[tuple[Name, Entry]]:
    """Pinned ones first, then what answers the query, then what is new."""
    place = {memory.pk: (name, memory) for name, memories in found.sections.items() for memory in memories}
    pinned = [memory.pk for memory in found.sections.get(Name.PINNED, ())]
    answers = [pk for pk in found.ranked if pk in place]
    rest = [pk for pk, (name, _) in place.items() if name is not Name.CORE]
    ordered = dict.fromkeys([*pinned, *answers, *rest])
    return [place[pk] for pk in ordered if place[pk][0] is not Name.CORE]


def _listed(name: Name, memories: Sequence[Entry], lines: Mapping[UUID, str]) -> Section:
    kept = [memory.pk for memory in memories if memory.pk in lines]
    left = [memory.pk for memory in memories if memory.pk not in lines]
    return Section(name, listed_block(name, [lines[pk] for pk in kept]), tuple(kept), tuple(left))


def _fitted_core(memories: Sequence[Entry], *, room: int) -> Section:
    """The core, cut at the end of a line if it is larger than all there is room for."""
    if not memories:
        return Section(Name.CORE)
    (memory,) = memories
    content, whole = told(memory), core_block(told(memory))
    room -= len(APART)
    if len(whole.encode()) <= room:
        return Section(Name.CORE, whole, (memory.pk,))
    frame = len(f"{CORE_BEGINS}\n{CUT}\n{CORE_ENDS}\n")
    most = room - frame
    while True:  # backslashes that are added may need a little of the room
        text = CORE_FRAME.kept_out(_cut(content, most_bytes=most))
        over = len(text.encode()) + frame - room
        if over <= 0:
            block = "\n".join(part for part in (CORE_BEGINS, text, CUT, CORE_ENDS) if part)
            return Section(Name.CORE, block, (memory.pk,), cut=True)
        most -= over


def _cut(text: str, *, most_bytes: int) -> str:
    """Its first lines; if not even one fits, the first words of it."""
    beginning = text.encode()[:most_bytes].decode(errors="ignore")
    at_line = beginning.rpartition("\n")[0]
    return at_line or beginning.rpartition(" ")[0] or beginning
