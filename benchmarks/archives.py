"""Time and memory to write and read an archive: the memory is the same, however many memories there are.

    python -m benchmarks.archives [--sizes 10000,100000]

Each size is an organization of its own: exported by the command, brought into an empty database by the command,
exported again. Both archives have to be the same bytes, but for the stamp in the manifest.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import psutil

from benchmarks.harness import PROJECT_FOLDER, Texts, copy, database, execute, say
from memoryhub.ids import uuid7

if TYPE_CHECKING:
    from teams.actor import Actor

RECALL_LOG_COLUMNS = (
    "id",
    "organization_id",
    "team_id",
    "agent_id",
    "query",
    "mode",
    "filters",
    "memory_ids",
    "versions",
)
RECALL_LOG_COLUMNS += ("total_found", "created_at")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of memories")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    with database() as url, tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            measure_archive(size, url=url, folder=Path(folder))


def measure_archive(size: int, *, url: str, folder: Path) -> None:
    slug, another = f"moving-{size}", url.rpartition("/")[0] + f"/moving_{size}"
    fill_database(slug, size, url=url)
    execute(url, f"CREATE DATABASE moving_{size}")
    manage("migrate", "--verbosity=0", url=another)
    first, second = folder / f"{slug}.zip", folder / f"{slug}-again.zip"
    out = manage("export", "--org", slug, "--to", str(first), url=url)
    come = manage("import_archive", str(first), url=another)
    manage("export", "--org", slug, "--to", str(second), url=another)
    compare(first, second)
    megabytes = first.stat().st_size / 1e6
    say(f"{size:>9,} memories, {megabytes:6.1f} MB: export {out}, import {come}; exported again: the same bytes")


@dataclass(frozen=True)
class Took:
    seconds: float
    peak: float  # megabytes

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s with at most {self.peak:.0f} MB"


def manage(*arguments: str, url: str) -> Took:
    """Run one command in a process of its own and return its time and the most memory that it was seen to use."""
    start, peak = time.monotonic(), 0
    command = [sys.executable, "manage.py", *arguments]
    said = os.environ | {"DATABASE_URL": url}
    with tempfile.TemporaryFile() as complaints:
        process = psutil.Popen(command, cwd=PROJECT_FOLDER, env=said, stdout=subprocess.DEVNULL, stderr=complaints)
        while process.poll() is None:
            with suppress(psutil.Error):
                peak = max(peak, process.memory_info().rss)
            time.sleep(0.02)
        if process.returncode:
            complaints.seek(0)
            raise SystemExit(complaints.read().decode())
    return Took(time.monotonic() - start, peak / 1e6)


def fill_database(slug: str, size: int, *, url: str) -> None:
    """Make memories with a version each, and a recall for every tenth."""
    from benchmarks.saves import MEMORY_COLUMNS, REVISION_COLUMNS, rows

    actor, texts = create_archive_actor(slug), Texts()
    made = [rows(actor, "", texts.text()) for _ in range(size)]
    copy(url=url, table="memories_memory", columns=MEMORY_COLUMNS, rows=(memory for memory, _ in made))
    copy(url=url, table="memories_revision", columns=REVISION_COLUMNS, rows=(revision for _, revision in made))
    asked = (recall_row(actor, memory[0]) for memory, _ in made[::10])
    copy(url=url, table="memories_recalllog", columns=RECALL_LOG_COLUMNS, rows=asked)
    execute(url, "VACUUM (ANALYZE)")


def create_archive_actor(slug: str) -> "Actor":
    from teams import auth, operations

    team = operations.ensure_team(organization=operations.ensure_organization(slug=slug), slug="bench")
    return auth.authenticate_agent(
        token=operations.issue_token(agent=operations.ensure_agent(team=team, slug="bench")).text
    )


def recall_row(actor: "Actor", memory_id: Any) -> tuple[Any, ...]:
    from django.utils import timezone
    from psycopg.types.json import Jsonb

    who = (uuid7(), actor.organization_id, actor.team_id, actor.agent_id)
    return (*who, "what was it?", "hybrid", Jsonb({}), [memory_id], [1], 1, timezone.now())


def compare(first: Path, second: Path) -> None:
    """Check that two archives have the same bytes up to the manifest, and the same manifest but for its stamp."""
    before, told = read_archive(first)
    if read_archive(second) != (before, told):
        raise SystemExit(f"{second} says something else than {first}")
    with first.open("rb") as one, second.open("rb") as other:
        left = before
        while left:
            piece = one.read(min(left, 2**20))
            if piece != other.read(len(piece)):
                raise SystemExit(f"{second} has other bytes than {first}")
            left -= len(piece)


def read_archive(path: Path) -> tuple[int, dict[str, Any]]:
    """Return where the manifest begins, and what it says beside its stamp."""
    with ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        manifest.pop("made_at")
        return archive.getinfo("manifest.json").header_offset, manifest


if __name__ == "__main__":
    main()
