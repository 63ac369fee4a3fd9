"""Screening of writes: what the detectors find in a text is redacted, held, asked about or refused, as the team's
settings say, before anything of it is stored."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from memories.conversations.transcript import Message
from memories.models import ProposalCause, Provenance
from memories.rules.screening_settings import (
    INJECTION_THRESHOLDS,
    ScreeningAction,
    find_screened_writer,
    read_screening,
)
from memories.rules.trust import provenance_of_caller
from memories.screening.field_texts import FieldTexts
from memories.screening.findings import Finding, FindingGroup, drop_overlaps, redact
from memories.screening.injection import score_injection
from memories.screening.screen import screen_text
from memoryhub.errors import ConfirmationNeeded, Invalid
from teams.actor import Actor

# Fields by which something is found, or that are labels: what was removed from one would leave another name.
NAME_FIELDS = frozenset(
    {"key", "tags", "add", "category", "source", "path", "to", "name", "url", "message_id", "repository"}
)
SCREENED_FIELDS = NAME_FIELDS | {"content", "summary", "metadata", "text", "messages", "reason", "quote"}
SHORTEST_INJECTION = 12  # characters of a field that could instruct a model
BEFORE_ADDITION = 600  # characters of a text that are read together with what is added to it
SPEAKER = "someone"  # questions in a conversation are not addressed to later readers
MOST_KINDS = 5  # that a sentence names
EVERY_FINDING = frozenset(FindingGroup)
INJECTION_ONLY = frozenset({FindingGroup.INJECTION})
ALL_BUT_INJECTION = EVERY_FINDING - INJECTION_ONLY


class Hold(NamedTuple):
    """Says why a write becomes a proposal."""

    cause: ProposalCause
    reason: str
    findings: Sequence[Mapping[str, Any]] = ()


class ScreeningRefusal(Invalid):
    """Refuses a write because of what was found in it."""

    code = "screened"


class FieldFinding(NamedTuple):
    """Says what was found in a field and how often, without the words."""

    group: FindingGroup
    kind: str
    field: str
    number: int
    is_in_name: bool = False


@dataclass(frozen=True, slots=True)
class ScreenedWrite:
    """The values of a write without what had to be redacted, what was done about it, and whether it is held."""

    values: dict[str, Any]
    report: Sequence[Mapping[str, Any]] = ()
    hold: Hold | None = None


def screen_values(
    actor: Actor,
    values: Mapping[str, Any],
    *,
    provenance: Provenance | None = None,
    groups: frozenset[FindingGroup] = EVERY_FINDING,
    may_hold: bool = True,
) -> ScreenedWrite:
    """Screen the texts among these values, or raise the refusal that the team's settings want.

    Without `may_hold`, what would be held is refused: only memories can wait as proposals.
    """
    origin = provenance or provenance_of_caller(actor)
    actions = _choose_actions(actor, origin, groups, may_hold=may_hold)
    texts = FieldTexts({name: value for name, value in values.items() if name in SCREENED_FIELDS} if actions else {})
    if not texts.text:
        return ScreenedWrite(dict(values))
    screening = screen_text(texts.text, groups=actions.keys() - {FindingGroup.INJECTION})
    spans = drop_overlaps([*screening.secrets, *screening.personal])
    found = [*_count_findings(texts, spans)]
    if FindingGroup.INJECTION in actions:
        found += _find_injections(texts, origin)
    if not found:
        return ScreenedWrite(dict(values))
    removing = _list_removed_groups(actions)
    _raise_refusals(actor, found, actions, removing, may_hold=may_hold)
    redacted = texts.redact([span for span in spans if span.group in removing])
    return ScreenedWrite(
        {**values, **redacted}, _build_report(found, actions, removing), _describe_hold(found, actions)
    )


def _choose_actions(
    actor: Actor, origin: Provenance, groups: frozenset[FindingGroup], *, may_hold: bool
) -> dict[FindingGroup, ScreeningAction]:
    """Return what becomes of each group of findings that matters to this write."""
    settings, writer = read_screening(actor.policy), find_screened_writer(origin)
    actions = {group: settings[group, writer] for group in FindingGroup if group in groups}
    if actor.confirms:
        actions = {group: action for group, action in actions.items() if action is not ScreeningAction.ASK}
    if not may_hold:
        actions = {
            group: ScreeningAction.REFUSE if action is ScreeningAction.HOLD else action
            for group, action in actions.items()
        }
    return {group: action for group, action in actions.items() if action is not ScreeningAction.ALLOW}


def _list_removed_groups(actions: Mapping[FindingGroup, ScreeningAction]) -> set[FindingGroup]:
    """Return the groups whose findings are redacted. A proposal that waits has no secrets in it either."""
    removed = {group for group, action in actions.items() if action is ScreeningAction.REDACT}
    return removed | ({FindingGroup.SECRET} if actions.get(FindingGroup.SECRET) is ScreeningAction.HOLD else set())


def _count_findings(texts: FieldTexts, spans: Sequence[Finding]) -> Iterator[FieldFinding]:
    counts = Counter(
        (span.group, span.kind, part.field, part.is_label or part.field in NAME_FIELDS)
        for part, inside in texts.locate(spans)
        for span in inside
    )
    for (group, kind, field, is_in_name), count in counts.items():
        yield FieldFinding(group, kind, field, count, is_in_name)


def _find_injections(texts: FieldTexts, origin: Provenance) -> Iterator[FieldFinding]:
    for name, text in texts.list_fields():
        score = score_injection(text) if len(text) >= SHORTEST_INJECTION else None
        if score and score.score >= INJECTION_THRESHOLDS[origin]:
            yield FieldFinding(FindingGroup.INJECTION, score.reasons[0].feature, name, 1)


def screen_addition(actor: Actor, content: str, *, added: str, origin: Provenance) -> Hold | None:
    """Return why an addition is held, if it turns the text that it is added to into instructions to a model."""
    before = content[-(len(added) + 1 + BEFORE_ADDITION) : -(len(added) + 1)]
    actions = _choose_actions(actor, origin, INJECTION_ONLY, may_hold=True)
    if not before or actions.get(FindingGroup.INJECTION) is not ScreeningAction.HOLD:
        return None
    threshold = INJECTION_THRESHOLDS[origin]
    joined = score_injection(f"{before}\n{added}")
    if joined.score < threshold or score_injection(before).score >= threshold:
        return None
    found = [FieldFinding(FindingGroup.INJECTION, joined.reasons[0].feature, "text", 1)]
    return _describe_hold(found, actions)


# What becomes of it


def _raise_refusals(
    actor: Actor,
    found: Sequence[FieldFinding],
    actions: Mapping[FindingGroup, ScreeningAction],
    removing: set[FindingGroup],
    *,
    may_hold: bool,
) -> None:
    wanted = {action: [one for one in found if actions[one.group] is action] for action in set(actions.values())}
    if refused := wanted.get(ScreeningAction.REFUSE):
        ending = "This team does not save that." if may_hold else "That cannot be saved here."
        raise ScreeningRefusal(_explain(refused, ending))
    if named := [one for one in found if one.is_in_name and one.group in removing]:
        raise ScreeningRefusal(_explain(named, "Choose another name."))
    if asked := wanted.get(ScreeningAction.ASK):
        raise ConfirmationNeeded(_explain(asked, "Take it out, or confirm that it is to be saved."))


def _explain(found: Sequence[FieldFinding], ending: str) -> dict[str, str]:
    fields = dict.fromkeys(one.field for one in found)
    return {field: f"{_describe([one for one in found if one.field == field])} {ending}" for field in fields}


_BEGINNINGS = {
    FindingGroup.SECRET: "This has a secret in it",
    FindingGroup.PERSONAL: "This has personal data in it",
    FindingGroup.INJECTION: "This reads like instructions to a model",
}


def _describe(found: Sequence[FieldFinding]) -> str:
    """Return what was found in sentences, such as "This has a secret in it (GitHub token)."."""
    sentences = []
    for group, beginning in _BEGINNINGS.items():
        if kinds := list(dict.fromkeys(one.kind for one in found if one.group is group)):
            sentences.append(f"{beginning} ({', '.join(kinds[:MOST_KINDS])}).")
    return " ".join(sentences)


def _describe_hold(found: Sequence[FieldFinding], actions: Mapping[FindingGroup, ScreeningAction]) -> Hold | None:
    held = [one for one in found if actions[one.group] is ScreeningAction.HOLD]
    if not held:
        return None
    report = [{**_report_finding(one), "action": ScreeningAction.HOLD.value} for one in held]
    return Hold(ProposalCause.SCREENING, _describe(held), report)


def _build_report(
    found: Sequence[FieldFinding], actions: Mapping[FindingGroup, ScreeningAction], removing: set[FindingGroup]
) -> list[Mapping[str, Any]]:
    """Return what was done about each finding, as answers tell it."""
    return [
        {
            **_report_finding(one),
            "action": (ScreeningAction.REDACT if one.group in removing else actions[one.group]).value,
        }
        for one in found
    ]


def _report_finding(one: FieldFinding) -> dict[str, Any]:
    return {"group": one.group.value, "kind": one.kind, "field": one.field, "count": one.number}


def screen_messages(actor: Actor, messages: Sequence[Message], **named: Any) -> tuple[list[Message], ScreenedWrite]:
    """Screen a conversation and its name. Instructions to a model are left in it: a transcript quotes them."""
    names = [text for message in messages for text in (message.name, message.id)]
    values = {**named, "name": [named.get("name", ""), *names], "messages": [message.content for message in messages]}
    screened = screen_values(actor, values, groups=ALL_BUT_INJECTION, may_hold=False)
    texts = screened.values["messages"]
    kept = [replace(message, content=text) for message, text in zip(messages, texts, strict=True)]
    return kept, screened


def screen_digest(actor: Actor, digest: str, *, provenance: Provenance | None = None) -> str:
    """Return the digest of a conversation without the messages that instruct a model, each on its line. As a whole
    every conversation reads like one."""
    origin = provenance or provenance_of_caller(actor)
    if not _choose_actions(actor, origin, INJECTION_ONLY, may_hold=True):
        return digest
    return "\n".join(_screen_line(line, INJECTION_THRESHOLDS[origin]) for line in digest.split("\n"))


def _screen_line(line: str, threshold: float) -> str:
    beginning = re.match(r"[^\n:]*: |", line)[0]  # type: ignore[index]
    text = line[len(beginning) :]
    score = score_injection(f"{SPEAKER}: {text}")
    if score.score < threshold:
        return line
    whole = Finding(0, len(text), FindingGroup.INJECTION, score.reasons[0].feature)
    return f"{beginning}{redact(text, [whole])}"
