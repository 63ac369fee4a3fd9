"""Bad input gets a clear sentence that names the field, and nothing is written."""

import ast
import dataclasses
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils.timezone import now as clock
from hypothesis import given
from hypothesis import strategies as st

from memories import operations
from memories.contract import memory_fields, output_schemas, outputs
from memories.models import Memory, MemoryFields, Revision
from memories.operations.save import Draft, MemoryChanges
from memories.rules import fields
from memoryhub.errors import Invalid, TooLarge
from teams.actor import Actor

deep: dict[str, Any] = {}
for _ in range(40):
    deep = {"deeper": deep}

BAD: dict[str, tuple[str, Any, str]] = {
    "NUL in content": ("content", "a\0b", "NUL"),
    "lone surrogate in content": ("content", "a\ud800b", "Unicode"),
    "empty content": ("content", "", "empty"),
    "blank content": ("content", " \n\t ", "empty"),
    "50,001 bytes": ("content", "a" * 50_001, "50,001"),
    "50,001 bytes of two-byte letters": ("content", "é" * 25_000 + "a", "50,001"),
    "content that is a number": ("content", 7, "text"),
    "201-character key": ("key", "k" * 201, "201"),
    "NUL in key": ("key", "a\0", "NUL"),
    "line break in key": ("key", "a\nb", "Line breaks"),
    "1,001-character summary": ("summary", "s" * 1_001, "1,001"),
    "unknown type": ("type", "rumour", "one of fact"),
    "unknown scope": ("scope", "galaxy", "one of team"),
    "65-character category": ("category", "c" * 65, "65"),
    "33 tags": ("tags", [f"t{n}" for n in range(33)], "33"),
    "65-character tag": ("tags", ["t" * 65], "65"),
    "tags in one text": ("tags", "a,b", "list"),
    "surrogate in a tag": ("tags", ["\udc00"], "Unicode"),
    "importance below 0": ("importance", -0.1, "0.0 to 1.0"),
    "importance above 1": ("importance", 1.1, "0.0 to 1.0"),
    "importance not a number": ("importance", float("nan"), "0.0 to 1.0"),
    "importance as text": ("importance", "0.5", "number"),
    "importance as truth": ("importance", True, "number"),
    "importance beyond printing": ("importance", 10**5000, "0.0 to 1.0"),
    "a tag that grows in lower case": ("tags", ["İ" * 64], "128"),
    "tags in an object": ("tags", {"a": 1}, "list"),
    "a key that is no text": ("key", 0, "text"),
    "metadata that is false": ("metadata", False, "object"),
    "metadata with a number beyond 64 bits": ("metadata", {"n": 1e30}, "63"),
    "metadata with NUL in a tuple": ("metadata", {"a": ("x\0",)}, "NUL"),
    "a moment beyond time": ("expires_at", datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))), "out of range"),
    "line separator in key": ("key", "a\u2028b", "Line breaks"),
    "600,000 characters": ("content", "x" * 600_000, "600,000"),
    "pinned as text": ("pinned", "yes", "true or false"),
    "expiry in the past": ("expires_at", datetime(2020, 1, 1, tzinfo=UTC), "past"),
    "expiry without time zone": ("expires_at", datetime(2120, 1, 1), "time zone"),  # noqa: DTZ001
    "65-character source": ("source", "s" * 65, "65"),
    "metadata that is a list": ("metadata", [1], "object"),
    "metadata over 8 KiB": ("metadata", {"a": "b" * 8_192}, "8,2"),
    "metadata with NaN": ("metadata", {"a": float("nan")}, "finite"),
    "metadata with NUL": ("metadata", {"a": ["x\0"]}, "NUL"),
    "metadata with a surrogate in a key": ("metadata", {"\ud800": 1}, "Unicode"),
    "metadata 40 deep": ("metadata", deep, "deep"),
    "metadata with a set": ("metadata", {"a": {1}}, "plain JSON"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_the_field_and_writes_nothing(writer: Actor, case: str) -> None:
    field, value, words = BAD[case]
    said = {"content": "fine", field: value}
    with pytest.raises(Invalid) as refusal:
        operations.save_memories(actor=writer, drafts=[operations.Draft(content="before"), operations.Draft(**said)])
    assert list(refusal.value.fields) == [field]
    assert words in refusal.value.fields[field]
    assert isinstance(refusal.value, TooLarge) == (case.startswith(("50,001", "600,000")))
    assert not Memory.objects.exists()
    assert not Revision.objects.exists()


@pytest.mark.parametrize("case", BAD)
def test_bad_changes_leave_the_memory_as_it_was(writer: Actor, case: str) -> None:
    field, value, _ = BAD[case]
    memory = operations.save_memory(actor=writer, draft=operations.Draft(content="fine"))
    change = partial(operations.update_memory, **{field: value})
    if field == "scope":
        change = partial(operations.change_scope, scope=value, audience=writer.team_id)
    with pytest.raises(Invalid):
        change(actor=writer, memory_id=memory.pk)
    memory.refresh_from_db()
    assert (memory.version, memory.content) == (1, "fine")


def test_every_wrong_field_is_named_at_once(writer: Actor) -> None:
    with pytest.raises(Invalid) as refusal:
        operations.save_memory(actor=writer, draft=operations.Draft(content="", type="rumour", importance=2))
    assert set(refusal.value.fields) == {"content", "type", "importance"}


@pytest.mark.parametrize("content", ["a" * 50_000, "é" * 25_000, "界" * 16_666 + "ab", "🧠" * 12_500])
def test_50_000_bytes_fit_whole(writer: Actor, content: str) -> None:
    memory = operations.save_memory(actor=writer, draft=operations.Draft(content=content))
    assert Memory.objects.get(pk=memory.pk).content == content
    assert Revision.objects.get(memory=memory).content == content


def test_fields_come_into_form(writer: Actor) -> None:
    soon = clock() + timedelta(days=1)
    draft = operations.Draft(
        content=" keeps its spaces ",
        key="  trimmed  ",
        tags=["Ops", "ops", " night ", ""],
        category="",
        source="",
        expires_at=soon,
        metadata={"nested": {"list": [1, None, "ü"]}},
    )
    memory = Memory.objects.get(pk=operations.save_memory(actor=writer, draft=draft).pk)
    assert (memory.content, memory.key, memory.tags) == (" keeps its spaces ", "trimmed", ["ops", "night"])
    assert (memory.category, memory.source, memory.expires_at) == ("fact", "manual", soon)
    assert memory.metadata == {"nested": {"list": [1, None, "ü"]}}


@pytest.mark.parametrize(("type_", "importance"), fields.DEFAULT_IMPORTANCE.items())
def test_importance_follows_the_type_unless_said(writer: Actor, type_: str, importance: float) -> None:
    drafts = [operations.Draft(content="x", type=type_), operations.Draft(content="y", type=type_, importance=0.25)]
    defaulted, said = operations.save_memories(actor=writer, drafts=drafts)
    assert (defaulted.importance, said.importance) == (importance, 0.25)


@given(
    value=st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text()), st.binary())
)
@pytest.mark.parametrize("name", fields.CLEANERS)
def test_no_value_is_worse_than_refused(name: str, value: object) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    try:
        cleaned = fields.clean_fields({name: value}, now=now)
    except Invalid as refusal:
        cleaned = {}
        refused = list(refusal.fields)
    assert cleaned == fields.clean_fields(cleaned, now=now) if cleaned else refused == [name]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../b", "a//b", "a/", ".", "", "a/./b", "a\\b", "a\0", "a\nb"]
)
def test_paths_stay_inside(path: str) -> None:
    with pytest.raises(Invalid):
        fields.clean_fields({"path": path}, now=clock())


SERVER = Path(__file__).resolve().parent.parent / "memories"
MOST_MODULES = 7  # that somebody who adds a field to memories has to touch


def list_names(node: ast.AST) -> set[str]:
    """Return the names that a collection, a call, a class or a signature lists."""
    match node:
        case ast.Tuple(elts) | ast.List(elts) | ast.Set(elts):
            return {part.value for part in elts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        case ast.Dict(keys):
            return {part.value for part in keys if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        case ast.Call(keywords=keywords):
            return {keyword.arg for keyword in keywords if keyword.arg}
        case ast.ClassDef(body=body):
            annotated = {
                line.target.id for line in body if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
            }
            assigned = [target for line in body if isinstance(line, ast.Assign) for target in line.targets]
            return annotated | {target.id for target in assigned if isinstance(target, ast.Name)}
        case ast.FunctionDef(args=args):
            return {argument.arg for argument in (*args.args, *args.kwonlyargs)}
    return set()


def test_few_modules_list_the_fields_of_a_memory() -> None:
    """A module that names three quarters of them is one that a new field has to be added to."""
    modules = {path: ast.parse(path.read_text()) for path in SERVER.rglob("*.py") if "migrations" not in path.parts}
    listing = {
        str(path.relative_to(SERVER))
        for path, tree in modules.items()
        if any(len(list_names(node) & fields.MEMORY_FIELDS.keys()) >= 9 for node in ast.walk(tree))
    }
    assert len(listing) <= MOST_MODULES, sorted(listing)


def test_every_declaration_of_a_memory_has_the_same_fields() -> None:
    declared = set(fields.MEMORY_FIELDS)
    assert set(memory_fields.SENT_FIELDS) == declared
    assert set(MemoryChanges.__annotations__) == declared
    assert {field.name for field in dataclasses.fields(Draft)} == declared | {
        *("scope", "audience", "dedupe", "provenance", "hold", "is_screened")
    }
    assert declared < {column.name for column in MemoryFields._meta.local_fields}
    assert set(output_schemas.PROPERTIES) == set(outputs.render_memory(Memory()))
    assert set(output_schemas.REVISION["properties"]) == {*outputs.VERSION_FIELDS, "by"}
