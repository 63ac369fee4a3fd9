"""`memoryhub anchor` and `memoryhub verify`: a real repository in a folder, against a hub that runs."""

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from memoryhub_client import MemoryHub, MemoryHubError
from memoryhub_client.anchors import (
    CheckState,
    NotReadable,
    WorkingTree,
    check_content,
    hash_place,
    new_salt,
    split_lines,
)
from memoryhub_client.anchors.working_tree import name_repository
from memoryhub_client.cli import main
from memoryhub_client.shapes import Anchor

from tests.clients.test_cli import Answer

CRANE_FILE = "[crane]\nlimit = 40\nunit = 'tons'\n"
RunMemoryhub = Callable[..., Answer]


def git(*words: str) -> str:
    named = ["-c", "user.name=Bo", "-c", "user.email=bo@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *named, *words], capture_output=True, text=True, check=True)
    return done.stdout


def commit(message: str = "Change") -> None:
    git("add", "--all")
    git("commit", "--quiet", "-m", message)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file, in which commands run."""
    folder = tmp_path / "berths"
    (folder / "config").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git("init", "--quiet")
    git("remote", "add", "origin", "https://bo:secret@git.example.org/acme/berths.git")
    (folder / "config" / "cranes.toml").write_text(f"# Cranes\n\n{CRANE_FILE}\n# The end\n")
    commit()
    return folder


@pytest.fixture
def run(at_home: MemoryHub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunMemoryhub:
    def run_command(*words: str) -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        return Answer(main(words), *capsys.readouterr())

    return run_command


def write_cranes(tree: Path, text: str) -> None:
    (tree / "config" / "cranes.toml").write_text(text)


def anchor_crane(run: RunMemoryhub, hub: MemoryHub, place: str = "config/cranes.toml:3-5") -> str:
    memory = hub.save("The crane lifts 40 tons.", key="crane")
    made = run("anchor", "crane", place)
    assert made.code == 0, made.err
    assert made.out.startswith(f"unchecked {place}")
    return memory.id


def test_an_anchor_holds_moves_changes_and_goes(run: RunMemoryhub, at_home: MemoryHub, tree: Path) -> None:
    memory_id = anchor_crane(run, at_home)
    (source,) = at_home.anchors(repository="git.example.org/acme/berths")
    assert source.anchor
    assert (source.memory_id, source.anchor.path, source.anchor.commit) == (
        memory_id,
        "config/cranes.toml",
        git("rev-parse", "HEAD").strip(),
    )
    held = run("verify")
    assert (held.code, held.out) == (0, f"holds     config/cranes.toml:3-5  {memory_id}\n1 holds\n")
    write_cranes(tree, f"# More\n# words\n{CRANE_FILE}".replace("\n", "\r\n"))
    moved = run("verify")
    assert (moved.code, "cranes.toml:3-5 \n" in moved.out) == (0, False)
    assert at_home.get(memory_id).anchor_state is None
    write_cranes(tree, f"# Cranes\n# now\n# here:\n{CRANE_FILE}")
    assert "config/cranes.toml:3-5 now 4-6" in run("verify").out
    (source,) = at_home.anchors()
    assert source.anchor
    assert (source.anchor.state, source.anchor.first_line, source.anchor.last_line) == ("holds", 4, 6)
    write_cranes(tree, f"# Cranes\n# now\n# here:\n{CRANE_FILE}".replace("40", "45"))
    changed = run("verify", "--diff")
    assert changed.code == 1
    assert "  -limit = 40\n  +limit = 45\n" in changed.out
    assert at_home.get(memory_id).anchor_state == "changed"
    git("rm", "--quiet", "--force", "config/cranes.toml")
    gone = run("verify", "--json")
    assert (gone.code, json.loads(gone.out)[0]["state"]) == (1, "gone")
    assert at_home.get(memory_id).anchor_state == "gone"


def test_a_check_without_a_report_tells_the_hub_nothing(run: RunMemoryhub, at_home: MemoryHub, tree: Path) -> None:
    memory_id = anchor_crane(run, at_home)
    write_cranes(tree, "")
    assert run("verify", "--no-report").code == 1
    assert at_home.get(memory_id).anchor_state is None
    (source,) = at_home.sources(memory_id)
    assert source.anchor
    assert source.anchor.checked_at is None


def test_whole_files_and_files_that_are_not_committed(run: RunMemoryhub, at_home: MemoryHub, tree: Path) -> None:
    write_cranes(tree, CRANE_FILE)
    memory_id = anchor_crane(run, at_home, "config/cranes.toml")
    (source,) = at_home.sources(memory_id)
    assert source.anchor
    assert (source.anchor.first_line, source.anchor.commit) == (None, None)
    assert run("verify").code == 0
    write_cranes(tree, CRANE_FILE.replace("40", "45"))
    changed = run("verify", "--diff")
    assert (changed.code, "The former words are not in this repository." in changed.out) == (1, True)
    assert run("anchor", "crane", "config/cranes.toml:9-10").code == 1
    assert run("anchor", "crane", "nothing.toml").code == 1


def test_nothing_but_hashes_leaves_the_machine(
    run: RunMemoryhub, at_home: MemoryHub, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    send = MemoryHub.send

    def record(self: MemoryHub, call: object) -> object:
        sent.append(repr(call))
        return send(self, call)  # type: ignore[arg-type]

    monkeypatch.setattr(MemoryHub, "send", record)
    anchor_crane(run, at_home)
    write_cranes(tree, CRANE_FILE.replace("40", "45"))
    assert "limit = 45" in run("verify", "--diff").out
    told = "".join(sent)
    assert "anchors/report" in told
    for words in ("limit =", "unit", "[crane]", "secret", str(tree)):
        assert words not in told


# What a hub names is not to be trusted


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "/etc/passwd", "config/../../secret", ".git/config", "config/.git/x", "", ".", "a\\b", "a//b"],
)
def test_a_path_that_leads_elsewhere_is_never_read(tree: Path, path: str) -> None:
    (tree.parent / "secret").write_text("secret")
    with pytest.raises(NotReadable):
        WorkingTree.find().read(path)
    assert WorkingTree.find().read_at("HEAD", path) is None


def test_no_link_and_no_untracked_file_is_read(tree: Path, run: RunMemoryhub, at_home: MemoryHub) -> None:
    (tree.parent / "secret").write_text("secret\n")
    (tree / "outside").symlink_to("../secret")
    (tree / "folder").symlink_to("..")
    (tree / "inner").symlink_to("config/cranes.toml")
    (tree / "circle").symlink_to("circle")
    (tree / "hidden").symlink_to(".env")
    (tree / ".gitignore").write_text(".env\n")
    (tree / ".env").write_text("TOKEN=secret\n")
    commit()
    found = WorkingTree.find()
    for path in ("outside", "hidden", "folder"):
        with pytest.raises(NotReadable):
            found.read(path)
    for path in ("folder/secret", ".env", "circle"):
        assert found.read(path) is None
    assert found.read("inner") == (tree / "config" / "cranes.toml").read_bytes()
    salt = new_salt()
    place = hash_place([b"secret\n"], salt, first=1)
    memory = at_home.save("There is a secret.")
    for path in ("outside", "hidden"):
        at_home.cite(
            memory.id,
            anchor=Anchor(repository=found.repository, path=path, salt=salt, sha256=place.sha256),
        )
    answer = run("verify")
    assert (answer.code, answer.out) == (0, "2 not checked\n")
    assert answer.err.count("leads out of what git tracks") == 2
    assert {source.anchor.state for source in at_home.anchors() if source.anchor} == {"unchecked"}


def test_a_pipe_in_place_of_a_file_does_not_stop_the_check(tree: Path) -> None:
    (tree / "config" / "cranes.toml").unlink()
    os.mkfifo(tree / "config" / "cranes.toml")
    with pytest.raises(NotReadable):
        WorkingTree.find().read("config/cranes.toml")


def test_odd_values_of_a_hub_are_no_options_of_git(tree: Path) -> None:
    found = WorkingTree.find()
    assert found.read_at(f"--output={tree}/made", "config/cranes.toml") is None
    assert found.read_at("HEAD", "config/cranes.toml") is None
    assert found.read_at(found.commit, "config/cranes.toml")
    assert not (tree / "made").exists()


def test_a_folder_without_git_is_refused(run: RunMemoryhub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    answer = run("verify")
    assert (answer.code, "is in no working tree of git" in answer.err) == (1, True)
    with pytest.raises(MemoryHubError):
        WorkingTree.find()


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://bo:secret@git.example.org:8443/acme/berths.git", "git.example.org/acme/berths"),
        ("git@git.example.org:acme/berths.git", "git.example.org/acme/berths"),
        ("ssh://git@git.example.org:22/acme/berths", "git.example.org/acme/berths"),
        ("git.example.org:acme/berths.git/", "git.example.org/acme/berths"),
        ("/srv/private/berths.git", "berths"),
        ("../berths", "berths"),
        ("file:///srv/private/berths.git", "berths"),
    ],
)
def test_a_repository_is_named_without_passwords_and_local_paths(address: str, name: str) -> None:
    assert name_repository(address) == name


# Which lines


def build(text: str, first: int | None, size: int = 3) -> Anchor:
    lines = split_lines(text.encode())
    salt = new_salt()
    place = hash_place(lines[(first or 1) - 1 : first and first - 1 + size], salt, first=first)
    return Anchor(
        sha256=place.sha256,
        line_hashes=place.line_hashes,
        first_line=place.first_line,
        last_line=place.last_line,
        salt=salt,
    )


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("a\nb\nc\n", "x\na\nnew\nb\nc\ny\n", (2, 5)),
        ("a\nb\nc\n", "x\nx\na\nc\n", (2, 4)),
        ("a\nb\nc\n", "1\n2\n3\n4\n", (1, 3)),
        ("a\n\nc\n", "\n\n\n\n\na\n\nd\n", (6, 8)),
    ],
)
def test_a_change_is_looked_for_where_most_lines_are_alike(before: str, after: str, lines: tuple[int, int]) -> None:
    check = check_content(build(before, 1), after.encode())
    assert check.state is CheckState.CHANGED
    assert check.present
    assert (check.present.first_line, check.present.last_line) == lines


def test_of_equal_places_the_nearest_holds() -> None:
    anchor = build("x\n" * 10 + "a\nb\nc\n", 11)
    check = check_content(anchor, b"a\nb\nc\n" + b"x\n" * 6 + b"a\nb\nc\n")
    assert (check.state, check.present and check.present.first_line) == (CheckState.HOLDS, 10)


def test_lines_after_the_end_of_a_file_are_gone() -> None:
    assert check_content(build("x\n" * 10 + "a\nb\nc\n", 11), b"y\n").state is CheckState.GONE


def test_a_file_of_equal_lines_is_checked_in_linear_time() -> None:
    text = b"}\n" * 20_000
    anchor = build("}\n" * 400 + "end\n", 1, size=401)
    assert check_content(anchor, text).state is CheckState.CHANGED


# URLs


@pytest.fixture
def web_page() -> Iterator[list[bytes | int]]:
    """A web web_page; what is put into the list is what it says."""
    said: list[bytes | int] = [b"Limit: 40\n"]

    class WebPage(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = (said[0], b"") if isinstance(said[0], int) else (200, said[0])
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), WebPage)
    said.append(f"http://127.0.0.1:{server.server_port}/".encode())
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield said
    server.shutdown()
    thread.join()
    server.server_close()


def test_urls_are_read_only_if_that_is_wanted(
    run: RunMemoryhub, at_home: MemoryHub, tree: Path, web_page: list[bytes | int]
) -> None:
    at_home.save("The limit is 40.", key="limit")
    url = web_page[1].decode()  # type: ignore[union-attr]
    assert run("anchor", "limit", url).code == 0
    assert run("verify").out == "No anchors here.\n"
    assert run("verify", "--urls").code == 0
    for says, state, code in ((b"Limit: 45\n", "changed", 1), (404, "gone", 1), (500, None, 0)):
        web_page[0] = says
        answer = run("verify", "--urls", "--json")
        assert (answer.code, json.loads(answer.out)[0]["state"]) == (code, state)
    web_page[0] = 404
    assert run("anchor", "limit", url).code == 1
