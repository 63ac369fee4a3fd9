"""A team's files mirrored in a folder."""

import json
import os
from io import StringIO
from itertools import product
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.models import FileVersion, Memory, TeamFile
from memories.operations import files
from memories.recall import Mode, recall
from memories.transfer import folder_sync
from memories.transfer.folder_sync import FolderSync, SyncAction, decide_sync
from teams.actor import Actor
from teams.models import Agent, Organization, Workspace
from tests import factories


class Place:
    """A team's files and the folder that mirrors them."""

    def __init__(self, folder: Path) -> None:
        self.team = factories.team(slug="ops")
        self.actor: Actor = factories.actor(factories.agent(self.team))
        self.folder = folder

    def sync(self, *options: str) -> list[str]:
        out = StringIO()
        call_command("sync_files", "--team", "ops", "--dir", str(self.folder), *options, stdout=out)
        return out.getvalue().splitlines()

    def write(self, path: str, content: str) -> None:
        files.write_file(actor=self.actor, path=path, content=content)

    def put(self, path: str, content: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(content)

    @property
    def hub(self) -> dict[str, str]:
        return dict(TeamFile.objects.alive().filter(team=self.team).values_list("path", "content"))

    @property
    def disk(self) -> dict[str, str]:
        found = (place for place in self.folder.rglob("*") if place.is_file() and not place.name.startswith("."))
        return {place.relative_to(self.folder).as_posix(): place.read_text() for place in found}


@pytest.fixture
def place(db: None, tmp_path: Path) -> Place:
    folder = tmp_path / "group"
    folder.mkdir()
    return Place(folder)


def test_each_side_gets_what_the_other_has(place: Place) -> None:
    place.write("notes/hub.md", "from the hub\n")
    place.put("notes/folder.md", "from the folder\r\nwith its line ends")
    assert place.sync() == ["written to hub: notes/folder.md", "written to folder: notes/hub.md"]
    assert place.hub == place.disk | {"notes/folder.md": "from the folder\r\nwith its line ends"}
    assert (place.folder / "notes/folder.md").read_bytes() == b"from the folder\r\nwith its line ends"
    assert set(place.disk) == {"notes/hub.md", "notes/folder.md"}
    assert place.sync() == ["Both sides are alike."]


def test_changes_travel_in_both_directions(place: Place) -> None:
    place.write("a.md", "one")
    place.write("b.md", "one")
    place.sync()
    place.write("a.md", "two")
    place.put("b.md", "two")
    assert place.sync() == ["written to folder: a.md", "written to hub: b.md"]
    assert place.hub == place.disk == {"a.md": "two", "b.md": "two"}
    assert FileVersion.objects.filter(path="b.md").count() == 2


def test_what_changed_on_both_sides_is_kept_twice(place: Place) -> None:
    place.write("notes/plan.v1.md", "one")
    place.sync()
    place.write("notes/plan.v1.md", "of the hub")
    place.put("notes/plan.v1.md", "of the folder")
    (told,) = place.sync()
    (aside,) = set(place.hub) - {"notes/plan.v1.md"}
    assert told == f"kept twice: notes/plan.v1.md (The folder's is {aside} now.)"
    assert aside.startswith("notes/plan.v1.conflict-")
    assert aside.endswith(".md")
    assert place.hub == place.disk == {"notes/plan.v1.md": "of the hub", aside: "of the folder"}
    assert place.sync() == ["Both sides are alike."]


def test_a_conflict_overwrites_no_other(place: Place) -> None:
    place.write("a.md", "of the hub")
    place.put("a.md", "of the folder")
    place.sync()
    (aside,) = set(place.hub) - {"a.md"}
    place.put(aside, "settled")
    place.sync()
    place.put("a.md", "of the folder")
    place.write("a.md", "of the hub again")
    with pytest.raises(CommandError, match="1 of 1 could not be mirrored"):
        place.sync()
    assert place.disk == {"a.md": "of the folder", aside: "settled"}


def test_without_notes_nothing_is_lost(place: Place) -> None:
    place.write("a.md", "one")
    place.sync()
    (place.folder / folder_sync.NOTES_FILE).unlink()
    place.put("a.md", "two")
    place.sync()
    assert sorted(place.hub.values()) == sorted(place.disk.values()) == ["one", "two"]


def test_nothing_is_deleted_unless_asked(place: Place) -> None:
    for name in ("deep/here.md", "there.md", "stays.md"):
        place.write(name, "x")
    place.sync()
    files.delete_file(actor=place.actor, path="deep/here.md")
    (place.folder / "there.md").unlink()
    for _ in range(2):
        assert place.sync() == [
            "left alone: deep/here.md (It is gone from the hub; --delete removes it from the folder too.)",
            "left alone: there.md (It is gone from the folder; --delete removes it from the hub too.)",
        ]
    assert (set(place.hub), set(place.disk)) == ({"there.md", "stays.md"}, {"deep/here.md", "stays.md"})
    assert place.sync("--delete") == ["deleted in folder: deep/here.md", "deleted in hub: there.md"]
    assert place.hub == place.disk == {"stays.md": "x"}
    assert not (place.folder / "deep").exists()
    assert TeamFile.objects.get(path="there.md").deleted_at


def test_an_edit_outlives_a_deletion(place: Place) -> None:
    for name in ("a.md", "b.md"):
        place.write(name, "one")
    place.sync()
    files.delete_file(actor=place.actor, path="a.md")
    place.put("a.md", "two")
    place.write("b.md", "two")
    (place.folder / "b.md").unlink()
    place.sync("--delete")
    assert place.hub == place.disk == {"a.md": "two", "b.md": "two"}


def test_a_dry_run_changes_nothing(place: Place) -> None:
    place.write("a.md", "one")
    place.put("b.md", "two")
    assert place.sync("--dry-run") == ["would be written to folder: a.md", "would be written to hub: b.md"]
    assert (place.hub, place.disk) == ({"a.md": "one"}, {"b.md": "two"})
    assert not (place.folder / folder_sync.NOTES_FILE).exists()
    assert not Agent.objects.filter(slug="mirror").exists()


def test_conversations_come_in_with_their_memories(place: Place) -> None:
    place.put("conversations/2030-05-04-anchor.md", "# anchor\n\nJo asked where the anchor is.\n")
    place.sync()
    (hit,) = recall(actor=place.actor, query="anchor", mode=Mode.KEYWORD).hits
    assert (hit.memory.key, hit.memory.category) == ("conversations/2030-05-04-anchor.md", "conversation")
    assert hit.memory.provenance == "import"
    place.put("conversations/2030-05-04-anchor.md", "# anchor\n\nIt is aft.\n")
    place.sync()
    assert Memory.objects.get().content == "# anchor\n\nIt is aft.\n"
    assert Memory.objects.get().provenance == "import"


def test_a_memory_with_a_summary_keeps_it(place: Place) -> None:
    path = "conversations/2030-05-04-anchor.md"
    factories.memory(place.actor, "Jo asked.", key=path, category="conversation")
    place.write(path, "# anchor\n")
    place.sync()
    place.put(path, "# anchor, annotated\n")
    place.sync()
    assert (Memory.objects.get().content, place.hub[path]) == ("Jo asked.", "# anchor, annotated\n")


def test_no_symbolic_link_is_followed(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (place.folder / "link.md").symlink_to(outside / "secret.md")
    (place.folder / "links").symlink_to(outside)
    place.write("links/planted.md", "x")
    place.write("link.md", "x")
    told = place.sync("--delete")
    assert told == [
        f"left alone: {path} (A symbolic link is not followed.)" for path in ("link.md", "links", "links/planted.md")
    ]
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"secret.md": "secret"}
    assert place.hub == {"links/planted.md": "x", "link.md": "x"}


def test_a_folder_that_became_a_link_deletes_nothing(place: Place, tmp_path: Path) -> None:
    place.write("notes/a.md", "x")
    place.sync()
    (place.folder / "notes").rename(tmp_path / "elsewhere")
    (place.folder / "notes").symlink_to(tmp_path / "elsewhere")
    place.sync("--delete")
    assert place.hub == {"notes/a.md": "x"}


def test_what_the_hub_cannot_hold_is_left_alone(place: Place) -> None:
    (place.folder / "picture.png").write_bytes(b"\x89PNG\xff")
    (place.folder / "nul.txt").write_bytes(b"a\0b")
    (place.folder / "big.txt").write_text("é" * 600_000)
    (place.folder / " spaced.md").write_text("x")
    (place.folder / "back\\slash.md").write_text("x")
    os.mkfifo(place.folder / "pipe")
    Path(os.fsdecode(os.fsencode(place.folder) + b"/\xff.md")).write_text("x")
    told = place.sync("--delete")
    assert len(told) == 7
    assert all(line.startswith("left alone: ") for line in told)
    assert "left alone: big.txt (At most 1,048,576 bytes; these are 1,200,000.)" in told
    assert not TeamFile.objects.exists()


def test_hidden_names_are_not_mirrored(place: Place) -> None:
    place.put(".git/config", "x")
    place.put(".env", "x")
    place.write(".memoryhub.json", "x")
    place.write("notes/.draft", "x")
    assert place.sync() == [
        f"left alone: {path} (Hidden names are not mirrored.)" for path in (".memoryhub.json", "notes/.draft")
    ]
    assert json.loads((place.folder / folder_sync.NOTES_FILE).read_text())["files"] == {}
    assert set(place.hub) == {".memoryhub.json", "notes/.draft"}


def test_a_file_and_a_folder_of_one_name_are_told(place: Place) -> None:
    place.write("a", "x")
    place.put("a/b.md", "y")
    with pytest.raises(CommandError, match="2 of 2 could not be mirrored"):
        place.sync()
    assert (place.hub, place.disk) == ({"a": "x"}, {"a/b.md": "y"})


def test_what_changes_meanwhile_is_not_overwritten(place: Place) -> None:
    for name in ("a.md", "b.md"):
        place.write(name, "one")
    place.sync()
    place.write("a.md", "two")
    place.put("b.md", "two")
    place.put("0.md", "comes first")
    steps = FolderSync(actor=place.actor, folder=place.folder).run()
    assert next(steps).path == "0.md"
    place.put("a.md", "of a person")
    place.write("b.md", "of an agent")
    told = list(steps)
    assert [step.act for step in told] == [SyncAction.FAIL, SyncAction.FAIL]
    assert (place.disk["a.md"], place.hub["b.md"]) == ("of a person", "of an agent")


def test_a_folder_mirrors_one_team(place: Place) -> None:
    place.sync()
    factories.team(place.team.organization, "sales")
    with pytest.raises(CommandError, match="mirrors the files of another team"):
        call_command("sync_files", "--team", "sales", "--dir", str(place.folder))


@pytest.mark.parametrize("notes", ["{", "[]", '{"files": 7}', "\xff"])
def test_damaged_notes_are_told(place: Place, notes: str) -> None:
    (place.folder / folder_sync.NOTES_FILE).write_bytes(notes.encode("latin-1"))
    with pytest.raises(CommandError, match="damaged"):
        place.sync()


def test_the_team_must_be_clear(place: Place) -> None:
    factories.team(factories.organization("globex"), "ops")
    with pytest.raises(CommandError, match="Several organizations have a team ops: name one of globex, "):
        place.sync()
    assert place.sync("--org", "globex") == ["Both sides are alike."]
    with pytest.raises(CommandError, match="There is no team acme/ops"):
        place.sync("--org", "acme")
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("sync_files", "--org", "globex", "--team", "ops", "--dir", str(place.folder / "none"))


def test_another_teams_files_stay_there(place: Place) -> None:
    files.write_file(actor=factories.actor(), path="theirs.md", content="x")
    assert place.sync() == ["Both sides are alike."]


def test_no_text_is_lost_whatever_each_side_did() -> None:
    for before, hub, folder in product([None, "a"], [None, "a", "b"], [None, "a", "c"]):
        act = decide_sync(before=before, hub=hub, folder=folder)
        gone = {
            SyncAction.TO_FOLDER: folder,
            SyncAction.DELETE_IN_FOLDER: folder,
            SyncAction.TO_HUB: hub,
            SyncAction.DELETE_IN_HUB: hub,
        }.get(act)
        assert gone in (None, before), (before, hub, folder, act)


def test_a_folder_mirrors_one_workspace(place: Place) -> None:
    Organization.objects.update(workspaces_enabled=True)
    for slug in ("blue", "green"):
        Workspace.objects.create(organization=place.team.organization, slug=slug, name=slug)
    place.write("outside.md", "x")
    place.put("a.md", "blue")
    assert place.sync("--workspace", "blue") == ["written to hub: a.md"]
    assert TeamFile.objects.get(path="a.md").workspace == Workspace.objects.get(slug="blue")
    for other in (["--workspace", "green"], []):
        with pytest.raises(CommandError, match="mirrors the files of another workspace"):
            place.sync("--delete", *other)
    with pytest.raises(CommandError, match="There is no workspace 'red'"):
        place.sync("--workspace", "red")
    assert (place.disk, set(place.hub)) == ({"a.md": "blue"}, {"a.md", "outside.md"})


def test_notes_from_before_workspaces_are_those_of_none(place: Place) -> None:
    place.write("a.md", "x")
    place.sync()
    notes = place.folder / folder_sync.NOTES_FILE
    said = json.loads(notes.read_text())
    del said["workspace"]
    notes.write_text(json.dumps(said))
    assert place.sync() == ["Both sides are alike."]
