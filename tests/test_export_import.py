"""Out and in: an archive of a team or an organization, and back into an empty hub."""

import io
import json
import re
import shutil
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memories import demo, operations, recall, transfer
from memories.embedding import active_model
from memories.models import Embedding, Memory, Revision, Scope, TeamFile, Unembedded
from memories.operations.embed import catch_up
from memories.operations.golden_run import run_golden_questions
from memories.recall import log
from memories.transfer import export as transfer_export
from memories.transfer.exported_tables import NOT_EXPORTED, TABLES
from memoryhub.errors import Conflict, Invalid
from teams import auth, rights
from teams import operations as registry
from teams.actor import Actor
from teams.models import Invitation, Membership, Organization, Role, Team, Token, Verb
from tests import factories
from tests.anchors import anchor_memory, report_lines
from tests.belongings import pair_up, propose_append
from tests.cast import Cast
from tests.embedding_server import EndpointServer
from tests.hub import hub

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def export_organization(organization: Organization, folder: Path, **said: Any) -> Path:
    """Stamped with the same moment each time."""
    path = folder / "archive.zip"
    path.write_bytes(b"".join(transfer.write_archive(transfer.Selection(organization=organization, **said), now=NOW)))
    return path


def empty_hub() -> None:
    """As if nothing had ever been here, but for a login that takes the first number."""
    tables = ", ".join(sorted({table.name for table in TABLES} | {model._meta.db_table for model in NOT_EXPORTED}))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # nothing may wait for what goes
        cursor.execute(f"TRUNCATE {tables}, auth_user RESTART IDENTITY CASCADE")
    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)
    User.objects.create_user("somebody-else")


def list_stored_files() -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def lively(cast: Cast) -> Organization:
    """An organization with something in every table that an archive carries."""
    writer = cast["writer"]
    registry.issue_token(agent=factories.agent(cast.ops, "writer"), user="mira")
    within, until = {"organization": cast.ops.organization, "team": cast.ops}, timezone.now() + timedelta(days=1)
    Invitation.objects.create(**within, digest=b"d" * 32, made_by=cast["owner"].user, expires_at=until)
    actor = factories.actor(writer.agent, user="mira", session="moving day", channel="c", workspace="blue")
    actor = replace(actor, token_id=Token.objects.get().pk)
    said = 'The boxes are in the cellar.\n\n\\ " é 漢字 😀'
    memory = factories.memory(actor, said, key="boxes", metadata={"a": [1.5, None]})
    operations.update_memory(actor=actor, memory_id=memory.pk, content="The boxes are in the attic.")
    propose_append(actor, memory, "Behind the ladder.")
    operations.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(b"\x00\xff" * 70_000), name="list.bin")
    operations.add_citation(actor=actor, memory_id=memory.pk, quote="to the attic")
    report_lines(actor, anchor_memory(actor, memory), "found", "two lines")
    gone = factories.memory(actor, "A box too many.")
    operations.associate(actor=actor, origin_id=memory.pk, target_id=gone.pk)
    pair_up(memory, gone)
    operations.rate_memory(actor=actor, memory_id=memory.pk, rating="outdated")
    operations.forget_memory(actor=actor, memory_id=gone.pk, reason="thrown away")
    operations.files.write_file(actor=actor, path="moving/plan.md", content="# Plan")
    operations.files.write_file(actor=actor, path="moving/plan.md", content="# Plan B")
    operations.place_hold(
        user=cast["owner"].user, organization=cast.ops.organization, team=cast.ops, key_prefix="x", reason="A lawsuit."
    )
    recall.recall(actor=actor, query="boxes")
    log.flush()
    operations.dismiss_question(actor=actor, question="How many boxes?")
    operations.add_golden_question(actor=actor, query="Where are the boxes?", memory_id=memory.pk)
    run_golden_questions(team_id=cast.ops.pk, now=timezone.now())
    return cast.ops.organization


def test_every_table_of_an_organization_is_carried_or_left_by_intent() -> None:
    ours = {model for model in apps.get_models() if model._meta.app_label in ("teams", "memories")}
    assert ours == {table.model for table in TABLES} | set(NOT_EXPORTED)


def test_an_archive_brought_into_an_empty_hub_makes_the_same_archive(cast: Cast, tmp_path: Path) -> None:
    before = export_organization(lively(cast), tmp_path)
    first = before.read_bytes()
    empty_hub()
    report = transfer.import_archive(before)
    assert report.added == json.loads(read_zip_entries(first)["manifest.json"])["rows"]
    assert min(report.added.values()) > 0
    assert report.kept == {}
    assert export_organization(Organization.objects.get(slug="acme"), tmp_path).read_bytes() == first


def test_vectors_that_come_after_an_import_change_nothing_else(
    cast: Cast, server: EndpointServer, tmp_path: Path
) -> None:
    writer = cast["writer"].actor()
    one, other = (factories.memory(writer, "Deploys are frozen from Friday noon.") for _ in range(2))
    catch_up()
    operations.dissociate(actor=writer, origin_id=other.pk, target_id=one.pk, relation="updates")
    operations.associate(actor=writer, origin_id=one.pk, target_id=other.pk)
    before = export_organization(cast.ops.organization, tmp_path)
    first = before.read_bytes()
    empty_hub()
    transfer.import_archive(before)
    active_model.reset_backoff()
    assert Unembedded.objects.count() == 2
    catch_up()
    assert Embedding.objects.count() == 2
    assert export_organization(Organization.objects.get(slug="acme"), tmp_path).read_bytes() == first


def test_what_was_brought_in_works_as_it_did(tmp_path: Path) -> None:
    account = demo.seed()
    archive = export_organization(Organization.objects.get(slug="tidewater"), tmp_path)
    empty_hub()
    transfer.import_archive(archive)
    actor = auth.authenticate_agent(token=account.token)
    hits = recall.recall(actor=actor, query="How do we roll back a bad deploy?").hits
    assert any("roll" in hit.memory.content.lower() for hit in hits)
    assert hits[0].scored
    assert not User.objects.get(username="demo").has_usable_password()


def test_a_team_goes_alone_with_all_that_it_refers_to(cast: Cast, tmp_path: Path) -> None:
    own, project = cast.memory(), cast.memory(Scope.PROJECT, "For Apollo.")
    operations.update_memory(actor=cast["guest"].actor(), memory_id=project.pk, content="For Apollo, says the guest.")
    other = factories.memory(cast["stranger"].actor(), "Of sales.")
    archive = export_organization(cast.ops.organization, tmp_path, team=cast.ops)
    first = archive.read_bytes()
    empty_hub()
    transfer.import_archive(archive)
    assert set(Memory.objects.values_list("pk", flat=True)) == {own.pk, project.pk}
    assert other.content.encode() not in read_zip_entries(first)["rows/memories_memory.jsonl"]
    assert Revision.objects.filter(memory=project.pk, agent=cast["guest"].agent).exists()
    organization = Organization.objects.get(slug="acme")
    assert export_organization(organization, tmp_path, team=Team.objects.get(slug="ops")).read_bytes() == first


def test_a_second_team_comes_into_the_organization_that_is_there(cast: Cast, tmp_path: Path) -> None:
    cast.memory()
    factories.memory(cast["stranger"].actor(), "Of sales.")
    (tmp_path / "ops").mkdir()
    ops = export_organization(cast.ops.organization, tmp_path / "ops", team=cast.ops)
    sales = export_organization(cast.ops.organization, tmp_path, team=cast.sales)
    empty_hub()
    transfer.import_archive(ops)
    with pytest.raises(Conflict, match="--without-access"), transaction.atomic():
        transfer.import_archive(sales)
    report = transfer.import_archive(sales, trust=transfer.Trust(without_access=True))
    assert report.kept["teams_organization"] == 1
    assert report.left_out == {"teams_membership": 1}
    assert not Membership.objects.filter(team__slug="sales").exists()
    assert set(Memory.objects.values_list("team__slug", flat=True)) == {"ops", "sales"}


def test_what_is_here_already_is_not_brought_in_twice(cast: Cast, tmp_path: Path) -> None:
    cast.memory()
    archive = export_organization(cast.ops.organization, tmp_path)
    with pytest.raises(Conflict, match="already exist here"), transaction.atomic():
        transfer.import_archive(archive)
    assert Memory.objects.count() == 1


def test_another_organization_of_that_name_stays(cast: Cast, tmp_path: Path) -> None:
    archive = export_organization(cast.ops.organization, tmp_path)
    empty_hub()
    factories.organization("acme")
    with pytest.raises(Conflict, match="does not fit what"), transaction.atomic():
        transfer.import_archive(archive)


def test_a_dry_run_says_the_same_and_changes_nothing(cast: Cast, tmp_path: Path) -> None:
    archive = export_organization(lively(cast), tmp_path)
    empty_hub()
    said = transfer.import_archive(archive, pretend=True)
    assert Organization.objects.count() == Memory.objects.count() == 0
    assert User.objects.count() == 1
    assert list_stored_files() == []
    assert transfer.import_archive(archive) == said


def alter_entry(path: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    with ZipFile(path) as old, ZipFile(path.with_name("altered.zip"), "w") as new:
        for each in old.namelist():
            new.writestr(each, change(old.read(each)) if each.startswith(name) else old.read(each))
    return path.with_name("altered.zip")


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("manifest", lambda said: said.replace(b'"format": 1', b'"format": 7'), "has format 7"),
        ("manifest", lambda said: said.replace(b'"rows": {', b'"rows": {"memories_dream": 1,'), "memories_dream"),
        ("manifest", lambda said: b"{", "damaged"),
        ("rows/memories_memory", lambda said: said.replace(b'"content":', b'"colour":1,"content":', 1), "colour"),
        ("rows/memories_memory", lambda said: said.replace(b'"version":1', b'"version":"x"'), "whole number"),
        ("rows/memories_memory", lambda said: said[:-5], "damaged"),
        ("assets/", lambda said: said + b"!", "not those that were saved"),
    ],
)
def test_a_damaged_archive_changes_nothing(
    cast: Cast, tmp_path: Path, name: str, change: Callable[[bytes], bytes], sentence: str
) -> None:
    memory = cast.memory()
    operations.attach_file(actor=cast["writer"].actor(), memory_id=memory.pk, file=ContentFile(b"bytes"), name="a.txt")
    archive = alter_entry(export_organization(cast.ops.organization, tmp_path), name, change)
    empty_hub()
    with pytest.raises(Invalid, match=sentence), transaction.atomic():
        transfer.import_archive(archive, trust=transfer.Trust(unsigned=True))
    assert Organization.objects.count() == 0
    assert list_stored_files() == []


def test_an_archive_from_before_a_column_gets_its_default(cast: Cast, tmp_path: Path) -> None:
    memory = cast.memory()
    archive = alter_entry(
        export_organization(cast.ops.organization, tmp_path),
        "rows/memories_memory",
        lambda said: said.replace(b'"channel_id":"",', b""),
    )
    empty_hub()
    transfer.import_archive(archive, trust=transfer.Trust(unsigned=True))
    assert Memory.objects.get(pk=memory.pk).channel_id == ""


@pytest.mark.parametrize("signed", [True, False])
def test_what_comes_from_elsewhere_is_not_the_word_of_a_person_here(cast: Cast, tmp_path: Path, signed: bool) -> None:
    memory, tool = cast.memory(), cast.memory(content="The anchor is aft.", provenance="tool")
    operations.verify_memory(actor=cast["teammate"].actor(), memory_id=memory.pk)
    Memory.objects.filter(pk=memory.pk).update(provenance="person")
    archive = export_organization(cast.ops.organization, tmp_path)
    if not signed:
        archive = alter_entry(archive, "rows/memories_memory", lambda rows: rows.replace(b"drawer", b"cupboard"))
    empty_hub()
    transfer.import_archive(archive, trust=transfer.Trust(unsigned=True, same_logins=True))
    imported, history = Memory.objects.get(pk=memory.pk), Revision.objects.filter(memory=memory.pk)
    assert imported.provenance == ("person" if signed else "import")
    assert bool(imported.verified_at) == bool(imported.verified_by) == signed
    assert set(history.values_list("provenance", flat=True)) == ({"agent"} if signed else {"import"})
    assert history.filter(verified_at=None).count() == (1 if signed else 2)
    assert Memory.objects.get(pk=tool.pk).provenance == "tool"


@pytest.mark.parametrize("signed", [True, False])
def test_a_held_memory_is_still_held_after_an_import(cast: Cast, tmp_path: Path, signed: bool) -> None:
    policy = {"rules": [{"who": ["agent"], "then": "propose"}]}
    held = factories.memory(replace(cast["writer"].actor(), policy=policy), "The pager is in the left drawer.")
    assert held.proposal_id
    archive = export_organization(cast.ops.organization, tmp_path)
    if not signed:
        archive = alter_entry(archive, "rows/memories_memory", lambda rows: rows.replace(b"drawer", b"cupboard"))
    teammate = cast["teammate"].actor()
    empty_hub()
    transfer.import_archive(archive, trust=transfer.Trust(unsigned=True, same_logins=True))
    assert Memory.objects.get(pk=held.pk).status == "proposed"
    assert not Memory.objects.visible_to(teammate).filter(pk=held.pk).exists()


def test_owners_and_agents_carry_away_what_they_see(cast: Cast, tmp_path: Path) -> None:
    for scope in Scope:
        cast.memory(scope, f"Within {scope}.")
    operations.files.write_file(actor=cast["writer"].actor(), path="a.md", content="blue")
    Membership.objects.filter(team=cast.ops).update(role=Role.OWNER)
    actor = cast["bystander"].actor()
    said = transfer.Selection.of(actor, team=cast.ops, reach=transfer.ExportReach.AGENT)
    parts = read_zip_entries(b"".join(transfer.write_archive(said)))
    assert b"Within team." in parts["rows/memories_memory.jsonl"]
    assert b"Within agent." not in b"".join(parts.values())
    assert b"Within global." not in b"".join(parts.values())
    assert "rows/teams_token.jsonl" not in parts
    assert "rows/memories_recalllog.jsonl" not in parts
    assert parts["files/ops@blue/a.md"] == b"blue"


def read_zip_entries(content: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_people_can_read_an_archive_without_us(cast: Cast, tmp_path: Path) -> None:
    with ZipFile(export_organization(lively(cast), tmp_path)) as archive:
        assert "The boxes are in the attic." in archive.read("memories/ops.md").decode()
        assert archive.read("files/ops@blue/moving/plan.md") == b"# Plan B"


def test_the_commands_write_and_read_an_archive(cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lively(cast)
    path = tmp_path / "out.zip"
    call_command("export", org="acme", to=path)
    assert "memories_memory" in capsys.readouterr().out
    with pytest.raises(CommandError, match="already exists"):
        call_command("export", org="acme", to=path)
    empty_hub()
    call_command("import_archive", path, dry_run=True)
    assert "would be added" in capsys.readouterr().out
    call_command("import_archive", path)
    assert "Logins made, without a password: " in capsys.readouterr().out
    assert TeamFile.objects.filter(path="moving/plan.md").exists()


@pytest.mark.parametrize(
    ("options", "sentence"), [({"org": "nobody"}, "no organization"), ({"org": "a", "team": "b"}, "no team a/b")]
)
def test_what_cannot_be_exported_is_said(tmp_path: Path, options: dict[str, str], sentence: str) -> None:
    factories.organization("a")
    with pytest.raises(CommandError, match=sentence):
        call_command("export", to=tmp_path / "x.zip", **options)


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"PK but no zip"):
        (tmp_path / "x.zip").write_bytes(content)
        with pytest.raises(CommandError, match=r"not a MemoryHub archive"):
            call_command("import_archive", tmp_path / "x.zip")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_archive", tmp_path / "nowhere.zip")


def test_agents_get_an_archive_of_what_they_see(client: Client, cast: Cast) -> None:
    for scope in Scope:
        cast.memory(scope, f"Within {scope}.")
    bystander = cast["bystander"]
    headers = {"X-Memory-Workspace": "blue", "Authorization": f"Bearer {bystander.token(Verb.READ)}"}
    answer = client.get("/api/v1/export", headers=headers)
    assert answer["Content-Disposition"] == 'attachment; filename="acme-ops.zip"'
    parts = read_zip_entries(answer.getvalue())
    rows = json.loads(parts["manifest.json"])["rows"]
    assert int(answer["X-Archive-Rows"]) == sum(rows.values()) + rows["memories_memory"]
    assert b"Within team." in parts["rows/memories_memory.jsonl"]
    assert not any(b"Within agent." in part or b"Within global." in part for part in parts.values())
    blind = client.get("/api/v1/export", headers={"Authorization": f"Bearer {bystander.token(Verb.WRITE)}"})
    assert blind.status_code == 403


def export_for_bystander(client: Client, cast: Cast, *verbs: Verb) -> bytes:
    """All that the bystander gets with a token of these verbs."""
    headers = {"X-Memory-Workspace": "blue", "Authorization": f"Bearer {cast['bystander'].token(*verbs)}"}
    return b"".join(read_zip_entries(client.get("/api/v1/export", headers=headers).getvalue()).values())


def test_what_is_gone_is_carried_away_by_those_who_may_bring_it_back(client: Client, cast: Cast) -> None:
    writer = cast["writer"].actor()
    operations.forget_memory(actor=writer, memory_id=cast.memory(content="Forgotten pager.").pk)
    expired = cast.memory(content="Expired pager.")
    Memory.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    operations.files.write_file(actor=writer, path="a.md", content="Deleted pager.")
    operations.files.delete_file(actor=writer, path="a.md")
    assert export_for_bystander(client, cast, Verb.READ).count(b"pager") == 0
    whole = export_for_bystander(client, cast, Verb.READ, Verb.WRITE)
    assert all(f"{gone} pager.".encode() in whole for gone in ("Forgotten", "Expired", "Deleted"))


def test_a_version_for_another_audience_is_not_carried_away(client: Client, cast: Cast) -> None:
    writer, private = cast["writer"].actor(), cast.memory(Scope.AGENT, "My own pager.")
    operations.update_memory(actor=writer, memory_id=private.pk, content="A pager for all.")
    operations.change_scope(actor=writer, memory_id=private.pk, scope=Scope.TEAM, audience=cast.ops.pk)
    whole = export_for_bystander(client, cast)
    assert b"A pager for all." in whole
    assert b"My own pager." not in whole


def test_owners_download_their_team_and_nobody_else_does(client: Client, cast: Cast) -> None:
    for scope in Scope:
        cast.memory(scope, f"Within {scope}.")
    for name, status in {"owner": 200, "editor": 403, "viewer": 403}.items():
        user = cast[name].user
        assert user
        client.force_login(user)
        client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
        assert client.get("/t/acme/ops/export/").status_code == 200
        assert client.get("/t/acme/ops/export/archive.zip").status_code == status
        assert client.get("/t/acme/ops/export/progress/", {"as": "x" * 22}).status_code == status
        assert client.get("/t/acme/sales/export/archive.zip").status_code == 404
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    parts = read_zip_entries(client.get("/t/acme/ops/export/archive.zip").getvalue())
    rows = parts["rows/memories_memory.jsonl"]
    assert all(f"Within {scope}.".encode() in rows for scope in (Scope.TEAM, Scope.PROJECT, Scope.AGENT))
    assert b"Within global." not in rows
    assert "rows/teams_membership.jsonl" not in parts


def test_five_times_as_many_memories_take_no_more_room(
    chosen: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m benchmarks.archives` measures it with 100,000."""
    chosen.EMBEDDING = "none"
    for module in ("export", "import_archive"):
        monkeypatch.setattr(sys.modules[f"memories.transfer.{module}"], "ROWS_AT_ONCE", 50)
    peaks = [room_taken(size, tmp_path / f"{size}.zip") for size in (100, 200, 1_000)]  # the first one is for practice
    assert max(peaks[2]) < 1.5 * max(peaks[1])


def room_taken(size: int, path: Path) -> tuple[int, int]:
    """The most bytes held at once while so many memories go out and come in."""
    writer = factories.actor()
    drafts = [operations.Draft(content=f"{number} {'x' * 5_000}") for number in range(size)]
    for start in range(0, size, 200):
        operations.save_memories(actor=writer, drafts=drafts[start : start + 200])
    del drafts
    selection = transfer.Selection(organization=Organization.objects.get(pk=writer.organization_id))

    def export() -> None:
        with path.open("wb") as file:
            file.writelines(transfer.write_archive(selection))

    out = peak_of(export)
    empty_hub()
    return out, peak_of(lambda: transfer.import_archive(path))


def peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_each_step_says_how_far_an_archive_is(cast: Cast, tmp_path: Path) -> None:
    out: list[transfer.TransferStep] = []
    path = tmp_path / "archive.zip"
    path.write_bytes(
        b"".join(transfer.write_archive(transfer.Selection(organization=lively(cast)), on_step=out.append))
    )
    empty_hub()
    come: list[transfer.TransferStep] = []
    transfer.import_archive(path, on_step=come.append)
    for steps in (out, come):
        assert [step.done for step in steps] == sorted(step.done for step in steps)
        assert steps[-1].done <= steps[-1].total
        assert steps[-1].percent > 90
    assert come[-1].done == come[-1].total == sum(unzipped_manifest(path)["rows"].values())


@pytest.mark.django_db(transaction=True)
def test_what_is_purged_meanwhile_goes_without_its_bytes(cast: Cast, tmp_path: Path) -> None:
    organization = lively(cast)
    purged = Memory.objects.get(key="boxes")
    root = operator(purged)
    writer = cast["writer"].actor()
    kept = factories.memory(writer, "The attic has a ladder.")
    operations.attach_file(actor=writer, memory_id=kept.pk, file=ContentFile(b"bytes"), name="ladder.bin")
    steps: list[transfer.TransferStep] = []
    pieces = transfer.write_archive(transfer.Selection(organization=organization), on_step=steps.append)
    first = next(pieces)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(purge, root, purged).result()
    path = tmp_path / "archive.zip"
    path.write_bytes(first + b"".join(pieces))
    assert (steps[-1].part, steps[-1].number) == (transfer_export.LEFT_OUT_NOTE, 1)
    empty_hub()
    report = transfer.import_archive(path)
    assert report.added["memories_asset"] == 1
    assert [file.read_bytes() for file in list_stored_files()] == [b"bytes"]
    assert Memory.objects.get(key="boxes").content == "The boxes are in the attic."  # as it stood when it began


def operator(memory: Memory) -> Actor:
    return rights.operator_actor(
        user=User.objects.create_superuser("root"),
        team=memory.team,
        audiences={memory.audience},
        workspace_id=memory.workspace_id,
    )


def purge(actor: Actor, memory: Memory) -> None:
    """By somebody else, with its bytes."""
    try:
        operations.purge_memory(actor=actor, memory_id=memory.pk)
    finally:
        connections.close_all()


def unzipped_manifest(path: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(read_zip_entries(path.read_bytes())["manifest.json"])
    return said


def test_others_see_how_far_an_archive_is(client: Client, cast: Cast) -> None:
    cast.memory()
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    page = client.get("/t/acme/ops/export/").text
    (called,) = set(re.findall(r"as=([\w-]+)", page))
    address = f"/t/acme/ops/export/progress/?as={called}"
    pieces = iter(client.get(f"/t/acme/ops/export/archive.zip?as={called}"))
    assert "Collecting what belongs to it" in client.get(address).text
    next(pieces)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # kept for as long as this test's one transaction
    assert re.search(r"\d+ %: \d+ of \d+ rows", client.get(f"{address}&missed=2").text)
    assert b"manifest.json" in b"".join(pieces)


@pytest.mark.parametrize("said", ["", "x", "a b", "%25" * 22, "' OR 1=1"])
def test_an_archive_is_called_as_the_page_says(client: Client, cast: Cast, said: str) -> None:
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    assert client.get("/t/acme/ops/export/progress/", {"as": said}).status_code == 404
    assert client.get("/t/acme/ops/export/progress/", {"as": "x" * 22, "missed": "²"}).status_code == 200
    over = client.get("/t/acme/ops/export/progress/", {"as": "x" * 22, "missed": "2"}).text
    assert "The export has ended" in over
    assert "hx-get" not in over


def test_the_server_sends_an_archive_as_it_is_made() -> None:
    with hub() as made:
        made.start()
        made.manage("create_team", "--org", "acme", "--team", "ops")
        token = f"Bearer {made.manage('create_token', '--org', 'acme', '--team', 'ops', '--agent', 'bot').strip()}"
        bodies = [{"content": f"{number} {'x' * 2_000}"} for number in range(500)]
        assert made.request("POST", "/api/v1/memories/batch", {"memories": bodies}, Authorization=token)[0] == 200
        parts = read_zip_entries(made.content("/api/v1/export", Authorization=token))
    assert parts["rows/memories_memory.jsonl"].count(b"\n") == 500
