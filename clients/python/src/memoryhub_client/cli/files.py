"""What the commands about a team's files do."""

from argparse import Namespace

from memoryhub_client.cli import showing
from memoryhub_client.cli.desk import Desk, text_of
from memoryhub_client.cli.editing import edited
from memoryhub_client.client import MemoryHub
from memoryhub_client.errors import NotFound
from memoryhub_client.shapes import File


def list_(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    found = hub.files(prefix=args.prefix, text=args.text, deleted=args.deleted or None, limit=200)
    desk.write_json(list(found)) if desk.json else showing.files(desk, found)


def read(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    found = hub.read_file(args.path, version=args.version)
    desk.write_json(found) if desk.json else desk.write_exactly(found.content)


def write(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    """A file keeps the end of its last line, unlike a memory."""
    content = desk.read() if args.content == "-" else text_of(args.content)
    done = hub.write_file(args.path, content, version=args.version, only_new=args.new)
    showing.written_file(desk, done, "wrote")


def append(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written_file(desk, hub.append_file(args.path, text_of(args.text)), "appended to")


def edit(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    """One that is not there yet is made, unless somebody else makes it meanwhile."""
    try:
        seen: File | None = hub.read_file(args.path)
    except NotFound:
        seen = None

    def write(text: str, version: int | None) -> File:
        return hub.write_file(args.path, text, version=version, only_new=version is None)

    done = edited(desk, args.path, seen.content if seen else "", seen.version if seen else None, write)
    if done or seen:
        showing.written_file(desk, done or seen, "changed" if done else "unchanged")  # type: ignore[arg-type]
    elif desk.json:
        desk.write_json(None)
    else:
        desk.write("Nothing was written.")


def rename(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written_file(desk, hub.rename_file(args.path, args.to), "renamed to")


def delete(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written_file(desk, hub.delete_file(args.path, version=args.version), "deleted")


def history(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    versions = hub.file_history(args.path)
    desk.write_json(list(versions)) if desk.json else showing.file_versions(desk, versions)


def revert(desk: Desk, hub: MemoryHub, args: Namespace) -> None:
    showing.written_file(desk, hub.revert_file(args.path, args.version), "reverted")
