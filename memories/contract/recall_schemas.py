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
            {name: {"type": "number"} for name in UNASKED.parts}, description="The points from each kind of evidence."
        ),
        "in_words": list_of(text(), description="The same in words, and the floor if there was one."),
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
        "feedback": {
            "type": "number",
            "description": "The balance of what readers said about it, from -1 (against it) to 1 (for it).",
        },
        "feedback_factor": {
            "type": "number",
            "description": "The factor by which this moved it among the hits. The relevance stays with the place.",
        },
        "anchor_factor": {
            "type": "number",
            "description": "The factor by which a failed anchor moved it: 1 if none has failed.",
        },
        "period": nullable(
            whole_record(
                {
                    "start": moment(),
                    "end": moment(),
                    "words": text(description="The words of the question that mean it."),
                },
                title="Period",
                description="The time that the question asks about, if it says one.",
            )
        ),
        "time_factor": {
            "type": "number",
            "description": "The factor by which its nearness to that period moved it: 1 if there is no such period.",
        },
        "reranker": nullable({"type": "number"}),
        "reciprocal_rank_score": {"type": "number"},
        "score_parts": whole_record(
            {name: {"type": "number", "description": meaning} for name, meaning in SCORE_PARTS.items()},
            title="ScoreParts",
            description="What each kind of evidence added to the score. Their sum is the score, at most 1.",
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
        "relevance_score": fraction(
            description="How relevant it is compared with the other hits, which are ordered by it."
        ),
        "confidence": fraction(
            description="How certain it is that this answers the query, independently of the other hits."
        ),
        "explain": nullable(REASONS),
        "snippet": SNIPPET,
    },
    optional=(*TRUST, "explain", "snippet"),
    title="Hit",
)
RECALLED = whole_record(
    {
        "memories": list_of(HIT),
        "total_found": COUNT,
        "total_is_bound": flag(description="true if there may be more than `total_found`."),
        "mode": one_of(Mode),
        "min_confidence": fraction(description="The floor, if there was one. Hits below it were left out."),
        "folded": whole(
            least=1, most=MOST, description="How many hits were left out because they repeat a better one."
        ),
        "note": text(description="Set if something was not done as requested, or if nothing is relevant."),
    },
    optional=("min_confidence", "folded", "note"),
    title="RecallResult",
)
GIVEN = whole_record(
    {
        "id": identity(),
        "version": VERSION,
        "presence": one_of(
            Presence, description="here, forgotten (you may restore it), or gone (or not visible to you)."
        ),
        "key": nullable(text()),
        "type": nullable(one_of(Type)),
        "text": nullable(text(description="The beginning of that version's summary or, without one, of its content.")),
    },
    description="A memory in the version that was returned. If you can no longer see it, only its id is given.",
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
        "min_confidence": nullable(fraction(description="The minimum confidence of hits, if there was a floor.")),
        "best_confidence": nullable(
            fraction(description="The confidence of the most certain hit, even if it was left out.")
        ),
        "memories": list_of(GIVEN),
    },
    title="Recall",
)
VERDICT = whole_record({"rank": nullable(VERSION), "reason": text()}, title="Verdict")
