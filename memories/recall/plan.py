"""Plan of a recall: the form of its statements, which are built once for each plan."""

from dataclasses import asdict, dataclass
from functools import lru_cache

from memories.models import Memory, anchor_state_sql, disputed_sql, feedback_sql
from memories.recall import words
from memories.recall.meaning import VectorLimits
from memories.recall.template import render_template
from memories.recall.weights import LEAD, TIE
from memories.rules.importance import IMPORTANCE_NOW


@dataclass(frozen=True, slots=True)
class Plan:
    """The blocks of hybrid.sql that a statement has, and their sizes."""

    word_places: int = 0  # places in the sum of words; 0 if the query is not asked by words
    exact_match: bool = False  # compares texts letter by letter
    fallback_query: bool = False  # has a second query, for when the first one finds nothing
    limits: VectorLimits | None = None  # none if it is not asked by meaning
    exact_scan: bool = False  # compares all vectors as they are, not their sign bits first
    filter_inside_ann: bool = False  # looks for the nearest among visible memories only
    follow_links: bool = False
    extra_candidates: bool = False  # takes what custom retrievers found

    @property
    def ranked(self) -> bool:
        """True if a ranker puts the candidates in order: it knows what words and meaning say together."""
        return self.word_places > 0 and self.limits is not None

    @property
    def has_links(self) -> bool:
        """True if something may lead to memories beside words and meaning."""
        return self.follow_links or self.extra_candidates

    @property
    def conditions(self) -> dict[str, bool]:
        """The conditions by which blocks of the statement are chosen."""
        return {
            "by_words": self.word_places > 0,
            "exact_match": self.exact_match,
            "fallback_query": self.fallback_query,
            "by_meaning": self.limits is not None,
            "exact_scan": self.exact_scan,
            "filter_inside_ann": self.filter_inside_ann,
            "follow_links": self.follow_links,
            "extra_candidates": self.extra_candidates,
            "has_links": self.has_links,
        }


@lru_cache(maxsize=500)
def build_statement(plan: Plan, visible: str) -> str:
    """Return the statement for a plan, and for a condition under which the actor sees a row."""
    values = {
        "visible": visible,
        "worths": words.list_worths(places=plan.word_places),
        "sum_of_worths": words.sum_worths(places=plan.word_places),
        "present_words": words.flag_worths(places=plan.word_places),
        "flagged_words": words.flag_words("search", places=plan.word_places),
        "most_matches": words.MOST_MATCHES,
        "enough_matches": words.ENOUGH_MATCHES,
        "word_candidates": words.WORD_CANDIDATES,
        "lead": LEAD,
        "rule_openings": f"ARRAY{list(words.RULE_OPENINGS)}::text[]",
        "nil": "'00000000-0000-0000-0000-000000000000'::uuid",
    }
    limits = asdict(plan.limits) if plan.limits else {}
    return render_template("hybrid.sql", conditions=plan.conditions, values=values | limits)


@lru_cache(maxsize=100)
def build_hits_statement(visible: str) -> str:
    """Return the statement that reads the best candidates in full."""
    values = {
        "visible": visible,
        "tie": TIE,
        "importance": IMPORTANCE_NOW,
        "disputed": disputed_sql("memories_memory"),
        "anchor_state": anchor_state_sql("memories_memory"),
        "feedback": feedback_sql("memories_memory"),
        "columns": ", ".join(f"memories_memory.{column}" for column in Memory.COLUMNS),
    }
    return render_template("hits.sql", conditions={}, values=values)
