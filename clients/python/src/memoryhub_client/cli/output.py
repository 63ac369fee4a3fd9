"""Prints memories and files to the terminal."""

from collections.abc import Iterable
from datetime import datetime

from memoryhub_client.cli.terminal import Terminal
from memoryhub_client.shapes import File, FileVersion, HashedPlace, Hit, Me, Memory, Recalled, Source, Version

SHORTEST = 20  # columns for a text, however narrow the terminal is


def print_memory(terminal: Terminal, one: Memory) -> None:
    terminal.write(one.key or one.id, "bold")
    terminal.write(_format_facts(one), "dim")
    if one.key:
        terminal.write(f"{one.id}", "dim")
    terminal.write("")
    terminal.write_exactly(one.content)


def print_written(terminal: Terminal, one: Memory, what: str) -> None:
    """Print in one line what was done to a memory."""
    if terminal.json:
        terminal.write_json(one)
        return
    terminal.write(what, "green", end=" ")
    terminal.write(f"{one.key or one.id}", "bold", end=" ")
    terminal.write(f"version {one.version}{f', {one.id}' if one.key else ''}", "dim")
    for other in one.similar:
        terminal.write(f"  similar to {other.id} ({other.similarity:.2f})", "yellow")


def print_lines(terminal: Terminal, rows: Iterable[Memory]) -> None:
    for one in rows:
        print_line(terminal, one)


def print_line(terminal: Terminal, one: Memory, *, mark: str = "") -> None:
    """Print a memory's id, for the next command to use, and as much of its text as fits."""
    head = f"{mark}{one.id}  {_format_time(one.updated_at)}  {one.type:<11} "
    terminal.write(head, "dim", end="")
    label = f"{'★ ' if one.pinned else ''}{one.key or ''}"
    if label:
        terminal.write(label, "bold", end="  ")
    room = max(SHORTEST, terminal.width - len(head) - len(label) - 2)
    terminal.write(_shorten(one.summary or one.content, room))


def print_recall(terminal: Terminal, answer: Recalled) -> None:
    for rank, hit in enumerate(answer.memories, 1):
        _print_hit(terminal, rank, hit)
    more = "at least " if answer.total_is_bound else ""
    terminal.write(f"{len(answer.memories)} of {more}{answer.total_found} found.", "dim")
    if answer.folded:
        terminal.write(f"{answer.folded} more repeat one of these.", "dim")
    if answer.note:
        terminal.write(answer.note, "yellow")


def _print_hit(terminal: Terminal, rank: int, hit: Hit) -> None:
    terminal.write(f"{rank}. {hit.key or hit.id}", "bold", end="  ")
    terminal.write(f"{hit.relevance_score:.2f}", "cyan", end="  ")
    terminal.write(f"confidence {hit.confidence:.2f}", "cyan", end="  ")
    terminal.write(_format_facts(hit), "dim")
    for part in hit.content.splitlines() or [""]:
        terminal.write(f"   {part}")
    if hit.explain:
        terminal.write("   " + ", ".join(f"{name} {value}" for name, value in hit.explain.items() if value), "dim")
    terminal.write("")


def print_versions(terminal: Terminal, rows: Iterable[Version]) -> None:
    for one in rows:
        head = f"{one.version:>4}  {_format_time(one.created_at)}  {one.change:<10} {one.by:<16} "
        terminal.write(head, "dim", end="")
        terminal.write(_shorten(one.content, max(SHORTEST, terminal.width - len(head))))


def print_files(terminal: Terminal, rows: Iterable[File]) -> None:
    for one in rows:
        terminal.write(f"{one.size:>9}  {_format_time(one.updated_at)}  v{one.version:<4} ", "dim", end="")
        terminal.write(one.path)


def print_written_file(terminal: Terminal, file: File, what: str) -> None:
    if terminal.json:
        terminal.write_json(file)
        return
    terminal.write(what, "green", end=" ")
    terminal.write(file.path, "bold", end=" ")
    terminal.write(f"version {file.version}", "dim")


def print_file_versions(terminal: Terminal, rows: Iterable[FileVersion]) -> None:
    for one in rows:
        terminal.write(
            f"{one.version:>4}  {_format_time(one.created_at)}  {one.change:<10} {one.by:<16} {one.size:>9}  {one.path}"
        )


def print_anchor(terminal: Terminal, source: Source, state: str, *, now: HashedPlace | None = None) -> None:
    """Print the state of an anchor, and where its lines are now, if they have moved."""
    anchor = source.anchor
    if terminal.json:
        return terminal.write_json(source)
    place = (anchor and anchor.path) or source.url or ""
    lines = _format_lines(anchor)
    moved = _format_lines(now) if now and now.first_line else ""
    style = "green" if state == "holds" else "dim" if state == "unchecked" else "red"
    terminal.write(terminal.apply_styles(f"{state:<9}", style), end=" ")
    terminal.write(f"{place}{lines}{f' now {moved[1:]}' if moved not in ('', lines) else ''}  {source.memory_id}")
    return None


def _format_lines(place: HashedPlace | None) -> str:
    if place is None or place.first_line is None:
        return ""
    return f":{place.first_line}" + (f"-{place.last_line}" if place.last_line != place.first_line else "")


def print_me(terminal: Terminal, one: Me, url: str) -> None:
    terminal.write(one.name, "bold", end=" ")
    terminal.write(f"at {url} may {', '.join(one.verbs)}")
    for name in ("organization", "team", "agent", "project", "person", "session", "workspace", "channel"):
        if value := getattr(one, f"{name}_id"):
            terminal.write(f"  {name:<12} {value}", "dim")


def _format_facts(one: Memory) -> str:
    facts = [one.type, *(["pinned"] if one.pinned else []), *(f"#{tag}" for tag in one.tags), f"{one.scope}'s"]
    until = [f"until {_format_time(one.expires_at)}"] if one.expires_at else []
    gone = [f"forgotten {_format_time(one.forgotten_at)}"] if one.forgotten_at else []
    return ", ".join([*facts, f"version {one.version}", _format_time(one.updated_at), *until, *gone])


def _format_time(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""


def _shorten(text: str, room: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= room else flat[: room - 1] + "…"
