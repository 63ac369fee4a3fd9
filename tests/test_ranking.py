"""Candidates are ranked by their features: by the memories around them, too, as far as the asker may see these."""

from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from benchmarks.fit_ranking import TREE_OPTIONS, read_tree
from memories import operations
from memories.models import Memory, Scope, pgvector
from memories.operations import Draft
from memories.recall import Filters, recall, word_stats
from memories.recall.candidates import RECORD, read_candidates
from memories.recall.features import FEATURES, MOST_WORDS, NAMES, Numbers, Spread
from memories.recall.hybrid import Scored
from memories.recall.ranker import EXPLAINED, Ranker, get_ranker
from memoryhub.prepared_statements import array_literal, prepared_cursor
from teams.actor import Actor
from teams.models import Agent
from tests import factories
from tests.cast import Cast

QUESTION, ANSWER, QUERY = (
    "Ana: Where do we berth the ferry in winter?",
    "Bo: At pier nine.",
    "winter berth of the ferry",
)


def save_turns(actor: Actor, *texts: str) -> list[Memory]:
    return operations.save_memories(actor=actor, drafts=[Draft(content=text) for text in texts])


def score_of(actor: Actor, memory: Memory, query: str = QUERY) -> Scored:
    [scored] = [hit.scored for hit in recall(actor=actor, query=query).hits if hit.memory == memory]
    assert scored
    return scored


def renew_counts(actor: Actor) -> None:
    word_stats.count(within=word_stats.Within.of(actor), audience=actor.team_id, now=timezone.now())


def feature(scored: Scored, name: str) -> float:
    assert scored.features is not None
    return float(scored.features[NAMES.index(name)])


def follows(memory: Memory) -> object:
    return Memory.objects.values_list("follows", flat=True).get(pk=memory.pk)


def test_the_memories_of_a_batch_follow_each_other(writer: Actor) -> None:
    before = factories.memory(writer)
    first, second, third = save_turns(writer, "One.", "Two.", "Three.")
    assert [follows(memory) for memory in (first, second, third)] == [before.pk, first.pk, second.pk]


def test_a_batch_for_two_audiences_is_two_conversations(writer: Actor) -> None:
    drafts = [Draft(content=f"{n}.", scope=(Scope.TEAM, Scope.AGENT)[n % 2]) for n in range(4)]
    saved = operations.save_memories(actor=writer, drafts=drafts)
    assert [follows(memory) for memory in saved] == [None, None, saved[0].pk, saved[1].pk]


def test_a_memory_follows_what_its_author_saved_just_before(cast: Cast) -> None:
    writer, teammate, now = cast["writer"].actor(), cast["teammate"].actor(), timezone.now()

    def save(actor: Actor, minutes: float) -> Memory:
        then = now + timedelta(minutes=minutes)
        return operations.save_memory(actor=actor, draft=Draft(content="Again.", dedupe="create"), now=then)

    first, others, second, late = save(writer, 0), save(teammate, 1), save(writer, 2), save(writer, 30)
    assert [follows(memory) for memory in (first, others, second, late)] == [None, None, first.pk, None]


def test_a_person_follows_what_the_same_person_saved_just_before(cast: Cast) -> None:
    owner, editor = cast["owner"].actor(), cast["editor"].actor()
    first, others, second = factories.memory(owner), factories.memory(editor), factories.memory(owner)
    assert [follows(memory) for memory in (first, others, second)] == [None, None, first.pk]


def test_another_session_is_another_conversation(writer: Actor) -> None:
    agent = Agent.objects.select_related("team__organization").get(pk=writer.agent_id)
    one, other = (factories.actor(agent, session=name) for name in ("morning", "evening"))
    first, between, second = factories.memory(one), factories.memory(other), factories.memory(one)
    assert [follows(memory) for memory in (first, between, second)] == [None, None, first.pk]


def test_what_was_forgotten_is_followed_by_nothing(writer: Actor) -> None:
    first = factories.memory(writer)
    operations.forget_memory(actor=writer, memory_id=first.pk, reason="wrong")
    assert follows(factories.memory(writer)) is None


def test_an_answer_profits_from_its_question(writer: Actor) -> None:
    if not pgvector.has_vectors(connection):
        return  # words alone decide there
    _, answer, _, other = save_turns(writer, QUESTION, ANSWER, "Ana: How is the weather?", "Bo: At noon rain.")
    assert feature(score_of(writer, answer), "before_adds") > 0
    assert feature(score_of(writer, other), "before_adds") == 0
    assert score_of(writer, answer).parts["neighbours"] > score_of(writer, other).parts["neighbours"]
    assert score_of(writer, answer).score > score_of(writer, other).score


def test_a_neighbour_that_is_hidden_contributes_nothing(cast: Cast) -> None:
    if not pgvector.has_vectors(connection):
        return  # words alone decide there
    writer, teammate = cast["writer"].actor(), cast["teammate"].actor()
    hidden = operations.save_memory(actor=writer, draft=Draft(content=QUESTION, scope=Scope.AGENT))
    answer = factories.memory(writer, ANSWER)
    alone = score_of(teammate, answer)
    Memory.objects.filter(pk=answer.pk).update(follows=hidden.pk)
    beside = score_of(teammate, answer)
    assert beside.score == pytest.approx(alone.score)
    assert feature(beside, "before_adds") == 0
    assert feature(score_of(writer, answer), "before_adds") > 0  # the writer sees it


@pytest.mark.parametrize("gone", ["forgotten", "filtered"])
def test_a_neighbour_that_is_gone_contributes_nothing(writer: Actor, gone: str) -> None:
    if not pgvector.has_vectors(connection):
        return  # words alone decide there
    question, answer = save_turns(writer, QUESTION, ANSWER)
    if gone == "forgotten":
        operations.forget_memory(actor=writer, memory_id=question.pk, reason="wrong")
    else:
        operations.tag_memory(actor=writer, memory_id=answer.pk, add=["kept"])
    filters = Filters(tags=["kept"]) if gone == "filtered" else None
    [hit] = recall(actor=writer, query=QUERY, filters=filters).hits
    assert hit.scored
    assert feature(hit.scored, "before_adds") == 0


def test_scores_are_between_0_and_1_and_in_order(writer: Actor) -> None:
    save_turns(writer, QUESTION, ANSWER, "Ana: How is the weather?", "The ferry sails in winter.", "Berth four leaks.")
    scores = [hit.relevance for hit in recall(actor=writer, query=QUERY).hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    assert scores == [hit.relevance for hit in recall(actor=writer, query=QUERY).hits]


def test_a_word_that_all_have_beside_one_that_none_has_breaks_no_bounds(writer: Actor) -> None:
    save_turns(writer, *(f"The harbour has berth{n}." for n in range(60)))
    renew_counts(writer)
    hits = recall(actor=writer, query="where is the xyzzy of the harbour").hits
    assert hits
    for hit in hits:
        assert hit.scored
        assert 0 < hit.relevance <= 1
        if pgvector.has_vectors(connection):
            assert max(feature(hit.scored, name) for name in ("words", "best_words", "frequency")) <= MOST_WORDS


def test_the_table_knows_every_feature() -> None:
    ranker = get_ranker()
    assert len(ranker.weights) == len(ranker.neutral) == len(NAMES)
    assert set(ranker.features) <= set(range(len(NAMES)))
    assert FEATURES.keys() - EXPLAINED.keys() == {"question"}


def test_a_table_for_other_features_is_refused() -> None:
    with pytest.raises(ValueError, match="other features"):
        Ranker.read({"names": ["words"]})


def leaf(value: float) -> dict[str, float]:
    return {"leaf_value": value}


def split(feature: str, threshold: float, left: object, right: object) -> dict[str, object]:
    place = NAMES.index(feature)
    return {"split_feature": place, "threshold": threshold, "left_child": left, "right_child": right}


def descend(tree: dict[str, float] | dict[str, object], features: Numbers) -> float:
    """Return the leaf as trees are usually read: from the root, split by split."""
    node: object = tree
    while isinstance(node, dict) and "leaf_value" not in node:
        node = node["left_child" if features[node["split_feature"]] <= node["threshold"] else "right_child"]
    assert isinstance(node, dict)
    return float(node["leaf_value"])


def test_all_splits_at_once_lead_to_the_leaf_that_they_lead_to_one_by_one() -> None:
    trees = [
        split("words", 0.5, split("coverage", 0.25, leaf(1), split("lead", 0.5, leaf(2), leaf(3))), leaf(4)),
        split("rarest", 0.5, leaf(-1), split("words", 0.25, leaf(-2), split("words", 0.75, leaf(-3), leaf(-4)))),
        split("lead", 0.5, leaf(0.5), leaf(0.25)),
    ]
    rows = [read_tree(tree, 1.0) for tree in trees]
    table = {name: [row[name] for row in rows] for name in ("features", "thresholds", "ruled_out", "leaves")}
    flat = {"weights": [0.0] * len(NAMES), "neutral": [0.0] * len(NAMES), "middle": 0.0, "width": 1.0}
    features = np.random.default_rng(1).random((200, len(NAMES)))
    sums = Ranker.read({"names": NAMES, **flat, **table}).sum_up(features)
    assert sums == pytest.approx([sum(descend(tree, row) for tree in trees) for row in features])
    assert len(rows[0]["leaves"]) == TREE_OPTIONS["num_leaves"]


def test_an_explanation_tells_what_a_candidate_owes_to_each_kind() -> None:
    ranker = get_ranker()
    nothing = ranker.explain(ranker.neutral)
    assert nothing == pytest.approx(dict.fromkeys(EXPLAINED, 0.0))
    features = ranker.neutral.copy()
    features[[NAMES.index("words"), NAMES.index("words_relative"), NAMES.index("coverage")]] = [1.5, 1.0, 1.0]
    owed = ranker.explain(features)
    assert owed["words"] > 0
    assert owed["meaning"] == owed["neighbours"] == pytest.approx(0)


def test_neighbours_are_alike_in_a_conversation_and_not_in_a_shuffled_one() -> None:
    chance = np.random.default_rng(1)
    said = np.repeat(chance.random(40), 5)  # five turns about each thing
    order = np.arange(1, len(said))
    shuffled = chance.permutation(said)
    assert Spread.measure(said).correlate(order, order - 1) > 0.6
    assert abs(Spread.measure(shuffled).correlate(order, order - 1)) < 0.15


def test_candidates_are_read_from_their_bytes() -> None:
    assert len(read_candidates(None, linked=False)) == 0
    with pytest.raises(ValueError, match="reshape"):
        read_candidates(b"\0" * (RECORD - 1), linked=False)


@pytest.mark.django_db
def test_an_array_is_read_as_it_was_written() -> None:
    values = ["plain", 'with "quotes"', "back\\slash", "{braces, comma}", "NULL", "", "ü 漢"]
    with prepared_cursor() as cursor:
        cursor.execute("SELECT %(values)s::text[]", {"values": array_literal(values)})
        assert cursor.fetchone()[0] == values
