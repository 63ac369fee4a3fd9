"""Archives that somebody changed: each is refused with a sentence, and nothing in the hub is any different."""

import json
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import Settings

from memories import operations, transfer
from memories.models import Asset, Memory, Proposal
from memories.transfer import entries as archive_entries
from memories.transfer.exported_tables import TABLES
from memories.transfer.signature import SIGNATURE, Origin
from memories.transfer.values import check_row
from memoryhub.errors import Conflict, Invalid, Trouble
from teams.models import Membership, Organization, Person, Role, Team, Token
from tests import factories
from tests.cast import Cast
from tests.test_export_import import empty_hub, export_organization, list_stored_files, lively, read_zip_entries

pytestmark = pytest.mark.django_db
Entries = dict[str, bytes]
PROPOSALS = next(table for table in TABLES if table.model is Proposal)
TRUSTED = transfer.Trust(unsigned=True, same_logins=True)


@dataclass(frozen=True)
class Victim:
    """Somebody else's organization in the hub that gets the archive."""

    organization: Organization
    team: Team
    memory: Memory
    asset: Asset
    token: Token
    root: User


@pytest.fixture
def archive(cast: Cast, tmp_path: Path) -> Path:
    """Return an archive of Acme, which this hub made before Acme was removed from it."""
    path = export_organization(lively(cast), tmp_path)
    empty_hub()
    return path


@pytest.fixture
def victim(archive: Path) -> Victim:
    team = factories.team(factories.organization("victim"), "vault")
    actor = factories.actor(factories.agent(team, "keeper"))
    memory = factories.memory(actor, "The safe is behind the painting.")
    asset = operations.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(b"plan"), name="plan.txt")
    factories.token(actor)
    root = User.objects.create_superuser("root", "root@example.com", "correct horse battery")
    factories.member(team, Role.OWNER, root)
    return Victim(team.organization, team, memory, asset, Token.objects.get(), root)


def snapshot() -> dict[str, Any]:
    """Return the content of every table and of the storage."""
    with connection.cursor() as cursor:
        tables = sorted(connection.introspection.table_names(cursor))
        digests = " UNION ALL ".join(
            f"SELECT '{table}', md5(coalesce(string_agg(row::text, '|' ORDER BY row::text), '')) FROM {table} AS row"
            for table in tables
        )
        cursor.execute(digests)
        rows = dict(cursor.fetchall())
    return rows | {str(path): path.read_bytes() for path in list_stored_files()}


def write_zip(entries: Entries, path: Path) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as new:
        for name, content in entries.items():
            new.writestr(name, content)
    return path


# What is done to the rows of an archive.

Tampering = Callable[[Entries, Victim], None]


def rows_of(entries: Entries, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in entries[f"rows/{table}.jsonl"].splitlines()]


def put_rows(entries: Entries, table: str, rows: list[dict[str, Any]]) -> None:
    entries[f"rows/{table}.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def change(table: str, **values: Any) -> Tampering:
    """Change the first row, by values or by functions of the victim."""

    def tamper(entries: Entries, victim: Victim) -> None:
        first, *others = rows_of(entries, table)
        first |= {name: value(victim) if callable(value) else value for name, value in values.items()}
        put_rows(entries, table, [first, *others])

    return tamper


def add(table: str, **values: Any) -> Tampering:
    """Add a row like the first, and count it in the manifest."""

    def tamper(entries: Entries, victim: Victim) -> None:
        rows = rows_of(entries, table)
        extra = {name: value(victim) if callable(value) else value for name, value in values.items()}
        put_rows(entries, table, [*rows, rows[0] | {"id": str(uuid4())} | extra])
        announce(entries, table, len(rows) + 1)

    return tamper


def announce(entries: Entries, table: str, number: int) -> None:
    manifest = json.loads(entries["manifest.json"])
    manifest["rows"][table] = number
    entries["manifest.json"] = json.dumps(manifest).encode()


def manifest(**values: Any) -> Tampering:
    def tamper(entries: Entries, victim: Victim) -> None:
        entries["manifest.json"] = json.dumps(json.loads(entries["manifest.json"]) | values).encode()

    return tamper


def become(table: str, own: Callable[[Victim], Any]) -> Tampering:
    """Give the first row an id of the victim's, wherever it is named."""

    def tamper(entries: Entries, victim: Victim) -> None:
        old, new = rows_of(entries, table)[0]["id"].encode(), str(own(victim)).encode()
        for name in list(entries):
            content = entries.pop(name)
            entries[name.replace(old.decode(), new.decode())] = content.replace(old, new)

    return tamper


def login(**values: Any) -> Tampering:
    def tamper(entries: Entries, victim: Victim) -> None:
        first, *others = (json.loads(line) for line in entries["logins.jsonl"].splitlines())
        entries["logins.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in [first | values, *others])

    return tamper


def drop_line(table: str) -> Tampering:
    def tamper(entries: Entries, victim: Victim) -> None:
        put_rows(entries, table, rows_of(entries, table)[:-1])

    return tamper


def repeat(table: str) -> Tampering:
    def tamper(entries: Entries, victim: Victim) -> None:
        rows = rows_of(entries, table)
        put_rows(entries, table, [*rows, rows[0]])
        announce(entries, table, len(rows) + 1)

    return tamper


def bend_the_tree(entries: Entries, victim: Victim) -> None:
    rows = rows_of(entries, "teams_team")
    below = [row for row in rows if row["parent_id"]]
    below[0]["parent_id"], below[1]["parent_id"] = below[1]["id"], below[0]["id"]
    put_rows(entries, "teams_team", rows)


def asset_of(entries: Entries) -> str:
    return next(name for name in entries if name.startswith("assets/"))


def change_bytes(entries: Entries, victim: Victim) -> None:
    entries[asset_of(entries)] += b"!"


def drop_bytes(entries: Entries, victim: Victim) -> None:
    del entries[asset_of(entries)]


def call_it_gone(entries: Entries, victim: Victim) -> None:
    manifest(gone=[asset_of(entries).removeprefix("assets/")])(entries, victim)


def add_entry(name: str, content: bytes) -> Tampering:
    def tamper(entries: Entries, victim: Victim) -> None:
        entries[name] = content

    return tamper


def add_line(name: str, line: bytes) -> Tampering:
    def tamper(entries: Entries, victim: Victim) -> None:
        entries[name] += line

    return tamper


def their(name: str) -> Callable[[Victim], str]:
    return lambda victim: str(getattr(victim, name).pk)


ROOT_OWNS = {"organization_id": their("organization"), "team_id": their("team"), "user_id": "root", "role": "owner"}
TAMPERINGS: dict[str, tuple[Tampering, str]] = {
    **{
        f"{table.name} of another organization": (
            change(table.name, organization_id=their("organization")),
            "is not of acme",
        )
        for table in TABLES[1:]
    },
    "an owner of another organization": (add("teams_membership", **ROOT_OWNS), "is not of acme"),
    "a member of another organization's team": (
        change("teams_membership", team_id=their("team")),
        "not in it|does not fit",
    ),
    "a team under another's": (change("teams_team", parent_id=their("team")), "not in it|does not fit"),
    "a project of another's team": (change("teams_project", team_id=their("team")), "not in it|does not fit"),
    "an agent of another's team": (change("teams_agent", team_id=their("team")), "not in it|does not fit"),
    "usage of another's memory": (change("memories_usage", memory_id=their("memory")), "refers to a row"),
    "a version by another's token": (change("memories_revision", token_id=their("token")), "another organization"),
    "a memory of no session": (change("memories_memory", session_id=str(uuid4())), "not in it|does not fit"),
    "a token for nobody": (change("teams_token", agent_id=str(uuid4())), "not in it|does not fit"),
    "the victim's organization": (become("teams_organization", their("organization")), "is called victim here"),
    "the victim's team": (become("teams_team", their("team")), "ids of another organization"),
    "the victim's memory": (become("memories_memory", their("memory")), "already exist here"),
    "the victim's attachment": (become("memories_asset", their("asset")), "already exist here"),
    "the victim's token": (become("teams_token", their("token")), "already exist here"),
    "another name": (change("teams_organization", slug="other"), "not acme"),
    "another name in the manifest": (manifest(organization="victim"), "not victim"),
    "two organizations": (add("teams_organization", slug="other"), "exactly one organization"),
    "teams in a circle": (bend_the_tree, "its own ancestor"),
    "a superuser": (login(is_superuser=True), "is_superuser: only names"),
    "a password": (login(password="md5$x$y"), "password: only names"),
    "a nameless login": (login(username=""), "without a proper name"),
    "a login with NUL": (login(username="ro\0ot"), "without a proper name"),
    "a login of no text": (login(username=["root"]), "without a proper name"),
    "an unlisted login": (change("teams_membership", user_id="root"), "does not list"),
    "an unknown column": (change("memories_memory", colour=1), "colour"),
    "a derived column": (change("memories_memory", audience=their("team")), "audience"),
    "an unknown table": (add_entry("rows/auth_user.jsonl", b""), "nothing that an archive"),
    "an unknown entry": (add_entry("etc/passwd", b""), "nothing that an archive"),
    "an unannounced table": (manifest(rows={"teams_organization": 1}), "name different tables"),
    "more than its maker sees": (manifest(reach="agent"), "does not see"),
    "a manifest of nonsense": (manifest(rows=[1]), "damaged"),
    "a number as text": (change("memories_memory", version="1"), "whole number"),
    "a text as number": (change("memories_memory", key=5), "must be text"),
    "an object as text": (change("memories_memory", content={}), "must be text"),
    "a truth as number": (change("memories_usage", access_count=True), "whole number"),
    "no id": (change("memories_memory", id="x"), "not what such a column holds"),
    "no value": (change("memories_memory", content=None), "must be text"),
    "NUL": (change("memories_memory", content="a\0b"), "NUL"),
    "half a character": (change("memories_memory", content="\ud800"), "damaged|valid Unicode"),
    "too long a key": (change("memories_memory", key="k" * 201), "At most 200"),
    "too much content": (change("memories_memory", content="c" * 50_001), "content is 1 to 50000 bytes"),
    "too much metadata": (change("memories_memory", metadata={"a": "b" * 9_000}), "At most 8,192"),
    "too long bytes": (change("teams_token", digest="\\x" + "00" * 33), "no more than fit"),
    "a moment without end": (change("memories_memory", expires_at="infinity"), "date and time"),
    "an unknown scope": (change("memories_memory", scope="everybody"), "one of agent"),
    "an unknown verb": (change("teams_token", verbs=["rule"]), "one of forget"),
    "a script as an address": (change("memories_source", url="javascript:alert(1)"), "http or https"),
    "a path out of the folder": (change("memories_teamfile", path="../../etc/passwd"), "no . or .."),
    "a row that is no object": (add_line("rows/memories_memory.jsonl", b"[]\n"), "something other than an object"),
    "a row of nonsense": (add_line("rows/memories_memory.jsonl", b"{"), "damaged"),
    "a row that says a thing twice": (add_line("rows/memories_memory.jsonl", b'{"id":1,"id":2}\n'), "damaged"),
    "too deep": (add_line("rows/memories_memory.jsonl", b"[" * 200_000 + b"\n"), "damaged"),
    "too long a line": (add_line("rows/memories_memory.jsonl", b" " * (9 << 20) + b"\n"), "more than 8,388,608"),
    "a row less": (drop_line("memories_revision"), "rows of memories_revision, and not"),
    "a row more": (add_line("rows/memories_association.jsonl", b"{}\n"), "is not of acme|rows of"),
    "a row twice": (repeat("memories_memory"), "twice|archive rows pkey"),
    "other bytes": (change_bytes, "not those that were saved"),
    "another size": (change("memories_asset", size=1), "not those that were saved"),
    "another digest": (change("memories_asset", sha256="0" * 64), "not those that were saved"),
    "another's place": (
        change("memories_asset", file=lambda victim: victim.asset.file.name),
        "a path that is not its own",
    ),
    "a place outside": (change("memories_asset", file="../../secret_key"), "a path that is not its own"),
    "no bytes": (drop_bytes, "no item named"),
    "bytes that are gone": (call_it_gone, "belongs to no attachment"),
    "bytes of nobody": (add_entry(f"assets/{uuid4()}", b"x"), "belongs to no attachment"),
    "a way out": (add_entry("files/../../x", b"x"), "nothing that an archive"),
    "a way out by backslashes": (add_entry("files/..\\x", b"x"), "nothing that an archive"),
    "an absolute name": (add_entry("/etc/cron.d/x", b"x"), "nothing that an archive"),
    "a folder": (add_entry("files/", b""), "nothing that an archive"),
}


def test_rows_that_were_changed_are_refused_and_change_nothing(archive: Path, victim: Victim, tmp_path: Path) -> None:
    original, before = read_zip_entries(archive.read_bytes()), snapshot()
    wrong: dict[str, str] = {}
    for name, (tamper, sentence) in TAMPERINGS.items():
        entries = dict(original)
        tamper(entries, victim)
        wrong |= misread(name, write_zip(entries, tmp_path / "changed.zip"), sentence, before)
    assert wrong == {}
    assert transfer.import_archive(archive, trust=TRUSTED).added["memories_memory"] == 2  # the rest was right


def misread(name: str, path: Path, sentence: str, before: dict[str, Any]) -> dict[str, str]:
    """Return what an import did wrong: trusted by its operator or not, it has to refuse and to change nothing."""
    try:
        with pytest.raises(Trouble, match=sentence), transaction.atomic():
            transfer.import_archive(path, trust=TRUSTED)
        with pytest.raises(Invalid), transaction.atomic():
            transfer.import_archive(path)
    except (AssertionError, Exception, pytest.fail.Exception) as error:
        return {name: f"{type(error).__name__}: {error}"}
    return {} if snapshot() == before else {name: "It changed something."}


# What is done to the zip itself.


def write_raw_zip(path: Path, entries: Entries, *more: tuple[ZipInfo, bytes]) -> ZipFile:
    new = ZipFile(path, "w", ZIP_DEFLATED)
    for name, content in entries.items():
        new.writestr(name, content)
    for entry, content in more:
        new.writestr(entry, content)
    return new


def twice(path: Path, entries: Entries) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        write_raw_zip(path, entries, (ZipInfo("logins.jsonl"), b"")).close()


def symlink(path: Path, entries: Entries) -> None:
    link = ZipInfo("files/ops/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    write_raw_zip(path, entries, (link, b"/etc/passwd")).close()


def encrypt_entry(path: Path, entries: Entries) -> None:
    with write_raw_zip(path, entries) as new:
        new.filelist[0].flag_bits |= 1


def shorter_than_it_is(path: Path, entries: Entries) -> None:
    with write_raw_zip(path, entries) as new:
        new.getinfo("rows/memories_memory.jsonl").file_size -= 10


def overlapping(path: Path, entries: Entries) -> None:
    with write_raw_zip(path, entries) as new:
        new.getinfo("rows/memories_memory.jsonl").compress_size += 10 << 20


def bomb(path: Path, entries: Entries) -> None:
    write_raw_zip(path, entries | {"files/ops/zeros": b"0" * (30 << 20)}).close()


def truncate_zip(path: Path, entries: Entries) -> None:
    write_raw_zip(path, entries).close()
    path.write_bytes(path.read_bytes()[:-100])


def without_its_beginning(path: Path, entries: Entries) -> None:
    write_raw_zip(path, entries).close()
    content = path.read_bytes()
    path.write_bytes(bytes(200) + content[200:])


BROKEN: dict[Callable[[Path, Entries], None], str] = {
    twice: "in the archive twice",
    symlink: "a link or a device",
    encrypt_entry: "encrypted",
    shorter_than_it_is: "damaged",
    overlapping: "overlap",
    bomb: "times its size",
    truncate_zip: "not a MemoryHub archive",
    without_its_beginning: "not a MemoryHub archive",
}


def test_zips_that_no_hub_writes_are_refused(
    archive: Path, victim: Victim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_entries, "SMALL_ARCHIVE", 1 << 20)
    monkeypatch.setattr(archive_entries, "MAX_RATIO", 100)
    original, before = read_zip_entries(archive.read_bytes()), snapshot()
    wrong: dict[str, str] = {}
    for make, sentence in BROKEN.items():
        make(tmp_path / "changed.zip", original)
        wrong |= misread(make.__name__, tmp_path / "changed.zip", sentence, before)
    assert wrong == {}


# Who made it.


def test_an_archive_says_that_this_hub_made_it(archive: Path, chosen: Settings) -> None:
    assert transfer.import_archive(archive, pretend=True).origin is Origin.THIS_HUB
    former, chosen.SECRET_KEY = chosen.SECRET_KEY, "another key " * 9
    with pytest.raises(Invalid, match=r"not signed by this hub.*--unsigned"), transaction.atomic():
        transfer.import_archive(archive)
    report = transfer.import_archive(archive, trust=transfer.Trust(unsigned=True), pretend=True)
    assert report.origin is Origin.UNKNOWN
    chosen.SECRET_KEY_FALLBACKS = [former]
    assert transfer.import_archive(archive, pretend=True).origin is Origin.THIS_HUB


@pytest.mark.parametrize("name", ["memories/ops.md", "files/ops@blue/moving/plan.md", "rows/memories_memory.jsonl"])
def test_any_change_is_seen(archive: Path, tmp_path: Path, name: str) -> None:
    entries = read_zip_entries(archive.read_bytes())
    entries[name] = entries[name].replace(b"P", b"p").replace(b"a", b"A", 1)
    changed = write_zip(entries, tmp_path / "changed.zip")
    with pytest.raises(Invalid, match=r"changed since this hub signed it.*--unsigned"), transaction.atomic():
        transfer.import_archive(changed)


def rename_entry(entries: Entries) -> Entries:
    """Return the same entries, one of them under another name."""
    return {name.replace("plan.md", "plot.md"): content for name, content in entries.items()}


def reorder_entries(entries: Entries) -> Entries:
    names = sorted(entries, key=lambda name: (name == SIGNATURE, name))
    return {name: entries[name] for name in names}


def without_one(entries: Entries) -> Entries:
    return {name: content for name, content in entries.items() if not name.startswith("memories/")}


@pytest.mark.parametrize("tamper", [rename_entry, reorder_entries, without_one])
def test_entries_are_signed_by_name_and_place(
    archive: Path, tmp_path: Path, tamper: Callable[[Entries], Entries]
) -> None:
    changed = write_zip(tamper(read_zip_entries(archive.read_bytes())), tmp_path / "changed.zip")
    with pytest.raises(Invalid, match="changed since"), transaction.atomic():
        transfer.import_archive(changed)


def test_an_archive_without_a_signature_needs_the_operators_word(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = read_zip_entries(archive.read_bytes())
    del entries[SIGNATURE]
    unsigned = write_zip(entries, tmp_path / "unsigned.zip")
    with pytest.raises(CommandError, match=r"not signed by this hub.*--unsigned"):
        call_command("import_archive", unsigned)
    call_command("import_archive", unsigned, unsigned=True)
    assert "The archive is not signed by this hub." in capsys.readouterr().out
    assert Memory.objects.filter(key="boxes").exists()


def test_only_names_of_logins_are_taken(archive: Path, tmp_path: Path) -> None:
    entries = read_zip_entries(archive.read_bytes())
    assert b"email" not in entries["logins.jsonl"]
    login(email="mine@example.com", last_name="Moor")(entries, None)  # type: ignore[arg-type]
    transfer.import_archive(write_zip(entries, tmp_path / "x.zip"), trust=TRUSTED)
    made = User.objects.get(last_name="Moor")
    assert (made.email, made.is_staff, made.is_superuser, made.has_usable_password()) == ("", False, False, False)


def test_somebody_of_the_same_name_is_not_taken_for_another(archive: Path, chosen: Settings) -> None:
    eddy = User.objects.create_superuser("editor", "eddy@example.com", "correct horse battery")
    password = eddy.password
    chosen.SECRET_KEY = "the key of another hub " * 5
    with pytest.raises(Conflict, match=r"editor.*--same-logins"), transaction.atomic():
        transfer.import_archive(archive, trust=transfer.Trust(unsigned=True))
    assert not Membership.objects.exists()
    assert transfer.import_archive(archive, trust=TRUSTED).known_logins == ["editor"]
    eddy.refresh_from_db()
    assert (eddy.password, eddy.email) == (password, "eddy@example.com")
    assert Membership.objects.get(user=eddy).role == Role.EDITOR


# Into an organization that is here.


@contextmanager
def nothing_changes() -> Iterator[None]:
    before = snapshot()
    yield
    assert snapshot() == before


def forget_what_was_said(cast: Cast) -> None:
    """Keep teams and people, and delete what an archive would bring twice."""
    tables = ", ".join(table.name for table in TABLES if table.name.startswith("memories_"))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"TRUNCATE {tables} CASCADE")
    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)


REVOCATIONS: dict[str, Callable[[], Any]] = {
    "membership": lambda: Membership.objects.filter(user__username="editor").delete(),
    "role": lambda: Membership.objects.filter(user__username="editor").update(role=Role.VIEWER),
    "token": lambda: Token.objects.update(revoked_at="2026-01-01T00:00Z"),
    "admission": lambda: connection.cursor().execute("DELETE FROM teams_admission"),
    "invitation": lambda: connection.cursor().execute("DELETE FROM teams_invitation"),
    "person": lambda: Person.objects.filter(handle="mira").update(user=None),
}


@pytest.mark.parametrize("what", REVOCATIONS)
def test_nobody_gets_back_in_by_an_archive(cast: Cast, tmp_path: Path, what: str) -> None:
    archive = export_organization(lively(cast), tmp_path)
    forget_what_was_said(cast)
    REVOCATIONS[what]()
    with nothing_changes(), pytest.raises(Conflict, match="--without-access"), transaction.atomic():
        transfer.import_archive(archive)
    who = snapshot()
    transfer.import_archive(archive, trust=transfer.Trust(without_access=True))
    assert Memory.objects.filter(key="boxes").exists()
    for table in (table for table in TABLES if table.access):
        assert snapshot()[table.name] == who[table.name]


def test_what_is_here_exactly_so_may_come_again(cast: Cast, tmp_path: Path) -> None:
    archive = export_organization(lively(cast), tmp_path)
    forget_what_was_said(cast)
    who = snapshot()
    report = transfer.import_archive(archive)
    assert report.kept["teams_membership"] == 4
    assert report.added["memories_memory"] == 2
    assert {table.name: snapshot()[table.name] for table in TABLES if table.access} == {
        table.name: who[table.name] for table in TABLES if table.access
    }


def test_texts_of_an_archive_from_before_languages_get_theirs(archive: Path, tmp_path: Path) -> None:
    entries = read_zip_entries(archive.read_bytes())
    rows = rows_of(entries, "memories_memory")
    for row in rows:
        del row["language"]
        row["content"] = "Die Häuser am Hafen sind verkauft."
    put_rows(entries, "memories_memory", rows)
    transfer.import_archive(write_zip(entries, tmp_path / "older.zip"), trust=TRUSTED)
    assert set(Memory.objects.values_list("language", flat=True)) == {"german"}


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("supersede", {"by": "x"}),
        ("supersede", {"by": str(uuid4()), "at": "soon"}),
        ("append", {}),
        ("append", {"text": 5}),
        ("update", {"content": {}}),
        ("update", {"forgotten_at": None}),
        ("update", {"valid_from": "infinity"}),
        ("expire", {}),
        ("revert", {"to_version": "1"}),
        ("tag", {"add": "x"}),
        ("pin", {"pinned": "yes"}),
        ("forget", {"actor": "root"}),
        ("save", {"content": "x"}),
    ],
)
def test_a_call_that_no_hub_holds_is_refused(operation: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="No such call is held"):
        check_row(PROPOSALS, {"operation": operation, "arguments": arguments})


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("save", {}),
        ("update", {"content": "x", "tags": ["a"], "expires_at": None, "valid_from": "2026-05-01T00:00:00Z"}),
        ("append", {"text": "x"}),
        ("pin", {}),
        ("tag", {"remove": ["a"]}),
        ("expire", {"expires_at": "2026-05-01T00:00:00Z"}),
        ("revert", {"to_version": 1}),
        ("supersede", {"by": str(uuid4())}),
        ("forget", {"reason": "Old."}),
    ],
)
def test_a_call_that_a_hub_holds_is_taken(operation: str, arguments: dict[str, Any]) -> None:
    check_row(PROPOSALS, {"operation": operation, "arguments": arguments})
