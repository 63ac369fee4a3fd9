"""Screening settings of a team: what becomes of a write with secrets, personal data or instructions to a model.

They are kept in the team's policy under `screening`, by group and by kind of writer. A setting that cannot be read
holds the write, so that a mistake in it never opens what it was to close.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from memories.models.constants import Provenance
from memories.screening.findings import FindingGroup
from memoryhub.errors import Invalid
from teams.actor import Actor


class ScreeningAction(StrEnum):
    """The choices of what becomes of a write in which something was found, the strictest first."""

    REFUSE = "refuse"
    ASK = "ask"  # a person confirms it
    HOLD = "hold"  # it becomes a proposal
    REDACT = "redact"
    ALLOW = "allow"


class ScreenedWriter(StrEnum):
    """The kinds of writers: text that a person passes on from elsewhere counts as an agent's."""

    AGENTS = "agents"
    PEOPLE = "people"


ScreeningSettings = Mapping[tuple[FindingGroup, ScreenedWriter], ScreeningAction]

DEFAULT_SCREENING: ScreeningSettings = {
    (FindingGroup.SECRET, ScreenedWriter.AGENTS): ScreeningAction.REDACT,
    (FindingGroup.SECRET, ScreenedWriter.PEOPLE): ScreeningAction.ASK,
    (FindingGroup.PERSONAL, ScreenedWriter.AGENTS): ScreeningAction.ALLOW,
    (FindingGroup.PERSONAL, ScreenedWriter.PEOPLE): ScreeningAction.ALLOW,
    (FindingGroup.INJECTION, ScreenedWriter.AGENTS): ScreeningAction.HOLD,
    (FindingGroup.INJECTION, ScreenedWriter.PEOPLE): ScreeningAction.ALLOW,
}
HOLD_ALL_FINDINGS: ScreeningSettings = dict.fromkeys(DEFAULT_SCREENING, ScreeningAction.HOLD)

# From which score on a text counts as instructions to a model: the less its origin is trusted, the sooner.
INJECTION_THRESHOLDS: Mapping[Provenance, float] = {
    Provenance.PERSON: 0.8,
    Provenance.AGENT: 0.5,
    Provenance.IMPORT: 0.4,
    Provenance.EXTRACTION: 0.4,
    Provenance.TOOL: 0.3,
}


def list_actions(group: FindingGroup, writer: ScreenedWriter) -> list[ScreeningAction]:
    """Return the actions that a team may choose. Nobody can be asked by an agent, and an order has no part to redact
    that would leave the rest of the text as it was."""
    without = set()
    if writer is ScreenedWriter.AGENTS:
        without.add(ScreeningAction.ASK)
    if group is FindingGroup.INJECTION:
        without.add(ScreeningAction.REDACT)
    return [action for action in ScreeningAction if action not in without]


def find_screened_writer(provenance: Provenance) -> ScreenedWriter:
    return ScreenedWriter.PEOPLE if provenance is Provenance.PERSON else ScreenedWriter.AGENTS


def read_screening(policy: Mapping[str, Any]) -> ScreeningSettings:
    """Return the settings of a stored policy. What cannot be read becomes `hold`."""
    if not policy or "screening" not in policy:
        return DEFAULT_SCREENING
    stored = policy["screening"]
    if not isinstance(stored, Mapping) or not set(stored) <= set(FindingGroup):
        return HOLD_ALL_FINDINGS
    return {
        (group, writer): _read_action(stored.get(group, {}), group, writer, otherwise=usual)
        for (group, writer), usual in DEFAULT_SCREENING.items()
    }


def _read_action(
    stored: object, group: FindingGroup, writer: ScreenedWriter, *, otherwise: ScreeningAction
) -> ScreeningAction:
    if not isinstance(stored, Mapping) or not set(stored) <= set(ScreenedWriter):
        return ScreeningAction.HOLD
    action = stored.get(writer, otherwise)
    return ScreeningAction(action) if action in list_actions(group, writer) else ScreeningAction.HOLD


def clean_screening(settings: object) -> dict[str, dict[str, str]]:
    """Check settings as JSON has them, and return them."""
    if not isinstance(settings, dict) or not set(settings) <= set(FindingGroup):
        raise Invalid({"screening": f"This must be an object with some of {', '.join(FindingGroup)}."})
    return {group: _clean_group(FindingGroup(group), stored) for group, stored in settings.items()}


def _clean_group(group: FindingGroup, stored: object) -> dict[str, str]:
    if not isinstance(stored, dict) or not set(stored) <= set(ScreenedWriter):
        raise Invalid({f"screening.{group}": f"This must be an object with some of {', '.join(ScreenedWriter)}."})
    for writer, action in stored.items():
        choices = list_actions(group, ScreenedWriter(writer))
        if action not in choices:
            raise Invalid({f"screening.{group}.{writer}": f"This must be one of {', '.join(choices)}."})
    return dict(stored)


CHANGING_OR_HOLDING = frozenset({ScreeningAction.REDACT, ScreeningAction.HOLD, ScreeningAction.ASK})


def refuse_instead(actor: Actor, *, of: frozenset[ScreeningAction] = CHANGING_OR_HOLDING) -> Actor:
    """Return the actor with settings that refuse instead of these actions: by default for writers that keep the same
    text elsewhere, and would take what was redacted for a change of it."""
    settings: dict[str, dict[str, str]] = {}
    for (group, writer), action in read_screening(actor.policy).items():
        settings.setdefault(group, {})[writer] = ScreeningAction.REFUSE if action in of else action
    return replace(actor, policy={**actor.policy, "screening": settings})
