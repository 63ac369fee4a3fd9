"""At 100,000 memories every statement of a recall uses its index and touches a bounded number of rows."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from memories.embedding import get_provider
from memories.models import Memory, Type, pgvector
from memories.models.vector_field import vector_literal
from memories.operations import candidates
from memories.operations.candidates import build_statement
from memories.operations.embed import embedding_text
from memories.recall import Filters, Mode, meaning, recall, word_stats, words
from teams.actor import Actor
from teams.models import Agent
from tests import factories
from tests.caller import Caller
from tests.plans import count_touched_rows, explain_statement, nodes

TEAMS, EACH = 50, 2_000
TABLES = {"memories_memory", "memories_embedding", "memories_lexeme", "memories_usage", "memories_association"}
COMMON, RARE = "harbour", "word77"

# Each memory has a common word, three of a hundred and three of ten thousand, like the words of a language.
FILL = """
INSERT INTO memories_memory (id, organization_id, team_id, agent_id, key, content, summary, type, category, tags,
    importance, pinned, source, scope, metadata, version, created_at, updated_at, owns_key, channel_id, verified_by,
    forgotten_by, forget_reason)
SELECT gen_random_uuid(), %(organization)s, team.id, NULL, '',
    concat_ws(' ', 'harbour', 'mid' || (n * 7 %% 100), 'mid' || (n * 13 %% 100), 'mid' || (n * 31 %% 100),
        'word' || (n * 7919 %% 10007), 'word' || (n * 5347 %% 10009), 'word' || (n * 6101 %% 10037)),
    '', (%(types)s::text[])[1 + n %% 9], 'fact', '{}',
    (n * 37 %% 1000) / 1000.0, n %% 97 = 0, 'manual', 'team', '{}', 1, now() - n * interval '1 minute',
    now() - n * interval '1 minute', false, '', '', '', ''
FROM unnest(%(teams)s::uuid[]) WITH ORDINALITY AS team (id, place), generate_series(1, %(each)s) AS n
"""
VECTORS = """
INSERT INTO memories_embedding
    (id, organization_id, memory_id, audience, model, dimension, memory_version, vector, created_at)
SELECT gen_random_uuid(), organization_id, id, audience, %(model)s, %(dimension)s, 1,
    ((%(vectors)s::text[])[1 + (row_number() OVER ()) %% %(count)s])::vector, now()
FROM memories_memory
"""
# A table that is known to be empty is read through rather than looked up.
USAGE = """
INSERT INTO memories_usage (organization_id, memory_id, audience, access_count, last_accessed_at)
SELECT organization_id, id, audience, 1, created_at FROM memories_memory
"""


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Actor]:
    """An agent among many: made once, outside of any test's transaction, and taken away again."""
    with django_db_blocker.unblock():
        organization = factories.organization()
        teams = [factories.team(organization) for _ in range(TEAMS)]
        actor = factories.actor(factories.agent(teams[7]))
        with connection.cursor() as cursor:
            ids = {"organization": organization.pk, "teams": [team.pk for team in teams]}
            cursor.execute(FILL, ids | {"types": Type.values, "each": EACH})
            if pgvector.has_vectors(connection):
                cursor.execute(VECTORS, _vectors())
            cursor.execute(USAGE)
            cursor.execute("VACUUM ANALYZE memories_memory, memories_embedding, memories_usage")
        word_stats.count(within=word_stats.Within(organization.pk), audience=teams[7].pk, now=timezone.now())
        yield actor
        with connection.cursor() as cursor:
            cursor.execute(
                "TRUNCATE memories_memory, memories_embedding, memories_lexeme, memories_vocabulary, memories_usage,"
                " memories_recalllog, memories_embeddingmodel, teams_organization CASCADE"
            )
        connection.close()


def _vectors() -> dict[str, Any]:
    made = get_provider()
    assert made
    texts = [embedding_text(memory) for memory in Memory.objects.order_by("id")[:200]]
    vectors = [vector_literal(vector) for vector in made.documents(texts)]
    return {"model": made.name, "dimension": made.dimension, "vectors": vectors, "count": len(vectors)}


QUERIES = [f"where is {RARE} of the {COMMON}", COMMON, "harbour mid7 mid8", "mid7 word77 word4711 and what else", RARE]
RECALLS = [(mode, query, None) for mode in (Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC) for query in QUERIES]
LISTED = [(mode, "", None) for mode in (Mode.RECENT, Mode.IMPORTANT)]
TYPED = [(Mode.TYPED, sort_by, Filters(type="lesson")) for sort_by in ("recent", "importance", "most_accessed")]
# The team's own memories are looked at once by the signs of their vectors, and as many as are ever weighed by words.
BOUND = EACH + words.MOST_MATCHES + 20 * meaning.LONG.by_sign_bits


@pytest.mark.django_db
@pytest.mark.parametrize(("mode", "query", "filters"), [*RECALLS, *LISTED, *TYPED])
def test_each_statement_uses_its_index(crowd: Actor, mode: Mode, query: str, filters: Filters | None) -> None:
    sort_by = query if mode is Mode.TYPED else "recent"
    statements: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith(("SELECT", "WITH")):
            statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        hits = recall(actor=crowd, query=query, mode=mode, filters=filters, sort_by=sort_by).hits
    assert hits
    plans = [explain_statement(*statement) for statement in statements if isinstance(statement[1], dict)]
    assert plans
    for plan in plans:
        parts = list(nodes(plan))
        read = {node["Relation Name"] for node in parts if node["Node Type"] == "Seq Scan"}
        assert not read & {"memories_memory", "memories_embedding", "memories_lexeme"}, plan
        total = sum(count_touched_rows(node) for node in parts if node.get("Relation Name") in TABLES)
        assert total <= BOUND, (total, plan)


@pytest.mark.django_db
@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("by_vectors", [True, False])
def test_what_is_compared_is_found_by_indexes(crowd: Actor, by_vectors: bool, with_pairs: bool) -> None:
    if by_vectors and not pgvector.has_vectors(connection):
        return
    made = get_provider()
    assert made
    team = Memory.objects.filter(audience=crowd.team_id)
    ids = list(team.order_by("pk").values_list("pk", flat=True)[:1])
    values = {"memories": ids, "model": made.name, "above": 0.9, "links": False, "now": timezone.now()}
    plan = explain_statement(build_statement(by_vectors=by_vectors, with_pairs=with_pairs), values)
    parts = list(nodes(plan))
    assert not [node for node in parts if node["Node Type"] == "Seq Scan" and node["Relation Name"] in TABLES], plan
    assert "memory_same_wording" in {node.get("Index Name") for node in parts}
    total = sum(count_touched_rows(node) for node in parts if node.get("Relation Name") in TABLES)
    assert total <= EACH + 4 * candidates.MOST_SHARING, (total, plan)


LISTS: dict[str, int] = {  # and how many rows of the team each may touch
    **{f"order={order}": 3 * 51 for order in ("created_at", "-created_at", "updated_at", "importance", "-importance")},
    "type=lesson": 3 * 51,
    "text=word77": 3 * 51,
    "text=harbour+mid7": EACH,
    "tags=none": 3 * 51,
    "category=none": 3 * 51,
    "pinned=true&order=importance": EACH,
    "forgotten=true": 3 * 51,
}


@pytest.mark.django_db
@pytest.mark.parametrize("asked", LISTS)
def test_each_list_uses_its_index_on_every_page(crowd: Actor, asked: str) -> None:
    caller = Caller(Agent.objects.get(pk=crowd.agent_id))
    first, plans = _watch_plans(caller, f"memories?{asked}")
    cursor = first["next"]
    second, more = _watch_plans(caller, f"memories?{asked}&cursor={cursor}") if cursor else (first, [])
    assert len(second["memories"]) <= 50
    for plan in [*plans, *more]:
        parts = list(nodes(plan))
        assert not [node for node in parts if node["Node Type"] == "Seq Scan" and node["Relation Name"] in TABLES], plan
        total = sum(count_touched_rows(node) for node in parts if node.get("Relation Name") == "memories_memory")
        assert total <= LISTS[asked], (total, plan)


def _watch_plans(caller: Caller, path: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The answer, and the plans of the statements that read memories for it."""
    statements: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if 'FROM "memories_memory"' in sql:
            statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        answer: dict[str, Any] = caller("GET", path).json()
    assert statements
    return answer, [explain_statement(*statement) for statement in statements]


@pytest.mark.django_db
def test_each_team_finds_its_own_alone(crowd: Actor) -> None:
    hits = recall(actor=crowd, query=RARE, limit=50).hits
    assert {hit.memory.team_id for hit in hits} == {crowd.team_id}
