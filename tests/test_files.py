"""A team's files."""

import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import IntegrityError, transaction

from memories.models import FileVersion, Scope, TeamFile
from memories.operations import files
from memoryhub.errors import Conflict, Forbidden, Invalid, KeyTaken, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Agent, Organization
from tests import doors, factories
from tests.cast import WHO_SEES, Cast


def test_writing_again_makes_a_version(writer: Actor) -> None:
    files.write_file(actor=writer, path="runbooks/failover.md", content="one")
    again = files.write_file(actor=writer, path="runbooks/failover.md", content="two")
    assert (again.version, again.content) == (2, "two")
    assert list(FileVersion.objects.order_by("version").values_list("content", "change")) == [
        *(("one", "created"), ("two", "updated"))
    ]


def test_a_stale_version_and_a_taken_path_are_told(writer: Actor) -> None:
    files.write_file(actor=writer, path="a.md", content="one", version=files.ABSENT)
    with pytest.raises(KeyTaken):
        files.write_file(actor=writer, path="a.md", content="two", version=files.ABSENT)
    assert files.write_file(actor=writer, path="a.md", content="two", version=1).version == 2
    with pytest.raises(Conflict) as refusal:
        files.write_file(actor=writer, path="a.md", content="three", version=1)
    assert refusal.value.current.content == "two"


def test_renaming_deleting_and_restoring(writer: Actor) -> None:
    files.write_file(actor=writer, path="a.md", content="one")
    files.write_file(actor=writer, path="b.md", content="other")
    with pytest.raises(KeyTaken):
        files.rename_file(actor=writer, path="a.md", to="b.md")
    moved = files.rename_file(actor=writer, path="a.md", to="old/a.md")
    files.delete_file(actor=writer, path="old/a.md")
    with pytest.raises(NotFound):
        files.delete_file(actor=writer, path="old/a.md")
    assert set(TeamFile.objects.visible_to(writer).values_list("path", flat=True)) == {"b.md"}
    assert files.restore_file(actor=writer, file_id=moved.pk).path == "old/a.md"
    assert [version.change for version in moved.versions.order_by("version")] == [
        *("created", "renamed", "forgotten", "restored")
    ]


def test_a_path_out_of_the_folder_is_refused_by_the_database_too(writer: Actor) -> None:
    with pytest.raises(Invalid):
        files.write_file(actor=writer, path="../other-team/core.md", content="x")
    whole = {"organization_id": writer.organization_id, "team_id": writer.team_id, "content": "x"}
    for path in ("../x", "/x", "a//b", "a/..", "."):
        with pytest.raises(IntegrityError, match="path_stays_inside"), transaction.atomic():
            TeamFile.objects.create(path=path, **whole)


def test_a_mebibyte_fits_and_is_found(writer: Actor) -> None:
    text = "needle " + "".join(f"word{n}-part{n} " for n in range(70_000))
    file = files.write_file(actor=writer, path="big.txt", content=text[: 1024 * 1024])
    assert TeamFile.objects.filter(search=SearchQuery("needle", config="english")).get() == file
    with pytest.raises(TooLarge, match="1,048,577"):
        files.write_file(actor=writer, path="bigger.txt", content="a" * (1024 * 1024 + 1))


def test_files_belong_to_the_team(cast: Cast) -> None:
    files.write_file(actor=cast["writer"].actor(), path="a.md", content="x")
    seers = {name for name in cast.members if TeamFile.objects.visible_to(cast[name].actor()).exists()}
    assert seers == WHO_SEES[Scope.TEAM]
    with pytest.raises(NotFound):
        files.delete_file(actor=cast["stranger"].actor(), path="a.md")
    with pytest.raises(NotFound):
        files.write_file(actor=cast["stranger"].actor(), path="a.md", content="y", team_id=cast.ops.pk)
    with pytest.raises(Forbidden):
        files.write_file(actor=cast["viewer"].actor(), path="a.md", content="y")


CASES = [(door, name) for door, names in doors.FILES.items() for name in names]


@pytest.mark.parametrize(("door", "name"), CASES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_a_file_shows_only_to_its_readers(cast: Cast, door: doors.FileDoor, name: str) -> None:
    file = files.write_file(actor=cast["writer"].actor(), path="pager.md", content="The pager is in the left drawer.")
    assert door(cast[name], file) == (name in WHO_SEES[Scope.TEAM])


def test_each_workspace_has_its_own_file_of_a_path(cast: Cast) -> None:
    blue, green = cast["writer"].actor(), cast["elsewhere"].actor()
    for actor, content in ((blue, "blue"), (green, "green")):
        assert files.write_file(actor=actor, path="a.md", content=content, version=files.ABSENT).version == 1
        with pytest.raises(KeyTaken):
            files.write_file(actor=actor, path="a.md", content="again", version=files.ABSENT)
    assert files.append_to_file(actor=green, path="a.md", text="more").content == "green\nmore"
    assert files.write_file(actor=blue, path="a.md", content="bluer", version=1).version == 2


def test_no_change_reaches_another_workspaces_file(cast: Cast) -> None:
    blue, green = cast["writer"].actor(), cast["elsewhere"].actor()
    files.write_file(actor=blue, path="a.md", content="x")
    gone = files.write_file(actor=blue, path="gone.md", content="x")
    files.delete_file(actor=blue, path="gone.md")
    before = list(TeamFile.objects.order_by("pk").values())
    for change in (
        lambda: files.write_file(actor=green, path="a.md", content="y", version=1),
        lambda: files.append_to_file(actor=green, path="a.md", text="y"),
        lambda: files.rename_file(actor=green, path="a.md", to="b.md"),
        lambda: files.revert_file(actor=green, path="a.md", to_version=1),
        lambda: files.revert_file(actor=green, path="gone.md", to_version=1),
        lambda: files.restore_file(actor=green, file_id=gone.pk),
        lambda: files.delete_file(actor=green, path="a.md"),
    ):
        with pytest.raises(NotFound):
            change()
    assert list(TeamFile.objects.order_by("pk").values()) == before


def test_without_workspaces_the_last_changed_of_a_path_is_the_one(cast: Cast) -> None:
    for name in ("writer", "elsewhere"):
        files.write_file(actor=cast[name].actor(), path="a.md", content=name)
    files.write_file(actor=cast["writer"].actor(), path="b.md", content="x")
    everywhere = _without_workspaces(cast)
    assert TeamFile.objects.visible_to(everywhere).at("a.md").count() == 2
    with pytest.raises(KeyTaken):
        files.write_file(actor=everywhere, path="a.md", content="x", version=files.ABSENT)
    with pytest.raises(KeyTaken):
        files.rename_file(actor=everywhere, path="b.md", to="a.md")
    for number in (2, 3):
        again = files.write_file(actor=everywhere, path="a.md", content="ours")
        assert (again.version, again.workspace_id) == (number, cast["elsewhere"].actor().workspace_id)
    files.delete_file(actor=everywhere, path="a.md")
    assert files.append_to_file(actor=everywhere, path="a.md", text="more").content == "writer\nmore"


def _without_workspaces(cast: Cast) -> Actor:
    """The writer, once the organization has switched them off."""
    Organization.objects.filter(slug="acme").update(workspaces_enabled=False)
    return factories.actor(Agent.objects.select_related("team__organization").get(slug="writer"))
