"""Retention rules of teams: setting them, counting what they end, and ending it."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from memories.models import Memory, MemoryQuerySet
from memories.operations.keys import forget_as_system, hand_on_key
from memories.operations.legal_holds import lock_holds
from memories.operations.retention import remove_memories
from memories.operations.team_rules import digest_rules
from memories.rules.retention_rules import (
    RetentionEnd,
    RetentionRule,
    clean_retention,
    match_ended,
    read_retention,
    render_retention_rule,
)
from memoryhub.errors import Conflict, Invalid
from teams.actor import Actor
from teams.models import Team
from teams.operations import require_owner

ENDED_AT_ONCE = 500  # memories in one transaction
MOST_COUNTED = 10_000  # memories that a preview counts


@transaction.atomic
def set_retention(*, actor: Actor, seen: str, rules: Sequence[dict[str, Any]]) -> Team:
    """Replace the retention rules of the actor's team, unless somebody else has since they were seen."""
    require_owner(actor)
    team = Team.objects.select_for_update().get(organization=actor.organization_id, pk=actor.team_id)
    if digest_rules(team.policy, part="retention") != seen:
        raise Conflict("Somebody else has changed the rules meanwhile. Look at them, then try again.")
    cleaned = clean_retention(list(rules))
    team.policy = {**team.policy, "retention": [render_retention_rule(rule) for rule in cleaned]}
    team.save(update_fields=["policy"])
    return team


def count_ended(*, team: Team, rules: Sequence[RetentionRule], place: int, now: datetime) -> int:
    """Return how many memories the rule at this place would end now, up to MOST_COUNTED and one more."""
    return _list_ended(team, rules, place, now)[: MOST_COUNTED + 1].count()


def apply_retention_rules(*, now: datetime) -> Counter[str]:
    """End what the rules of all teams end. Returns how many memories were forgotten and removed."""
    counts = Counter({end.value: 0 for end in RetentionEnd})
    for team in Team.objects.filter(policy__has_key="retention").order_by("pk"):
        rules = read_retention(team.policy)
        for place, rule in enumerate(rules):
            end = partial(_end_batch, team, rules, place, now)
            while ended := end():
                counts[rule.then] += ended
    return counts


@transaction.atomic
def _end_batch(team: Team, rules: Sequence[RetentionRule], place: int, now: datetime) -> int:
    """End the next memories of a rule, unless the team's rules have changed meanwhile. Rows that somebody else has
    locked are left for the next time."""
    lock_holds([team.organization_id])
    policy = Team.objects.select_for_update(no_key=True).values_list("policy", flat=True).get(pk=team.pk)
    if read_retention(policy) != rules:
        return 0
    rows = _list_ended(team, rules, place, now).order_by("updated_at", "pk")
    batch = list(rows.select_for_update(of=("self",), skip_locked=True).defer("search")[:ENDED_AT_ONCE])
    if rules[place].then is RetentionEnd.FORGET:
        forget_as_system(batch, at=now, reason="retention", now=now)
        return len(batch)
    remove_memories([memory.pk for memory in batch], within={team.organization_id})
    for memory in batch:
        if memory.owns_key and memory.forgotten_at is None:
            hand_on_key(memory, now=now)
    return len(batch)


def _list_ended(team: Team, rules: Sequence[RetentionRule], place: int, now: datetime) -> MemoryQuerySet:
    if not 0 <= place < len(rules):
        raise Invalid({"place": "There is no such rule."})
    return Memory.objects.in_organization(team.organization_id).filter(match_ended(rules, place, now=now), team=team)
