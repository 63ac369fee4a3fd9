"""What the commands about memories do."""

from argparse import Namespace
from collections.abc import Iterable
from itertools import islice
from typing import Any
from uuid import UUID

from memoryhub_client import configuration
from memoryhub_client.cli import showing
from memoryhub_client.cli.desk import CannotDo, Desk, moment, text_of
from memoryhub_client.cli.editing import edited
from memoryhub_client.client import MemoryHub
from memoryhub_client.configuration import Configuration
from memoryhub_client.shapes import Memory

DRAFT = ("key", "summary", "type", "category", "tags", "importance", "source", "scope", "dedupe")
FILTERS = ("type", "category", "tags", "scope", "source", "pinned")


def login(desk: Desk, args: Namespace) -> None:
    """The token is tried before it is kept."""
    kept = None if args.url else configuration.known_url()
    url = (args.url or kept or desk.ask("Address of the hub")).strip().rstrip("/")
    token = text_of(args.token or "").strip() or desk.ask("Token (mh_…)", secret=True).strip()
    with MemoryHub(url, token) as hub:
        me = hub.me()
    path = configuration.keep(Configuration(url, token))
    if desk.json:
        desk.write_json({"url": url, "file": str(path), "me": me})
    else:
        showing.me(desk, me, url)
        desk.write(f"Kept in {path}.", "dim")


def logout(desk: Desk, args: Namespace) -> None:
    forgotten = configuration.drop()
    if desk.json:
        desk.write_json({"forgotten": forgotten})
    else:
        desk.write("The token is gone from this machine; it is still valid." if forgotten else "Nobody was logged in.")


def whoami(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    me = hub.me()
    desk.write_json(me) if desk.json else showing.me(desk, me, hub.url)


def save(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    said = _said(args, *DRAFT) | _said(args, "expires_at") | ({"pinned": True} if args.pinned else {})
    saved = hub.save(text_of(args.content), **said)
    showing.written(desk, saved, "saved" if saved.version == 1 else "updated")


def recall(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    said = _said(args, *FILTERS, "mode", "limit", "explain", "sort_by")
    answer = hub.recall(text_of(args.query) if args.query else None, **said)
    desk.write_json(answer) if desk.json else showing.recalled(desk, answer)


def context(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    answer = hub.context(text_of(args.query) if args.query else None, budget=args.budget, sections=args.sections)
    desk.write_json(answer) if desk.json else desk.write_exactly(answer.text)


def get(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    found = _found(hub, args)
    if desk.json:
        desk.write_json(found)
    elif args.content:
        desk.write_exactly(found.content)
    else:
        showing.memory(desk, found)


def list_(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    size = {"limit": min(args.limit, 200)} if args.limit else {"limit": 200}
    found = hub.memories(**_said(args, *FILTERS, "text", "order", "forgotten"), **size)
    wanted: Iterable[Memory] = islice(found, args.limit or None)
    desk.write_json(list(wanted)) if desk.json else showing.lines(desk, wanted)


def edit(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    seen = _found(hub, args)

    def write(text: str, version: int | None) -> Memory:
        return hub.change(seen.id, content=text, version=version)

    done = edited(desk, seen.key or "", seen.content, seen.version, write)
    showing.written(desk, done or seen, "changed" if done else "unchanged")


def append(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written(desk, hub.append(_found(hub, args).id, text_of(args.text)), "appended to")


def pin(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    changed = hub.pin(_found(hub, args).id, args.pinned)
    showing.written(desk, changed, "pinned" if args.pinned else "unpinned")


def tag(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    if not args.names and not args.remove:
        raise CannotDo("Name tags to add, or --remove some.")
    showing.written(desk, hub.tag(_found(hub, args).id, args.names, remove=args.remove), "tagged")


def expire(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    try:
        when = None if args.when == "never" else moment(args.when)
    except ValueError as error:
        raise CannotDo(f"{error}, nor never.") from error
    showing.written(desk, hub.expire(_found(hub, args).id, when), "changed")


def forget(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    """Also by a token that may not read: by an id it need not look first."""
    if _is_id(args.memory):
        gone = hub.forget(args.memory, reason=args.reason)
    else:
        gone = hub.forget_key(args.memory, scope=args.scope, reason=args.reason)
    showing.written(desk, gone, "forgot")


def restore(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written(desk, hub.restore(args.memory), "restored")


def history(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    versions = hub.history(_found(hub, args).id)
    desk.write_json(list(versions)) if desk.json else showing.versions(desk, versions)


def revert(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written(desk, hub.revert(_found(hub, args).id, args.version), "reverted")


def export(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    path = hub.export(args.to)
    if desk.json:
        desk.write_json({"file": str(path), "size": path.stat().st_size})
    else:
        desk.write(f"Wrote {path}, {path.stat().st_size:,} bytes.")


def tail(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    said: dict[str, Any] = {"since": args.since, "interval": args.interval, "forgotten": args.forgotten}
    said["on_trouble"] = lambda error: desk.complain(f"{error} Waiting for it …")
    for one in hub.tail(**said, **_said(args, *FILTERS)):
        if desk.json:
            desk.write_json(one, indent=None)
        else:
            showing.line(desk, one, mark="- " if one.forgotten_at else "+ " if one.version == 1 else "~ ")
        desk.flush()


def _found(hub: MemoryHub, args: Namespace) -> Memory:
    if _is_id(args.memory):
        return hub.get(args.memory)
    return hub.get_key(args.memory, scope=args.scope)


def _is_id(said: str) -> bool:
    try:
        UUID(said)
    except ValueError:
        return False
    return True


def _said(args: Namespace, *names: str) -> dict[str, Any]:
    """What is left out is the hub's to choose."""
    return {name: value for name in names if (value := getattr(args, name)) not in (None, [], False)}
