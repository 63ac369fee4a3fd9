"""Commands about a team's files."""

from argparse import Namespace

from memoryhub_client.cli import output
from memoryhub_client.cli.editor import edit_text
from memoryhub_client.cli.terminal import Terminal, read_text
from memoryhub_client.client import MemoryHub
from memoryhub_client.errors import NotFound
from memoryhub_client.shapes import File


def run_file_list(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    rows = hub.files(prefix=args.prefix, text=args.text, deleted=args.deleted or None, limit=200)
    terminal.write_json(list(rows)) if terminal.json else output.print_files(terminal, rows)


def run_file_read(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    file = hub.read_file(args.path, version=args.version)
    terminal.write_json(file) if terminal.json else terminal.write_exactly(file.content)


def run_file_write(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    """Write a file. Unlike a memory, it keeps its final newline."""
    content = terminal.read() if args.content == "-" else read_text(args.content)
    written = hub.write_file(args.path, content, version=args.version, only_new=args.new)
    output.print_written_file(terminal, written, "wrote")


def run_file_append(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written_file(terminal, hub.append_file(args.path, read_text(args.text)), "appended to")


def run_file_edit(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    """Edit a file, or create it unless somebody else creates it meanwhile."""
    try:
        current: File | None = hub.read_file(args.path)
    except NotFound:
        current = None

    def write(text: str, version: int | None) -> File:
        return hub.write_file(args.path, text, version=version, only_new=version is None)

    written = edit_text(
        terminal, args.path, current.content if current else "", current.version if current else None, write
    )
    if written or current:
        output.print_written_file(terminal, written or current, "changed" if written else "unchanged")  # type: ignore[arg-type]
    elif terminal.json:
        terminal.write_json(None)
    else:
        terminal.write("Nothing was written.")


def run_file_rename(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written_file(terminal, hub.rename_file(args.path, args.to), "renamed to")


def run_file_delete(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written_file(terminal, hub.delete_file(args.path, version=args.version), "deleted")


def run_file_history(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    versions = hub.file_history(args.path)
    terminal.write_json(list(versions)) if terminal.json else output.print_file_versions(terminal, versions)


def run_file_revert(terminal: Terminal, hub: MemoryHub, args: Namespace) -> None:
    output.print_written_file(terminal, hub.revert_file(args.path, args.version), "reverted")
