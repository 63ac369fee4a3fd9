"""Every form of recall's statement is valid SQL, and each template is put together as its marks say."""

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from memories.embedding.active_model import QueryVector
from memories.models import pgvector
from memories.recall import meaning, template, visibility_sql, words
from memories.recall.hybrid import NO_WORDS, _bind_question
from memories.recall.plan import Plan, build_statement
from memories.recall.template import MARKER, render_template
from memories.recall.word_stats import Term, Terms
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor

FLAGS = [field.name for field in fields(Plan) if field.type == "bool" or field.type is bool]
NOW = datetime(2026, 11, 18, tzinfo=UTC)


def list_plans() -> Iterator[Plan]:
    """Yield every plan that a recall can have: letter by letter and in a second query only words are looked for."""
    for places, limits, flags in product(
        (0, *words.SIZES), (None, meaning.SHORT, meaning.LONG), product((False, True), repeat=len(FLAGS))
    ):
        plan = Plan(word_places=places, limits=limits, **dict(zip(FLAGS, flags, strict=True)))
        if (places or not (plan.exact_match or plan.fallback_query)) and (
            limits or not (plan.exact_scan or plan.filter_inside_ann)
        ):
            yield plan


def bind(actor: Actor, places: int) -> dict[str, Any]:
    """Return the parameters for a question with so many words, an identifier and a vector."""
    found = [Term(f"word{number}", 1, 1.0, (f"word{number}",)) for number in range(places)]
    terms = Terms(tuple(found), memories=10, mean_bytes=50.0, literal=("word0",))
    parameters = visibility_sql.bound(actor) | {"limit": 10, "now": NOW, "holds_at": NOW, "words": ["word0"]}
    parameters |= _bind_question(terms, QueryVector("m", 0.5, [0.5, -0.5]), [(uuid7(), 0.5)])
    return parameters | (words.bind_words(terms, parameters["audiences"]) if places else NO_WORDS) | {"fallback": "'x'"}


@pytest.mark.parametrize("places", [0, *words.SIZES])
def test_every_plan_can_be_run(writer: Actor, places: int) -> None:
    visible, _ = visibility_sql.visible(writer)
    parameters = bind(writer, places)
    plans = [plan for plan in list_plans() if plan.word_places == places]
    plans = [plan for plan in plans if pgvector.has_vectors(connection) or not plan.limits]
    assert len(plans) == len({build_statement(plan, visible) for plan in plans})
    with prepared_cursor() as cursor:
        for plan in plans:
            cursor.execute(f"EXPLAIN (VERBOSE) {build_statement(plan, visible)}", parameters)
            explained = "\n".join(row[0] for row in cursor.fetchall())
            assert "memory_word_worth" not in explained, "The planner has not written the function out."


def test_a_plan_is_built_once(writer: Actor) -> None:
    visible, _ = visibility_sql.visible(writer)
    plan = Plan(word_places=2, follow_links=True)
    assert build_statement(plan, visible) is build_statement(replace(plan), visible)
    assert build_statement(plan, visible) != build_statement(replace(plan, follow_links=False), visible)


@pytest.mark.parametrize("path", sorted(template.FOLDER.glob("*.sql")), ids=lambda path: path.stem)
def test_each_block_has_a_condition_and_an_end(path: Path) -> None:
    depth = 0
    for line in path.read_text().splitlines():
        assert ("-- [" in line) == bool(MARKER.fullmatch(line)), line
        if marker := MARKER.fullmatch(line):
            assert marker["condition"] is None or marker["condition"] in Plan().conditions
            depth += 1 if marker["condition"] else 0 if marker["otherwise"] else -1
            assert depth >= 0
    assert depth == 0


TEMPLATE = """
-- a comment
SELECT 1
    -- [if outer]
    , {first}
    -- [if inner]
    , 'inner'
    -- [else]
    , '{}'
    -- [end]
    -- [else]
    , 'other'
    -- [end]
"""


@pytest.mark.parametrize(
    ("outer", "inner", "sql"),
    [
        (True, True, "SELECT 1 , one , 'inner'"),
        (True, False, "SELECT 1 , one , '{}'"),
        (False, True, "SELECT 1 , 'other'"),
        (False, False, "SELECT 1 , 'other'"),
    ],
)
def test_a_template_keeps_the_blocks_whose_conditions_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outer: bool, inner: bool, sql: str
) -> None:
    (tmp_path / f"{outer}{inner}.sql").write_text(TEMPLATE)
    monkeypatch.setattr(template, "FOLDER", tmp_path)
    rendered = render_template(
        f"{outer}{inner}.sql", conditions={"outer": outer, "inner": inner}, values={"first": "one"}
    )
    assert " ".join(rendered.split()) == sql


def test_a_block_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "open.sql").write_text("-- [if outer]\nSELECT 1")
    monkeypatch.setattr(template, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="no end"):
        render_template("open.sql", conditions={"outer": True}, values={})
