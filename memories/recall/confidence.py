"""Confidence: how sure recall is that a hit answers the question, from 0 to 1.

The score of a hit orders the hits of one question; its meaning is stretched from the farthest candidate to the nearest,
so a nonsense question has a best hit too. Confidence looks at evidence that does not depend on the other memories: how
much of the asked rarity a memory has, how much nearer its meaning is than that of texts which have nothing to do with
each other, whether the two agree, and whether it has an asked identifier. A hit is held to two measures, and the lower
one counts: the question's (is there an answer here at all?), taken from its best hit, and the hit's own, to which its
score adds how far it falls behind the best hit. In a conversation a single turn says less than a note does, so less is
asked of it.

The constants were fitted to questions about conversations, articles and notes in seven languages, with relevant and
other hits, and to questions that nothing answers: made-up words, random words and other teams' questions. Those of a
hit's own measure are fitted by `python -m benchmarks.confidence --fit`.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from django.conf import settings

from memories.recall import words
from memories.recall.features import NAMES
from memories.recall.hybrid import Scored
from memories.recall.query import Question

# Points of evidence.
COVERAGE = 1.0  # for all of the asked rarity
LIKENESS = 3.0  # for the same meaning; relevant hits have a quarter to a half of that
AGREEMENT = 1.0  # for words and meaning together: their geometric mean
IDENTIFIER = 0.3  # for an asked identifier in a sentence; one that was asked for alone is all of the words
KNOWN = 1.0  # for a question, if all of its words occur somewhere
STANDING = 3.1  # for the best score; others get their share of it
TOGETHER = 1.6  # for each hit, where neighbours are as alike as in a conversation: a turn says only a part
LIKENESS_OF_WORDS = 0.45  # share of the coverage that stands in for likeness where meanings are not compared

# What is as likely an answer as not, and how quickly doubt goes, in logits per point.
QUESTION_EVEN, QUESTION_SLOPE = 0.96, 4.0
HIT_EVEN, HIT_SLOPE = 3.9, 1.0

ORDER_FEATURES = [NAMES.index(name) for name in ("order_of_words", "order_of_meaning")]
LOOKED_AT = 10  # hits among which the best evidence is looked for, however many were asked for
AUTO: Literal["auto"] = "auto"
Floor = float | Literal["auto"]


class Evidence(NamedTuple):  # as is Confidence: each recall makes a dozen, and tuples are made quickly
    """What speaks for a hit by itself, in points."""

    coverage: float  # the share of the asked rarity that it has
    likeness: float  # from unrelated (0) to the same meaning (1)
    identifier: bool = False  # asked for in a sentence

    @property
    def parts(self) -> dict[str, float]:
        return {
            "words": COVERAGE * self.coverage,
            "meaning": LIKENESS * self.likeness,
            "agreement": AGREEMENT * math.sqrt(self.coverage * self.likeness),
            "identifier": IDENTIFIER * self.identifier,
        }

    @property
    def points(self) -> float:
        """The sum of the parts, which every recall adds up for each hit."""
        together = math.sqrt(self.coverage * self.likeness)
        known = COVERAGE * self.coverage + LIKENESS * self.likeness + AGREEMENT * together
        return known + IDENTIFIER if self.identifier else known


class Confidence(NamedTuple):
    """How sure a hit is, and why."""

    value: float
    evidence: Evidence
    share: float = 1.0  # its score, as a share of the best one
    cohesion: float = 0.0  # how alike neighbours are here: 0 if no more than any two memories, 1 at most
    question: float = 0.0  # points of the question as a whole
    limited_by_question: bool = False  # the hit by itself would be surer

    @property
    def parts(self) -> dict[str, float]:
        """The points of each kind of evidence."""
        own = {"standing": STANDING * self.share, "neighbours": TOGETHER * self.cohesion}
        return self.evidence.parts | own | {"question": self.question}


UNASKED = Confidence(1.0, Evidence(1.0, 1.0))  # where nothing was asked, nothing is in doubt


def resolve_floor(floor: Floor | None) -> float:
    """Return the confidence that a hit needs: the hub's own for `auto`."""
    if floor == AUTO:
        hubs: float = settings.RECALL_FLOOR
        return hubs
    return float(floor or 0.0)


def is_floor(value: object) -> bool:
    """Return whether this can be the confidence that hits need."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or value == AUTO or (is_number and 0 <= value <= 1)  # type: ignore[operator]


def rate_hits(hits: Sequence[tuple[Scored | None, float]], question: Question) -> list[Confidence]:
    """Return the confidence of each hit, given by its parts and its relevance. A hit without parts has the whole query,
    letter by letter."""
    found = [_weigh(scored, question) for scored, _ in hits]
    points = [evidence.points for evidence in found]
    best = max(points[:LOOKED_AT], default=0.0)
    highest = max((relevance for _, relevance in hits), default=0.0) or 1.0
    # The counts may be older than a memory: what a hit has is known.
    known = max([_find_known_share(question), *(evidence.coverage for evidence in found)])
    whole = best + KNOWN * known
    cohesion = _find_cohesion([scored for scored, _ in hits])
    rated = []
    for evidence, own, (scored, relevance) in zip(found, points, hits, strict=True):
        share = relevance / highest
        # What a link led to has its share of the best hit's evidence: somebody said that the two belong together.
        linked = best * share if scored and scored.links_rank is not None else 0.0
        rated.append(_rate(evidence, max(own, linked), share=share, cohesion=cohesion, question=whole))
    return rated


def _find_cohesion(hits: Sequence[Scored | None]) -> float:
    """Return how much more alike neighbours among the candidates are than any two: it is the same for all of them."""
    features = next((scored.features for scored in hits if scored and scored.features is not None), None)
    if features is None:
        return 0.0
    return min(max(sum(float(features[place]) for place in ORDER_FEATURES), 0.0), 1.0)


def _rate(evidence: Evidence, points: float, *, share: float, cohesion: float, question: float) -> Confidence:
    own = _squash(HIT_SLOPE * (points + STANDING * share + TOGETHER * cohesion - HIT_EVEN))
    whole = rate_question(question)
    return Confidence(min(own, whole), evidence, share, cohesion, question, limited_by_question=whole < own)


def rate_question(points: float) -> float:
    """Return the confidence that no hit of a question with so many points can pass."""
    return _squash(QUESTION_SLOPE * (points - QUESTION_EVEN))


def _squash(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _weigh(scored: Scored | None, question: Question) -> Evidence:
    """Return the evidence for a hit by itself. What was not compared is taken to be as the rest is."""
    if scored is None:
        return Evidence(1.0, LIKENESS_OF_WORDS)
    likeness = None if scored.nearness is None else _find_likeness(scored.nearness, question)
    whole = bool(scored.exact and question.terms.literal)
    coverage = 1.0 if whole else scored.coverage if question.by_words else likeness or 0.0
    if likeness is None:
        likeness = coverage * LIKENESS_OF_WORDS
    return Evidence(coverage, likeness, identifier=bool(scored.exact) and not whole)


def _find_likeness(nearness: float, question: Question) -> float:
    """Return how far two meanings are from unrelated (0) to the same (1)."""
    background = question.vector.background if question.vector else 0.0
    return min(max((nearness - background) / (1 - background), 0.0), 1.0)


def _find_known_share(question: Question) -> float:
    """Return the share of the asked rarity that occurs in any memory which the actor may see."""
    shares = zip(words.share_out_rarity(question.terms), question.terms.terms, strict=False)
    return sum(share for share, term in shares if term.memories)


def describe_confidence(confidence: Confidence, *, floor: float) -> list[str]:
    """Return sentences that say in plain words what made a hit sure or doubtful."""
    evidence = confidence.evidence
    sentences = [
        f"It has {evidence.coverage:.0%} of what is asked, where rare words count more.",
        f"Its meaning is {evidence.likeness:.0%} of the way from unrelated to the same.",
        f"Its score is {confidence.share:.0%} of the best one.",
    ]
    if confidence.cohesion > 0.1:
        sentences.append("Neighbouring memories belong together here, so each needs less of the answer.")
    if evidence.identifier:
        sentences.append("It has an asked identifier.")
    if confidence.limited_by_question:
        sentences.append("Little of the question is known here at all, so no hit can be surer.")
    if floor:
        side = "below" if confidence.value < floor else "not below"
        sentences.append(f"Its confidence {confidence.value:.2f} is {side} the floor {floor:.2f}.")
    return sentences
