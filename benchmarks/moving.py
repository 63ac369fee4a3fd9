"""How long an archive takes to write and to read, and how much memory: the same, however many memories there are.

    python -m benchmarks.moving [--sizes 10000,100000]

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

from benchmarks.ground import Texts, copy, database, execute, say
from memoryhub.ids import uuid7

if TYPE_CHECKING:
    from teams.actor import Actor

ROOT = Path(__file__).resolve().parent.parent
ASKED = ("id", "organization_id", "team_id", "agent_id", "query", "mode", "filters", "memory_ids", "versions")
ASKED += ("total_found", "created_at")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of memories")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    with database() as url, tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            measure(size, url=url, folder=Path(folder))


def measure(size: int, *, url: str, folder: Path) -> None:
    slug, another = f"moving-{size}", url.rpartition("/")[0] + f"/moving_{size}"
    fill(slug, size, url=url)
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
    """One command in a process of its own, with the most memory that it was seen to have."""
    start, peak = time.monotonic(), 0
    command = [sys.executable, "manage.py", *arguments]
    said = os.environ | {"DATABASE_URL": url}
    with tempfile.TemporaryFile() as complaints:
        process = psutil.Popen(command, cwd=ROOT, env=said, stdout=subprocess.DEVNULL, stderr=complaints)
        while process.poll() is None:
            with suppress(psutil.Error):
                peak = max(peak, process.memory_info().rss)
            time.sleep(0.02)
        if process.returncode:
            complaints.seek(0)
            raise SystemExit(complaints.read().decode())
    return Took(time.monotonic() - start, peak / 1e6)


def fill(slug: str, size: int, *, url: str) -> None:
    """Memories with a version each, and a recall for every tenth."""
    from benchmarks.saving import MEMORY, REVISION, rows

    actor, texts = make_actor(slug), Texts()
    made = [rows(actor, "", texts.text()) for _ in range(size)]
    copy(url=url, table="memories_memory", columns=MEMORY, rows=(memory for memory, _ in made))
    copy(url=url, table="memories_revision", columns=REVISION, rows=(revision for _, revision in made))
    asked = (recalled(actor, memory[0]) for memory, _ in made[::10])
    copy(url=url, table="memories_recalllog", columns=ASKED, rows=asked)
    execute(url, "VACUUM (ANALYZE)")


def make_actor(slug: str) -> "Actor":
    from teams import auth, operations

    team = operations.ensure_team(organization=operations.ensure_organization(slug=slug), slug="bench")
    return auth.agent_actor(token=operations.issue_token(agent=operations.ensure_agent(team=team, slug="bench")).text)


def recalled(actor: "Actor", memory_id: Any) -> tuple[Any, ...]:
    from django.utils import timezone
    from psycopg.types.json import Jsonb

    who = (uuid7(), actor.organization_id, actor.team_id, actor.agent_id)
    return (*who, "what was it?", "hybrid", Jsonb({}), [memory_id], [1], 1, timezone.now())


def compare(first: Path, second: Path) -> None:
    """Up to the manifest the very same bytes; in it, the same but for its stamp."""
    before, told = read(first)
    if read(second) != (before, told):
        raise SystemExit(f"{second} says something else than {first}")
    with first.open("rb") as one, second.open("rb") as other:
        left = before
        while left:
            piece = one.read(min(left, 2**20))
            if piece != other.read(len(piece)):
                raise SystemExit(f"{second} has other bytes than {first}")
            left -= len(piece)


def read(path: Path) -> tuple[int, dict[str, Any]]:
    """Where the manifest begins, and what it says beside its stamp."""
    with ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        manifest.pop("made_at")
        return archive.getinfo("manifest.json").header_offset, manifest


if __name__ == "__main__":
    main()
