"""The command line's arguments and help texts."""

from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from memoryhub_client.cli import anchors, files, memories
from memoryhub_client.cli.terminal import parse_time

Run = Callable[..., int | None]

TYPE_CHOICES = ("fact", "preference", "decision", "identity", "event", "observation", "goal", "todo", "lesson")
SCOPE_CHOICES = ("team", "global", "project", "agent")
MODE_CHOICES = ("hybrid", "keyword", "semantic", "recent", "important", "typed")
ORDER_CHOICES = ("-created_at", "created_at", "-updated_at", "updated_at", "-importance", "importance")
EPILOG = """\
MEMORY is an id or a key. If a text is -, it is read from standard input.

The hub's address and token come from --url and --token, else MEMORYHUB_URL and MEMORYHUB_TOKEN, else 'memoryhub login'.

exit codes: 0 success, 1 refused or failed (verify: an anchor has changed or is gone), 2 invalid command line,
3 not found, 4 somebody else changed it first, 5 the token is invalid or lacks the right, 6 the hub cannot be reached or
is busy, 130 interrupted
"""


def build_parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="memoryhub",
        description="Save, recall, edit and follow the memories of your team.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memoryhub {_version()}")
    parser.set_defaults(json=False, url=None, token=None, alone=False)
    parser.set_defaults(**dict.fromkeys(CONTEXT_OPTIONS))
    _add_common_options(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_login_commands(commands)
    _add_save_command(commands)
    _add_read_commands(commands)
    _add_change_commands(commands)
    _add_anchor_commands(commands)
    _add_file_commands(commands)
    return parser


def _version() -> str:
    try:
        return version("memoryhub-client")
    except PackageNotFoundError:
        return "(not installed)"


CONTEXT_OPTIONS = {
    "project": "the project that calls are about",
    "user": "the person they serve, by handle",
    "session": "the conversation they belong to",
    "workspace": "the workspace they are in",
    "channel": "the channel they come from",
}


def _add_common_options(parser: ArgumentParser) -> None:
    """Add the options allowed before and after the command; a default here would overwrite those given before it."""
    parser.add_argument("--json", action="store_true", default=SUPPRESS, help="print JSON")
    parser.add_argument("--url", default=SUPPRESS, metavar="URL", help="the hub's address")
    parser.add_argument(
        "--token", default=SUPPRESS, metavar="TOKEN", help="your token; other users of this machine can see it"
    )
    for name, meaning in CONTEXT_OPTIONS.items():
        parser.add_argument(f"--{name}", default=SUPPRESS, metavar="NAME", help=meaning)


def _add_command(commands: Any, name: str, run: Run, about: str, **defaults: Any) -> ArgumentParser:
    parser: ArgumentParser = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    parser.set_defaults(run=run, **defaults)
    _add_common_options(parser)
    return parser


def _add_memory_command(commands: Any, name: str, run: Run, about: str, **defaults: Any) -> ArgumentParser:
    parser = _add_command(commands, name, run, about, **defaults)
    parser.add_argument("memory", metavar="MEMORY", help="its id or its key")
    parser.add_argument("--scope", choices=SCOPE_CHOICES, default="team", help="whose key it is (default: team)")
    return parser


def _add_login_commands(commands: Any) -> None:
    _add_command(
        commands,
        "login",
        memories.run_login,
        "check a token (prompted for, or - for standard input) and store it",
        alone=True,
    )
    _add_command(commands, "logout", memories.run_logout, "delete the stored token", alone=True)
    _add_command(commands, "whoami", memories.run_whoami, "show the token's identity and rights")


def _add_save_command(commands: Any) -> None:
    save = _add_command(commands, "save", memories.run_save, "save a memory; an existing key gets a new version")
    save.add_argument("content", metavar="TEXT", help="what to remember, or -")
    save.add_argument("-k", "--key", help="a label to find it by")
    save.add_argument("-t", "--type", choices=TYPE_CHOICES)
    save.add_argument("--tag", dest="tags", action="append", metavar="TAG", help="repeatable")
    save.add_argument("--category")
    save.add_argument("--summary", help="a shorter form, for prompts")
    save.add_argument("--importance", type=float, metavar="0-1")
    save.add_argument("--source")
    save.add_argument("--scope", choices=SCOPE_CHOICES, help="whose memory it is (default: team)")
    save.add_argument("--pin", dest="pinned", action="store_true")
    save.add_argument("--expires", dest="expires_at", type=parse_time, metavar="WHEN", help="like 2030-01-31T12:00")
    save.add_argument("--dedupe", choices=("update", "create", "refuse"), help="what to do if the key exists")


def _add_read_commands(commands: Any) -> None:
    recall = _add_command(
        commands, "recall", memories.run_recall, "recall the memories that answer a query, best first"
    )
    recall.add_argument("query", nargs="?", metavar="QUERY", help="any text, or -")
    recall.add_argument("-n", "--limit", type=int, metavar="N", help="at most 50")
    recall.add_argument("--mode", choices=MODE_CHOICES)
    recall.add_argument("--sort-by", choices=("recent", "importance", "most_accessed"), help="with --mode typed")
    _add_confidence(recall, "default: no floor")
    recall.add_argument("--explain", action="store_true", help="say why each one was found")
    _add_filters(recall)
    context = _add_command(commands, "context", memories.run_context, "print the prompt context for an agent")
    context.add_argument("query", nargs="?", metavar="QUERY", help="what the agent is about to do, or -")
    context.add_argument("--budget", type=int, metavar="TOKENS")
    _add_confidence(context, "default: auto")
    context.add_argument("--section", dest="sections", action="append", metavar="NAME", help="only this; repeatable")
    get = _add_memory_command(commands, "get", memories.run_get, "read a memory")
    get.add_argument("--content", action="store_true", help="print only its exact text")
    listing = _add_command(commands, "list", memories.run_list, "list memories, newest first")
    listing.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="0: all of them (default: 20)")
    listing.add_argument("--text", help="words that they have")
    listing.add_argument("--order", choices=ORDER_CHOICES)
    listing.add_argument("--forgotten", action="store_true", help="list forgotten memories instead")
    _add_filters(listing)
    tail = _add_command(commands, "tail", memories.run_tail, "print each memory as it changes, until interrupted")
    tail.add_argument("--since", type=parse_time, metavar="WHEN", help="also print what changed since then")
    tail.add_argument("--interval", type=float, default=2.0, metavar="SECONDS", help="between two polls (default: 2)")
    tail.add_argument("--forgotten", action="store_true", help="also print forgotten memories")
    _add_filters(tail)


def _add_confidence(parser: ArgumentParser, default: str) -> None:
    text = f"leave out hits below this, from 0 to 1; auto: the hub's floor ({default})"
    parser.add_argument("--min-confidence", type=_parse_confidence, metavar="N", help=text)


def _parse_confidence(text: str) -> float | str:
    return text if text == "auto" else float(text)


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument("-t", "--type", choices=TYPE_CHOICES)
    parser.add_argument("--category")
    parser.add_argument("--tag", dest="tags", action="append", metavar="TAG", help="repeatable; all must match")
    parser.add_argument("--scope", choices=SCOPE_CHOICES)
    parser.add_argument("--source")
    parser.add_argument("--pinned", action="store_true", help="only pinned memories")


def _add_change_commands(commands: Any) -> None:
    _add_memory_command(commands, "edit", memories.run_edit, "open a memory's text in $EDITOR")
    append = _add_memory_command(commands, "append", memories.run_append, "add a line to a memory")
    append.add_argument("text", metavar="TEXT", help="what to add, or -")
    _add_memory_command(commands, "pin", memories.run_pin, "pin a memory above others", pinned=True)
    _add_memory_command(commands, "unpin", memories.run_pin, "unpin a memory", pinned=False)
    tag = _add_memory_command(commands, "tag", memories.run_tag, "add tags to a memory, or remove some")
    tag.add_argument("names", nargs="*", metavar="TAG")
    tag.add_argument("--remove", action="append", default=[], metavar="TAG", help="repeatable")
    expire = _add_memory_command(commands, "expire", memories.run_expire, "set when a memory expires")
    expire.add_argument("when", metavar="WHEN", help="like 2030-01-31T12:00, or never")
    forget = _add_memory_command(commands, "forget", memories.run_forget, "forget a memory; it can be restored")
    forget.add_argument("--reason", help="shown in its history")
    restore = _add_command(
        commands, "restore", memories.run_restore, "restore a forgotten memory (see 'list --forgotten')"
    )
    restore.add_argument("memory", metavar="ID")
    _add_memory_command(commands, "history", memories.run_history, "list the versions of a memory")
    revert = _add_memory_command(commands, "revert", memories.run_revert, "restore the content of an old version")
    revert.add_argument("version", type=int, metavar="VERSION")
    export = _add_command(commands, "export", memories.run_export, "write an archive of what you can read of your team")
    export.add_argument("to", metavar="FILE", help="a zip file")


def _add_anchor_commands(commands: Any) -> None:
    anchor = _add_memory_command(
        commands, "anchor", anchors.run_anchor, "anchor a memory to a file, or to some of its lines"
    )
    anchor.add_argument("place", metavar="PLACE", help="a tracked file, with lines like config.toml:3-9, or a URL")
    _add_repository(anchor)
    about = "check the anchors of this working tree, and report which hold, have changed or are gone"
    verify = _add_command(commands, "verify", anchors.run_verify, about)
    verify.add_argument("--diff", action="store_true", help="print what has changed; this stays on this machine")
    verify.add_argument("--no-report", action="store_true", help="check only, and tell the hub nothing")
    verify.add_argument("--urls", action="store_true", help="also read the URLs of anchors, wherever they lead")
    _add_repository(verify)


def _add_repository(parser: ArgumentParser) -> None:
    parser.add_argument("--repository", metavar="NAME", help="its name on the hub (default: from the remote origin)")


def _add_file_commands(commands: Any) -> None:
    about = "the team's files"
    inner = commands.add_parser("files", help=about, description=f"{about.capitalize()}.").add_subparsers(
        metavar="COMMAND", required=True
    )
    listing = _add_command(inner, "list", files.run_file_list, "list files by path")
    listing.add_argument("prefix", nargs="?", metavar="PREFIX", help="only paths that begin with this")
    listing.add_argument("--text", help="words that they have")
    listing.add_argument("--deleted", action="store_true", help="list deleted files instead")
    read = _add_file_command(inner, "read", files.run_file_read, "print the exact text of a file")
    read.add_argument("--version", type=int, metavar="N", help="an older version")
    write = _add_file_command(inner, "write", files.run_file_write, "create or overwrite a file")
    write.add_argument("content", metavar="TEXT", help="its text, or -")
    write.add_argument("--version", type=int, metavar="N", help="only if this is the current version")
    write.add_argument("--new", action="store_true", help="only if there is none")
    append = _add_file_command(inner, "append", files.run_file_append, "add a line to a file")
    append.add_argument("text", metavar="TEXT", help="what to add, or -")
    _add_file_command(inner, "edit", files.run_file_edit, "open a file in $EDITOR")
    rename = _add_file_command(inner, "rename", files.run_file_rename, "move a file to another path")
    rename.add_argument("to", metavar="TO")
    delete = _add_file_command(inner, "delete", files.run_file_delete, "delete a file; its versions are kept")
    delete.add_argument("--version", type=int, metavar="N", help="only if this is the current version")
    _add_file_command(inner, "history", files.run_file_history, "list the versions of a file")
    revert = _add_file_command(
        inner, "revert", files.run_file_revert, "make an old version the newest; restores a deleted file"
    )
    revert.add_argument("version", type=int, metavar="VERSION")


def _add_file_command(commands: Any, name: str, run: Run, about: str) -> ArgumentParser:
    parser = _add_command(commands, name, run, about)
    parser.add_argument("path", metavar="PATH")
    return parser
