"""Commands about memories, and logging in."""

from argparse import Namespace
from collections.abc import Iterable
from itertools import islice
from typing import Any
from uuid import UUID

from memoryhub_client import configuration
from memoryhub_client.cli import output
from memoryhub_client.cli.editor import edit_text
from memoryhub_client.cli.terminal import Terminal, UsageError, parse_time, read_text
from memoryhub_client.client import MemoryHub
from memoryhub_client.configuration import Configuration
from memoryhub_client.shapes import Memory

DRAFT_OPTIONS = ("key", "summary", "type", "category", "tags", "importance", "source", "scope", "dedupe")
FILTER_OPTIONS = ("type", "category", "tags", "scope", "source", "pinned")


def run_login(terminal: Terminal, args: Namespace) -> None:
    """Check a token with the hub, then store it."""
    stored = None if args.url else configuration.configured_url()
    url = (args.url or stored or terminal.ask("Address of the hub")).strip().rstrip("/")
    token = read_text(args.token or "").strip() or terminal.ask("Token (mh_…)", secret=True).strip()
    with MemoryHub(url, token) as hub:
        me = hub.me()
    path = configuration.save_configuration(Configuration(url, token))
    if terminal.json:
        terminal.write_json({"url": url, "file": str(path), "me": me})
    else:
        output.print_me(terminal, me, url)
        terminal.write(f"Stored in {path}.", "dim")


def run_logout(terminal: Terminal, args: Namespace) -> None:
    forgotten = configuration.delete_configuration()
    if terminal.json:
        terminal.write_json({"forgotten": forgotten})
    else:
        terminal.write(
            "The token was deleted from this machine; it is still valid." if forgotten else "You were not logged in."
        )


def run_whoami(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    me = hub.me()
    terminal.write_json(me) if terminal.json else output.print_me(terminal, me, hub.url)


def run_save(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    fields = (
        _given_options(args, *DRAFT_OPTIONS)
        | _given_options(args, "expires_at")
        | ({"pinned": True} if args.pinned else {})
    )
    saved = hub.save(read_text(args.content), **fields)
    output.print_written(terminal, saved, "saved" if saved.version == 1 else "updated")


def run_recall(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    options = _given_options(args, *FILTER_OPTIONS, "mode", "limit", "explain", "sort_by", "min_confidence")
    answer = hub.recall(read_text(args.query) if args.query else None, **options)
    terminal.write_json(answer) if terminal.json else output.print_recall(terminal, answer)


def run_context(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    query = read_text(args.query) if args.query else None
    answer = hub.context(query, budget=args.budget, sections=args.sections, min_confidence=args.min_confidence)
    terminal.write_json(answer) if terminal.json else terminal.write_exactly(answer.text)


def run_get(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    memory = look_up_memory(hub, args)
    if terminal.json:
        terminal.write_json(memory)
    elif args.content:
        terminal.write_exactly(memory.content)
    else:
        output.print_memory(terminal, memory)


def run_list(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    size = {"limit": min(args.limit, 200)} if args.limit else {"limit": 200}
    memories = hub.memories(**_given_options(args, *FILTER_OPTIONS, "text", "order", "forgotten"), **size)
    wanted: Iterable[Memory] = islice(memories, args.limit or None)
    terminal.write_json(list(wanted)) if terminal.json else output.print_lines(terminal, wanted)


def run_edit(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    memory = look_up_memory(hub, args)

    def write(text: str, version: int | None) -> Memory:
        return hub.change(memory.id, content=text, version=version)

    written = edit_text(terminal, memory.key or "", memory.content, memory.version, write)
    output.print_written(terminal, written or memory, "changed" if written else "unchanged")


def run_append(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written(terminal, hub.append(look_up_memory(hub, args).id, read_text(args.text)), "appended to")


def run_pin(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    changed = hub.pin(look_up_memory(hub, args).id, args.pinned)
    output.print_written(terminal, changed, "pinned" if args.pinned else "unpinned")


def run_tag(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    if not args.names and not args.remove:
        raise UsageError("Name tags to add, or --remove some.")
    output.print_written(terminal, hub.tag(look_up_memory(hub, args).id, args.names, remove=args.remove), "tagged")


def run_expire(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    try:
        when = None if args.when == "never" else parse_time(args.when)
    except ValueError as error:
        raise UsageError(f"{error}, nor never.") from error
    output.print_written(terminal, hub.expire(look_up_memory(hub, args).id, when), "changed")


def run_forget(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    """Forget a memory. By its id this works even with a token that may not read."""
    if _is_id(args.memory):
        forgotten = hub.forget(args.memory, reason=args.reason)
    else:
        forgotten = hub.forget_key(args.memory, scope=args.scope, reason=args.reason)
    output.print_written(terminal, forgotten, "forgot")


def run_restore(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written(terminal, hub.restore(args.memory), "restored")


def run_history(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    versions = hub.history(look_up_memory(hub, args).id)
    terminal.write_json(list(versions)) if terminal.json else output.print_versions(terminal, versions)


def run_revert(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written(terminal, hub.revert(look_up_memory(hub, args).id, args.version), "reverted")


def run_export(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    path = hub.export(args.to)
    if terminal.json:
        terminal.write_json({"file": str(path), "size": path.stat().st_size})
    else:
        terminal.write(f"Wrote {path}, {path.stat().st_size:,} bytes.")


def run_tail(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    options: dict[str, Any] = {"since": args.since, "interval": args.interval, "forgotten": args.forgotten}
    options["on_trouble"] = lambda error: terminal.write_error(f"{error} Waiting for it …")
    for one in hub.tail(**options, **_given_options(args, *FILTER_OPTIONS)):
        if terminal.json:
            terminal.write_json(one, indent=None)
        else:
            output.print_line(terminal, one, mark="- " if one.forgotten_at else "+ " if one.version == 1 else "~ ")
        terminal.flush()


def look_up_memory(hub: MemoryHub, args: Namespace) -> Memory:
    if _is_id(args.memory):
        return hub.get(args.memory)
    return hub.get_key(args.memory, scope=args.scope)


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _given_options(args: Namespace, *names: str) -> dict[str, Any]:
    """Return the options that were given; the hub decides the others."""
    return {name: value for name in names if (value := getattr(args, name)) not in (None, [], False)}
