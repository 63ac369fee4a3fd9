"""A little of everything: what a former version's database holds, so that upgrades meet a row of each table."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.apps import apps
from django.core.files.base import ContentFile
from django.test import override_settings
from django.utils import timezone

from memories import operations, recall
from memories.models import Answer, Batch, BulkActionKind, Day, Growth, Lexeme, Unembedded, Vocabulary
from memories.operations.embed import catch_up
from memories.recall import log
from teams import operations as registry
from teams.actor import Actor
from teams.models import (
    Admission,
    Attempts,
    Invitation,
    Organization,
    Pace,
    Project,
    Registrations,
    Role,
    Team,
    Token,
    Workspace,
)
from tests import factories

SAFE = "The safe is behind the painting of the harbour."
MEANT = "Where do we keep valuables?"  # shares no word with it
ATTACHED = b"the combination"


@override_settings(BACKGROUND=False)
def tell() -> None:
    """Fill every table of an empty hub."""
    team = factories.team(factories.organization("acme"), "ops")
    Organization.objects.update(workspaces_enabled=True)
    Workspace.objects.create(organization=team.organization, slug="blue", name="Blue")
    actor = introduce(team)
    remember(actor)
    keep_count(actor, team)
    ours = [model for model in apps.get_models() if model._meta.app_label in ("teams", "memories")]
    assert [model for model in ours if not model._default_manager.exists()] == []


def introduce(team: Team) -> Actor:
    owner = factories.member(team, Role.OWNER, "owner")
    keeper = factories.agent(team, "keeper")
    registry.issue_token(agent=keeper, user="mira")
    within: dict[str, Any] = {"organization": team.organization}
    until = timezone.now() + timedelta(days=1)
    Invitation.objects.create(**within, team=team, digest=b"d" * 32, made_by=owner, expires_at=until)
    project = Project.objects.create(**within, team=team, slug="apollo", name="Apollo")
    Admission.objects.create(**within, project=project, agent=factories.agent(factories.team(team.organization, "it")))
    actor = factories.actor(keeper, user="mira", session="moving day", channel="c")
    return replace(actor, token_id=Token.objects.get().pk)


def remember(actor: Actor) -> None:
    memory = factories.memory(actor, "The safe is in the cellar.", key="safe", tags=["money"], metadata={"a": [1.5]})
    operations.update_memory(actor=actor, memory_id=memory.pk, content=SAFE)
    operations.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(ATTACHED), name="combination.txt")
    operations.add_citation(actor=actor, memory_id=memory.pk, quote="behind the painting")
    gone = factories.memory(actor, "A key too many.")
    operations.associate(actor=actor, origin_id=memory.pk, target_id=gone.pk)
    operations.forget_memory(actor=actor, memory_id=gone.pk, reason="thrown away")
    operations.files.write_file(actor=actor, path="house/plan.md", content="# Plan")
    operations.files.write_file(actor=actor, path="house/plan.md", content="# Plan B")
    recall.recall(actor=actor, query="safe")
    log.flush()
    operations.dismiss_question(actor=actor, question="How many keys?")
    catch_up()


def keep_count(actor: Actor, team: Team) -> None:
    """Add what is derived from the rest, or forgotten soon."""
    within: dict[str, Any] = {"organization_id": actor.organization_id}
    counted, now = {"audience": team.pk, "memories": 1}, timezone.now()
    memory = apps.get_model("memories", "Memory").objects.get(key="safe")
    if not Vocabulary.objects.exists():
        Vocabulary.objects.create(**within, **counted, mean_bytes=47, counted_at=now)
    if not Lexeme.objects.exists():
        Lexeme.objects.create(**within, **counted, lexeme="safe")
    Unembedded.objects.create(**within, memory=memory, model="another", memory_version=1)
    Batch.objects.create(
        **within, team=team, kind=BulkActionKind.PIN, memory_ids=[memory.pk], versions_before=[1], versions_after=[2]
    )
    Answer.objects.create(**within, caller="keeper", key="k", fingerprint="f", answer={})
    day = datetime(2026, 11, 17, tzinfo=UTC).date()
    Day.objects.create(**within, team=team, workspace_key=team.organization_id, day=day, saved=2, recalled=1)
    Growth.objects.create(day=day, memories=2, recalls=1)
    Pace.objects.create(**within, token_id=actor.token_id, minute=now, requests=1)
    Registrations.objects.get_or_create(**within, token_id=actor.token_id, day=day, defaults={"registered": 1})
    Attempts.objects.create(who=b"w" * 32, tries=1, until=now)
