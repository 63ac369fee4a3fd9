"""Prompt blocks for an agent to read before it thinks: what its team knows, within a budget of tokens.

The same memories make the same bytes: no times and no counts are in the text. What a memory says is data: it stands on
a line of its own or between the core's delimiters, and `memories.prompts.quoting` keeps it there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache, partial
from uuid import UUID

from django.db import models
from django.utils import timezone

from memories.models import Memory, Provenance, Revision, Status, anchor_state_sql, disputed_sql
from memories.prompts.quoting import Frame, escape_line_breaks
from memories.recall import AUTO, Floor, Recalled, recall, visibility_sql
from memories.recall.past_versions import Moment
from memories.rules.trust import label_trust
from memoryhub.errors import Invalid
from memoryhub.prepared_statements import array_literal, prepared_cursor
from teams.actor import Actor

DEFAULT_BUDGET = 2_000
MIN_BUDGET, MAX_BUDGET = 100, 100_000
BYTES_PER_TOKEN = 4
MAX_RECENT = 10
MAX_RELEVANT = 10
MAX_PINNED_ENTRIES = 100  # at most looked at; more would not be read anyway


class SectionName(StrEnum):
    """The sections in the order of the text. Those that change least come first, so that a model's cache of them
    lasts."""

    CORE = "core"
    PINNED = "pinned"
    RECENT = "recent"
    RELEVANT = "relevant"


ALL_SECTIONS = tuple(SectionName)
HEADINGS = {
    SectionName.PINNED: "## Pinned Memory",
    SectionName.RECENT: "## Recent Team Memory",
    SectionName.RELEVANT: "## Relevant Memory",
}
CORE_BEGINS, CORE_ENDS = "--- TEAM CORE MEMORY ---", "------------------------"
SECTION_GAP = "\n\n"  # between two sections
CUT_NOTICE = "[the rest is cut to fit]"
HEADING_TITLES = "|".join(heading.removeprefix("## ") for heading in HEADINGS.values())
SPEAKER_ROLES = "system|user|human|assistant|developer|tool|memory|memories|instructions?"
EMPHASIS = "*_~`"  # which markdown puts around words, in headings too
CORE_FRAME = Frame(
    r"(?:- ?){10}",
    rf"[-=#{EMPHASIS} ]+team core memory",
    r"team core memory[-= ]*$",  # a line of its own above a line of dashes is a heading too
    rf"(?:{HEADING_TITLES}) ?$",
    rf"(?:<h[1-6]>|[#{EMPHASIS} ])+(?:{HEADING_TITLES})",
    r"\[the rest is cut to fit\]",
    # How prompts mark who speaks.
    rf"< ?/? ?(?:{SPEAKER_ROLES})\b",
    r"<[|]|<</?sys>>|</?s>|\[ ?/?(?:inst|system|sys) ?\]",
    r"(?:[#*_]+ ?)?(?:human|assistant|system)[*_]* ?:",
)


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """The fields of a memory that a prompt needs."""

    pk: UUID
    type: str
    content: str
    summary: str
    byline: str
    status: str = Status.ACTIVE
    provenance: str = Provenance.AGENT
    verified_at: datetime | None = None
    disputed: bool = False
    anchor_state: str | None = None


RESTORED_FIELDS = ("type", "content", "summary", "provenance", "verified_at")


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A block of the text. The core block ends with its delimiter, the others with an empty line."""

    name: SectionName
    text: str = ""
    memory_ids: tuple[UUID, ...] = ()
    omitted: tuple[UUID, ...] = ()  # did not fit
    cut: bool = False  # the end of it did not fit


@dataclass(frozen=True, slots=True)
class PromptContext:
    text: str
    sections: tuple[PromptSection, ...]


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model makes of the text: one for every four bytes of UTF-8, which holds within a fifth
    or so for prose in most languages. This needs no model's tokenizer and is the same everywhere."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def build_context(
    *,
    actor: Actor,
    query: str = "",
    budget: int = DEFAULT_BUDGET,
    sections: Sequence[str] = ALL_SECTIONS,
    min_confidence: Floor | None = AUTO,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    noted: bool = True,
    now: datetime | None = None,
) -> PromptContext:
    """Return the requested sections, within the budget, of what held at `as_of`, as the hub knew it at `known_at`. No
    memory is in two of them. What is relevant is left out if its confidence is too low; the rest counts as recalled,
    unless `noted` is false."""
    wanted = _check_context_options(budget=budget, sections=sections)
    moment = Moment(now or timezone.now(), as_of, known_at)
    asked = {"as_of": as_of, "known_at": known_at, "now": moment.now}
    ask = partial(recall, actor=actor, query=query, min_confidence=min_confidence, limit=MAX_RELEVANT, noted=noted)
    found = _gather_candidates(actor=actor, query=query, names=wanted, ask=partial(ask, **asked), moment=moment)
    return assemble_context(found, budget=budget)


def assemble_context(candidates: "PromptCandidates", *, budget: int) -> PromptContext:
    made = _fit_sections(candidates, room=budget * BYTES_PER_TOKEN)
    blocks = [section.text for section in made if section.text]
    apart = [block if block.endswith(SECTION_GAP) else block + SECTION_GAP for block in blocks[:-1]]
    return PromptContext("".join([*apart, *blocks[-1:]]), tuple(made))


def render_core(*, actor: Actor, now: datetime | None = None) -> str:
    """Return the core block in full, or nothing if the team has no core memory."""
    core = _fetch_sections([SectionName.CORE], actor, Moment(now or timezone.now()))[SectionName.CORE]
    return render_core_block(_render_core_text(core[0])) if core else ""


def render_recent(*, actor: Actor, now: datetime | None = None) -> str:
    """Return the block of the team's newest memories in full."""
    recent = _fetch_sections([SectionName.RECENT], actor, Moment(now or timezone.now()))[SectionName.RECENT]
    return render_section(SectionName.RECENT, map(render_line, recent))


def entry_text(memory: PromptEntry) -> str:
    return memory.summary or memory.content


def render_line(memory: PromptEntry) -> str:
    author = escape_line_breaks(memory.byline).translate(str.maketrans("[]", "()"))
    states = (memory.status if memory.status != Status.ACTIVE else "", "disputed" if memory.disputed else "")
    anchor = f"anchor {memory.anchor_state}" if memory.anchor_state else ""
    kind = ", ".join(filter(None, (memory.type, *states, anchor)))
    labels = "".join(f"[{label}]" for label in (kind, author, _label_trust(memory)) if label)
    return f"{labels} {escape_line_breaks(entry_text(memory))}"


def _render_core_text(memory: PromptEntry) -> str:
    label = _label_trust(memory)
    return f"[{label}]\n{entry_text(memory)}" if label else entry_text(memory)


def _label_trust(memory: PromptEntry) -> str:
    return label_trust(memory.provenance, verified=memory.verified_at is not None)


def render_core_block(content: str) -> str:
    return f"{CORE_BEGINS}\n{CORE_FRAME.escape(content)}\n{CORE_ENDS}"


def render_section(name: SectionName, lines: Iterable[str]) -> str:
    """Return a heading and one line per memory, or nothing if there are no memories."""
    body = "".join(f"{line}\n" for line in lines)
    return f"{HEADINGS[name]}\n{body}\n" if body else ""


def _check_context_options(*, budget: int, sections: Sequence[str]) -> tuple[SectionName, ...]:
    wrong = {}
    if isinstance(budget, bool) or not isinstance(budget, int) or not MIN_BUDGET <= budget <= MAX_BUDGET:
        wrong["budget"] = f"This must be a whole number of tokens from {MIN_BUDGET:,} to {MAX_BUDGET:,}."
    if not sections or not set(sections) <= set(ALL_SECTIONS):
        wrong["sections"] = f"These must be some of {', '.join(ALL_SECTIONS)}."
    if wrong:
        raise Invalid(wrong)
    return tuple(name for name in ALL_SECTIONS if name in sections)


# What there is to say


@dataclass(frozen=True, slots=True)
class PromptCandidates:
    sections: Mapping[SectionName, Sequence[PromptEntry]]
    ranked: Sequence[UUID] = ()  # what answers the query, best first, whichever section it is in


def _gather_candidates(
    *, actor: Actor, query: str, names: Sequence[SectionName], ask: Callable[..., Recalled], moment: Moment
) -> PromptCandidates:
    asks = SectionName.RELEVANT in names and bool(query.strip())
    ranked = [hit.memory.pk for hit in ask().hits] if asks else []
    answered = [name for name in names if asks or name is not SectionName.RELEVANT]
    found = _fetch_sections(answered, actor, moment, ids=ranked)
    return PromptCandidates({name: found.get(name, ()) for name in names}, ranked)


# The ids of a section, in its order. Newest first where something was asked: being recalled changes a memory's rank a
# little, and must not change the text.
SECTION_SQL = """
{name} AS MATERIALIZED (
    SELECT id, row_number() OVER () AS place FROM (
        SELECT memories_memory.id FROM memories_memory WHERE {visible} AND {besides} AND {which}
    ) AS chosen
)"""
BESIDES_SQL = "NOT memories_memory.id IN (SELECT id FROM {name})"
LISTED_SQL = "SELECT '{name}' AS section, id, place FROM {name}"
ENTRIES_SQL = """
WITH {sections}
SELECT section, memories_memory.id, type, content, summary, coalesce(username, slug, 'system'), status, provenance,
    verified_at, {disputed}, {anchor_state}
FROM ({chosen}) AS chosen JOIN memories_memory USING (id)
LEFT JOIN teams_agent AS agent ON agent.id = memories_memory.agent_id
LEFT JOIN auth_user AS login ON login.id = memories_memory.user_id
ORDER BY place
"""
STATES_SQL = {"disputed": disputed_sql("memories_memory"), "anchor_state": anchor_state_sql("memories_memory")}
NEWEST_FIRST_SQL = "ORDER BY memories_memory.created_at DESC, memories_memory.id DESC"
CHOSEN_SQL = {
    # By the importance that it was given. Index: memory_unfading.
    SectionName.PINNED: f"""pinned ORDER BY importance DESC, memories_memory.created_at DESC, memories_memory.id DESC
        LIMIT {MAX_PINNED_ENTRIES}""",
    # Index: memory_newest.
    SectionName.RECENT: f"audience = %(team)s::uuid {NEWEST_FIRST_SQL} LIMIT {MAX_RECENT}",
    SectionName.RELEVANT: f"memories_memory.id = ANY(%(ids)s::uuid[]) {NEWEST_FIRST_SQL}",
}


def _fetch_sections(
    names: Sequence[SectionName], actor: Actor, moment: Moment, *, ids: Sequence[UUID] = ()
) -> dict[SectionName, list[PromptEntry]]:
    """Return the entries of each section that the actor may see, none in two of them, by a statement that is planned
    once. The core memory is that of the actor's own team alone, as are the newest memories."""
    if not names:
        return {}
    visible, filtered = visibility_sql.render_visibility(actor, moment.match())
    values = {"now": moment.now, "holds_at": moment.holds_at, "team": actor.team_id, "ids": array_literal(ids)}
    with prepared_cursor() as cursor:
        cursor.execute(
            _build_sections_sql(tuple(names), visible), visibility_sql.bind_visibility(actor) | values | filtered
        )
        rows = cursor.fetchall()
    entries = _restore_entries(actor, [PromptEntry(*entry) for _, *entry in rows], moment)
    found: dict[SectionName, list[PromptEntry]] = {name: [] for name in names}
    for (section, *_), entry in zip(rows, entries, strict=True):
        found[SectionName(section)].append(entry)
    return found


def _restore_entries(actor: Actor, entries: list[PromptEntry], moment: Moment) -> list[PromptEntry]:
    """Return the entries as they were at an earlier moment, if one is asked for."""
    if moment.known_at is None or not entries:
        return entries
    versions = Revision.objects.in_organization(actor.organization_id).known_at(moment.known_at)
    past = {
        version["memory_id"]: {name: version[name] for name in RESTORED_FIELDS}
        for version in versions.filter(memory__in=[entry.pk for entry in entries]).values("memory_id", *RESTORED_FIELDS)
    }
    return [replace(entry, **past.get(entry.pk, {})) for entry in entries]


@lru_cache(maxsize=100)
def _build_sections_sql(names: tuple[SectionName, ...], visible: str) -> str:
    sections = []
    for place, name in enumerate(names):
        besides = " AND ".join(["true", *(BESIDES_SQL.format(name=above) for above in names[:place])])
        which = CHOSEN_SQL.get(name) or _core_sql()
        sections.append(SECTION_SQL.format(name=name, visible=visible, besides=besides, which=which))
    chosen = [LISTED_SQL.format(name=name) for name in names]
    return ENTRIES_SQL.format(sections=",".join(sections), chosen=" UNION ALL ".join(chosen), **STATES_SQL)


def _core_sql() -> str:
    """Compile the condition from the queryset, so that prompts and pages choose the same memory."""
    team = visibility_sql.Name("%(team)s::uuid", models.UUIDField())
    sql, values = Memory.objects.core_of(team).values("pk").query.sql_with_params()  # type: ignore[arg-type]
    condition = sql.partition(" WHERE ")[2] % tuple(f"'{value}'" for value in values)  # constants of our own
    return f"{condition} LIMIT 1"


# What of it fits


def _fit_sections(candidates: PromptCandidates, *, room: int) -> list[PromptSection]:
    """Fill the sections with whole memories in the order in which they matter. One that is too large is left out, and
    smaller ones after it may still fit."""
    head = (
        [_fit_core(candidates.sections[SectionName.CORE], room=room)] if SectionName.CORE in candidates.sections else []
    )
    room -= sum(len(section.text.encode()) + len(SECTION_GAP) for section in head)
    lines: dict[UUID, str] = {}
    begun: set[SectionName] = set()
    for name, memory in _order_by_weight(candidates):
        line = render_line(memory)
        size = len(f"{line}\n".encode()) + (0 if name in begun else len(f"{HEADINGS[name]}\n\n"))
        if size <= room:
            lines[memory.pk] = line
            begun.add(name)
            room -= size
    listed = [(name, memories) for name, memories in candidates.sections.items() if name is not SectionName.CORE]
    return [*head, *(_build_section(name, memories, lines) for name, memories in listed)]


def _order_by_weight(candidates: PromptCandidates) -> Iterable[tuple[SectionName, PromptEntry]]:
    """Return pinned memories first, then those that answer the query, then new ones."""
    place = {memory.pk: (name, memory) for name, memories in candidates.sections.items() for memory in memories}
    pinned = [memory.pk for memory in candidates.sections.get(SectionName.PINNED, ())]
    answers = [pk for pk in candidates.ranked if pk in place]
    rest = [pk for pk, (name, _) in place.items() if name is not SectionName.CORE]
    ordered = dict.fromkeys([*pinned, *answers, *rest])
    return [place[pk] for pk in ordered if place[pk][0] is not SectionName.CORE]


def _build_section(name: SectionName, memories: Sequence[PromptEntry], lines: Mapping[UUID, str]) -> PromptSection:
    kept = [memory.pk for memory in memories if memory.pk in lines]
    left = [memory.pk for memory in memories if memory.pk not in lines]
    return PromptSection(name, render_section(name, [lines[pk] for pk in kept]), tuple(kept), tuple(left))


def _fit_core(memories: Sequence[PromptEntry], *, room: int) -> PromptSection:
    """Return the core, cut at the end of a line if it is larger than the room there is."""
    if not memories:
        return PromptSection(SectionName.CORE)
    (memory,) = memories
    content = _render_core_text(memory)
    room -= len(SECTION_GAP)
    if len(content.encode()) <= room:  # else escaping all of it, which only makes it longer, would be wasted
        whole = render_core_block(content)
        if len(whole.encode()) <= room:
            return PromptSection(SectionName.CORE, whole, (memory.pk,))
    frame = len(f"{CORE_BEGINS}\n{CUT_NOTICE}\n{CORE_ENDS}\n")
    most = room - frame
    while True:  # backslashes that are added may need a little of the room
        text = CORE_FRAME.escape(_cut_text(content, most_bytes=most))
        over = len(text.encode()) + frame - room
        if over <= 0:
            block = "\n".join(part for part in (CORE_BEGINS, text, CUT_NOTICE, CORE_ENDS) if part)
            return PromptSection(SectionName.CORE, block, (memory.pk,), cut=True)
        most -= over


def _cut_text(text: str, *, most_bytes: int) -> str:
    """Return the first lines of the text; if not even one fits, its first words."""
    beginning = text.encode()[:most_bytes].decode(errors="ignore")
    at_line = beginning.rpartition("\n")[0]
    return at_line or beginning.rpartition(" ")[0] or beginning
