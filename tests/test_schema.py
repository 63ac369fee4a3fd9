"""Tests of the rules that the database itself enforces, whatever the code above it does."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.postgres.operations import AddIndexConcurrently
from django.contrib.postgres.search import SearchQuery
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddIndex, CreateModel
from django.db.models import Q

from memories.models import Association, AuditEntry, EmbeddingModel, Growth, Memory, Revision, Source, Usage
from memories.models.base import TokenAudited
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Attempts, Membership, Organization, Role, Team
from tests import factories


def test_every_growing_table_carries_its_organization() -> None:
    for model in (*apps.get_app_config("teams").get_models(), *apps.get_app_config("memories").get_models()):
        if model not in (Organization, AuditEntry, EmbeddingModel, Attempts, Growth):
            assert model._meta.get_field("organization").many_to_one


def test_every_link_is_kept_inside_the_organization() -> None:
    """Each foreign key has its composite constraint, but for logins, which belong to no organization, for the
    counts of recalls, which must not lock the memories they count, and for tokens, which the history outlives."""
    for model in (*apps.get_app_config("teams").get_models(), *apps.get_app_config("memories").get_models()):
        links = {
            field.name
            for field in model._meta.local_fields
            if isinstance(field, models.ForeignKey) and field.related_model not in (Organization, User)
        }
        kept = {getattr(constraint, "field", None) for constraint in model._meta.constraints} - {None}
        kept |= {"memory"} if model is Usage else {"token"} if issubclass(model, TokenAudited) else set()
        assert links - kept == set(), model


def test_indexes_on_tables_that_grow_are_built_beside_the_writers() -> None:
    """This applies to every migration after the first release."""
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if (app == "memories" and name > "0009_word_worth") or (app == "teams" and name > "0001_initial"):
            made = {operation.name.lower() for operation in migration.operations if isinstance(operation, CreateModel)}
            for operation in migration.operations:
                beside = isinstance(operation, AddIndexConcurrently) or not isinstance(operation, AddIndex)
                assert beside or operation.model_name_lower in made, (app, name)


def test_migrations_say_all_that_models_say(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_the_database_refuses_links_across_organizations(writer: Actor) -> None:
    mine = factories.memory(writer)
    theirs = factories.memory(factories.actor())
    crossings = [
        lambda: Memory.objects.filter(pk=mine.pk).update(team=theirs.team_id),
        lambda: Memory.objects.filter(pk=mine.pk).update(agent=theirs.agent_id),
        lambda: Association.objects.create(organization_id=mine.organization_id, origin=mine, target=theirs),
        lambda: Source.objects.create(organization_id=mine.organization_id, memory=theirs, quote="x"),
        lambda: Membership.objects.create(
            organization_id=mine.organization_id, team=theirs.team, user=factories.login(), role=Role.VIEWER
        ),
    ]
    for crossing in crossings:
        with pytest.raises(IntegrityError, match="organization"), transaction.atomic():
            crossing()


def test_the_database_refuses_what_the_rules_refuse(writer: Actor) -> None:
    memory = factories.memory(writer, key="k")
    bad = {
        "content_is_1_to_50000_bytes": {"content": ""},
        "importance_is_between_0_and_1": {"importance": 1.5},
        "type_is_known": {"type": "rumour"},
        "scope_names_its_audience": {"scope": "project"},
        "only_a_key_is_owned": {"key": ""},
        "tags_are_32_at_most": {"tags": [str(n) for n in range(33)]},
        "version_is_positive": {"version": 0},
    }
    for name, values in bad.items():
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            Memory.objects.filter(pk=memory.pk).update(**values)
    with pytest.raises(IntegrityError, match="importance"), transaction.atomic():
        Memory.objects.filter(pk=memory.pk).update(importance=float("nan"))


def test_a_team_tree_has_one_root_and_no_self_parents(db: None) -> None:
    organization = factories.organization()
    with pytest.raises(IntegrityError, match="organization_has_one_root_team"), transaction.atomic():
        Team.objects.create(organization=organization, slug="second-root", name="x")
    team = factories.team(organization)
    with pytest.raises(IntegrityError, match="team_is_not_its_own_parent"), transaction.atomic():
        Team.objects.filter(pk=team.pk).update(parent=team)


def test_whoever_signed_history_cannot_be_deleted(writer: Actor) -> None:
    memory = factories.memory(writer)
    assert memory.agent
    with pytest.raises(IntegrityError, match="agent_is_of_its_organization"), transaction.atomic():
        memory.agent.delete()
    assert Revision.objects.count() == 1


def test_ids_are_version_7_and_sort_by_time() -> None:
    made = [uuid7() for _ in range(1000)]
    assert {id_.version for id_ in made} == {7}
    assert {id_.variant for id_ in made} == {"specified in RFC 4122"}
    assert len(set(made)) == 1000
    earlier = [id_.int >> 64 for id_ in made]
    assert earlier == sorted(earlier)


FOUND = {
    "words, stemmed": ("We are deploying the billing services", "deploys billing"),
    "a hyphenated ticket": ("See ADR-016 for why.", "=adr-016"),
    "C++": ("Written in C++ and C#.", "=c++"),
    "C#": ("Written in C++ and C#.", "=c#"),
    "a path": ("Edit src/app/main.py:42 first", "=src/app/main.py:42"),
    "a flag": ("Never run rm -rf --no-preserve-root here", "=--no-preserve-root"),
    "an e-mail address": ("Ask (mira@example.org).", "=mira@example.org"),
    "a snake": ("flag `enable_fast_path` is on", "=enable_fast_path"),
    "a version": ("Pinned to 2.31.1, for now", "=2.31.1"),
    "CJK": ("係留計画は 毎朝 更新されます", "~毎朝"),
    "an emoji": ("Ship it 🚀🚀 now", "=🚀🚀"),
}


@pytest.mark.parametrize("case", FOUND)
def test_the_search_column_holds_words_and_identifiers(writer: Actor, case: str) -> None:
    content, wanted = FOUND[case]
    memory = factories.memory(writer, content)
    factories.memory(writer, "Something else entirely.")
    with connection.cursor() as cursor:
        if wanted[0] in "=~":
            cursor.execute("SELECT id FROM memories_memory WHERE search @@ %s::tsquery", [f"'{wanted}'"])
        else:
            cursor.execute("SELECT id FROM memories_memory WHERE search @@ plainto_tsquery('english', %s)", [wanted])
        assert cursor.fetchall() == [(memory.pk,)]


def test_keys_and_tags_weigh_more_than_summaries_and_those_more_than_content(writer: Actor) -> None:
    memory = factories.memory(writer, "gamma", key="alpha", tags=["beta"], summary="delta", category="epsilon")
    with connection.cursor() as cursor:
        cursor.execute("SELECT word, weights FROM memories_memory, unnest(search) AS t(word, positions, weights)")
        weights = {word: set(letters) for word, letters in cursor.fetchall() if letters}
    assert weights == {"alpha": {"A"}, "beta": {"A"}, "delta": {"B"}, "epsilon": {"B"}, "gamma": {"C"}}
    assert Memory.objects.filter(Q(pk=memory.pk), Q(search=SearchQuery("beta", config="english"))).exists()


HARD_TO_SPLIT = [
    *("x" * 50_000, "-" * 50_000, "a-b" * 16_000, "1" * 50_000, "é" * 25_000, "🧠 " * 9_000),
    *("a_" * 25_000, "./" * 25_000, "~/" * 25_000, "a-1-" * 12_500, "a1" * 25_000, "a@b." * 12_500, "<a " * 16_000),
    *("http://a/" * 5_500, "&a;" * 16_000, "1e1" * 16_000, "a\u2019" * 12_500, "a\u2010" * 12_500, "\u00ad" * 25_000),
    " ".join(map(str, range(9_000))),
]


@pytest.mark.parametrize("content", HARD_TO_SPLIT, ids=range(len(HARD_TO_SPLIT)))
def test_the_search_column_takes_any_content_and_soon(writer: Actor, content: str) -> None:
    """Soon: in a time that grows with the length, not with its square, which took two to three times this limit."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10s'")
    assert factories.memory(writer, content).version == 1
