"""The pages of a team's files."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memories.models import FILE_BYTES, FileVersion, TeamFile
from memories.operations import files
from memories.queries import folders
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.cast import Cast
from tests.markup import says, undo_of
from tests.plans import count_touched_rows, explain_statement, nodes

pytestmark = pytest.mark.django_db

ODD = (
    "notes/with space.md",
    "what?.md",
    "100%.md",
    "%2e%2e.md",
    "a#b.md",
    "a&b=c;d+e.md",
    "høst/日本語/🎈.md",
    "edit/x.md",
    "x/edit",
    "new/",
    "new/upload",
    "deleted",
    "quo\"te's <b>.md",
    "history/edit/history",
    "-.md",
    "...md",
)


class Desk:
    """Somebody at work in a team's pages."""

    def __init__(self, team: Team, actor: Actor, client: Client) -> None:
        self.team, self.actor, self.client = team, actor, client

    def to(self, name: str, *arguments: object) -> str:
        return reverse(name, args=[self.team.organization.slug, self.team.slug, *arguments])

    def get(self, name: str, *arguments: object, **query: Any) -> Any:
        return self.client.get(self.to(name, *arguments), query)

    def post(self, name: str, *arguments: object, **said: Any) -> Any:
        return self.client.post(self.to(name, *arguments), said)

    def write(self, path: str, content: str = "Text.", **said: Any) -> TeamFile:
        return files.write_file(actor=self.actor, path=path, content=content, **said)

    def seen(self, path: str) -> dict[str, str]:
        """Return the version and the file id that a file's form says it shows."""
        page = self.get("file-edit", path).text
        return {name: found for name in ("version", "file_id") if (found := _value(page, name))}


def _value(page: str, name: str) -> str:
    return next(iter(re.findall(rf'name="{name}" value="([^"]*)"', page)), "")


@pytest.fixture
def desk(writer: Actor, client: Client) -> Desk:
    """Return an editor's desk, in the team of some agent."""
    return _desk(writer, client, Role.EDITOR)


def _desk(writer: Actor, client: Client, role: Role) -> Desk:
    team = Team.objects.select_related("organization").get(pk=writer.team_id)
    client.force_login(factories.member(team, role))
    return Desk(team, writer, client)


# Folders


def test_folders_come_first_with_how_many_files_are_in_them(desk: Desk) -> None:
    for path in ("a.md", "notes/b.md", "notes/deep/c.md", "Zoo/d.md"):
        desk.write(path)
    page = desk.get("files")
    names = re.findall(
        r'class="name"[^>]*>.*?</svg>(?:<span class="visually-hidden">(Folder) </span>)?([^<]+)', page.text
    )
    assert names == [("Folder", "notes"), ("Folder", "Zoo"), ("", "a.md")]
    assert "2 files" in page.text
    inside = says(desk.get("folder", "notes"))
    assert "b.md" in inside
    assert "deep 1 file" in inside
    assert "a.md" not in inside
    assert desk.get("folder", "nowhere").status_code == 404


def test_a_name_may_be_a_files_and_a_folders(desk: Desk) -> None:
    desk.write("a", "The file.")
    desk.write("a/b.md")
    assert "The file." in desk.get("file", "a").text
    assert "b.md" in desk.get("folder", "a").text


@pytest.mark.parametrize("path", [path for path in ODD if not path.endswith("/")])
def test_odd_paths_can_be_found_read_changed_and_downloaded(desk: Desk, path: str) -> None:
    desk.write(path, "What it says.")
    address = desk.to("file", path)
    above = path.rpartition("/")[0]
    assert address in unescape(desk.get(*(("folder", above) if above else ("files",))).text)
    assert "What it says." in desk.client.get(address).text
    for name in ("file-edit", "file-history", "file-move", "file-download"):
        assert desk.get(name, path).status_code == 200
    assert desk.post("file-edit", path, file="New.", **desk.seen(path))["Location"] == address
    assert TeamFile.objects.get().content == "New."
    assert desk.post("file-revert", 1, path)["Location"] == address
    assert TeamFile.objects.get().content == "What it says."
    assert desk.post("file-delete", path).status_code == 302
    assert desk.client.get(address).status_code == 404


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/x", "a//b", ".", "a\0b", "a\nb", "a\\b"])
def test_paths_that_lead_out_are_nowhere(desk: Desk, path: str) -> None:
    base = desk.to("files").removesuffix("files/")
    for verb in ("files/", "file/edit/", "file/history/", "file/download/", "file/move/"):
        quoted = "".join(f"%{byte:02X}" for byte in path.encode())
        assert desk.client.get(f"{base}{verb}{quoted}").status_code == 404
    refused = desk.post("file-new", path=path, file="x")
    assert refused.status_code == 400
    assert 'class="wrong"' in refused.text
    assert not TeamFile.objects.exists()


def test_nothing_yet_says_what_files_are_for_and_how_agents_write_them(desk: Desk) -> None:
    page = says(desk.get("files"))
    assert "No files yet" in page
    assert "/api/v1/files/notes/today.md" in page
    assert "/memories/notes/today.md" in page


def test_a_search_marks_what_was_asked(desk: Desk) -> None:
    desk.write("runbooks/failover.md", "First promote the standby.\n" * 3)
    desk.write("notes.md", "Nothing of it.")
    page = desk.get("files", q="promoting standby")
    assert "First <mark>promote</mark> the <mark>standby</mark>" in page.text
    assert "notes.md" not in page.text
    assert "No file contains" in desk.get("files", q="nonsense").text
    assert "failover.md" in desk.get("folder", "runbooks", q="standby").text
    assert "failover.md" not in desk.get("folder", "elsewhere", q="standby").text
    desk.write("日.md", "東京の天気は晴れです")
    assert "<mark>東京</mark>" in desk.get("files", q="東京").text
    assert desk.get("files", q="a\0b").status_code == 200


def test_a_folder_of_an_odd_name_is_searched_at_its_own_address(desk: Desk) -> None:
    desk.write("what?/100%#/a.md", "harbour")
    page = unescape(desk.get("folder", "what?/100%#").text)
    assert f'hx-get="{desk.to("folder", "what?/100%#")}"' in page
    assert "a.md" in desk.get("folder", "what?/100%#", q="harbour").text


# One file


def test_markdown_is_rendered_and_other_text_has_numbered_lines(desk: Desk) -> None:
    desk.write("a.md", "# Title\n\n**bold** <script>x</script>")
    page = desk.get("file", "a.md")
    assert "<strong>bold</strong>" in page.text
    assert "<script>x" not in page.text
    assert '<code id="L3">**bold** &lt;script&gt;' in desk.get("file", "a.md", **{"as": "text"}).text
    desk.write("b.csv", "x,y\n1,2\n")
    assert '<code id="L2">1,2\n</code></pre>' in desk.get("file", "b.csv").text


def test_of_a_huge_text_the_beginning_is_shown(desk: Desk) -> None:
    desk.write("huge.txt", "\n" * FILE_BYTES)
    page = desk.get("file", "huge.txt")
    assert "This is the beginning." in page.text
    assert len(page.content) < 1_000_000
    assert len(desk.get("file-download", "huge.txt").content) == FILE_BYTES


def test_a_download_is_an_attachment_and_nothing_that_runs(desk: Desk) -> None:
    desk.write("notes/what is «this»?.html", "<script>alert(1)</script>")
    answer = desk.get("file-download", "notes/what is «this»?.html")
    assert answer.content == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment; filename*=utf-8''what%20is%20%C2%ABthis%C2%BB%3F.html")
    assert "sandbox" in answer["Content-Security-Policy"]


def test_a_version_has_an_address(desk: Desk) -> None:
    desk.write("a.md", "one")
    desk.write("a.md", "two")
    old = desk.get("file", "a.md", version=1)
    assert "This is version 1 of 2" in says(old)
    assert "one" in old.text
    assert desk.get("file-download", "a.md", version=1).content == b"one"
    for wrong in ("3", "0", "x", "-1", "9" * 30, "²"):
        assert desk.get("file", "a.md", version=wrong).status_code == 404


def test_a_history_shows_who_changed_which_words(desk: Desk) -> None:
    desk.write("a.md", "The crane comes on Friday.\n")
    desk.write("a.md", "The crane comes on Monday.\n")
    page = desk.get("file-history", "a.md")
    assert "The crane comes on <del>Friday</del><ins>Monday</ins>." in page.text
    assert desk.actor.name in page.text
    assert 'of version 1">The crane comes on Friday.' in desk.get("file-history", "a.md", version=1).text
    files.rename_file(actor=desk.actor, path="a.md", to="b.md")
    moved = says(desk.get("file-history", "b.md"))
    assert "It was a.md before" in moved
    assert "The text stayed as it was." in moved


def test_a_long_history_comes_in_pages(desk: Desk) -> None:
    for number in range(35):
        desk.write("a.md", f"{number}")
    page = desk.get("file-history", "a.md")
    assert page.text.count("data-row") == 30
    older = desk.get("file-history", "a.md", version=5, to=5)
    assert older.text.count("data-row") == 5
    assert desk.get("file-history", "a.md", to="x").status_code == 200


# Writing


def test_a_new_file_is_written_and_can_be_taken_back(desk: Desk) -> None:
    made = desk.client.post(desk.to("file-new"), {"path": "notes/a.md", "file": "One.\r\nTwo."}, follow=True)
    assert TeamFile.objects.get().content == "One.\nTwo."
    assert "notes/a.md is written." in made.text
    assert desk.to("file-delete", "notes/a.md") in made.text
    again = desk.post("file-new", path="notes/a.md", file="Mine.")
    assert "already" in again.text
    assert "Mine." in again.text
    assert "is a file, not a folder" in unescape(desk.post("file-new", path="notes/a.md/b.md", file="x").text)
    assert TeamFile.objects.get().version == 1


def test_too_much_text_is_refused_and_kept(desk: Desk) -> None:
    refused = desk.post("file-new", path="a.md", file="é" * (FILE_BYTES // 2 + 1))
    assert refused.status_code == 400
    assert "At most 1,048,576 bytes" in refused.text
    assert "é" * 100 in refused.text
    desk.write("b.md")
    assert desk.post("file-edit", "b.md", file="x" * (FILE_BYTES + 1), **desk.seen("b.md")).status_code == 413


def test_an_edit_keeps_the_ends_of_lines(desk: Desk) -> None:
    desk.write("dos.txt", "a\r\nb\r\n")
    desk.post("file-edit", "dos.txt", file="a\r\nc\r\n", **desk.seen("dos.txt"))
    desk.write("unix.txt", "\n a\nb\n")
    assert ">\n\n a\nb\n</textarea>" in desk.get("file-edit", "unix.txt").text
    desk.post("file-edit", "unix.txt", file="\r\n a\r\nc\r\n", **desk.seen("unix.txt"))
    assert [file.content for file in TeamFile.objects.order_by("path")] == ["a\r\nc\r\n", "\n a\nc\n"]


def test_an_edit_can_be_taken_back(desk: Desk) -> None:
    desk.write("a.md", "one")
    saved = desk.client.post(desk.to("file-edit", "a.md"), {"file": "two", **desk.seen("a.md")}, follow=True)
    back = desk.client.post(undo_of(saved), {}, follow=True)
    assert TeamFile.objects.get().content == "one"
    assert "says again what version 1 said" in back.text


def test_taking_back_leaves_what_somebody_changed_since(desk: Desk) -> None:
    made = desk.client.post(desk.to("file-new"), {"path": "a.md", "file": "one"}, follow=True)
    desk.write("a.md", "two, by somebody else")
    edited = desk.client.post(desk.to("file-edit", "a.md"), {"file": "three", **desk.seen("a.md")}, follow=True)
    desk.write("a.md", "four, by somebody else")
    reverted = desk.client.post(desk.to("file-revert", 1, "a.md"), follow=True)
    desk.write("a.md", "six, by somebody else")
    for undo in map(undo_of, (made, edited, reverted)):
        assert "it is now version 6" in desk.client.post(undo, {}, follow=True).text
    assert TeamFile.objects.alive().get().content == "six, by somebody else"


def test_two_who_edit_are_shown_what_each_made_of_it(desk: Desk) -> None:
    desk.write("a.md", "one\ntwo\nthree\nfour\nfive\n")
    seen = desk.seen("a.md")
    desk.write("a.md", "ONE\ntwo\nthree\nfour\nfive\n")
    race = desk.post("file-edit", "a.md", file="one\ntwo\nthree\nfour\nFIVE\n", **seen)
    assert race.status_code == 409
    assert TeamFile.objects.get().version == 2
    assert "Your changes and theirs fit together" in race.text
    assert ">\nONE\ntwo\nthree\nfour\nFIVE\n</textarea>" in race.text
    for heading in ("What you changed", f"What {desk.actor.name} changed", "What you both started from"):
        assert heading in race.text
    now = {"version": _value(race.text, "version"), "file_id": _value(race.text, "file_id")}
    desk.post("file-edit", "a.md", file="ONE\ntwo\nthree\nfour\nFIVE\n", **now)
    assert TeamFile.objects.get().content == "ONE\ntwo\nthree\nfour\nFIVE\n"


def test_where_both_changed_one_line_nothing_is_lost(desk: Desk) -> None:
    desk.write("a.md", "one\n")
    seen = desk.seen("a.md")
    desk.write("a.md", "theirs\n")
    race = desk.post("file-edit", "a.md", file="yours\n", **seen)
    assert "You both changed the same lines" in race.text
    assert ">\nyours\n</textarea>" in race.text
    assert "<ins>theirs</ins>" in race.text


def test_a_file_of_the_same_path_is_not_taken_for_the_one_seen(desk: Desk) -> None:
    desk.write("a.md", "old")
    seen = desk.seen("a.md")
    files.delete_file(actor=desk.actor, path="a.md")
    gone = desk.post("file-edit", "a.md", file="mine", **seen)
    assert (gone.status_code, "What you wrote is below" in gone.text, ">\nmine</textarea>" in gone.text) == (
        409,
        True,
        True,
    )
    desk.write("a.md", "another")
    assert desk.post("file-edit", "a.md", file="mine", **seen).status_code == 409
    assert TeamFile.objects.alive().get().content == "another"


def test_what_was_deleted_meanwhile_can_be_written_again(desk: Desk) -> None:
    desk.write("a.md", "old")
    files.delete_file(actor=desk.actor, path="a.md")
    assert desk.post("file-edit", "a.md", file="mine", version="", file_id="").status_code == 302
    assert TeamFile.objects.alive().get().content == "mine"


# Moving, deleting


def test_a_file_and_a_folder_can_be_moved_and_moved_back(desk: Desk) -> None:
    desk.write("notes/a.md")
    desk.write("notes/b.md")
    moved = desk.client.post(desk.to("file-move", "notes/a.md"), {"path": "old/a.md"}, follow=True)
    assert moved.redirect_chain[0][0] == desk.to("file", "old/a.md")
    undo = unescape(re.findall(r'action="([^"]*/file/move/[^"]*\?[^"]*)"', moved.text)[0])
    desk.client.post(undo, {"next": "/"})
    assert desk.post("file-move", "notes", path="archive/notes")["Location"] == desk.to("folder", "archive/notes")
    assert set(TeamFile.objects.values_list("path", flat=True)) == {"archive/notes/a.md", "archive/notes/b.md"}


def test_a_move_to_where_something_is_is_refused_beside_the_field(desk: Desk) -> None:
    desk.write("a.md")
    desk.write("b.md")
    refused = desk.post("file-move", "a.md", path="b.md")
    assert refused.status_code == 400
    assert "already" in refused.text
    assert desk.post("file-move", "a.md", path="../b.md").status_code == 400
    assert desk.post("file-move", "nowhere.md", path="c.md").status_code == 404
    assert desk.get("file-move", "nowhere.md").status_code == 404


def test_a_deleted_file_waits_to_be_restored(desk: Desk) -> None:
    file = desk.write("notes/a.md")
    deleted = desk.client.post(desk.to("file-delete", "notes/a.md"), follow=True)
    assert deleted.redirect_chain[0][0] == desk.to("files")
    assert "a.md is deleted." in deleted.text
    listed = desk.get("files-deleted")
    assert "notes/a.md" in listed.text
    back = desk.client.post(desk.to("file-restore", file.pk), {"next": desk.to("files-deleted")}, follow=True)
    assert "notes/a.md is back." in back.text
    assert "Nothing is deleted" in back.text
    assert [version.change for version in FileVersion.objects.order_by("version")] == [
        "created",
        "forgotten",
        "restored",
    ]


def test_all_deleted_files_are_listed_page_by_page(desk: Desk) -> None:
    for number in range(52):
        desk.write(f"{number}.md")
        files.delete_file(actor=desk.actor, path=f"{number}.md")
    first = desk.get("files-deleted").text
    following = re.findall(r'rel="next" href="([^"]*)"', first)[0]
    second = desk.client.get(desk.to("files-deleted") + unescape(following)).text
    assert (first.count("data-row"), second.count("data-row")) == (50, 2)
    assert first.index("51.md") < first.index("50.md")


def test_a_path_that_is_taken_again_is_not_restored_over(desk: Desk) -> None:
    file = desk.write("a.md", "old")
    desk.post("file-delete", "a.md")
    desk.write("a.md", "new")
    refused = desk.client.post(desk.to("file-restore", file.pk), {"next": desk.to("files-deleted")}, follow=True)
    assert "already has this name" in refused.text
    assert TeamFile.objects.alive().get().content == "new"


# Uploading


def upload(desk: Desk, *sent: tuple[str, bytes], **said: str) -> Any:
    uploads = [SimpleUploadedFile(name, content) for name, content in sent]
    return desk.client.post(desk.to("file-upload"), {"files": uploads, "folder": "", **said})


def test_an_upload_can_be_undone(desk: Desk) -> None:
    made = desk.client.get(upload(desk, ("a.md", b"one"))["Location"])
    changed = desk.client.get(upload(desk, ("a.md", b"two"), replace="on")["Location"])
    assert "two" in changed.text
    desk.client.post(undo_of(changed))
    assert TeamFile.objects.get(path="a.md").content == "one"
    assert "it is now version 3" in desk.client.post(undo_of(made), {}, follow=True).text


def test_several_files_can_be_uploaded_into_a_folder(desk: Desk) -> None:
    done = upload(desk, ("a.md", b"one"), ("b c.md", "\ufeffzwölf".encode()), folder="notes/")
    assert done["Location"] == desk.to("folder", "notes")
    assert dict(TeamFile.objects.values_list("path", "content")) == {"notes/a.md": "one", "notes/b c.md": "zwölf"}
    assert upload(desk, ("c.md", b""))["Location"] == desk.to("file", "c.md")


def test_what_is_no_text_or_too_large_is_refused_by_name(desk: Desk) -> None:
    refused = upload(desk, ("photo.png", b"\x89PNG\xff"), ("big.txt", b"x" * (FILE_BYTES + 1)), ("good.md", b"x"))
    assert refused.status_code == 400
    said = says(refused)
    assert "photo.png is not uploaded. It is not text in UTF-8." in said
    assert "big.txt is not uploaded. It is larger than 1,048,576 bytes." in said
    assert "good.md is uploaded." in said
    assert "NUL" in upload(desk, ("nul.md", b"a\0b")).text
    assert list(TeamFile.objects.values_list("path", flat=True)) == ["good.md"]


def test_an_upload_asks_before_it_replaces(desk: Desk) -> None:
    desk.write("a.md", "old")
    asked = upload(desk, ("a.md", b"new"))
    assert asked.status_code == 409
    assert "a.md is there already" in says(asked)
    assert TeamFile.objects.get().content == "old"
    seen = {"version": _value(asked.text, "version"), "file_id": _value(asked.text, "file_id")}
    assert desk.post("file-edit", "a.md", file="new", **seen).status_code == 302
    assert TeamFile.objects.get().content == "new"
    upload(desk, ("a.md", b"newer"), replace="on")
    assert TeamFile.objects.get().content == "newer"
    assert upload(desk, ("a.md", b"newer")).status_code == 302
    assert TeamFile.objects.get().version == 3


@pytest.mark.parametrize("page", ["file-new", "file-upload"])
def test_a_folder_that_cannot_be_is_nowhere(desk: Desk, page: str) -> None:
    for folder in ("a\nb", "nul\0", "../up", "x" * 10_000):
        assert desk.get(page, folder=folder).status_code == 404
    assert 'value="notes' in desk.get(page, folder="notes").text


def test_an_upload_needs_a_file_and_a_folder_that_can_be(desk: Desk) -> None:
    assert "Choose at least one file." in desk.post("file-upload", folder="").text
    assert "is not uploaded" in upload(desk, ("a.md", b"x"), folder="../up").text
    desk.write("notes")
    assert "is a file, not a folder" in unescape(upload(desk, ("a.md", b"x"), folder="notes").text)
    assert TeamFile.objects.count() == 1


# Who


def test_viewers_read_and_are_refused_the_rest(writer: Actor, client: Client) -> None:
    desk = _desk(writer, client, Role.VIEWER)
    file = desk.write("a.md", "Text.")
    gone = desk.write("gone.md")
    files.delete_file(actor=writer, path="gone.md")
    for page in (desk.get("files"), desk.get("file", "a.md"), desk.get("file-history", "a.md")):
        assert page.status_code == 200
        assert not re.search(r"/file/(edit|move|delete|revert|new|upload|restore)", page.text)
    for name, *arguments in (
        ("file-edit", "a.md"),
        ("file-move", "a.md"),
        ("file-new",),
        ("file-upload",),
        ("files-deleted",),
    ):
        assert desk.get(name, *arguments).status_code == 403
        assert desk.post(name, *arguments, path="b.md", file="x", version="1", file_id=str(file.pk)).status_code == 403
    for name, *arguments in (("file-delete", "a.md"), ("file-revert", 1, "a.md")):
        assert (
            "not change them"
            in desk.client.post(desk.to(name, *arguments), {"next": desk.to("files")}, follow=True).text
        )
    assert desk.post("file-restore", gone.pk).status_code == 404
    assert list(TeamFile.objects.alive().values_list("path", "version")) == [("a.md", 1)]


def test_strangers_are_told_nothing(cast: Cast, client: Client) -> None:
    file = files.write_file(actor=cast["writer"].actor(), path="a.md", content="x")
    client.force_login(cast["mira"].user)  # type: ignore[arg-type]
    desk = Desk(cast.ops, cast["writer"].actor(), client)
    for name, *arguments in (
        ("files",),
        ("folder", "a"),
        ("file-new",),
        ("file-upload",),
        ("files-deleted",),
        *((name, "a.md") for name in ("file", "file-edit", "file-move", "file-history", "file-download")),
    ):
        assert desk.get(name, *arguments).status_code == 404
    for name, *arguments in (
        ("file-delete", "a.md"),
        ("file-revert", 1, "a.md"),
        ("file-restore", file.pk),
        ("file-edit", "a.md"),
    ):
        assert desk.post(name, *arguments).status_code == 404
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    mine = Desk(cast.sales, cast["stranger"].actor(), client)
    assert mine.get("file", "a.md").status_code == 404


def test_another_workspaces_files_are_not_there(cast: Cast, client: Client) -> None:
    files.write_file(actor=cast["writer"].actor(), path="blue.md", content="x")
    client.force_login(cast["editor"].user)  # type: ignore[arg-type]
    desk = Desk(cast.ops, cast["writer"].actor(), client)
    assert desk.get("file", "blue.md").status_code == 404
    client.post(desk.to("choose-workspace"), {"workspace": "blue"})
    assert desk.get("file", "blue.md").status_code == 200
    assert "blue.md" in desk.get("files").text


# Size

FILL = """
INSERT INTO memories_teamfile (id, organization_id, team_id, path, content, version, created_at, updated_at)
SELECT gen_random_uuid(), %(organization)s, %(team)s, %(folder)s || '/' || lpad(n::text, 6, '0') || '.md',
    'Harbour ' || n, 1, now(), now() FROM generate_series(1, %(count)s) AS n
"""


@pytest.fixture
def crowded(desk: Desk) -> Desk:
    counts = {"conversations": 6_000, "notes": 2_000, "notes/deep": 3, "runbooks": 2}
    with connection.cursor() as cursor:
        for folder, count in counts.items():
            ids = {"organization": desk.team.organization_id, "team": desk.team.pk}
            cursor.execute(FILL, ids | {"folder": folder, "count": count})
        cursor.execute("ANALYZE memories_teamfile")
    desk.write("z.md")
    return desk


def test_no_folder_hides_those_after_it(crowded: Desk) -> None:
    page = says(crowded.get("files"))
    for entry in ("conversations 500+ files", "notes 500+ files", "runbooks 2 files", "z.md"):
        assert entry in page


def test_every_file_of_a_large_folder_can_be_reached(crowded: Desk) -> None:
    seen: set[str] = set()
    for page in _pages(crowded, crowded.to("folder", "notes")):
        seen.update(re.findall(r"/files/notes/(\d+\.md)", page))
    assert len(seen) == 2_000


def _pages(desk: Desk, address: str) -> Iterator[str]:
    beyond: str | None = ""
    while beyond is not None:
        page = desk.client.get(f"{address}{beyond}").text
        yield page
        beyond = next(iter(re.findall(r'rel="next" href="([^"]*)"', page)), None)


@pytest.mark.parametrize("page", ["files", "folder", "file", "file-history", "files-deleted"])
def test_no_statement_reads_more_than_it_shows(crowded: Desk, page: str) -> None:
    arguments = {"folder": ["notes"], "file": ["notes/000001.md"], "file-history": ["z.md"]}.get(page, [])
    if page == "file":
        crowded.write("notes/000001.md", "again")
    statements: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT") and "memories_" in sql:
            statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert crowded.get(page, *arguments).status_code == 200
    assert len(statements) < 12
    for sql, params in statements:
        total = sum(
            count_touched_rows(node)
            for node in nodes(explain_statement(sql, params))
            if "memories_" in node.get("Relation Name", "")
        )
        assert total <= 3_000, sql


def test_a_list_takes_the_same_statements_however_long(desk: Desk) -> None:
    def statements(count: int) -> int:
        for number in range(count):
            desk.write(f"{count}/{number}.md", "harbour")
        desk.get("folder", str(count))
        with CaptureQueriesContext(connection) as captured:
            desk.get("folder", str(count))
            desk.get("folder", str(count), q="harbour")
        return len(captured)

    assert statements(1) == statements(15)
    assert folders.FILES_PER_READ >= 15
