"""The demo organization: alive, whole, and the same however often it is asked for."""

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from pytest_django import Settings

from memories import demo
from memories.embedding import get_provider
from memories.embedding.active_model import invalidate_active_models
from memories.models import (
    Asset,
    Association,
    Memory,
    Pair,
    Proposal,
    RecallLog,
    Revision,
    Scope,
    Source,
    TeamFile,
    Type,
)
from memories.operations.similarity import compare_all
from teams import auth
from teams.models import Agent, Level, Project, Role, Team
from tests import factories

pytestmark = pytest.mark.django_db


def test_it_shows_every_feature_and_can_be_repeated() -> None:
    account = demo.seed()
    counts = [model.objects.count() for model in (Memory, Revision, TeamFile, Asset)]
    assert demo.seed() == account
    assert [model.objects.count() for model in (Memory, Revision, TeamFile, Asset)] == counts

    assert Team.objects.filter(parent=None).count() == 1
    assert Team.objects.filter(parent__slug="executive").count() == 3
    assert Agent.objects.filter(level=Level.DIRECTOR).exists()
    assert Agent.objects.count() >= 8
    assert Project.objects.filter(admissions__isnull=False).exists()
    assert 280 <= Memory.objects.alive().count() <= 340
    for type_ in Type:
        assert Memory.objects.alive().filter(type=type_).count() >= 10
    for scope in Scope:
        assert Memory.objects.alive().filter(scope=scope).count() >= 10
    assert Memory.objects.filter(key="core", pinned=True, version__gte=3).count() == 4
    assert Memory.objects.filter(expires_at__gt=timezone.now()).count() >= 10
    assert Memory.objects.forgotten().count() >= 5
    assert Association.objects.count() >= 40
    assert Source.objects.count() >= 30
    assert TeamFile.objects.filter(path__startswith="conversations/").count() == 6
    assert Memory.objects.filter(category="conversation", metadata__has_key="file").count() == 6


def test_its_past_has_several_hands_and_no_future() -> None:
    demo.seed()
    hands = Revision.objects.filter(memory__key="core").values_list("agent", "user").distinct().count()
    assert hands >= 6
    assert not Memory.objects.filter(updated_at__gt=timezone.now()).exists()
    assert Memory.objects.filter(created_at__lt=timezone.now() - timedelta(days=90)).exists()


def test_one_can_get_in_as_an_ordinary_owner() -> None:
    account = demo.seed()
    user = authenticate(username=account.username, password=account.password)
    assert isinstance(user, User)
    assert not user.is_staff
    assert not user.is_superuser
    assert user.memberships.filter(role=Role.OWNER).exists()
    actor = auth.authenticate_agent(token=account.token)
    assert Memory.objects.visible_to(actor).filter(key="core").count() == 1


def test_each_version_is_in_the_history() -> None:
    demo.seed()
    for memory in Memory.objects.all():
        assert memory.revisions.count() == memory.version


def test_some_proposals_wait_and_its_history_is_made() -> None:
    demo.seed()
    waiting = Proposal.objects.open().filter(memory__team__slug="engineering")
    assert {proposal.operation for proposal in waiting} == {"save", "append", "update"}
    assert Memory.objects.get(key="rollout-state").version > 4


def test_its_agents_have_asked_and_some_questions_are_open() -> None:
    demo.seed()
    asked = RecallLog.objects.filter(team__slug="engineering")
    assert asked.count() >= 60
    assert asked.filter(total_found=0).values("agent").distinct().count() >= 3
    for recalled in asked:
        had = Revision.objects.filter(memory__in=recalled.memory_ids, created_at__gt=recalled.created_at)
        given = set(zip(recalled.memory_ids, recalled.versions, strict=True))
        assert given.isdisjoint(had.values_list("memory", "version"))


def test_it_is_refused_where_people_work(settings: Settings) -> None:
    factories.organization("acme")
    settings.DATABASE_URL = "postgres://somewhere/hub"
    with pytest.raises(CommandError, match="has organizations"):
        call_command("seed_demo")
    settings.HTTPS, settings.DATABASE_URL = True, ""
    with pytest.raises(CommandError, match="not added when HTTPS is on"):
        call_command("seed_demo")
    assert not demo.exists()
    settings.HTTPS = False
    call_command("seed_demo")
    settings.DATABASE_URL = "postgres://somewhere/hub"  # it is there: nothing is added
    call_command("seed_demo")


@pytest.mark.parametrize("provider", ["wordllama", "none"])
def test_its_memories_have_one_contradiction_and_no_duplicates(settings: Settings, provider: str) -> None:
    """Of the six pairs that its authors linked as updating or contradicting, one says in words what it corrects."""
    settings.EMBEDDING = provider
    get_provider.cache_clear()
    invalidate_active_models()
    demo.seed()
    Pair.objects.all().delete()
    assert compare_all(within=600).compared == Memory.objects.alive().count()
    pairs = [(pair.kind, pair.older.content[:24], pair.newer.content[:24]) for pair in Pair.objects.with_memories()]
    correction = ("contradiction", "41 % of Deck sessions st", "Only 27 % of Deck sessio")
    assert pairs == ([correction] if provider != "none" else [])  # they share few letters
    get_provider.cache_clear()
    invalidate_active_models()
