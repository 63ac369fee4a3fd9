"""Querysets of the tables: every table has its own, and the rules about who may see what stand nowhere else."""

import re
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from django.apps import apps
from django.db.models import Model, QuerySet
from django.utils import timezone

from memories import operations
from memories.models import Asset, Memory, Revision, Scope, Source
from memories.prompts import context
from memories.queries import lookup
from memories.recall import visibility_sql
from memoryhub.errors import NotFound
from teams.models import (
    Admission,
    Agent,
    Invitation,
    Level,
    Membership,
    Person,
    Project,
    Session,
    Team,
    Token,
    Verb,
    Workspace,
)
from teams.operations.projects import create_project
from tests import factories

ROOT = Path(__file__).resolve().parent.parent
TABLES = list(apps.get_app_config("memories").get_models())
OUTSIDE_MODELS = (
    "memories/admin",
    "memories/api",
    "memories/contract",
    "memories/mcp",
    "memories/operations",
    "memories/prompts",
    "memories/queries",
    "memories/recall",
    "memories/tools",
    "memories/views",
    "teams/operations",
    "teams/views",
)
REGISTRY = (Admission, Agent, Invitation, Membership, Person, Project, Session, Team, Token, Workspace)
NAMES = "|".join(table.__name__ for table in TABLES)
OWN_RULE = re.compile(
    rf"\b(?:{NAMES})\.(?:objects|with_removed)\.(?:filter|get)\([^)]*organization"
    r"|audience=\w+\.audience,?\s*(?:version|memory)|access\.(?:readable_by|writable_by|owned_by|is_active_or_own_proposal)\("
    # An audience among the actor's, a memory that is missing, the owner of a key, and the teams that an actor reads.
    r"|\bin (?:\w+\.)*actor\.(?:reads|writes|owns)\b|=sorted\((?:\w+\.)*actor\.(?:reads|writes|owns)"
    r"|__in=(?:\w+\.)*actor\.(?:reads|writes|owns|readable_team_ids)\b"
    r"|[\"']There is no such memory\.[\"']|filter\([^()]*owns_key=True, scope="
)


@pytest.mark.parametrize("table", REGISTRY, ids=lambda table: table.__name__)
def test_the_tables_that_doors_ask_have_querysets(table: type[Model]) -> None:
    assert type(table._default_manager.all()).__module__ == "teams.querysets"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_table_has_a_queryset_of_its_own(table: type[Model]) -> None:
    rows = type(table._default_manager.all())
    assert rows is not QuerySet
    assert rows.__module__.startswith("memories.models")


@pytest.mark.parametrize("folder", OUTSIDE_MODELS)
def test_rules_about_who_may_see_stand_in_querysets_alone(folder: str) -> None:
    modules = (ROOT / folder).rglob("*.py")
    wrong = [f"{path.name}: {found[0]}" for path in modules for found in OWN_RULE.finditer(path.read_text())]
    assert wrong == []


@pytest.mark.django_db
@pytest.mark.parametrize("workspaces", [False, True])
def test_lists_compile_the_rule_that_every_queryset_has(workspaces: bool) -> None:
    agent = factories.agent()
    organization = agent.team.organization
    organization.workspaces_enabled = workspaces
    organization.save()
    writer, person, stranger = factories.actor(agent), factories.owner_actor(agent.team), factories.actor()
    now = timezone.now()
    factories.memory(writer, "It holds.")
    factories.memory(writer, "It will hold.", valid_from=now + timedelta(days=1))
    factories.memory(writer, "It has held.", valid_from=now - timedelta(days=2), valid_until=now - timedelta(days=1))
    factories.memory(writer, "It is the agent's own.", scope=Scope.AGENT)
    operations.forget_memory(actor=writer, memory_id=factories.memory(writer, "It is forgotten.").pk)
    for actor, moment in product(
        (writer, person, stranger), (None, now - timedelta(days=1.5), now + timedelta(days=2))
    ):
        expected = set(Memory.objects.visible_to(actor).holding(moment))
        assert set(visibility_sql.visible_rows(actor, holds_at=moment)) == expected
    assert len(visibility_sql.visible_rows(writer)) == 2


@pytest.mark.django_db
def test_a_version_for_another_audience_stays_with_it() -> None:
    agent = factories.agent()
    create_project(actor=factories.owner_actor(agent.team), slug="pier", name="Pier")
    actor = factories.actor(agent, project="pier")
    memory = factories.memory(actor, "For the project.", scope=Scope.PROJECT)
    moved = operations.change_scope(actor=actor, memory_id=memory.pk, scope=Scope.TEAM)
    assert [revision.version for revision in Revision.objects.of_memory(moved)] == [2]
    every = Revision.objects.of_every_audience(memory.organization_id, [memory.pk]).latest_first()
    assert [revision.version for revision in every] == [2, 1]
    teammate = factories.actor(factories.agent(agent.team))
    assert [revision.version for revision in Revision.objects.visible_to(teammate)] == [2]


@pytest.mark.django_db
def test_attachments_are_seen_with_their_memory() -> None:
    actor = factories.actor()
    memory = factories.memory(actor)
    source = operations.add_citation(actor=actor, memory_id=memory.pk, url="https://example.com/")
    stranger = factories.actor()
    assert list(Source.objects.visible_to(actor)) == list(Source.objects.of_memory(memory)) == [source]
    assert not Source.objects.visible_to(stranger).exists()
    assert not Asset.objects.visible_to(actor).exists()
    operations.remove_citation(actor=actor, source_id=source.pk)
    assert not Source.objects.of_memory(memory).exists()
    assert list(Source.with_removed.of_memory(memory)) == [source]


@pytest.mark.django_db
def test_a_forgotten_memory_is_found_by_those_who_may_restore_it() -> None:
    team = factories.team()
    below = factories.team(team.organization, parent=team.slug)
    writer = factories.actor(factories.agent(team))
    reader = factories.actor(factories.agent(below, level=Level.DIRECTOR))
    memory = factories.memory(writer)
    assert lookup.find_memory_or_forgotten(actor=reader, memory_id=memory.pk) == memory
    operations.forget_memory(actor=writer, memory_id=memory.pk)
    assert lookup.find_memory_or_forgotten(actor=writer, memory_id=memory.pk) == memory
    for actor in (reader, factories.actor()):
        with pytest.raises(NotFound):
            lookup.find_memory_or_forgotten(actor=actor, memory_id=memory.pk)
    with pytest.raises(NotFound):
        lookup.find_memory(actor=writer, memory_id=memory.pk)


@pytest.mark.django_db
def test_prompts_and_pages_choose_the_same_core_memory() -> None:
    actor = factories.actor()
    factories.memory(actor, "Filed as core.", category="core")
    factories.memory(actor, "A namesake of its author alone.", key="core", scope=Scope.AGENT)
    core = factories.memory(actor, "We build harbours.", key="core")
    factories.memory(factories.actor(), "Of somebody else.", key="core")
    assert lookup.find_core(actor=actor, team_id=actor.team_id) == core
    assert list(Memory.objects.core_of(actor.team_id)) == [core]
    assert "We build harbours." in context.render_core(actor=actor)
    write_only = factories.actor(verbs=frozenset({Verb.WRITE}))
    assert lookup.find_core(actor=write_only, team_id=actor.team_id) is None
