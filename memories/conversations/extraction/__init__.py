"""Extraction of memories worth keeping from a conversation, by the extractor that the settings name."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from memories.conversations.transcript import Message

log = logging.getLogger(__name__)
MAX_PROPOSALS = 50  # proposals out of one conversation
IGNORED_ROLES = (
    "system",
    "developer",
    "tool",
    "function",
)  # instructions, and what strangers wrote into a page or a file


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A memory that might be saved. It has no key, no scope and no id: it can neither overwrite nor reach another."""

    content: str
    type: str = "fact"
    tags: tuple[str, ...] = ()
    importance: float | None = None
    message_id: str = ""
    quote: str = ""  # the words that it comes from


class Extractor(Protocol):
    def proposals(self, messages: Sequence[Message]) -> "Extraction":
        """Return proposals from what people and agents said, in its order. Raises ExtractorUnavailable if it cannot do
        so just now."""
        ...


@dataclass(frozen=True, slots=True)
class Extraction:
    proposals: tuple[Proposal, ...] = ()
    by: str = "none"  # which extractor it was
    note: str = ""  # what was not as asked


class ExtractorUnavailable(Exception):
    """The extractor cannot answer just now; the text says why, without anything secret."""


# By path, so that each is loaded only where it is chosen.
EXTRACTORS = {
    "rules": "memories.conversations.extraction.rules.Rules",
    "endpoint": "memories.conversations.extraction.endpoint.ExtractionEndpoint",
}
EXTRACTION_OFF_NOTE = "Extraction is switched off here."


def extract_proposals(messages: Sequence[Message], *, person: str = "") -> Extraction:
    """Extract proposals by the chosen extractor, or by the rules if it fails for whatever reason. `person` names the
    session's user where the messages do not."""
    chosen = settings.EXTRACTION
    if chosen == "none":
        return Extraction(note=EXTRACTION_OFF_NOTE)
    spoken = [_name_speaker(message, person) for message in messages if message.role not in IGNORED_ROLES]
    try:
        return _drop_duplicates(_load_extractor(chosen).proposals(spoken))
    except ExtractorUnavailable as error:
        log.warning("%s The rules read the conversation instead.", error)
        return _fall_back_to_rules(spoken, str(error))
    except Exception:
        if chosen == "rules":
            raise
        log.exception("%s failed; the rules read the conversation instead.", chosen)
        return _fall_back_to_rules(spoken, "The extractor failed.")


def _name_speaker(message: Message, person: str) -> Message:
    if message.role != "user" or message.name or not person:
        return message
    return Message(message.role, message.content, person, message.at, message.id)  # `replace` takes three times as long


def _load_extractor(chosen: str) -> Extractor:
    found: Extractor = import_string(EXTRACTORS.get(chosen, chosen))()
    return found


def _fall_back_to_rules(messages: Sequence[Message], why: str) -> Extraction:
    found = _load_extractor("rules").proposals(messages)
    return _drop_duplicates(replace(found, note=f"{why} These were found by the built-in rules."))


def _drop_duplicates(extraction: Extraction) -> Extraction:
    """Keep each text once, and not more than the maximum number of proposals."""
    different: dict[str, Proposal] = {}
    for proposal in extraction.proposals:
        different.setdefault(" ".join(proposal.content.lower().split()), proposal)
    return replace(extraction, proposals=tuple(different.values())[:MAX_PROPOSALS])
