"""The hub's tools in OpenAI's Agents SDK, in a loop of function calls and in LangChain: a scripted model calls them
over HTTP, and a live hub answers."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, RunConfig, Runner
from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from memoryhub_client import AsyncMemoryHub, MemoryHub, MemoryHubError, Retries, Unreachable, langchain, openai_agents
from memoryhub_client.function_calls import AsyncChat, AsyncResponses, Chat, Responses, TooManyRounds
from memoryhub_client.toolbox import AsyncToolbox, Toolbox
from openai import AsyncOpenAI, OpenAI

from examples import stand_in
from tests.hub import Hub, free_port, hub

SAVE = ("memory_save", {"content": "The ferry leaves at noon.", "memory_type": "fact"})
RECALL = ("memory_recall", {"query": "When does the ferry leave?"})
QUESTION = {"role": "user", "content": "When does the ferry leave?"}
STYLES = ("chat", "responses")
UNTRACED = RunConfig(tracing_disabled=True)


@pytest.fixture(scope="module")
def live() -> Iterator[Hub]:
    with hub() as made:
        made.start()
        yield made


@pytest.fixture(scope="module")
def access(live: Hub) -> tuple[str, str]:
    """Return the address of the hub and a token."""
    made = live.manage("create_team", "--org", "acme", "--team", "port")
    made = live.manage("create_token", "--org", "acme", "--team", "port", "--agent", "harbour-master")
    (token,) = re.findall(r"mh_\S+", made)
    return f"http://127.0.0.1:{live.port}", token


@pytest.fixture
def plain(access: tuple[str, str]) -> Iterator[MemoryHub]:
    with MemoryHub(*access) as made:
        yield made


@contextmanager
def model(*script: stand_in.Call) -> Iterator[dict[str, Any]]:
    """Yield the options with which OpenAI's client reaches a model that makes these calls."""
    with stand_in.serve(script) as address:
        yield {"base_url": f"{address}/v1", "api_key": "none", "max_retries": 0}


def asked_by(client: Any, style: str) -> Any:
    create = client.chat.completions.create if style == "chat" else client.responses.create
    return partial(create, model="stand-in")


def build_agent(client: AsyncOpenAI, style: str, tools: Sequence[Any]) -> Agent[Any]:
    kind = OpenAIChatCompletionsModel if style == "chat" else OpenAIResponsesModel
    return Agent(name="Sailor", tools=list(tools), model=kind(model="stand-in", openai_client=client))


@pytest.mark.parametrize("style", STYLES)
def test_an_agent_calls_the_tools(plain: MemoryHub, style: str) -> None:
    async def run_agent() -> str:
        with model(SAVE, RECALL) as reached:
            async with AsyncOpenAI(**reached) as client:
                sailor = build_agent(client, style, openai_agents.memory_tools(plain))
                return str((await Runner.run(sailor, QUESTION["content"], run_config=UNTRACED)).final_output)

    assert "The ferry leaves at noon." in asyncio.run(run_agent())


def test_an_agent_calls_the_tools_of_an_asynchronous_hub(access: tuple[str, str]) -> None:
    async def run_agent() -> str:
        with model(SAVE, RECALL) as reached:
            async with AsyncOpenAI(**reached) as client, AsyncMemoryHub(*access) as later:
                sailor = build_agent(client, "chat", await openai_agents.async_memory_tools(later))
                return str((await Runner.run(sailor, QUESTION["content"], run_config=UNTRACED)).final_output)

    assert "The ferry leaves at noon." in asyncio.run(run_agent())


def test_an_agent_reads_a_refusal(plain: MemoryHub) -> None:
    async def run_agent() -> str:
        with model(("memory_recall", {"mode": "typed"})) as reached:
            async with AsyncOpenAI(**reached) as client:
                sailor = build_agent(client, "chat", openai_agents.memory_tools(plain))
                return str((await Runner.run(sailor, "Hello", run_config=UNTRACED)).final_output)

    assert re.search(r"I was told: .*type", asyncio.run(run_agent()))


@pytest.mark.parametrize("style", STYLES)
def test_a_loop_makes_the_calls_of_a_model(plain: MemoryHub, style: str) -> None:
    loop = {"chat": Chat, "responses": Responses}[style]
    with model(SAVE, RECALL) as reached, OpenAI(**reached) as client:
        answer = loop(asked_by(client, style), Toolbox(plain)).run([QUESTION])
    assert "The ferry leaves at noon." in answer.text
    assert answer.conversation[0] == QUESTION
    assert len(answer.conversation) == 6  # the question, two calls with their answers, the last word


@pytest.mark.parametrize("style", STYLES)
def test_a_loop_makes_them_asynchronously(access: tuple[str, str], style: str) -> None:
    loop = {"chat": AsyncChat, "responses": AsyncResponses}[style]

    async def run_agent() -> str:
        with model(SAVE, RECALL) as reached:
            async with AsyncOpenAI(**reached) as client, AsyncMemoryHub(*access) as later:
                answer = await loop(asked_by(client, style), AsyncToolbox(later)).run([QUESTION])
                return answer.text

    assert "The ferry leaves at noon." in asyncio.run(run_agent())


def test_a_loop_takes_json_and_makes_calls_of_your_own(plain: MemoryHub) -> None:
    definition = {"type": "function", "function": {"name": "tide", "parameters": {"type": "object"}}}
    script = (("tide", {"port": "Kiel"}), ("memory_recall", {"mode": "recent"}), ("tide", {"port": "Bremen"}))

    def create(*, messages: list[Any], tools: list[Any]) -> dict[str, Any]:
        assert [tool["function"]["name"] for tool in tools][-1] == "tide"
        return stand_in.chat(script, {"messages": messages})

    loop = Chat(create, Toolbox(plain), own=[(definition, lambda port: f"High in {port}.")])
    assert loop.run([QUESTION]).text == "I was told: High in Bremen."


def test_a_model_is_told_what_it_called_wrongly(plain: MemoryHub) -> None:
    box = Toolbox(plain, only=["memory_recall"])
    assert box.answer("memory_delete", "{}") == "There is no tool 'memory_delete'; there are memory_recall."
    assert box.answer("memory_recall", '{"query": ').startswith("The arguments are not JSON: ")
    assert box.answer("memory_recall", "[]") == "The arguments must be a JSON object."
    assert box.answer("memory_recall", {"team": "x"}) == "team: There is no such field."


def test_a_model_that_never_ends_is_ended(plain: MemoryHub) -> None:
    script = [("memory_recall", {"mode": "recent"})] * 30
    with pytest.raises(TooManyRounds) as caught:
        Chat(lambda **said: stand_in.chat(script, said), Toolbox(plain)).run([QUESTION])
    assert len(caught.value.conversation) == 41


def test_tools_that_there_are_not_are_told_at_once(plain: MemoryHub) -> None:
    with pytest.raises(MemoryHubError, match="Dialect graph has no memory_dance; it has memory_save, memory_recall"):
        Toolbox(plain, only=["memory_dance"]).tools()


def test_a_hub_that_does_not_answer_raises(plain: MemoryHub, access: tuple[str, str]) -> None:
    box = Toolbox(plain)
    box.tools()
    with MemoryHub(f"http://127.0.0.1:{free_port()}", access[1], retries=Retries(most=0)) as nowhere:
        box.hub = nowhere
        with pytest.raises(Unreachable):
            box.answer(*RECALL)


def test_langchains_tools_are_called_in_either_way(plain: MemoryHub, access: tuple[str, str]) -> None:
    tools = {tool.name: tool for tool in langchain.memory_tools(plain)}
    tools["memory_save"].invoke(SAVE[1])
    call = {"type": "tool_call", "id": "1", "name": "memory_recall", "args": RECALL[1]}
    found = tools["memory_recall"].invoke(call)
    assert isinstance(found, ToolMessage)
    assert "The ferry leaves at noon." in found.content
    assert found.artifact["memories"][0]["content"] == "The ferry leaves at noon."
    assert asyncio.run(tools["memory_recall"].ainvoke(call)).artifact["memories"]

    async def later() -> ToolMessage:
        async with AsyncMemoryHub(*access) as hub:
            (recall,) = await langchain.async_memory_tools(hub, only=["memory_recall"])
            answer: ToolMessage = await recall.ainvoke(call)
            return answer

    assert "The ferry leaves at noon." in asyncio.run(later()).content


def test_langchains_messages_tell_of_a_refusal(plain: MemoryHub) -> None:
    (recall,) = langchain.memory_tools(plain, only=["memory_recall"])
    said = recall.invoke({"type": "tool_call", "id": "1", "name": "memory_recall", "args": {"mode": "typed"}})
    assert (said.status, "type" in said.content) == ("error", True)


@pytest.mark.parametrize("dialect", ["kv", "scoped", "group", "team", "graph", "files", "hub"])
def test_langchain_tells_models_what_the_hub_says(plain: MemoryHub, dialect: str) -> None:
    told = [convert_to_openai_tool(tool) for tool in langchain.memory_tools(plain, dialect=dialect)]
    said = plain.tools(dialect)
    assert [tool["function"]["name"] for tool in told] == [tool["function"]["name"] for tool in said]
    assert [tool["function"]["parameters"]["properties"] for tool in told] == [
        tool["function"]["parameters"]["properties"] for tool in said
    ]
    assert json.dumps(told)
