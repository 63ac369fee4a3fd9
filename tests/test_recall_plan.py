"""Every form of recall's statement is valid SQL, and each template is put together as its marks say."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memories import operations
from memories.embedding.active_model import QueryVector
from memories.models import pgvector
from memories.recall import (
    Filters,
    explain,
    lists,
    meaning,
    recall,
    template,
    visibility_sql,
    why_not,
    word_stats,
    words,
)
from memories.recall import tokens as query_tokens
from memories.recall.hybrid import NO_WORDS, _bind_question
from memories.recall.plan import Plan, build_statement
from memories.recall.query import Question
from memories.recall.template import MARKER, render_template
from memories.recall.word_stats import Term, Terms
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor
from tests import factories

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
    parameters = visibility_sql.bind_visibility(actor) | {"limit": 10, "now": NOW, "holds_at": NOW, "words": ["word0"]}
    parameters |= _bind_question(terms, QueryVector("m", 0.5, [0.5, -0.5]), [(uuid7(), 0.5)])
    return parameters | (words.bind_words(terms, parameters["audiences"]) if places else NO_WORDS) | {"fallback": "'x'"}


@pytest.mark.parametrize("places", [0, *words.SIZES])
def test_every_plan_can_be_run(writer: Actor, places: int) -> None:
    visible, _ = visibility_sql.render_visibility(writer)
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
    visible, _ = visibility_sql.render_visibility(writer)
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


# The other statements of recall


@contextmanager
def explain_each_statement() -> Iterator[list[str]]:
    """Have Postgres explain each statement that reads before it is run, and yield them."""
    statements: list[str] = []

    def explain_first(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.lstrip().startswith(("SELECT", "WITH")):
            statements.append(sql)
            with prepared_cursor() if isinstance(params, dict) else connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}", params)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain_first):
        yield statements


TODAY = timezone.now()
YESTERDAY, BEFORE = TODAY - timedelta(days=1), TODAY - timedelta(days=2)
FORMS: list[tuple[dict[str, Any], list[str]]] = [
    ({"query": "berth"}, [word_stats.READ_PLAIN_TOKENS, "AS best (id, score, place)", "memories_usage"]),
    ({"query": "ADR-016 büro"}, [word_stats.READ_TOKENS]),
    ({"query": "ADR-016", "explain": True, "snippets": True}, ["WITH unpacked AS MATERIALIZED"]),
    ({"query": "!?"}, ["AS newest"]),
    ({"query": "berth", "as_of": YESTERDAY}, ["AS best (id, score, place)"]),
    ({"query": "berth", "known_at": YESTERDAY}, ["former AS MATERIALIZED"]),
    ({"query": "berth", "filters": Filters(tags=("a",))}, ["AS best (id, score, place)"]),
    *(({"mode": mode}, ["WITH first AS MATERIALIZED"]) for mode in ("recent", "important")),
    *(
        ({"mode": "typed", "sort_by": order, "filters": Filters(type="fact")}, ["WITH first AS MATERIALIZED"])
        for order in lists.FIRST
    ),
    ({"mode": "recent", "limit": 1}, ["AS counted"]),
    ({"mode": "recent", "known_at": YESTERDAY}, ["WITH first AS MATERIALIZED"]),
]


@pytest.mark.parametrize(("options", "parts"), FORMS)
def test_every_other_statement_can_be_explained(writer: Actor, options: dict[str, Any], parts: list[str]) -> None:
    for number in range(2):
        draft = operations.Draft(content=f"Berth {number} is ADR-016, says the büro.", tags=["a"])
        memory = operations.save_memory(actor=writer, draft=draft, now=BEFORE)
        operations.update_memory(actor=writer, memory_id=memory.pk, content="The berth is closed.", tags=["b"])
    query_tokens._known.clear()
    with explain_each_statement() as statements:
        recall(actor=writer, **options)
    for part in parts:
        assert any(part in statement for statement in statements), (part, statements)


def test_statements_about_one_memory_can_be_explained(writer: Actor) -> None:
    memory = factories.memory(writer, "The tug is red.")
    recall(actor=writer, query="berth")
    with explain_each_statement() as statements:
        why_not(actor=writer, memory_id=memory.pk, query="berth")
        question = Question.read(actor=writer, query="berth", by_words=True, by_meaning=True, now=TODAY)
        explain._by_meaning(writer, memory, question, 10)
    assert word_stats.COUNT_KNOWN_TOKENS in statements
    assert (explain.NEARER in statements) == bool(question.vector)
