"""Changing the rules of a team that say who may write what."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction

from memories.rules.policies import clean_rules, read_rules, render_rule
from memoryhub.errors import Conflict, Forbidden, Invalid
from teams.actor import Actor
from teams.models import Team
from teams.operations import require_owner

Rule = dict[str, Any]  # as JSON has it
Edit = Callable[[list[Rule]], list[Rule]]


def read_team_rules(team: Team) -> list[Rule]:
    """Return the rules that apply to a team, its own or the default ones; none if they cannot be read."""
    try:
        return [render_rule(rule) for rule in read_rules(team.policy)]
    except Forbidden:
        return []


def digest_rules(policy: Mapping[str, Any], *, part: str = "rules") -> str:
    """Return a short digest, by which a form says what it was made from."""
    return hashlib.sha256(json.dumps(policy.get(part), sort_keys=True).encode()).hexdigest()[:16]


@transaction.atomic
def edit_team_rules(*, actor: Actor, seen: str, edit: Edit) -> Team:
    """Change the rules of the actor's team, unless somebody else has since they were seen."""
    require_owner(actor)
    team = Team.objects.select_for_update().get(pk=actor.team_id)
    if digest_rules(team.policy) != seen:
        raise Conflict("Somebody else has changed the rules meanwhile. Look at them, then try again.")
    rules = edit(read_team_rules(team))
    clean_rules(rules)
    return _store(team, {**team.policy, "rules": rules})


@transaction.atomic
def reset_team_rules(*, actor: Actor) -> Team:
    """Let the default rules apply again."""
    require_owner(actor)
    team = Team.objects.select_for_update().get(pk=actor.team_id)
    return _store(team, {name: value for name, value in team.policy.items() if name != "rules"})


def _store(team: Team, policy: Mapping[str, Any]) -> Team:
    team.policy = dict(policy)
    team.save(update_fields=["policy"])
    return team


def put_rule(rules: Sequence[Rule], rule: Rule, *, place: int | None) -> list[Rule]:
    """Return the rules with this one at a place; without a place, at the end."""
    if place is None:
        return [*rules, rule]
    _require_place(rules, place)
    return [*rules[:place], rule, *rules[place + 1 :]]


def move_rule(rules: Sequence[Rule], *, place: int, to: int) -> list[Rule]:
    _require_place(rules, place)
    _require_place(rules, to)
    rest = [*rules[:place], *rules[place + 1 :]]
    return [*rest[:to], rules[place], *rest[to:]]


def remove_rule(rules: Sequence[Rule], *, place: int) -> list[Rule]:
    _require_place(rules, place)
    return [*rules[:place], *rules[place + 1 :]]


def _require_place(rules: Sequence[Rule], place: int) -> None:
    if not 0 <= place < len(rules):
        raise Invalid({"place": "There is no such rule."})
