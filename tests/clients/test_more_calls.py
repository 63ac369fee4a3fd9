"""The calls that fewer need: batches with a result for each, keys, links, attachments, archives, contexts."""

import zipfile
from pathlib import Path

import httpx
import pytest
from memoryhub_client import Conflict, Invalid, Memory, MemoryHub, NotFound, Unauthenticated, Unreachable

from memories.models import Asset
from memories.models import Memory as Row
from tests.clients.inside import URL, Wire

LOST = httpx.ReadError("The line went dead.")


def test_each_of_many_has_its_own_result(client: MemoryHub) -> None:
    client.save("Taken.", key="taken")
    good, bad, taken = client.save_each(
        [
            {"content": "Good."},
            {"content": "Bad.", "importance": 7},
            {"content": "x", "key": "taken", "dedupe": "refuse"},
        ]
    )
    assert isinstance(good, Memory)
    assert good.content == "Good."
    assert isinstance(bad, Invalid)
    assert set(bad.fields) == {"importance"}
    assert isinstance(taken, Conflict)
    assert taken.code == "key_taken"


def test_a_key_is_put(client: MemoryHub) -> None:
    made = client.save_key("berths/7", "Closed.", tags=["berths"], only_new=True)
    assert (made.key, made.version) == ("berths/7", 1)
    with pytest.raises(Conflict):
        client.save_key("berths/7", "Open.", only_new=True)
    changed = client.save_key("berths/7", "Open.", version=1)
    assert (changed.id, changed.version, changed.tags) == (made.id, 2, ["berths"])
    assert client.save_key("berths/7", "Mine.", scope="agent").id != made.id


def test_links_and_sources_are_taken_away(client: MemoryHub) -> None:
    one, other = client.save_many([{"content": "One."}, {"content": "Other."}])
    client.associate(one.id, other.id, relation="part_of")
    client.dissociate(one.id, other.id, relation="part_of")
    assert list(client.associations(one.id)) == []
    source = client.cite(one.id, url="https://example.org/1")
    client.uncite(one.id, source.id)
    assert list(client.sources(one.id)) == []
    with pytest.raises(NotFound):
        client.uncite(one.id, source.id)


def test_a_file_is_attached_read_and_taken_away(client: MemoryHub, wire: Wire) -> None:
    saved = client.save("The plan is attached.")
    wire.trouble = [LOST]
    plan = client.attach(saved.id, "plän.bin", bytes(range(256)), content_type="image/x-plan")
    assert (Asset.objects.count(), plan.name, plan.size, plan.content_type) == (1, "plän.bin", 256, "image/x-plan")
    assert [asset.sha256 for asset in client.assets(saved.id)] == [plan.sha256]
    assert client.read_asset(saved.id, plan.id) == bytes(range(256))
    client.detach(saved.id, plan.id)
    with pytest.raises(NotFound):
        client.read_asset(saved.id, plan.id)


def test_an_archive_is_written_whole_or_not_at_all(client: MemoryHub, wire: Wire, tmp_path: Path) -> None:
    client.save("Worth keeping.", key="kept")
    target = tmp_path / "team.zip"
    target.write_text("what was there before")
    wire.trouble = [LOST] * 9
    with pytest.raises(Unreachable):
        client.export(target)
    with MemoryHub(URL, "mh_wrong", transport=Wire()) as stranger, pytest.raises(Unauthenticated):
        stranger.export(target)
    assert target.read_text() == "what was there before"
    wire.trouble = [LOST]
    assert client.export(str(target)) == target
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert any(b"Worth keeping." in archive.read(name) for name in archive.namelist())
    assert [path.name for path in tmp_path.iterdir()] == ["team.zip"]


def test_a_session_is_read(client: MemoryHub) -> None:
    client.register_session("chat/1", user="mira", channel="#a")
    assert (client.session("chat/1").user, client.session("chat/1").channel) == ("mira", "#a")
    with pytest.raises(NotFound):
        client.session("chat/2")


def test_a_context_is_added_to_and_cleared(client: MemoryHub, wire: Wire) -> None:
    mira = client.with_context(user="mira", channel="#a")
    nobody = mira.with_context(user=None, session="s")
    for hub in (mira, nobody, client):
        hub.me()
    told = [{name: value for name, value in one.headers.items() if "x-memory" in name} for one in wire.requests]
    assert told == [
        {"x-memory-user": "mira", "x-memory-channel": "%23a"},
        {"x-memory-session": "s", "x-memory-channel": "%23a"},
        {},
    ]


def test_versions_hold_wherever_they_can_be_said(client: MemoryHub) -> None:
    saved = client.save("First.", key="k")
    client.change(saved.id, content="Second.")
    with pytest.raises(Conflict):
        client.verify(saved.id, version=1)
    with pytest.raises(Conflict):
        client.append(saved.id, "x", version=1)
    client.forget(saved.id)
    with pytest.raises(Conflict):
        client.restore(saved.id, version=1)
    assert client.restore(saved.id, version=3).version == 4
    assert Row.objects.get().content == "Second."
