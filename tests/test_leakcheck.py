"""Tests of the command that looks for leaks on a running hub."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memories import operations
from memories.models import Memory, RecallLog, Scope, Usage
from teams.models import Token
from tests import factories
from tests.cast import Cast
from tests.stored_rows import count_rows

pytestmark = pytest.mark.django_db


def leakcheck(*arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the JSON that was printed."""
    out = StringIO()
    try:
        call_command("leakcheck", "--json", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), json.loads(out.getvalue())
    return 0, json.loads(out.getvalue())


@pytest.fixture
def hub(cast: Cast) -> Iterator[Cast]:
    """Return the cast with tokens, and a memory for every scope and state."""
    for name in ("director", "writer"):
        cast[name].token()
    for scope in Scope:
        cast.memory(scope, f"The {scope} pager lies in the left drawer of the desk.", key=f"pager-{scope}")
    gone = cast.memory(content="The old pager lies in the bin behind the house.")
    operations.forget_memory(actor=cast["writer"].actor(), memory_id=gone.pk)
    operations.files.write_file(actor=cast["writer"].actor(), path="notes/pager.md", content="The pager is red.")
    return cast


def test_nothing_leaks_and_nothing_is_changed(hub: Cast) -> None:
    before = count_rows()
    code, report = leakcheck("--sample", "2", "--probes", "2")
    assert (code, report["leaks"], report["errors"]) == (0, [], {})
    assert report["readers"] > 6
    assert report["doors"]["REST list"]["given"] > 0
    assert report["doors"]["REST files"]["given"] > 0
    assert report["doors"]["page memories/"]["given"] > 0
    assert {door: row["hidden"] for door, row in report["doors"].items() if row["hidden"]} == {}
    assert count_rows() == before
    assert not RecallLog.objects.exists()
    assert not Usage.objects.exists()
    assert set(Token.objects.values_list("last_used_at", flat=True)) == {None}


def test_a_row_in_the_wrong_place_is_found_at_the_doors_that_give_it(hub: Cast) -> None:
    """The column by which the doors find an audience is made to lie: Mira's own memory passes for her team's."""
    own = Memory.objects.get(scope=Scope.GLOBAL)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE memories_memory ALTER COLUMN audience DROP EXPRESSION")
        cursor.execute("UPDATE memories_memory SET audience = %s WHERE id = %s", [hub.ops.pk, own.pk])
    code, report = leakcheck("--sample", "2", "--probes", "20")
    assert code == 1
    assert {leak["memory"] for leak in report["leaks"]} == {str(own.pk)}
    doors = {leak["door"] for leak in report["leaks"]}
    assert doors >= {"REST list", "REST get", "REST context", "MCP context", "MCP prompt"}
    assert doors >= {"REST export", "tool scoped/list", "page memories/"}
    assert "left drawer" not in json.dumps(report)


def test_the_table_names_doors_and_leaks(hub: Cast) -> None:
    out = StringIO()
    call_command("leakcheck", "--org", "acme", "--sample", "2", "--probes", "1", stdout=out)
    first, *_, last = out.getvalue().splitlines()
    assert first.split() == ["door", "requests", "rows", "given", "hidden", "leaks"]
    assert last.startswith("No leak in ")


@pytest.mark.parametrize("arguments", [("--org", "nowhere"), ("--probes", "0"), ("--sample", "-1")])
def test_wrong_options_of_leakcheck_are_refused(arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError) as refusal:
        leakcheck(*arguments)
    assert refusal.value.returncode == 2


def test_an_empty_hub_has_no_leak() -> None:
    factories.organization()
    assert leakcheck()[1]["readers"] == 0
