"""The command line, each command against a hub that runs."""

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from memoryhub_client import MemoryHub, Retries, configuration
from memoryhub_client.cli import main
from memoryhub_client.cli.arguments import build_parser
from memoryhub_client.cli.merge import merge_texts

from tests.clients.live import Live
from tests.hub import PROJECT_ROOT

RunCli = Callable[..., "Answer"]


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


@pytest.fixture
def run_cli(at_home: MemoryHub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunCli:
    """Return a function that runs a command and returns its answer, as it would be written to a pipe."""

    def run(*words: str, stdin: str = "") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(words)
        return Answer(code, *capsys.readouterr())

    return run


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """An editor that applies a few lines of Python to `text`."""

    def does(lines: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\nfrom memoryhub_client import MemoryHub\n"
            f"path = pathlib.Path(sys.argv[1]); text = path.read_bytes().decode()\n"
            f"{lines}\npath.write_bytes(text.encode())\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(PROJECT_ROOT / "clients" / "python" / "src"))
        monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")

    return does


def test_a_memory_lives_its_life_on_the_command_line(run_cli: RunCli, at_home: MemoryHub) -> None:
    saved = run_cli("save", "Berth 7 is closed.", "--key", "berth-7", "--tag", "Ops", "-t", "event", "--json").json
    assert (saved["version"], saved["tags"], saved["type"]) == (1, ["ops"], "event")
    assert run_cli("save", "-", "-k", "berth-7", stdin="Berth 7 is\nopen.\n").out.startswith(
        "updated berth-7 version 2"
    )
    assert at_home.get_key("berth-7").content == "Berth 7 is\nopen."
    assert "open." in run_cli("get", "berth-7").out
    assert run_cli("get", saved["id"], "--content").out == "Berth 7 is\nopen."
    assert run_cli("append", "berth-7", "The crane comes.").code == 0
    assert run_cli("--json", "append", "berth-7", "By noon.").json["content"].endswith("By noon.")
    assert run_cli("unpin", "berth-7", "--json").json["pinned"] is False
    assert run_cli("tag", "berth-7", "new", "--remove", "OPS", "--json").json["tags"] == ["new"]
    assert run_cli("tag", "berth-7").code == 1
    assert [row["version"] for row in run_cli("history", "berth-7", "--json").json] == [6, 5, 4, 3, 2, 1]
    assert "created" in run_cli("history", "berth-7").out
    assert run_cli("revert", "berth-7", "1", "--json").json["content"] == "Berth 7 is closed."
    assert run_cli("forget", "berth-7", "--reason", "It is over.").out.startswith("forgot berth-7 version 8")
    assert [row["forget_reason"] for row in run_cli("list", "--forgotten", "--json").json] == ["It is over."]
    assert run_cli("restore", saved["id"]).out.startswith("restored berth-7")
    assert run_cli("--json", "pin", "berth-7").json["pinned"] is True


def test_what_was_saved_is_found(run_cli: RunCli, at_home: MemoryHub) -> None:
    at_home.save_many(
        [
            {"content": "Deploys are frozen on Friday.", "key": "freeze", "pinned": True, "type": "decision"},
            {"content": "The cat is grey.", "tags": ["cat"]},
            {"content": "We write plainly.", "key": "core"},
        ]
    )
    told = run_cli("recall", "when are deploys frozen?", "-n", "2")
    assert told.out.startswith("1. freeze")
    assert re.search(r"^\d of \d+ found\.$", told.out, re.MULTILINE)
    hits = run_cli("recall", "-", "--json", "--explain", stdin="deploys").json["memories"]
    assert hits[0]["key"] == "freeze"
    assert hits[0]["explain"]
    assert hits[0]["confidence"] > 0.5
    nothing = run_cli("recall", "xyzzy plugh", "--min-confidence", "auto")
    assert nothing.out.splitlines() == ["0 of 0 found.", "Nothing relevant."]
    assert run_cli("recall", "deploys", "--min-confidence", "0.1", "--json").json["min_confidence"] == 0.1
    assert run_cli("context", "deploys", "--min-confidence", "1", "--section", "relevant").out == ""
    assert [
        hit["key"] for hit in run_cli("recall", "--mode", "typed", "-t", "decision", "--json").json["memories"]
    ] == ["freeze"]
    assert "We write plainly." in run_cli("context", "writing", "--budget", "500").out
    assert run_cli("context", "--json", "--section", "core").json["sections"][0]["name"] == "core"
    assert len(run_cli("list").out.splitlines()) == 3
    assert "★ freeze" in run_cli("list", "--pinned").out
    assert [row["tags"] for row in run_cli("list", "--tag", "cat", "--json").json] == [["cat"]]
    assert len(run_cli("list", "-n", "2", "--json").json) == 2
    assert len(run_cli("list", "-n", "0", "--json").json) == 3
    assert [row["key"] for row in run_cli("list", "--text", "plainly", "--json").json] == ["core"]


def test_files_are_kept(run_cli: RunCli, editor: Callable[[str], None]) -> None:
    assert run_cli("files", "write", "notes/a.md", "-", "--new", stdin="one\r\n").out.startswith("wrote notes/a.md")
    assert run_cli("files", "read", "notes/a.md").out == "one\r\n"
    assert run_cli("files", "write", "notes/a.md", "x", "--new").code == 4
    assert run_cli("files", "append", "notes/a.md", "two", "--json").json["version"] == 2
    editor("text = text.replace('two', 'three')")
    assert run_cli("files", "edit", "notes/a.md").out.startswith("changed notes/a.md version 3")
    assert run_cli("files", "read", "notes/a.md", "--json").json["content"] == "one\r\nthree"
    editor("text = 'new'")
    assert run_cli("files", "edit", "notes/b.md", "--json").json["version"] == 1
    editor("")
    assert run_cli("files", "edit", "notes/c.md").out == "Nothing was written.\n"
    assert run_cli("files", "rename", "notes/b.md", "notes/d.md").out.startswith("renamed to notes/d.md")
    assert [row["path"] for row in run_cli("files", "list", "notes/", "--json").json] == ["notes/a.md", "notes/d.md"]
    assert run_cli("files", "list").out.splitlines()[0].endswith("notes/a.md")
    assert run_cli("files", "delete", "notes/a.md", "--version", "1").code == 4
    assert run_cli("files", "delete", "notes/a.md").out.startswith("deleted notes/a.md")
    assert [row["path"] for row in run_cli("files", "list", "--deleted", "--json").json] == ["notes/a.md"]
    assert run_cli("files", "history", "notes/a.md", "--json").json[0]["change"] == "forgotten"
    assert len(run_cli("files", "history", "notes/a.md").out.splitlines()) == 4
    assert run_cli("files", "revert", "notes/a.md", "1").code == 0
    assert run_cli("files", "read", "notes/a.md", "--version", "2").out == "one\r\ntwo"


def test_an_edit_is_of_the_version_it_saw(run_cli: RunCli, at_home: MemoryHub, editor: Callable[[str], None]) -> None:
    at_home.save("First.", key="k")
    editor("text = text.replace('First', 'Second') + '\\n'")
    assert run_cli("edit", "k").out.startswith("changed k version 2")
    assert at_home.get_key("k").content == "Second."
    editor("")
    assert run_cli("edit", "k").out.startswith("unchanged k version 2")
    editor("text = ' '")
    assert run_cli("edit", "k").out.startswith("unchanged")
    editor("sys.exit(3)")
    assert "ended with 3" in run_cli("edit", "k").err


def test_an_edit_that_comes_too_late_is_kept(
    run_cli: RunCli, at_home: MemoryHub, editor: Callable[[str], None]
) -> None:
    at_home.save("First.", key="k")
    editor("MemoryHub().save('Theirs.', key='k'); text = 'Mine.'")
    told = run_cli("edit", "k")
    assert told.code == 4
    (path,) = re.findall(r"saved in (\S+)\.$", told.err, re.MULTILINE)
    assert Path(path).read_text() == "Mine."
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert at_home.get_key("k").content == "Theirs."
    Path(path).unlink()
    editor("text = 'x' * 60_000")
    told = run_cli("edit", "k")
    assert told.code == 1
    (path,) = re.findall(r"saved in (\S+)\.$", told.err, re.MULTILINE)
    Path(path).unlink()


@pytest.mark.parametrize(
    ("choice", "expected", "code"),
    [("m", "ONE\ntwo\nTHREE, says Mira", 0), ("o", "ONE\ntwo\nthree", 0), ("k", "one\ntwo\nTHREE, says Mira", 4)],
)
def test_on_a_terminal_a_conflict_is_settled(
    at_home: MemoryHub, editor: Callable[[str], None], tmp_path: Path, choice: str, expected: str, code: int
) -> None:
    at_home.save("one\ntwo\nthree", key="k")
    once = tmp_path / "once"
    editor(
        f"once = pathlib.Path({str(once)!r})\n"
        "if not once.exists():\n"
        "    once.touch(); MemoryHub().save('one\\ntwo\\nTHREE, says Mira', key='k')\n"
        "    text = text.replace('one', 'ONE')"
    )
    ended, told = on_a_terminal("edit", "k", says=f"{choice}\n")
    assert (ended, at_home.get_key("k").content) == (code, expected), told
    assert "version 2 says:" in told
    assert "THREE, says Mira" in told
    for path in re.findall(r"saved in (\S+)\.", told):
        assert Path(path).read_text() == "ONE\ntwo\nthree"
        Path(path).unlink()
    assert ("saved in" in told) is (choice == "k")


def on_a_terminal(*words: str, says: str = "", **environment: str) -> tuple[int, str]:
    """Run a command on a terminal and return the exit code and everything that the terminal showed."""
    ours, theirs = pty.openpty()
    surroundings = (
        os.environ | {"PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src"), "TERM": "xterm"} | environment
    )
    command = [sys.executable, "-m", "memoryhub_client.cli", *words]
    running = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=surroundings)
    os.close(theirs)
    os.write(ours, says.encode())
    shown = b""
    try:
        while piece := os.read(ours, 65_536):
            shown += piece
    except OSError:  # how Linux says that nobody writes any more
        pass
    os.close(ours)
    return running.wait(timeout=30), shown.decode()


def test_a_terminal_has_colours_and_is_not_steered(at_home: MemoryHub) -> None:
    at_home.save("Harmless\x1b]0;owned\x07 \x9b31m text.", key="k")
    _, told = on_a_terminal("get", "k")
    assert "\x1b[1mk\x1b[0m" in told
    assert "\x1b]0;" not in told
    assert "\x9b" not in told
    for quiet in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, told = on_a_terminal("get", "k", **quiet)
        assert "\x1b[" not in told


def test_tail_follows(at_home: MemoryHub) -> None:
    old = at_home.save("Before.")
    command = [sys.executable, "-m", "memoryhub_client.cli", "tail", "--json", "--interval", "0.05", "--forgotten"]
    command += ["--since", old.updated_at.isoformat()] if old.updated_at else []
    surroundings = os.environ | {"PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src")}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings, preexec_fn=interruptible)
    with running, kill_at_end(running):
        assert running.stdout
        assert json.loads(running.stdout.readline())["content"] == "Before."
        at_home.change(old.id, content="After.")
        assert json.loads(running.stdout.readline())["content"] == "After."
        at_home.forget(old.id)
        assert json.loads(running.stdout.readline())["forgotten_at"]
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130


def interruptible() -> None:
    """Make the process react to Ctrl-C: one started in the background ignores it, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def kill_at_end(running: "subprocess.Popen[str]") -> Iterator[None]:
    """Kill the process at the end: it would follow for ever, also when a test fails."""
    try:
        yield
    finally:
        running.kill()


def test_a_reader_may_leave(at_home: MemoryHub) -> None:
    at_home.save_many([{"content": "x" * 40_000} for _ in range(10)])
    script = f"{sys.executable} -m memoryhub_client.cli list --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    surroundings = os.environ | {"PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src")}
    done = subprocess.run(["bash", "-c", script], env=surroundings, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_who_logs_in_is_known_from_then_on(
    live: Live, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch, at_home: MemoryHub
) -> None:
    token = os.environ["MEMORYHUB_TOKEN"]
    for name in ("MEMORYHUB_URL", "MEMORYHUB_TOKEN"):
        monkeypatch.delenv(name)
    assert (
        run_cli("whoami").err
        == "memoryhub: No hub is configured: pass a url, set MEMORYHUB_URL, or run 'memoryhub login'.\n"
    )
    assert run_cli("login", "--url", live.url, "--token", "mh_wrong").code == 5
    assert not configuration.config_path().exists()
    assert run_cli("login", "--url", f"{live.url}/", "--token", "-", stdin=f"{token}\n").code == 0
    assert configuration.config_path().stat().st_mode & 0o777 == 0o600
    assert run_cli("whoami", "--json").json["verbs"] == ["forget", "read", "write"]
    assert "may forget, read, write" in run_cli("whoami").out
    assert run_cli("login", "--json", "--token", token).json["url"] == live.url
    assert run_cli("logout", "--json").json == {"forgotten": True}
    assert run_cli("logout").out == "You were not logged in.\n"
    assert "no terminal to prompt on" in run_cli("login").err


def test_a_memory_expires_when_it_is_told_to(run_cli: RunCli, at_home: MemoryHub) -> None:
    at_home.save("Berth 7 is closed.", key="k")
    assert run_cli("expire", "k", "2099-01-31T12:00+00:00", "--json").json["expires_at"] == "2099-01-31T12:00:00+00:00"
    assert run_cli("expire", "k", "never", "--json").json["expires_at"] is None
    assert "'soon' is not a time" in run_cli("expire", "k", "soon").err


def test_the_context_travels(run_cli: RunCli, at_home: MemoryHub) -> None:
    run_cli("--user", "mira", "save", "Mira likes tea.", "--scope", "global", "-k", "tea")
    assert run_cli("get", "tea", "--scope", "global", "--user", "mira", "--content").out == "Mira likes tea."
    assert run_cli("get", "tea", "--scope", "global", "--user", "paul").code == 3


def test_an_archive_is_written(run_cli: RunCli, tmp_path: Path) -> None:
    run_cli("save", "Worth keeping.")
    assert run_cli("export", str(tmp_path / "a.zip")).out.startswith(f"Wrote {tmp_path}/a.zip")
    assert zipfile.is_zipfile(tmp_path / "a.zip")
    assert run_cli("export", str(tmp_path / "b.zip"), "--json").json["size"]
    assert "No such file" in run_cli("export", str(tmp_path / "nowhere" / "c.zip")).err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["get", "nowhere"], 3, "There is no memory with the key 'nowhere' in scope team."),
        (["restore", "nowhere"], 3, "There is no memory with the id 'nowhere'."),
        (["get", "../me"], 1, "'.' and '..' cannot be parts"),
        (["save", "x", "--importance", "7"], 1, "importance: "),
        (["save", ""], 1, "content: "),
        (["whoami", "--token", "mh_wrong"], 5, ""),
        (["whoami", "--url", "http://127.0.0.1:9"], 6, "http://127.0.0.1:9 does not answer"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_a_code(
    run_cli: RunCli, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, sentence: str
) -> None:
    monkeypatch.setattr("memoryhub_client.client.common.Retries", lambda: Retries(most=0))
    told = run_cli(*words)
    assert (told.code, told.out) == (code, "")
    assert told.err.startswith(f"memoryhub: {sentence}")
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["dance"], ["get"], ["files"], ["list", "-n", "many"], ["tail", "--since", "x"]])
def test_what_cannot_be_read_is_told_with_the_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: memoryhub")


def test_every_command_explains_itself_and_speaks_json() -> None:
    (commands,) = build_parser()._subparsers._group_actions  # type: ignore[union-attr]
    (files,) = commands.choices["files"]._subparsers._group_actions  # type: ignore[union-attr, call-overload, index]
    found = {**commands.choices, **files.choices}  # type: ignore[dict-item]
    del found["files"]
    for command in found.values():
        assert "--json" in command.format_help()
        assert command.description


BASES = ["", "a", "a\nb\nc", "a\nb\nc\n", "a\na\na"]
EDITS: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: f"new\n{text}",
    lambda text: f"{text}\nnew",
    lambda text: text.replace("b", "B"),
    lambda text: text.partition("\n")[2],
    lambda text: "all\nelse",
]


@pytest.mark.parametrize("base", BASES)
def test_merging_loses_nothing(base: str) -> None:
    for first, second in product(EDITS, EDITS):
        mine, theirs = first(base), second(base)
        both = merge_texts(base=base, mine=mine, theirs=theirs)
        if theirs == base or mine == theirs:
            assert both == (mine, True)
        elif mine == base:
            assert both == (theirs, True)
        added = (set(mine.split("\n")) | set(theirs.split("\n"))) - set(base.split("\n"))
        assert added <= set(both.text.split("\n"))
    assert merge_texts(base="a\nb\nc", mine="A\nb\nc", theirs="a\nb\nC") == ("A\nb\nC", True)
    assert merge_texts(base="a", mine="b", theirs="c") == ("<<<<<<< yours\nb\n=======\nc\n>>>>>>> by now", False)
