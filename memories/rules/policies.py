"""Policies of a team: ordered rules that say whose writes are saved at once, proposed to people, or refused.

The first rule that matches decides; what no rule matches is saved. Without rules of its own a team has `DEFAULT_RULES`.
A policy that cannot be read refuses every write, so that a mistake in it never opens what it was to close.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache, reduce
from typing import Any

from django.db.models import Q

from memories.models.constants import CORE_KEY, Change, Scope, Type
from memories.rules.screening_settings import ScreeningAction, refuse_instead
from memoryhub.errors import Forbidden, Invalid
from teams.actor import Actor
from teams.models import Level

POLICY_FIELDS = frozenset({"source", "type", "category", "key", "scope", "pinned"})  # that rules look at
MOST_RULES = 50
MOST_VALUES = 50  # longest list in a rule


class Outcome(StrEnum):
    """The choices of what becomes of a write."""

    SAVE = "save"
    PROPOSE = "propose"
    REFUSE = "refuse"


class Writer(StrEnum):
    PERSON = "person"
    AGENT = "agent"


class WriteKind(StrEnum):
    NEW = "new"
    CHANGE = "change"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A rule: who writes what, and what becomes of it. An empty condition matches anything."""

    then: Outcome
    who: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    levels: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    key_prefixes: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    pinned: bool | None = None
    reason: str = ""

    def matches_writer(self, actor: Actor, kind: WriteKind) -> bool:
        writer = Writer.AGENT if actor.agent_id else Writer.PERSON
        return (
            (not self.who or writer in self.who)
            and (not self.agents or (writer is Writer.AGENT and actor.name in self.agents))
            and (not self.levels or actor.level in self.levels)
            and (not self.writes or kind in self.writes)
        )

    def matches_memory(self, values: Mapping[str, Any]) -> bool:
        """Tell whether the rule is about a memory with these values."""
        return (
            (not self.sources or values["source"] in self.sources)
            and (not self.types or values["type"] in self.types)
            and (not self.categories or values["category"] in self.categories)
            and (not self.keys or values["key"] in self.keys)
            and (not self.key_prefixes or values["key"].startswith(tuple(self.key_prefixes)))
            and (not self.scopes or values["scope"] in self.scopes)
            and self.pinned in (None, values["pinned"])
        )

    @property
    def condition(self) -> Q:
        """The same as a condition on stored memories."""
        lists = {"source": self.sources, "type": self.types, "category": self.categories, "key": self.keys}
        lists["scope"] = self.scopes
        condition = Q(**{f"{name}__in": sorted(values) for name, values in lists.items() if values})
        if self.key_prefixes:
            prefixes = [Q(key__startswith=prefix) for prefix in sorted(self.key_prefixes)]
            condition &= reduce(Q.__or__, prefixes)
        return condition if self.pinned is None else condition & Q(pinned=self.pinned)


_AGENTS, _EXISTING = frozenset({Writer.AGENT.value}), frozenset({WriteKind.CHANGE.value, WriteKind.FORGET.value})
DEFAULT_RULES = (
    PolicyRule(
        Outcome.PROPOSE,
        who=_AGENTS,
        writes=_EXISTING,
        keys=frozenset({CORE_KEY}),
        reason="Changes of agents to the core memory need a person's approval.",
    ),
    PolicyRule(
        Outcome.PROPOSE,
        who=_AGENTS,
        writes=_EXISTING,
        pinned=True,
        reason="Changes of agents to pinned memories need a person's approval.",
    ),
)
SAVE_EVERYTHING: Mapping[str, Any] = {"rules": [{"then": Outcome.SAVE.value}]}
NEEDS_APPROVAL = "This team's policy wants a person's approval for this."
REFUSED = "This team's policy does not allow this."


@dataclass(frozen=True, slots=True)
class Decision:
    outcome: Outcome
    reason: str = ""


SAVED = Decision(Outcome.SAVE)


def bypass_policy(actor: Actor) -> Actor:
    """Return the actor for a change that somebody has approved already. The rules let it pass; the team's screening
    stays, and refuses what it would hold, because an approval cannot wait for another one."""
    deciding = refuse_instead(actor, of=frozenset({ScreeningAction.HOLD}))
    return replace(deciding, policy={**deciding.policy, **SAVE_EVERYTHING})


def decide_new(actor: Actor, values: Mapping[str, Any]) -> Decision:
    """Return what becomes of a new memory with these values."""
    return _decide(actor, values, WriteKind.NEW)


def decide_change(actor: Actor, values: Mapping[str, Any], change: Change) -> Decision:
    """Return what becomes of a change to a memory that has these values now."""
    return _decide(actor, values, find_write_kind(change))


def may_save_anything(actor: Actor) -> bool:
    """Tell whether no rule stops a new memory of this actor, whatever it is."""
    return all(rule.then is Outcome.SAVE for rule in _list_rules(actor, WriteKind.NEW))


def _decide(actor: Actor, values: Mapping[str, Any], kind: WriteKind) -> Decision:
    for rule in _list_rules(actor, kind):
        if rule.matches_memory(values):
            fallback = {Outcome.PROPOSE: NEEDS_APPROVAL, Outcome.REFUSE: REFUSED}.get(rule.then, "")
            return Decision(rule.then, rule.reason or fallback)
    return SAVED


def find_write_kind(change: Change) -> WriteKind:
    return WriteKind.FORGET if change is Change.FORGOTTEN else WriteKind.CHANGE


def select_unguarded(actor: Actor, change: Change) -> Q | None:
    """Return the condition of the memories that the actor may change at once; None if these are all."""
    rules = tuple(_list_rules(actor, find_write_kind(change)))
    return _build_condition(rules) if any(rule.then is not Outcome.SAVE for rule in rules) else None


def _list_rules(actor: Actor, kind: WriteKind) -> list[PolicyRule]:
    """Return the rules that may decide about what this actor writes."""
    return [rule for rule in read_rules(actor.policy) if rule.matches_writer(actor, kind)]


@lru_cache(maxsize=200)
def _build_condition(rules: Sequence[PolicyRule]) -> Q:
    """Return the condition of the rows whose first matching rule saves."""
    condition = Q()
    for rule in reversed(rules):
        matching = rule.condition
        if not matching:  # it matches every row, so the rules after it never decide
            condition = Q() if rule.then is Outcome.SAVE else Q(pk__in=[])
        elif rule.then is Outcome.SAVE:
            condition = matching | condition if condition else condition
        else:
            condition = ~matching & condition
    return condition


def read_rules(policy: Mapping[str, Any]) -> tuple[PolicyRule, ...]:
    """Return the rules of a stored policy; refuse the write if they cannot be read."""
    if not policy or "rules" not in policy:
        return DEFAULT_RULES
    try:
        return clean_rules(policy["rules"])
    except Invalid as error:
        raise Forbidden(f"The policy of this team cannot be read, so nothing is written: {error.message}") from error


LABELS = {
    "agents": "named",
    "levels": "of the level",
    "types": "of the type",
    "categories": "of the category",
    "keys": "with the key",
    "key_prefixes": "with a key that begins with",
    "scopes": "of the scope",
    "sources": "from the source",
}
WRITER_LABELS = {Writer.AGENT: "agents", Writer.PERSON: "people"}
WRITE_LABELS = {WriteKind.NEW: "save", WriteKind.CHANGE: "change", WriteKind.FORGET: "forget"}
OUTCOME_LABELS = {Outcome.SAVE: "Save", Outcome.PROPOSE: "Propose", Outcome.REFUSE: "Refuse"}


def render_rule(rule: PolicyRule) -> dict[str, Any]:
    """Return a rule as JSON has it, without what it leaves open."""
    lists = {name: sorted(getattr(rule, name)) for name in LISTS if getattr(rule, name)}
    pinned = {} if rule.pinned is None else {"pinned": rule.pinned}
    return {"then": rule.then.value, **lists, **pinned, **({"reason": rule.reason} if rule.reason else {})}


def describe_rule(rule: Mapping[str, Any]) -> dict[str, str]:
    """Return a rule, as JSON has it, in words: what becomes of a write, of which, and why."""
    who = " or ".join(WRITER_LABELS[Writer(name)] for name in rule.get("who", ())) or "anybody"
    who = " ".join([who, *_describe_lists(rule, ("agents", "levels"))])
    does = " or ".join(WRITE_LABELS[WriteKind(name)] for name in rule.get("writes", ())) or "write"
    pinned = {True: "pinned ", False: "not pinned ", None: ""}[rule.get("pinned")]
    parts = _describe_lists(rule, ("types", "categories", "keys", "key_prefixes", "scopes", "sources"))
    what = " ".join([f"{pinned}memories", *parts])
    return {
        "outcome": OUTCOME_LABELS[Outcome(rule["then"])],
        "condition": f"what {who} {does}: {what}",
        "reason": rule.get("reason", ""),
    }


def _describe_lists(rule: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [f"{LABELS[name]} {' or '.join(rule[name])}" for name in names if rule.get(name)]


CHOICES: Mapping[str, Sequence[str]] = {
    "who": list(Writer),
    "levels": list(Level),
    "writes": list(WriteKind),
    "types": list(Type),
    "scopes": list(Scope),
}
LISTS = ("who", "agents", "levels", "writes", "sources", "types", "categories", "keys", "key_prefixes", "scopes")


def clean_rules(rules: object) -> tuple[PolicyRule, ...]:
    """Check rules as JSON has them and return them."""
    if not isinstance(rules, list) or len(rules) > MOST_RULES:
        raise Invalid({"rules": f"This must be a list of at most {MOST_RULES} rules."})
    return tuple(_clean_rule(rule, f"rules.{place}") for place, rule in enumerate(rules))


def _clean_rule(rule: object, name: str) -> PolicyRule:
    if not isinstance(rule, dict):
        raise Invalid({name: "This must be an object."})
    if unknown := sorted(set(map(str, rule)) - {*LISTS, "then", "pinned", "reason"}):
        raise Invalid({f"{name}.{unknown[0]}": "There is no such field in a rule."})
    if rule.get("then") not in list(Outcome):
        raise Invalid({f"{name}.then": f"This must be one of {', '.join(Outcome)}."})
    pinned, reason = rule.get("pinned"), rule.get("reason", "")
    if pinned not in (None, True, False) or (isinstance(pinned, int) and not isinstance(pinned, bool)):
        raise Invalid({f"{name}.pinned": "This must be true, false or null."})
    if not isinstance(reason, str) or len(reason) > 300:
        raise Invalid({f"{name}.reason": "This must be text of at most 300 characters."})
    lists = {part: _clean_list(rule[part], part, f"{name}.{part}") for part in LISTS if part in rule}
    return PolicyRule(Outcome(rule["then"]), **lists, pinned=pinned, reason=reason)


def _clean_list(values: object, part: str, name: str) -> frozenset[str]:
    written = [values] if isinstance(values, str) else values
    if not isinstance(written, list) or len(written) > MOST_VALUES or not all(isinstance(one, str) for one in written):
        raise Invalid({name: f"This must be a list of at most {MOST_VALUES} texts."})
    if part in CHOICES and (unknown := sorted(set(written) - set(CHOICES[part]))):
        raise Invalid({name: f"{unknown[0]} is none of {', '.join(CHOICES[part])}."})
    return frozenset(written)
