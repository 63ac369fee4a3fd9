"""Each hit says how sure it is; a floor leaves out what is not sure, and repetitions make way for other answers."""

import re
from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memories import embedding, operations
from memories.embedding.active_model import QueryVector
from memories.models import Memory, RecallLog, pgvector
from memories.prompts.context import build_context
from memories.queries import unanswered
from memories.recall import Mode, log, recall, why_not, word_stats
from memories.recall.confidence import rate_hits
from memories.recall.hybrid import Scored, Weights
from memories.recall.query import Question
from memories.recall.repetitions import say_the_same
from memories.recall.word_stats import Term, Terms, Within, rarity
from memories.recall.words import AS_MANY
from memoryhub.errors import Invalid
from teams.actor import Actor
from tests import factories


def score_of(actor: Actor, query: str, content: str, mode: Mode = Mode.HYBRID) -> Scored:
    [found] = [hit for hit in recall(actor=actor, query=query, mode=mode).hits if hit.memory.content == content]
    assert found.scored
    return found.scored


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
def test_coverage_is_the_share_of_the_asked_rarity(writer: Actor, mode: Mode) -> None:
    both, one = "The crane lifts cargo.", "The crane rusts."
    factories.memory(writer, both)
    factories.memory(writer, one)
    known, once, nowhere = (rarity(count, AS_MANY) for count in (2, 1, 0))
    query = "crane cargo xyzzy"
    assert score_of(writer, query, both, mode).coverage == pytest.approx((known + once) / (known + once + nowhere))
    assert score_of(writer, query, one, mode).coverage == pytest.approx(known / (known + once + nowhere))
    assert score_of(writer, "Which crane?", one, mode).coverage == 1.0


def test_nearness_is_the_cosine_as_it_is(writer: Actor) -> None:
    text, query = "The crane lifts cargo.", "Who lifts it?"
    factories.memory(writer, text)
    provider = embedding.get_provider() if pgvector.has_vectors(connection) else None
    nearness = score_of(writer, query, text).nearness
    if provider and provider.inline:
        (document,), asked = provider.documents([text]), provider.query(query, {"lifts": rarity(1, 1)})
        assert nearness == pytest.approx(sum(a * b for a, b in zip(document, asked, strict=True)), abs=0.001)
    else:
        assert nearness is None


def test_what_a_link_led_to_is_compared_too(writer: Actor) -> None:
    asked, far = factories.memory(writer, "The crane lifts cargo."), factories.memory(writer, "Berth seven is dry.")
    operations.associate(actor=writer, origin_id=asked.pk, target_id=far.pk, weight=1.0)
    scored = score_of(writer, "crane", far.content)
    assert (scored.nearness is None) == (not pgvector.has_vectors(connection))
    assert scored.coverage == 0.0


# The floor

FACTS = [
    "Deploys are frozen from Friday noon until Monday morning.",
    "The invoice service retries failed payments five times.",
    "Caroline leads the harbour migration.",
    "The ADR-016 decision moved the queue from Redis to Postgres.",
    "Lunch is at half past twelve on weekdays.",
]
NONSENSE = ["xyzzy plugh", "zzzzzz", "vbnm qwrt plk", "qzxv?", "the of and", "%%%", "グルブ"]


@pytest.fixture
def facts(writer: Actor) -> list[Memory]:
    return operations.save_memories(actor=writer, drafts=[operations.Draft(content=text) for text in FACTS])


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC])
@pytest.mark.parametrize("query", NONSENSE)
def test_nonsense_finds_nothing(writer: Actor, facts: list[Memory], query: str, mode: Mode) -> None:
    found = recall(actor=writer, query=query, mode=mode, min_confidence="auto")
    assert (found.hits, found.total, found.bounded) == ([], 0, False)
    nearest = recall(actor=writer, query=query, mode=mode)
    assert [hit.memory.pk for hit in found.doubtful] == [hit.memory.pk for hit in nearest.hits]
    assert all(hit.confidence < settings.RECALL_FLOOR for hit in nearest.hits)


@pytest.mark.parametrize(
    ("query", "place"),
    [("When are deploys frozen?", 0), ("how often are failed payments retried", 1), ("Caroline", 2), ("ADR-016", 3)],
)
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
def test_what_answers_passes(writer: Actor, facts: list[Memory], query: str, place: int, mode: Mode) -> None:
    found = recall(actor=writer, query=query, mode=mode, min_confidence="auto")
    assert found.hits[0].memory.content == FACTS[place]
    assert found.hits[0].confidence > 0.5
    assert found.total == len(found.hits)


def test_a_floor_is_a_number_or_the_hubs_own(writer: Actor, facts: list[Memory], settings: Any) -> None:
    sure = recall(actor=writer, query="When are deploys frozen?", limit=1).hits[0].confidence

    def count(floor: Any) -> int:
        return len(recall(actor=writer, query="When are deploys frozen?", limit=1, min_confidence=floor).hits)

    assert [count(floor) for floor in (None, 0, sure - 0.01, sure + 0.01, 1)] == [1, 1, 1, 0, 0]
    for floor, hits in ((sure - 0.01, 1), (sure + 0.01, 0), (0.0, 1)):
        settings.RECALL_FLOOR = floor
        assert count("auto") == hits


def test_a_part_of_a_word_answers_where_no_word_does(writer: Actor, facts: list[Memory]) -> None:
    found = recall(actor=writer, query="postgre", min_confidence="auto")
    assert [hit.memory.content for hit in found.hits] == [FACTS[3]]
    assert recall(actor=writer, query="post", min_confidence="auto").hits == []


@pytest.mark.parametrize("floor", [-0.1, 1.1, "often", "", True, float("nan"), [0.5]])
def test_another_floor_is_refused_by_name(writer: Actor, floor: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        recall(actor=writer, query="deploy", min_confidence=floor)
    assert list(refusal.value.fields) == ["min_confidence"]


@pytest.mark.parametrize("mode", [Mode.RECENT, Mode.IMPORTANT])
def test_lists_are_never_in_doubt(writer: Actor, facts: list[Memory], mode: Mode) -> None:
    found = recall(actor=writer, mode=mode, min_confidence=1.0)
    assert len(found.hits) == len(FACTS)
    assert {hit.confidence for hit in found.hits} == {1.0}


def test_a_hit_is_as_sure_whatever_the_limit_is(writer: Actor, facts: list[Memory]) -> None:
    query = "who leads the payments migration?"
    by_limit = [recall(actor=writer, query=query, limit=limit).hits[0].confidence for limit in (1, 3, 50)]
    assert by_limit == pytest.approx([by_limit[0]] * 3)


@pytest.mark.parametrize("query", ["When are deploys frozen?", "xyzzy plugh", "Which crane is frozen?"])
def test_confidence_is_about_the_same_in_a_larger_team(writer: Actor, query: str) -> None:
    factories.memory(writer, FACTS[0])
    alone = recall(actor=writer, query=query, mode=Mode.KEYWORD, limit=1).hits
    drafts = [operations.Draft(content=f"Ship {n} left berth {n % 7} at {n % 24} o'clock.") for n in range(300)]
    operations.save_memories(actor=writer, drafts=drafts)
    word_stats.count(within=Within.of(writer), audience=writer.team_id, now=timezone.now())
    among = recall(actor=writer, query=query, mode=Mode.KEYWORD, limit=1).hits
    assert [hit.confidence for hit in among] == pytest.approx([hit.confidence for hit in alone], abs=0.1)


parts = st.floats(0, 1)


@given(coverage=parts, more=parts, nearness=st.none() | parts, exact=st.booleans(), others=st.lists(parts, max_size=3))
def test_more_coverage_never_lowers_confidence(
    coverage: float, more: float, nearness: float | None, exact: bool, others: list[float]
) -> None:
    weights = Weights(share=0.5, lift=0.05, best=1.0)
    terms = (Term("crane", 1, 1.0, ("crane",)), Term("xyzzy", 0, 1.0, ("xyzzy",)))
    question = Question("crane xyzzy", Terms(terms, 10, 50.0), True, QueryVector("m", 0.5, [1.0], 0.15), "")

    def rate(value: float) -> float:
        scored = Scored(weights, 0.5, 0.5, None, False, int(exact), 0.5, 1, None, None, nearness, value)
        rest = [(replace(scored, coverage=other), 0.4) for other in others]
        return rate_hits([(scored, 0.5), *rest], question)[0].value

    assert rate(max(coverage, more)) >= rate(min(coverage, more))


def test_what_a_link_led_to_is_as_sure_as_its_share(writer: Actor, facts: list[Memory]) -> None:
    far = factories.memory(writer, "Grapes ripen late on northern slopes.")
    operations.associate(actor=writer, origin_id=facts[2].pk, target_id=far.pk, weight=1.0)
    found = recall(actor=writer, query="Caroline harbour migration", min_confidence="auto")
    assert far.pk in {hit.memory.pk for hit in found.hits}


def test_why_not_names_the_floor(writer: Actor, facts: list[Memory]) -> None:
    memory = facts[4]
    verdict = why_not(actor=writer, memory_id=memory.pk, query="lunch xyzzy plugh vbnm", min_confidence=0.99)
    assert re.fullmatch(r"Its confidence 0\.\d\d is below the floor 0\.99\.", verdict.reason)
    verdict = why_not(actor=writer, memory_id=memory.pk, query="lunch xyzzy plugh vbnm")
    assert verdict.reason == "It is there, as number 1."


# The doors


def ask_api(actor: Actor, **body: Any) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {factories.token(actor)}"}
    answer: dict[str, Any] = (
        Client().post("/api/v1/recall", body, content_type="application/json", headers=headers).json()
    )
    return answer


def test_the_api_says_that_nothing_is_relevant(writer: Actor, facts: list[Memory]) -> None:
    answer = ask_api(writer, query="xyzzy plugh", min_confidence="auto")
    assert answer["memories"] == []
    assert (answer["total_found"], answer["total_is_bound"], answer["min_confidence"]) == (0, False, 0.3)
    assert answer["note"].startswith("Nothing relevant.")
    assert "min_confidence" not in ask_api(writer, query="When are deploys frozen?")


@pytest.mark.parametrize("floor", [1.5, -1, "often", True])
def test_the_api_refuses_another_floor(writer: Actor, floor: Any) -> None:
    answer = ask_api(writer, query="deploy", min_confidence=floor)
    assert answer["fields"] == {"min_confidence": "This must be a number from 0.0 to 1.0, or auto."}


def test_explain_says_where_confidence_comes_from(writer: Actor, facts: list[Memory]) -> None:
    answer = ask_api(writer, query="When are deploys frozen?", explain=True, min_confidence=0.1)
    told = answer["memories"][0]["explain"]["confidence"]
    assert set(told["points"]) == {"words", "meaning", "agreement", "identifier", "standing", "neighbours", "question"}
    assert told["in_words"][0] == "It has 100% of what is asked, where rare words count more."
    assert told["in_words"][-1].endswith("is not below the floor 0.10.")


def test_the_log_says_that_a_floor_did_it(writer: Actor, facts: list[Memory]) -> None:
    for query in ("xyzzy plugh", "lunch weekdays"):
        recall(actor=writer, query=query, min_confidence="auto")
    recall(actor=writer, query="lunch")
    log.flush()
    nonsense, lunch, without = RecallLog.objects.order_by("created_at")
    assert (nonsense.total_found, nonsense.floor, lunch.floor, without.floor) == (0, 0.3, 0.3, None)
    assert lunch.total_found == 1
    if pgvector.has_vectors(connection) and settings.EMBEDDING != "none":
        assert nonsense.confidence is not None
        assert 0 < nonsense.confidence < 0.3
    (question,) = unanswered.list_unanswered(actor=writer)
    assert (question.key, question.floor, question.confidence) == ("xyzzy plugh", 0.3, nonsense.confidence)


def test_a_context_leaves_out_what_is_not_sure(writer: Actor, facts: list[Memory]) -> None:
    def relevant(query: str, **said: Any) -> int:
        (section,) = build_context(actor=writer, query=query, sections=["relevant"], **said).sections
        return len(section.memory_ids)

    assert relevant("xyzzy plugh") == 0
    assert relevant("When are deploys frozen?") >= 1
    assert relevant("When are deploys frozen?", min_confidence=1.0) == 0
    if pgvector.has_vectors(connection) and settings.EMBEDDING != "none":
        assert relevant("xyzzy plugh", min_confidence=0) == len(FACTS)


@pytest.mark.parametrize(
    ("place", "floor"), [("graph/memory_recall", "min_confidence"), ("scoped/recall", "minConfidence")]
)
def test_dialects_take_a_floor_and_have_none_by_default(
    writer: Actor, facts: list[Memory], place: str, floor: str
) -> None:
    headers = {"Authorization": f"Bearer {factories.token(writer)}"}

    def count(**said: Any) -> int:
        body = {"query": "frozen xyzzy plugh vbnm qwrt"} | said
        answer = Client().post(f"/api/v1/tools/{place}", body, content_type="application/json", headers=headers)
        return len(answer.json()["memories"])

    assert count() >= 1
    assert count(**{floor: 0.99}) == 0


# Repetitions


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The crane is at berth seven.", "The crane is at berth seven.", True),
        ("The crane is at berth seven.", "the  crane is at Berth seven", True),
        ("The crane is at berth seven.", "the crane is at berth seven!", True),
        ("We deploy the hub on fridays.", "We deploys hub on fridays", True),
        ("The crane is at berth 7.", "The crane is at berth 8.", False),
        ("The crane works.", "The crane never works.", False),
        ("We do ship it.", "We don't ship it.", False),
        ("All doors open at noon.", "All doors closed at noon.", False),
        ("Ask mira for the key.", "Ask noor for the key.", False),
    ],
)
def test_texts_say_the_same_or_not(one: str, other: str, same: bool) -> None:
    assert say_the_same(one, other) == same
    assert say_the_same(other, one) == same


def test_copies_do_not_take_the_places_of_other_answers(writer: Actor) -> None:
    for _ in range(3):
        factories.memory(writer, "Deploys are frozen from Friday noon.")
    factories.memory(writer, "Deploys are frozen from Friday noon", pinned=True)
    factories.memory(writer, "Deploys need two approvals.")
    found = recall(actor=writer, query="deploys", limit=3, mode=Mode.KEYWORD)
    assert sorted(hit.memory.content.rstrip(".") for hit in found.hits) == [
        "Deploys are frozen from Friday noon",
        "Deploys need two approvals",
    ]
    assert (found.folded, found.total) == (3, 5)
    assert len(recall(actor=writer, query="deploys", mode=Mode.KEYWORD, fold=False).hits) == 5
    assert len(recall(actor=writer, mode=Mode.RECENT).hits) == 5
    answer = ask_api(writer, query="deploys", limit=3, mode="keyword")
    assert (len(answer["memories"]), answer["folded"], answer["total_found"]) == (2, 3, 5)


def test_many_copies_leave_a_full_answer(writer: Actor) -> None:
    copies = [
        "deploys are frozen from friday noon",
        *(f"Deploys are frozen from Friday noon{'!' * n}" for n in range(1, 9)),
    ]
    others = [f"Deploys to berth {n} need approval." for n in range(12)]
    operations.save_memories(actor=writer, drafts=[operations.Draft(content=text) for text in (*copies, *others)])
    found = recall(actor=writer, query="are deploys frozen from noon", limit=5)
    assert len(found.hits) == 5
    assert found.folded == len(copies) - 1
    assert sum("frozen" in hit.memory.content for hit in found.hits) == 1


def test_the_same_text_under_two_keys_is_two_facts(writer: Actor) -> None:
    for key in ("crane-a", "crane-b"):
        factories.memory(writer, "The crane is out of order.", key=key)
    found = recall(actor=writer, query="crane out of order", mode=Mode.KEYWORD)
    assert (len(found.hits), found.folded) == (2, 0)


def test_why_not_names_the_better_copy(writer: Actor) -> None:
    factories.memory(writer, "Deploys are frozen from Friday noon.", pinned=True)
    copy = factories.memory(writer, "Deploys are frozen from Friday noon.")
    assert why_not(actor=writer, memory_id=copy.pk, query="deploys").reason == "It says the same as number 1."


def test_long_texts_are_compared_in_no_time() -> None:
    one, other = "a b " * 12_500, "a  b " * 10_000
    began = process_time()
    for _ in range(20):
        say_the_same(one, other)
    assert process_time() - began < 2


@pytest.mark.parametrize(("background", "likeness"), [(0.2, 0.5), (0.6, 0.0), (0.0, 0.6)])
def test_likeness_counts_from_the_background_of_the_model(background: float, likeness: float) -> None:
    question = Question("", Terms((), 10, 50.0), True, QueryVector("m", 0.5, [1.0], background), "")
    scored = Scored(Weights(0.5, 0.05, 1.0), 0.5, 0.5, None, False, 0, 0.5, 1, None, None, 0.6, 0.0)
    assert rate_hits([(scored, 0.5)], question)[0].evidence.likeness == pytest.approx(likeness)


def test_a_provider_may_have_a_background_of_its_own(settings: Any) -> None:
    settings.EMBEDDING_BACKGROUND = 0.4

    class Own:
        background = 0.7

    assert embedding.get_background(Own()) == 0.7  # type: ignore[arg-type]
    assert embedding.get_background(object()) == 0.4  # type: ignore[arg-type]
