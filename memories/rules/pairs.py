"""Rules for pairs: which two memories of an audience are duplicates, and which contradict each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeGuard

from django.conf import settings

from memories.models import PairKind, Type
from memories.text.comparison import Difference, compare_texts
from memories.text.wording import COMPARED_TEXT, normalize_wording
from memoryhub.errors import Invalid

ABOVE_LEAST, ABOVE_MOST = 0.0, 1.0
NEAR_ABOVE = 0.65  # the similarity below which two texts in the same words are about something else
SHARED_BY_KEYS = 0.75  # the similarity above which a text under another key may still be about the same
RECORDS = frozenset({Type.EVENT.value, Type.OBSERVATION.value})  # records of moments: each has its own date
APART = frozenset({"conversation"})  # categories of texts that repeat and contradict each other by nature


@dataclass(frozen=True, slots=True)
class ComparedMemory:
    """The fields of a memory by which it is compared. Of a long text, the beginning."""

    content: str
    key: str = ""
    type: str = Type.FACT
    category: str = ""


@dataclass(frozen=True, slots=True)
class PairFinding:
    """The relation of two memories, with the words of the first one first."""

    kind: PairKind
    differences: tuple[Difference, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Identify what was found, whichever of the two memories comes first."""
        words = sorted(f"{one.kind} {' '.join(sorted((one.first, one.second)))}" for one in self.differences)
        return blake2b("\n".join((self.kind, *words)).encode(), digest_size=16).hexdigest()


def rate_pair(one: ComparedMemory, other: ComparedMemory, *, similarity: float, above: float) -> PairFinding | None:
    """Return what two memories of one audience are to each other, if they are more similar than `above`."""
    same_key = bool(one.key) and one.key == other.key
    other_key = bool(one.key) and bool(other.key) and one.key != other.key
    if {one.category, other.category} & APART or (similarity < above and not same_key):
        return None
    found = compare_texts(one.content, other.content)
    if found.contradicts:
        moments = RECORDS & {one.type, other.type} and {part.kind for part in found.differences} == {"date"}
        if moments or (other_key and similarity < SHARED_BY_KEYS):
            return None
        return PairFinding(PairKind.CONTRADICTION, found.differences)
    if not found.same or other_key or (similarity < NEAR_ABOVE and not same_key):
        return None
    whole = max(len(one.content), len(other.content)) <= COMPARED_TEXT
    if whole and normalize_wording(one.content) == normalize_wording(other.content):
        return PairFinding(PairKind.DUPLICATE)
    return PairFinding(PairKind.NEAR_DUPLICATE)


def read_pair_threshold(policy: Mapping[str, Any]) -> float:
    """Return the similarity above which a team's memories are compared, from its stored policy."""
    own = find_own_threshold(policy)
    return float(settings.PAIRS_ABOVE) if own is None else own


def find_own_threshold(policy: Mapping[str, Any]) -> float | None:
    """Return the threshold that the team has set itself, if it can be read."""
    pairs = policy.get("pairs")
    above = pairs.get("above") if isinstance(pairs, dict) else None
    return float(above) if _is_threshold(above) else None


def clean_pair_threshold(above: object) -> float:
    """Check a threshold, and return it."""
    if not _is_threshold(above):
        raise Invalid({"above": f"This must be a number from {ABOVE_LEAST:g} to {ABOVE_MOST:g}."})
    return float(above)


def _is_threshold(above: object) -> TypeGuard[float]:
    return isinstance(above, int | float) and not isinstance(above, bool) and ABOVE_LEAST <= above <= ABOVE_MOST
