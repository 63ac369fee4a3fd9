"""What can be typed, and what `--help` says of it."""

from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from memoryhub_client.cli import files, memories
from memoryhub_client.cli.desk import moment

Run = Callable[..., None]

TYPES = ("fact", "preference", "decision", "identity", "event", "observation", "goal", "todo", "lesson")
SCOPES = ("team", "global", "project", "agent")
MODES = ("hybrid", "keyword", "semantic", "recent", "important", "typed")
ORDERS = ("-created_at", "created_at", "-updated_at", "updated_at", "-importance", "importance")
EPILOG = """\
MEMORY is an id or a key. A text that is - is read from the standard input.

Where the hub is: --url and --token, else MEMORYHUB_URL and MEMORYHUB_TOKEN, else 'memoryhub login'.

exit codes: 0 done, 1 refused or failed, 2 the command cannot be read, 3 not found, 4 somebody was faster,
5 the token is not valid or may not, 6 the hub cannot be reached or is busy, 130 interrupted
"""


def parser() -> ArgumentParser:
    made = ArgumentParser(
        prog="memoryhub",
        description="The team's memory: save, recall, edit, follow.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"memoryhub {_version()}")
    made.set_defaults(json=False, url=None, token=None, alone=False)
    made.set_defaults(**dict.fromkeys(CONTEXT))
    _everywhere(made)
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    _signing_in(commands)
    _saving(commands)
    _asking(commands)
    _changing(commands)
    _files(commands)
    return made


def _version() -> str:
    try:
        return version("memoryhub-client")
    except PackageNotFoundError:
        return "(not installed)"


CONTEXT = {
    "project": "the project that calls are about",
    "user": "whom they serve, by any handle",
    "session": "the conversation they belong to",
    "workspace": "the workspace they are in",
    "channel": "the channel they come from",
}


def _everywhere(made: ArgumentParser) -> None:
    """Before the command or after it: a default of its own would undo what was said before."""
    made.add_argument("--json", action="store_true", default=SUPPRESS, help="answer in JSON")
    made.add_argument("--url", default=SUPPRESS, metavar="URL", help="the hub's address")
    made.add_argument("--token", default=SUPPRESS, metavar="TOKEN", help="who is asking; others on this machine see it")
    for name, meaning in CONTEXT.items():
        made.add_argument(f"--{name}", default=SUPPRESS, metavar="NAME", help=meaning)


def _command(commands: Any, name: str, run: Run, about: str, **defaults: Any) -> ArgumentParser:
    made: ArgumentParser = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    made.set_defaults(run=run, **defaults)
    _everywhere(made)
    return made


def _of_memory(commands: Any, name: str, run: Run, about: str, **defaults: Any) -> ArgumentParser:
    made = _command(commands, name, run, about, **defaults)
    made.add_argument("memory", metavar="MEMORY", help="its id or its key")
    made.add_argument("--scope", choices=SCOPES, default="team", help="whose key it is (default: team)")
    return made


def _signing_in(commands: Any) -> None:
    _command(commands, "login", memories.login, "try a token (asked for; - reads it) and keep it", alone=True)
    _command(commands, "logout", memories.logout, "forget the kept token", alone=True)
    _command(commands, "whoami", memories.whoami, "who the token is, and what it may")


def _saving(commands: Any) -> None:
    save = _command(commands, "save", memories.save, "save a memory; a key that lives already gets a new version")
    save.add_argument("content", metavar="TEXT", help="what to remember, or -")
    save.add_argument("-k", "--key", help="a label to find it by")
    save.add_argument("-t", "--type", choices=TYPES)
    save.add_argument("--tag", dest="tags", action="append", metavar="TAG", help="may be said again")
    save.add_argument("--category")
    save.add_argument("--summary", help="a shorter form, for prompts")
    save.add_argument("--importance", type=float, metavar="0-1")
    save.add_argument("--source")
    save.add_argument("--scope", choices=SCOPES, help="whose it is (default: the team's)")
    save.add_argument("--pin", dest="pinned", action="store_true")
    save.add_argument("--expires", dest="expires_at", type=moment, metavar="WHEN", help="like 2030-01-31T12:00")
    save.add_argument("--dedupe", choices=("update", "create", "refuse"), help="what to do with a key that lives")


def _asking(commands: Any) -> None:
    recall = _command(commands, "recall", memories.recall, "the memories that answer best, best first")
    recall.add_argument("query", nargs="?", metavar="QUERY", help="any text, or -")
    recall.add_argument("-n", "--limit", type=int, metavar="N", help="at most 50")
    recall.add_argument("--mode", choices=MODES)
    recall.add_argument("--sort-by", choices=("recent", "importance", "most_accessed"), help="with --mode typed")
    recall.add_argument("--explain", action="store_true", help="what put each one there")
    _filters(recall)
    context = _command(commands, "context", memories.context, "what an agent should read before it thinks")
    context.add_argument("query", nargs="?", metavar="QUERY", help="what it is about to do, or -")
    context.add_argument("--budget", type=int, metavar="TOKENS")
    context.add_argument(
        "--section", dest="sections", action="append", metavar="NAME", help="only this; may be said again"
    )
    get = _of_memory(commands, "get", memories.get, "read a memory")
    get.add_argument("--content", action="store_true", help="its text alone, exactly")
    found = _command(commands, "list", memories.list_, "memories, the newest first")
    found.add_argument("-n", "--limit", type=int, default=20, metavar="N", help="0: all of them (default: 20)")
    found.add_argument("--text", help="words that they have")
    found.add_argument(
        "--order", choices=("-created_at", "created_at", "-updated_at", "updated_at", "-importance", "importance")
    )
    found.add_argument("--forgotten", action="store_true", help="what can be restored, instead")
    _filters(found)
    tail = _command(commands, "tail", memories.tail, "each memory that changes, until you interrupt it")
    tail.add_argument("--since", type=moment, metavar="WHEN", help="also what changed since then")
    tail.add_argument("--interval", type=float, default=2.0, metavar="SECONDS", help="between two looks (default: 2)")
    tail.add_argument("--forgotten", action="store_true", help="also what is forgotten")
    _filters(tail)


def _filters(made: ArgumentParser) -> None:
    made.add_argument("-t", "--type", choices=TYPES)
    made.add_argument("--category")
    made.add_argument("--tag", dest="tags", action="append", metavar="TAG", help="all of them, if said again")
    made.add_argument("--scope", choices=SCOPES)
    made.add_argument("--source")
    made.add_argument("--pinned", action="store_true", help="only what is pinned")


def _changing(commands: Any) -> None:
    _of_memory(commands, "edit", memories.edit, "open a memory's text in $EDITOR")
    append = _of_memory(commands, "append", memories.append, "add a line to a memory")
    append.add_argument("text", metavar="TEXT", help="what to add, or -")
    _of_memory(commands, "pin", memories.pin, "keep a memory above others", pinned=True)
    _of_memory(commands, "unpin", memories.pin, "no longer", pinned=False)
    tag = _of_memory(commands, "tag", memories.tag, "add tags to a memory, or remove some")
    tag.add_argument("names", nargs="*", metavar="TAG")
    tag.add_argument("--remove", action="append", default=[], metavar="TAG", help="may be said again")
    expire = _of_memory(commands, "expire", memories.expire, "say when a memory vanishes")
    expire.add_argument("when", metavar="WHEN", help="like 2030-01-31T12:00, or never")
    forget = _of_memory(commands, "forget", memories.forget, "take a memory out of every read; it can be restored")
    forget.add_argument("--reason", help="for whoever looks at the history")
    restore = _command(commands, "restore", memories.restore, "bring back a forgotten memory ('list --forgotten')")
    restore.add_argument("memory", metavar="ID")
    _of_memory(commands, "history", memories.history, "every version of a memory")
    revert = _of_memory(commands, "revert", memories.revert, "say again what an old version said")
    revert.add_argument("version", type=int, metavar="VERSION")
    export = _command(commands, "export", memories.export, "write an archive of what you see of your team")
    export.add_argument("to", metavar="FILE", help="a zip")


def _files(commands: Any) -> None:
    about = "the team's files"
    inner = commands.add_parser("files", help=about, description=f"{about.capitalize()}.").add_subparsers(
        metavar="COMMAND", required=True
    )
    found = _command(inner, "list", files.list_, "files by their paths")
    found.add_argument("prefix", nargs="?", metavar="PREFIX", help="what the path begins with")
    found.add_argument("--text", help="words that they have")
    found.add_argument("--deleted", action="store_true", help="what can be brought back, instead")
    read = _of_file(inner, "read", files.read, "the text of a file, exactly")
    read.add_argument("--version", type=int, metavar="N", help="an older one")
    write = _of_file(inner, "write", files.write, "make a file, or overwrite all of it")
    write.add_argument("content", metavar="TEXT", help="its text, or -")
    write.add_argument("--version", type=int, metavar="N", help="only over this one")
    write.add_argument("--new", action="store_true", help="only if there is none")
    append = _of_file(inner, "append", files.append, "add a line to a file")
    append.add_argument("text", metavar="TEXT", help="what to add, or -")
    _of_file(inner, "edit", files.edit, "open a file in $EDITOR")
    rename = _of_file(inner, "rename", files.rename, "give a file another path")
    rename.add_argument("to", metavar="TO")
    delete = _of_file(inner, "delete", files.delete, "delete a file; its versions are kept")
    delete.add_argument("--version", type=int, metavar="N", help="only this one")
    _of_file(inner, "history", files.history, "every version of a file")
    revert = _of_file(inner, "revert", files.revert, "make an old version the newest; brings a deleted file back")
    revert.add_argument("version", type=int, metavar="VERSION")


def _of_file(commands: Any, name: str, run: Run, about: str) -> ArgumentParser:
    made = _command(commands, name, run, about)
    made.add_argument("path", metavar="PATH")
    return made
