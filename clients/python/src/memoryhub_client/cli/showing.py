"""How memories and files look on a terminal."""

from collections.abc import Iterable
from datetime import datetime

from memoryhub_client.cli.desk import Desk
from memoryhub_client.shapes import File, FileVersion, Hit, Me, Memory, Recalled, Version

SHORTEST = 20  # columns for a text, however narrow the terminal is


def memory(desk: Desk, one: Memory) -> None:
    desk.write(one.key or one.id, "bold")
    desk.write(_facts(one), "dim")
    if one.key:
        desk.write(f"{one.id}", "dim")
    desk.write("")
    desk.write_exactly(one.content)


def written(desk: Desk, one: Memory, what: str) -> None:
    """What became of it, in a line."""
    if desk.json:
        desk.write_json(one)
        return
    desk.write(what, "green", end=" ")
    desk.write(f"{one.key or one.id}", "bold", end=" ")
    desk.write(f"version {one.version}{f', {one.id}' if one.key else ''}", "dim")
    for other in one.similar:
        desk.write(f"  much like {other.id} ({other.similarity:.2f})", "yellow")


def lines(desk: Desk, found: Iterable[Memory]) -> None:
    for one in found:
        line(desk, one)


def line(desk: Desk, one: Memory, *, mark: str = "") -> None:
    """Its id, so that the next command can name it, and as much of its text as there is room for."""
    head = f"{mark}{one.id}  {_moment(one.updated_at)}  {one.type:<11} "
    desk.write(head, "dim", end="")
    label = f"{'★ ' if one.pinned else ''}{one.key or ''}"
    if label:
        desk.write(label, "bold", end="  ")
    room = max(SHORTEST, desk.width - len(head) - len(label) - 2)
    desk.write(_cut(one.summary or one.content, room))


def recalled(desk: Desk, answer: Recalled) -> None:
    for rank, hit in enumerate(answer.memories, 1):
        _hit(desk, rank, hit)
    more = "at least " if answer.total_is_bound else ""
    desk.write(f"{len(answer.memories)} of {more}{answer.total_found} found.", "dim")
    if answer.note:
        desk.write(answer.note, "yellow")


def _hit(desk: Desk, rank: int, hit: Hit) -> None:
    desk.write(f"{rank}. {hit.key or hit.id}", "bold", end="  ")
    desk.write(f"{hit.relevance_score:.2f}", "cyan", end="  ")
    desk.write(_facts(hit), "dim")
    for part in hit.content.splitlines() or [""]:
        desk.write(f"   {part}")
    if hit.explain:
        desk.write("   " + ", ".join(f"{name} {value}" for name, value in hit.explain.items() if value), "dim")
    desk.write("")


def versions(desk: Desk, found: Iterable[Version]) -> None:
    for one in found:
        head = f"{one.version:>4}  {_moment(one.created_at)}  {one.change:<10} {one.by:<16} "
        desk.write(head, "dim", end="")
        desk.write(_cut(one.content, max(SHORTEST, desk.width - len(head))))


def files(desk: Desk, found: Iterable[File]) -> None:
    for one in found:
        desk.write(f"{one.size:>9}  {_moment(one.updated_at)}  v{one.version:<4} ", "dim", end="")
        desk.write(one.path)


def written_file(desk: Desk, file: File, what: str) -> None:
    if desk.json:
        desk.write_json(file)
        return
    desk.write(what, "green", end=" ")
    desk.write(file.path, "bold", end=" ")
    desk.write(f"version {file.version}", "dim")


def file_versions(desk: Desk, found: Iterable[FileVersion]) -> None:
    for one in found:
        desk.write(
            f"{one.version:>4}  {_moment(one.created_at)}  {one.change:<10} {one.by:<16} {one.size:>9}  {one.path}"
        )


def me(desk: Desk, one: Me, url: str) -> None:
    desk.write(one.name, "bold", end=" ")
    desk.write(f"at {url} may {', '.join(one.verbs)}")
    for name in ("organization", "team", "agent", "project", "person", "session", "workspace", "channel"):
        if value := getattr(one, f"{name}_id"):
            desk.write(f"  {name:<12} {value}", "dim")


def _facts(one: Memory) -> str:
    said = [one.type, *(["pinned"] if one.pinned else []), *(f"#{tag}" for tag in one.tags), f"{one.scope}'s"]
    until = [f"until {_moment(one.expires_at)}"] if one.expires_at else []
    gone = [f"forgotten {_moment(one.forgotten_at)}"] if one.forgotten_at else []
    return ", ".join([*said, f"version {one.version}", _moment(one.updated_at), *until, *gone])


def _moment(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""


def _cut(text: str, room: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= room else flat[: room - 1] + "…"
