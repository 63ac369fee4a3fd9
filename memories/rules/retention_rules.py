"""Retention rules of a team: how long memories of a kind are kept, and what becomes of them then.

They are kept in the team's policy under `retention`. The first rule that matches a memory decides about it. Rules that
cannot be read remove nothing: a mistake in one never destroys what another was to keep.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import Q

from memories.models import CORE_CATEGORY, CORE_KEY, Scope, Status, Type
from memories.rules.holds import match_held_memories
from memoryhub.errors import Invalid

MOST_RETENTION_RULES = 50
MOST_RETENTION_VALUES = 50  # longest list in a rule
MOST_DAYS = 36_500
RETAINED_SCOPES = (Scope.TEAM, Scope.PROJECT, Scope.AGENT)  # a person's memories are the person's, not the team's
VALUE_LISTS: Mapping[str, Sequence[str] | None] = {
    "types": list(Type),
    "categories": None,
    "scopes": list(RETAINED_SCOPES),
}
COLUMNS = {"types": "type", "categories": "category", "scopes": "scope"}


class RetentionEnd(StrEnum):
    """The choices of what becomes of a memory at the end."""

    FORGET = "forget"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """A rule: which memories, how many days, and what then. An empty list matches anything."""

    days: int
    then: RetentionEnd
    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()

    @property
    def kind(self) -> Q:
        lists = {f"{column}__in": getattr(self, name) for name, column in COLUMNS.items() if getattr(self, name)}
        return Q(**lists)

    def match_aged(self, now: datetime) -> Q:
        """Match the memories of the kind whose days are over. Days count from the last change or verification."""
        before = now - timedelta(days=self.days)
        aged = Q(updated_at__lt=before) & (Q(verified_at=None) | Q(verified_at__lt=before))
        present = Q(forgotten_at=None) if self.then is RetentionEnd.FORGET else Q()
        return self.kind & aged & present


def match_ended(rules: Sequence[RetentionRule], place: int, *, now: datetime) -> Q:
    """Match the memories that the rule at this place ends: no earlier rule is about them, and nothing protects them."""
    condition = rules[place].match_aged(now) & Q(scope__in=RETAINED_SCOPES, status=Status.ACTIVE, pinned=False)
    condition &= ~Q(key=CORE_KEY) & ~Q(category=CORE_CATEGORY)
    for earlier in rules[:place]:
        condition &= ~earlier.kind if earlier.kind else Q(pk__in=[])
    return condition & ~match_held_memories()


def read_retention(policy: Mapping[str, Any]) -> tuple[RetentionRule, ...]:
    """Return the rules of a stored policy, none if one of them cannot be read."""
    try:
        return clean_retention(policy.get("retention", []))
    except Invalid:
        return ()


def clean_retention(rules: object) -> tuple[RetentionRule, ...]:
    """Check rules as JSON has them, and return them."""
    if not isinstance(rules, list) or len(rules) > MOST_RETENTION_RULES:
        raise Invalid({"retention": f"This must be a list of at most {MOST_RETENTION_RULES} rules."})
    return tuple(_clean_retention_rule(rule, f"retention.{place}") for place, rule in enumerate(rules))


def _clean_retention_rule(rule: object, name: str) -> RetentionRule:
    if not isinstance(rule, dict) or not set(rule) <= {"days", "then", *VALUE_LISTS}:
        raise Invalid({name: f"A rule is an object with days, then and some of {', '.join(VALUE_LISTS)}."})
    days, then = rule.get("days"), rule.get("then")
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        raise Invalid({f"{name}.days": f"This must be a whole number from 1 to {MOST_DAYS:,}."})
    if then not in list(RetentionEnd):
        raise Invalid({f"{name}.then": f"This must be one of {', '.join(RetentionEnd)}."})
    lists = {part: _clean_values(rule.get(part, []), part, f"{name}.{part}") for part in VALUE_LISTS}
    return RetentionRule(days, RetentionEnd(then), **lists)


def _clean_values(values: object, part: str, name: str) -> tuple[str, ...]:
    if (
        not isinstance(values, list)
        or len(values) > MOST_RETENTION_VALUES
        or not all(isinstance(one, str) for one in values)
    ):
        raise Invalid({name: f"This must be a list of at most {MOST_RETENTION_VALUES} texts."})
    choices = VALUE_LISTS[part]
    if choices is not None and (unknown := sorted(set(values) - set(choices))):
        raise Invalid({name: f"{unknown[0]} is none of {', '.join(choices)}."})
    return tuple(sorted(set(values)))


def render_retention_rule(rule: RetentionRule) -> dict[str, Any]:
    """Return a rule as JSON has it, without what it leaves open."""
    lists = {name: list(getattr(rule, name)) for name in VALUE_LISTS if getattr(rule, name)}
    return {"days": rule.days, "then": rule.then.value, **lists}


def describe_retention_rule(rule: RetentionRule) -> str:
    parts = [
        f"{label} {' or '.join(getattr(rule, name))}"
        for name, label in (("types", "of the type"), ("categories", "of the category"), ("scopes", "of the scope"))
        if getattr(rule, name)
    ]
    unit = "day" if rule.days == 1 else "days"
    return " ".join([f"{rule.then.capitalize()} after {rule.days:,} {unit}: memories", *parts])
