"""Screens a text: what is secret in it, what is personal, and how much it is an instruction to a model."""

from collections.abc import Collection
from dataclasses import dataclass

from memories.screening.findings import Finding, FindingGroup
from memories.screening.injection import InjectionScore, score_injection
from memories.screening.personal_data import find_personal_data
from memories.screening.secrets import find_secrets

NO_INJECTION = InjectionScore()
EVERY_GROUP = frozenset(FindingGroup)


@dataclass(frozen=True, slots=True)
class Screening:
    """What the detectors say of a text. It holds positions, never words of the text."""

    secrets: tuple[Finding, ...] = ()
    personal: tuple[Finding, ...] = ()
    injection: InjectionScore = NO_INJECTION

    @property
    def is_clean(self) -> bool:
        return not (self.secrets or self.personal or self.injection.is_injection)

    def list_findings(self) -> list[Finding]:
        """Return everything that was found; an instruction is the stretch of the text that reads like one."""
        score = self.injection
        kind = score.reasons[0].feature if score.reasons else ""
        orders = [Finding(score.start, score.end, FindingGroup.INJECTION, kind)] if score.is_injection else []
        return [*self.secrets, *self.personal, *orders]


def screen_text(text: str, *, groups: Collection[FindingGroup] = EVERY_GROUP) -> Screening:
    """Run the detectors of these groups. The work grows with the length of the text, whatever the text is."""
    return Screening(
        secrets=tuple(find_secrets(text)) if FindingGroup.SECRET in groups else (),
        personal=tuple(find_personal_data(text)) if FindingGroup.PERSONAL in groups else (),
        injection=score_injection(text) if FindingGroup.INJECTION in groups else NO_INJECTION,
    )
