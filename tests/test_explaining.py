"""Recall says why: ranks, matched words, what pins and importance added, where the words stand; and why not."""

from dataclasses import replace
from datetime import timedelta
from time import process_time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Memory, pgvector
from memories.recall import Filters, Hit, Mode, recall, why_not
from memories.recall.snippets import snippets
from memories.recall.word_stats import Term
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor
from teams.models import Verb
from tests import doors, factories
from tests.cast import EVERYBODY, WHO_SEES, Cast


def first(actor: Actor, query: str, **said: Any) -> Hit:
    return recall(actor=actor, query=query, **said).hits[0]


def test_a_hit_tells_its_ranks_and_the_words_it_has(writer: Actor) -> None:
    factories.memory(writer, "Berths are painted blue in spring.")
    factories.memory(writer, "Lunch is at noon.")
    hit = first(writer, "Which blue was the berth painted with?", explain=True)
    assert hit.matched == ["berth", "blue", "painted"]
    assert hit.scored
    assert hit.scored.words_rank == 1
    assert hit.scored.meaning_rank == (1 if pgvector.has_vectors(connection) else None)
    assert hit.scored.reciprocal == pytest.approx(sum(1 / 61 for rank in (1, hit.scored.meaning_rank) if rank))
    assert hit.scored.importance == pytest.approx(0.5, abs=0.01)


def test_pins_and_importance_decide_between_equals_and_no_more(writer: Actor) -> None:
    for text, said in (("blue berth", {}), ("blue berth", {"importance": 1.0}), ("blue berth", {"pinned": True})):
        factories.memory(writer, text, **said)
    better = factories.memory(writer, "The blue berth with the anchor.")
    hits = recall(actor=writer, query="blue berth", mode=Mode.KEYWORD, fold=False).hits
    equals = [hit for hit in hits if hit.memory.content == "blue berth"]
    assert [(hit.memory.pinned, hit.memory.importance) for hit in equals] == [(True, 0.5), (False, 1.0), (False, 0.5)]
    assert first(writer, "blue berth anchor", mode=Mode.KEYWORD).memory == better


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
@pytest.mark.parametrize("query", ["blue berth", "Which berth has ADR-016?", "ADR-016"])
def test_a_score_is_the_sum_of_its_parts(writer: Actor, query: str, mode: Mode) -> None:
    linked = factories.memory(writer, "Lunch is at noon.")
    named = factories.memory(writer, "Blue is the berth of ADR-016.")
    operations.associate(actor=writer, origin_id=named.pk, target_id=linked.pk, weight=1.0)
    hits = {hit.memory.pk: hit for hit in recall(actor=writer, query=query, mode=mode).hits}
    for hit in hits.values():
        assert hit.scored
        assert min(1.0, sum(hit.scored.parts.values())) == pytest.approx(hit.relevance)
    first, second = (hits[memory.pk].scored for memory in (named, linked))
    assert first
    assert second
    assert second.parts["links"] > 0
    assert (first.parts["exact"] > 0, first.parts["lead"] > 0) == ("ADR" in query, "blue" in query)


def marked_texts(hit: Hit) -> list[str]:
    assert hit.snippet
    return [hit.snippet.text[start:end] for start, end in hit.snippet.marks]


def test_a_snippet_shows_the_asked_words_where_they_stand(writer: Actor) -> None:
    padding = "Nothing of interest happens here at all. " * 40
    factories.memory(writer, f"{padding}The Berths were painted—blue, in ADR-016, by Zoë.{padding}")
    hit = first(writer, "blue berth ADR-016 zoë", snippets=True)
    assert marked_texts(hit) == ["Berths", "blue", "ADR-016", "Zoë"]
    assert hit.snippet
    assert len(hit.snippet.text) < 300
    assert hit.snippet.text.startswith("…")
    assert hit.snippet.text[1:].split()[0] in padding.split()  # a whole word


@pytest.mark.parametrize("content", ["a\x02b\x03 berth", "<b>berth</b>", "🚀 berth 🚀", "berth", "İstanbul berth"])
def test_marks_point_at_the_words_whatever_stands_around(writer: Actor, content: str) -> None:
    factories.memory(writer, content)
    assert marked_texts(first(writer, "berth", snippets=True)) == ["berth"]


def test_a_snippet_of_a_memory_that_says_one_word_all_along_takes_no_longer_than_others() -> None:
    began = process_time()
    found = snippets(memories=[Memory(content="x1 " * 16_000)], terms=[Term("=x1", 1, 1.0)])
    assert process_time() - began < 1
    assert [part.text[: part.marks[0][1]] for part in found.values()] == ["x1"]


def test_explanations_are_in_the_api(writer: Actor) -> None:
    factories.memory(writer, "blue berth")
    token = factories.token(writer)
    body = {"query": "berth", "explain": True, "snippets": True}
    response = Client().post(
        "/api/v1/recall", body, content_type="application/json", headers={"Authorization": f"Bearer {token}"}
    )
    (memory,) = response.json()["memories"]
    assert memory["explain"]["matched_words"] == ["berth"]
    assert memory["explain"]["rank_by_links"] is None
    parts = memory["explain"]["score_parts"]
    assert min(1.0, sum(parts.values())) == pytest.approx(memory["relevance_score"], abs=0.001)
    assert memory["snippet"] == {"text": "blue berth", "marks": [[5, 10]]}


def reason(actor: Actor, memory: Memory, query: str = "blue berth", **said: Any) -> str:
    return why_not(actor=actor, memory_id=memory.pk, query=query, **said).reason


def test_why_not_names_the_rule_or_the_rank(writer: Actor) -> None:
    now = timezone.now()
    memory = factories.memory(writer, "blue berth", type="lesson")
    assert reason(writer, memory) == "It is there, as number 1."
    assert reason(writer, memory, filters=Filters(type="fact")) == "The filter type leaves it out."
    assert reason(writer, memory, filters=Filters(tags=["x"], type="lesson")) == "The filter tags leaves it out."
    for number in range(3):
        factories.memory(writer, f"blue berth {number}", key=f"berth-{number}", pinned=True)
    assert reason(writer, memory, limit=2) == "It is number 4; the limit is 2."
    operations.set_expiry(actor=writer, memory_id=memory.pk, expires_at=now + timedelta(hours=1))
    assert "It expired on" in reason(writer, memory, now=now + timedelta(hours=2))
    operations.forget_memory(actor=writer, memory_id=memory.pk)
    assert "It was forgotten on" in reason(writer, memory)


def test_why_not_says_what_it_lacks(writer: Actor) -> None:
    drafts = [operations.Draft(content=f"blue berth {n}") for n in range(60)]
    operations.save_memories(actor=writer, drafts=drafts)
    memory = factories.memory(writer, "Lunch is at noon.")
    verdict = why_not(actor=writer, memory_id=memory.pk, query="blue berth", mode=Mode.KEYWORD)
    assert (verdict.rank, verdict.reason) == (None, "It has none of the asked words.")
    if pgvector.has_vectors(connection):
        assert "By meaning 60 are nearer" in reason(writer, memory)


def test_why_not_refuses_what_cannot_be_asked(writer: Actor) -> None:
    memory = factories.memory(writer)
    with pytest.raises(Invalid):
        why_not(actor=writer, memory_id=memory.pk, query="x", mode=Mode.RECENT)
    with pytest.raises(Invalid):
        why_not(actor=writer, memory_id=memory.pk, query="")


@pytest.mark.parametrize("name", EVERYBODY)
def test_why_not_tells_strangers_nothing(cast: Cast, name: str) -> None:
    memory = cast.memory()
    actor = cast[name].actor()
    if name in WHO_SEES["team"]:
        assert why_not(actor=actor, memory_id=memory.pk, query="pager").reason
    else:
        with pytest.raises(NotFound):
            why_not(actor=actor, memory_id=memory.pk, query="pager")


def test_why_not_tells_readers_nothing_of_the_forgotten(cast: Cast) -> None:
    memory = cast.memory()
    operations.forget_memory(actor=cast["writer"].actor(), memory_id=memory.pk)
    for name in ("viewer", "stranger"):
        with pytest.raises(NotFound):
            reason(cast[name].actor(), memory)
    with pytest.raises(NotFound):
        reason(replace(cast["writer"].actor(), verbs=frozenset({Verb.READ})), memory)


def test_the_endpoint_asks_for_an_id(cast: Cast) -> None:
    headers = doors.headers(cast["writer"])
    memory = cast.memory()
    client = Client()
    ask = {"query": "pager", "memory_id": str(memory.pk)}
    found = client.post("/api/v1/recall/why-not", ask, content_type="application/json", headers=headers)
    assert found.json() == {"rank": 1, "reason": "It is there, as number 1."}
    odd = client.post("/api/v1/recall/why-not", {"query": "x"}, content_type="application/json", headers=headers)
    assert (odd.status_code, list(odd.json()["fields"])) == (400, ["memory_id"])


def test_a_token_that_may_not_read_recalls_nothing(cast: Cast) -> None:
    memory = cast.memory()
    blind = factories.actor(cast["writer"].agent, verbs=frozenset({Verb.WRITE}), workspace="blue")
    for mode in (Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC, Mode.RECENT, Mode.IMPORTANT):
        assert recall(actor=blind, query=memory.content, mode=mode).hits == []
    with pytest.raises(NotFound):
        reason(blind, memory)
