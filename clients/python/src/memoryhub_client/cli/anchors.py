"""Commands about anchors: make one, and check those of a working tree. Only hashes and line numbers are sent."""

import re
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff

from memoryhub_client.anchors import (
    AnchorCheck,
    CheckState,
    NotReadable,
    WorkingTree,
    check_content,
    hash_place,
    new_salt,
    split_lines,
)
from memoryhub_client.anchors.check import find_block
from memoryhub_client.anchors.pages import fetch_url
from memoryhub_client.cli import output
from memoryhub_client.cli.memories import look_up_memory
from memoryhub_client.cli.terminal import Terminal, UsageError
from memoryhub_client.client import MemoryHub
from memoryhub_client.shapes import Anchor, Source

PLACE_PATTERN = re.compile(r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?")
REPORTED_AT_ONCE = 500
MOST_PRINTED = 2_000  # lines of a place that is printed with --diff
FAILED = 1


# Making one


def run_anchor(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    memory = look_up_memory(hub, args)
    if re.match(r"https?://", args.place):
        source = hub.cite(memory.id, url=args.place, anchor=_anchor_page(args.place))
    else:
        source = hub.cite(memory.id, anchor=_anchor_lines(WorkingTree.find(), args.place, args.repository))
    output.print_anchor(terminal, source, source.anchor.state if source.anchor else "")


def _anchor_page(url: str) -> Anchor:
    content, salt = fetch_url(url), new_salt()
    if content is None:
        raise UsageError(f"There is nothing at {url}.")
    return _build_anchor(split_lines(content), salt, first=None)


def _anchor_lines(tree: WorkingTree, place: str, repository: str | None) -> Anchor:
    """Return the anchor of a file, or of lines of it. The commit is left out if the lines are not in it."""
    match = PLACE_PATTERN.fullmatch(place)
    name, first, last = match.groups() if match else (place, None, None)
    path = tree.find_path(name)
    content = tree.read(path)
    if content is None:
        raise UsageError(f"{name} is not a file that git tracks here.")
    lines = _choose_lines(split_lines(content), name, first, last)
    anchor = _build_anchor(
        lines, new_salt(), first=int(first) if first else None, repository=repository or tree.repository, path=path
    )
    before = tree.read_at(tree.commit, path)
    there = before is not None and check_content(anchor, before).state is CheckState.HOLDS
    return replace(anchor, commit=tree.commit) if there else anchor


def _choose_lines(lines: Sequence[bytes], name: str, first: str | None, last: str | None) -> Sequence[bytes]:
    if first is None:
        return lines
    start, end = int(first), int(last or first)
    if not 1 <= start <= end <= len(lines):
        raise UsageError(f"{name} has {len(lines):,} lines, and the last one of an anchor is not before the first.")
    return lines[start - 1 : end]


def _build_anchor(
    lines: Sequence[bytes], salt: str, *, first: int | None, repository: str | None = None, path: str | None = None
) -> Anchor:
    place = hash_place(lines, salt, first=first)
    return Anchor(
        sha256=place.sha256,
        line_hashes=place.line_hashes,
        first_line=place.first_line,
        last_line=place.last_line,
        salt=salt,
        repository=repository,
        path=path,
    )


# Checking them


@dataclass(frozen=True, slots=True)
class CheckedSource:
    source: Source
    anchor: Anchor
    check: AnchorCheck | None = None
    reason: str = ""  # why it was not checked


def run_verify(terminal: Terminal, hub: MemoryHub, args: Namespace) -> int:
    """AnchorCheck the anchors, print the result, report it, and return 1 if any has changed or is gone."""
    tree = WorkingTree.find()
    results = list(_check_all(hub, tree, args))
    if not args.no_report:
        _report_results(hub, results, commit=tree.commit)
    _print_results(terminal, tree, results, diff=args.diff)
    return FAILED if any(one.check and one.check.state is not CheckState.HOLDS for one in results) else 0


def _check_all(hub: MemoryHub, tree: WorkingTree, args: Namespace) -> Iterator[CheckedSource]:
    for source in hub.anchors(repository=args.repository or tree.repository, limit=200):
        if source.anchor:
            yield _check_source(source, source.anchor, tree)
    for source in hub.anchors(repository="", limit=200) if args.urls else ():
        if source.anchor:
            yield _check_source(source, source.anchor, tree)


def _check_source(source: Source, anchor: Anchor, tree: WorkingTree) -> CheckedSource:
    """AnchorCheck an anchor as the hub gives it, which is not to be trusted with what is read here."""
    try:
        content = tree.read(anchor.path) if anchor.path else fetch_url(source.url or "")
        return CheckedSource(source, anchor, check_content(anchor, content))
    except (NotReadable, OSError, ValueError) as error:
        return CheckedSource(source, anchor, reason=str(error))


def _report_results(hub: MemoryHub, results: Sequence[CheckedSource], *, commit: str) -> None:
    found = [(one.source.id, one.check.present) for one in results if one.check]
    for start in range(0, len(found), REPORTED_AT_ONCE):
        hub.report_anchors(dict(found[start : start + REPORTED_AT_ONCE]), commit=commit)


def _print_results(terminal: Terminal, tree: WorkingTree, results: Sequence[CheckedSource], *, diff: bool) -> None:
    if terminal.json:
        terminal.write_json([_describe_check(one) for one in results])
        return
    for one in results:
        if one.check is None:
            terminal.write_error(f"not checked: {one.reason}")
            continue
        output.print_anchor(terminal, one.source, one.check.state, now=one.check.present)
        if diff and one.check.state is not CheckState.HOLDS:
            terminal.write("".join(_diff_lines(tree, one)), end="")
    counts = Counter(one.check.state.value if one.check else "not checked" for one in results)
    terminal.write(", ".join(f"{number} {state}" for state, number in counts.items()) or "No anchors here.", "dim")


def _describe_check(one: CheckedSource) -> dict[str, object]:
    place = (one.check and one.check.present) or one.anchor
    return {
        "id": one.source.id,
        "memory_id": one.source.memory_id,
        "path": one.anchor.path,
        "url": one.source.url,
        "state": one.check.state.value if one.check else None,
        "first_line": place.first_line,
        "last_line": place.last_line,
        "reason": one.reason or None,
    }


def _diff_lines(tree: WorkingTree, one: CheckedSource) -> Iterator[str]:
    """Return the former and the present words, as far as this repository has the former ones."""
    former = _read_former_lines(tree, one.anchor)
    if former is None or one.check is None:
        yield "  The former words are not in this repository.\n"
        return
    before, after = (_decode(lines[:MOST_PRINTED]) for lines in (former, one.check.lines))
    for line in list(unified_diff(before, after, n=3))[2:]:
        yield f"  {line}"


def _read_former_lines(tree: WorkingTree, anchor: Anchor) -> Sequence[bytes] | None:
    content = tree.read_at(anchor.commit or "", anchor.path or "")
    if content is None:
        return None
    lines = split_lines(content)
    if anchor.first_line is None:
        return lines
    found = find_block(anchor, lines)
    return None if found is None else lines[found : found + (anchor.last_line or 0) - anchor.first_line + 1]


def _decode(lines: Sequence[bytes]) -> list[str]:
    return [line.decode(errors="replace") for line in lines]
