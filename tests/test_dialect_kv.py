"""The dialect kv, as its documentation has it."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memories import operations
from memories.models import Memory, RecallLog, Revision, Usage
from memories.operations import Draft
from memories.rules.policies import SAVE_EVERYTHING
from memories.tools import tool
from memoryhub.errors import KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Agent, Team, Verb
from tests import factories, tools
from tests.caller import Caller
from tests.cast import Cast
from tests.test_races import at_once

CORE = """We are a B2B SaaS company targeting CTOs. Our tone is direct, technical, and jargon-free.
We post on LinkedIn twice a week. Never use generic AI buzzwords."""
BLOCK = f"""--- TEAM CORE MEMORY ---
{CORE}
------------------------"""


def memory(actor: Actor, **arguments: Any) -> Any:
    return tools.result(actor, "kv/memory", arguments)


def refuse_kv_call(actor: Actor, *, verbs: tuple[Verb, ...] = tuple(Verb), **arguments: Any) -> tuple[int, str, str]:
    return tools.refusal(actor, "kv/memory", arguments, verbs=verbs)


def block(actor: Actor) -> str:
    """Return the block that goes into the system prompt."""
    answer = Caller(Agent.objects.get(pk=actor.agent_id))("GET", "context?sections=core").json()
    return str(answer["text"]).removesuffix("\n")


def save_everything(writer: Actor) -> None:
    """Let the team's agents change the core memory."""
    Team.objects.filter(pk=writer.team_id).update(policy=SAVE_EVERYTHING)


def test_the_documented_day_of_a_key(writer: Actor) -> None:
    save_everything(writer)
    made = memory(writer, command="create", key="core", content=CORE)
    assert set(made) == {"key", "content", "createdAt", "updatedAt"}
    assert memory(writer, command="view", key="core") == made
    assert (made["content"], block(writer)) == (CORE, BLOCK)
    changed = memory(writer, command="update", key="core", content="...")  # the documented call
    assert (changed["content"], block(writer)) == ("...", BLOCK.replace(CORE, "..."))
    memory(writer, command="update", key="core", content="We are launching a new product next month.")
    assert memory(writer, command="view", key="core")["content"] == "We are launching a new product next month."
    longer = memory(writer, command="update", key="core", content="Never use buzzwords.", mode="append")
    assert longer["content"] == "We are launching a new product next month.\nNever use buzzwords."
    assert (longer["key"], longer["createdAt"]) == ("core", made["createdAt"])
    assert longer["updatedAt"] > made["updatedAt"]
    history = Revision.objects.order_by("version").values_list("change", flat=True)
    assert list(history) == ["created", "updated", "updated", "appended"]


def test_search_finds_three_by_any_part_the_newest_first(writer: Actor) -> None:
    for number in range(5):
        memory(writer, command="create", key=f"rule-{number}", content=f"Brand Rule number {number}")
    memory(writer, command="update", key="rule-1", content="the oldest brand rule, changed")
    found = memory(writer, command="search", query="rand RULE")["entries"]
    assert [entry["key"] for entry in found] == ["rule-1", "rule-4", "rule-3"]
    assert set(found[0]) == {"key", "content", "createdAt", "updatedAt"}
    assert memory(writer, command="search", query="brand voice") == {"entries": []}
    assert memory(writer, command="search", query="rule-1") == {"entries": []}  # the content, not the key


@pytest.mark.parametrize(
    ("query", "found"),
    [("%", "100% cotton"), ("_", "snake_case"), ("\\", "C:\\temp"), ("0% c", "100% cotton"), ("'", "it's")],
)
def test_wildcards_are_plain_characters(writer: Actor, query: str, found: str) -> None:
    for number, content in enumerate(["100% cotton", "snake_case", "C:\\temp", "it's", "plain"]):
        memory(writer, command="create", key=f"k{number}", content=content)
    assert [entry["content"] for entry in memory(writer, command="search", query=query)["entries"]] == [found]


def test_create_refuses_a_key_that_exists(writer: Actor) -> None:
    memory(writer, command="create", key="core", content="one")
    assert refuse_kv_call(writer, command="create", key=" core ", content="two") == (
        409,
        "key_taken",
        "The key 'core' exists already.",
    )
    assert memory(writer, command="view", key="core")["content"] == "one"


@pytest.mark.parametrize("command", ["view", "update"])
def test_a_missing_key_is_told_and_not_made(writer: Actor, command: str) -> None:
    for mode in ("overwrite", "append"):
        told = refuse_kv_call(writer, command=command, key="core", content="x", mode=mode)
        assert told == (404, "not_found", "There is no memory with the key 'core'.")
    assert not Memory.objects.exists()


def test_a_forgotten_key_can_be_made_again(writer: Actor) -> None:
    memory(writer, command="create", key="k", content="one")
    operations.forget_memory(actor=writer, memory_id=Memory.objects.get().pk)
    assert refuse_kv_call(writer, command="view", key="k")[0] == 404
    assert memory(writer, command="create", key="k", content="two")["content"] == "two"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"command": "view"}, "key"),
        ({"command": "create", "key": "k"}, "content"),
        ({"command": "create", "content": "x"}, "key"),
        ({"command": "update", "key": "k"}, "content"),
        ({"command": "search", "key": "k"}, "query"),
        ({"command": "search", "query": None}, "query"),
        ({"command": "create", "key": "  ", "content": "x"}, "key"),
        ({"command": "view", "key": "\t"}, "key"),
        ({"command": "create", "key": "a\nb", "content": "x"}, "key"),
        ({"command": "create", "key": "k", "content": "  "}, "content"),
        ({"command": "create", "key": "k" * 201, "content": "x"}, "key"),
        ({"command": "update", "key": "k", "content": "x", "mode": "prepend"}, "mode"),
        ({"command": "erase", "key": "k"}, "command"),
        ({"key": "k"}, "command"),
        ({"command": "view", "key": 7}, "key"),
        ({"command": "view", "key": "k", "team": "other"}, "team"),
    ],
)
def test_missing_and_odd_arguments_are_named(writer: Actor, arguments: dict[str, Any], field: str) -> None:
    response = tools.call(writer, "kv/memory", arguments)
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])
    assert not Memory.objects.exists()


def test_fifty_thousand_bytes_fit_and_one_more_does_not(writer: Actor) -> None:
    memory(writer, command="create", key="k", content="é" * 25_000)
    status, code, sentence = refuse_kv_call(writer, command="update", key="k", content="x", mode="append")
    assert (status, code) == (413, "too_large")
    assert "50,002" in sentence
    status, code, sentence = refuse_kv_call(writer, command="create", key="more", content="é" * 25_000 + "x")
    assert (status, code) == (413, "too_large")
    assert "50,001" in sentence
    assert Memory.objects.get().version == 1


def test_each_team_has_its_own_keys(cast: Cast) -> None:
    ops, sales, elsewhere = (factories.actor(cast[name].agent) for name in ("writer", "stranger", "outsider"))
    for actor in (ops, sales, elsewhere):
        memory(actor, command="create", key="core", content=f"ours {actor.team_id}")
    for actor in (ops, sales, elsewhere):
        assert memory(actor, command="view", key="core")["content"] == f"ours {actor.team_id}"
        assert len(memory(actor, command="search", query="ours")["entries"]) == 1


def test_a_director_has_its_own_teams_keys_too(cast: Cast) -> None:
    chief = factories.actor(factories.agent(cast.executive, "chief"))
    memory(chief, command="create", key="core", content="above")
    director = factories.actor(cast["director"].agent)
    assert refuse_kv_call(director, command="view", key="core")[0] == 404
    assert refuse_kv_call(director, command="update", key="core", content="x")[0] == 404
    assert memory(director, command="create", key="core", content="below")["content"] == "below"
    assert [entry["content"] for entry in memory(director, command="search", query="o")["entries"]] == ["below"]


def test_what_other_doors_saved_goes_by_its_id(writer: Actor) -> None:
    keyless = factories.memory(writer, "Berth 7 is closed.")
    namesakes = [factories.memory(writer, f"berth {n}", key="berth", dedupe="create") for n in range(2)]
    names = {entry["content"]: entry["key"] for entry in memory(writer, command="search", query="berth")["entries"]}
    assert names == {"Berth 7 is closed.": str(keyless.pk), "berth 0": "berth", "berth 1": str(namesakes[1].pk)}
    memory(writer, command="update", key=str(keyless.pk), content="Berth 7 is open.")
    assert memory(writer, command="view", key=str(keyless.pk))["content"] == "Berth 7 is open."
    assert memory(writer, command="view", key="berth")["content"] == "berth 0"


def test_overwriting_drops_the_summary_of_the_former_text(writer: Actor) -> None:
    save_everything(writer)
    factories.memory(writer, "long text", key="core", summary="short")
    memory(writer, command="update", key="core", content="new")
    assert Memory.objects.get().summary == ""


def test_what_is_appended_to_a_summarised_core_reaches_the_prompt(writer: Actor) -> None:
    save_everything(writer)
    factories.memory(writer, "We write plainly, and at length.", key="core", summary="Plain words.")
    memory(writer, command="update", key="core", content="We are launching a new product.", mode="append")
    told = "We write plainly, and at length.\nWe are launching a new product."
    assert block(writer) == BLOCK.replace(CORE, told)
    assert Revision.objects.order_by("version").values_list("summary", flat=True)[0] == "Plain words."


def test_a_search_counts_use(writer: Actor) -> None:
    memory(writer, command="create", key="k", content="tide tables")
    memory(writer, command="search", query="tide")
    assert RecallLog.objects.get().query == "tide"
    assert Usage.objects.get().access_count == 1


def test_the_verbs_of_the_token_decide(writer: Actor) -> None:
    memory(writer, command="create", key="k", content="secret")
    for command in ("create", "update"):
        assert refuse_kv_call(writer, verbs=(Verb.READ,), command=command, key="k", content="x")[0] == 403
    assert refuse_kv_call(writer, verbs=(Verb.WRITE,), command="view", key="k")[0] == 403
    assert refuse_kv_call(writer, verbs=(Verb.WRITE,), command="search", query="s")[0] == 403
    blind = tools.call(
        writer, "kv/memory", {"command": "update", "key": "k", "content": "x", "mode": "append"}, verbs=(Verb.WRITE,)
    )
    assert set(blind.json()) == {"key", "createdAt", "updatedAt"}


def test_a_search_costs_the_same_however_many_there_are(
    writer: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    search = tool("kv", "memory")
    for number in range(4):
        factories.memory(writer, f"tide {number}", key=f"k{number}")
        with django_assert_num_queries(5):  # one reads; the rest write the ledger
            search.run(actor=writer, arguments={"command": "search", "query": "tide"})


@pytest.mark.django_db(transaction=True)
def test_of_twenty_that_create_a_key_one_wins(transactional_db: None) -> None:
    writer, made = factories.actor(), tool("kv", "memory")
    act = lambda n: made.run(actor=writer, arguments={"command": "create", "key": "k", "content": f"by {n}"})  # noqa: E731
    results = at_once(20, act)
    winners = [result for result in results if isinstance(result, dict)]
    assert (len(winners), sum(isinstance(result, KeyTaken) for result in results)) == (1, 19)
    assert Memory.objects.get().content == winners[0]["content"]


@pytest.mark.django_db(transaction=True)
def test_twenty_appends_at_once_all_arrive(transactional_db: None) -> None:
    writer, added = factories.actor(), tool("kv", "memory")
    factories.memory(writer, "start", key="k")
    arguments = {"command": "update", "key": "k", "mode": "append"}
    at_once(20, lambda n: added.run(actor=writer, arguments={**arguments, "content": f"line {n}"}))
    assert sorted(Memory.objects.get().content.splitlines()[1:]) == sorted(f"line {n}" for n in range(20))


@pytest.mark.django_db(transaction=True)
def test_an_update_beside_forgetting_never_brings_a_key_back(transactional_db: None) -> None:
    writer, changed = factories.actor(), tool("kv", "memory")

    def update() -> object:
        try:
            return changed.run(actor=writer, arguments={"command": "update", "key": "k", "content": "changed"})
        except NotFound as refusal:
            return refusal

    for _ in range(10):
        row = operations.save_memory(actor=writer, draft=Draft(key="k", content="before"))
        acts = [lambda pk=row.pk: operations.forget_memory(actor=writer, memory_id=pk), update]  # type: ignore[misc]
        at_once(2, lambda n, acts=acts: acts[n]())  # type: ignore[misc]
        assert not Memory.objects.alive().exists()
