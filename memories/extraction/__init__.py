"""What a conversation is worth remembering for: proposed by the extractor that the settings name."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from memories.archives import Message

log = logging.getLogger(__name__)
MOST = 50  # proposals out of one conversation
UNSPOKEN = ("system", "developer", "tool", "function")  # instructions, and what strangers wrote into a page or a file


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
    def proposals(self, messages: Sequence[Message]) -> "Extracted":
        """Out of what people and agents said, in its order. Raises Unavailable if it cannot tell just now."""
        ...


@dataclass(frozen=True, slots=True)
class Extracted:
    proposals: tuple[Proposal, ...] = ()
    by: str = "none"  # which extractor it was
    note: str = ""  # what was not as asked


class Unavailable(Exception):
    """The extractor cannot answer just now; the text says why, without anything secret."""


# By path, so that each is loaded only where it is chosen.
EXTRACTORS = {
    "rules": "memories.extraction.rules.Rules",
    "endpoint": "memories.extraction.endpoint.Endpoint",
}
SWITCHED_OFF = "Extraction is switched off here."


def extract(messages: Sequence[Message], *, person: str = "") -> Extracted:
    """By the chosen extractor; where that one fails, whatever its fault, by the rules. The person is who the session's
    user is, where the messages do not say so."""
    chosen = settings.EXTRACTION
    if chosen == "none":
        return Extracted(note=SWITCHED_OFF)
    spoken = [_named_by(message, person) for message in messages if message.role not in UNSPOKEN]
    try:
        return _first(_extractor(chosen).proposals(spoken))
    except Unavailable as error:
        log.warning("%s The rules read the conversation instead.", error)
        return _fallen_back(spoken, str(error))
    except Exception:
        if chosen == "rules":
            raise
        log.exception("%s failed; the rules read the conversation instead.", chosen)
        return _fallen_back(spoken, "The extractor failed.")


def _named_by(message: Message, person: str) -> Message:
    return replace(message, name=person) if message.role == "user" and not message.name else message


def _extractor(chosen: str) -> Extractor:
    found: Extractor = import_string(EXTRACTORS.get(chosen, chosen))()
    return found


def _fallen_back(messages: Sequence[Message], why: str) -> Extracted:
    found = _extractor("rules").proposals(messages)
    return _first(replace(found, note=f"{why} These were found by the built-in rules."))


def _first(found: Extracted) -> Extracted:
    """Each text once, and not too many."""
    different: dict[str, Proposal] = {}
    for proposal in found.proposals:
        different.setdefault(" ".join(proposal.content.lower().split()), proposal)
    return replace(found, proposals=tuple(different.values())[:MOST])
