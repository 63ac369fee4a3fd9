"""JSON schemas of what recall answers."""

from memories.contract.output_schemas import COUNT, PROPERTIES, TRUST, VERSION
from memories.models import Type
from memories.queries.presence import Presence
from memories.recall import MOST, Mode
from memories.recall.confidence import UNASKED
from memories.recall.hybrid import SCORE_PARTS
from memoryhub.json_schema import (
    anything,
    flag,
    fraction,
    identity,
    list_of,
    moment,
    nullable,
    one_of,
    text,
    whole,
    whole_record,
)

CERTAINTY = whole_record(
    {
        "points": whole_record(
            {name: {"type": "number"} for name in UNASKED.parts}, description="What each kind of evidence gave."
        ),
        "in_words": list_of(text(), description="The same in plain words, with the floor if there was one."),
    },
    title="Certainty",
)
REASONS = whole_record(
    {
        "rank_by_words": nullable(COUNT),
        "rank_by_meaning": nullable(COUNT),
        "rank_by_links": nullable(COUNT),
        "matched_words": list_of(text()),
        "words": {"type": "number"},
        "meaning": nullable({"type": "number"}),
        "begins_with_an_asked_word": flag(),
        "has_an_asked_identifier": flag(),
        "importance_now": {"type": "number"},
        "added_by_importance": {"type": "number"},
        "added_by_pin": {"type": "number"},
        "reranker": nullable({"type": "number"}),
        "reciprocal_rank_score": {"type": "number"},
        "score_parts": whole_record(
            {name: {"type": "number", "description": meaning} for name, meaning in SCORE_PARTS.items()},
            title="ScoreParts",
            description="What the score owes to each kind of evidence; the sum is the score, which is 1 at most.",
        ),
        "confidence": CERTAINTY,
    },
    title="Reasons",
)
SNIPPET = whole_record({"text": text(), "marks": list_of(list_of({"type": "integer"}))}, title="Snippet")
HIT = whole_record(
    PROPERTIES
    | TRUST
    | {
        "relevance_score": fraction(description="How it stands to the other hits; the order goes by it."),
        "confidence": fraction(description="How sure it is that this answers, whatever the other hits are."),
        "explain": nullable(REASONS),
        "snippet": SNIPPET,
    },
    optional=("trust", "explain", "snippet"),
    title="Hit",
)
RECALLED = whole_record(
    {
        "memories": list_of(HIT),
        "total_found": COUNT,
        "total_is_bound": flag(description="There may be more than the total."),
        "mode": one_of(Mode),
        "min_confidence": fraction(description="The floor, if there was one: what is below it was left out."),
        "folded": whole(least=1, most=MOST, description="Hits that repeat a better one, and were left out for that."),
        "note": text(description="What was not as asked, or that nothing is relevant."),
    },
    optional=("min_confidence", "folded", "note"),
    title="RecallResult",
)
GIVEN = whole_record(
    {
        "id": identity(),
        "version": VERSION,
        "presence": one_of(
            Presence, description="Whether it is here, forgotten and yours to restore, or gone for you."
        ),
        "key": nullable(text()),
        "type": nullable(one_of(Type)),
        "text": nullable(text(description="How that version began: its summary, or else its content.")),
    },
    description="A memory in the version that came back. What you do not see any more is an id alone.",
    title="Given",
)
RECALL = whole_record(
    {
        "id": identity(),
        "query": text(),
        "mode": text(),
        "filters": anything(),
        "session": nullable(text()),
        "created_at": moment(),
        "total_found": COUNT,
        "min_confidence": nullable(fraction(description="The confidence that hits needed, if there was a floor.")),
        "best_confidence": nullable(fraction(description="Of the surest hit, even if the floor left it out.")),
        "memories": list_of(GIVEN),
    },
    title="Recall",
)
VERDICT = whole_record({"rank": nullable(VERSION), "reason": text()}, title="Verdict")
