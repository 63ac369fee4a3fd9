"""The hub's tools in LangChain: pip install "./clients/python[langchain]"

With OPENAI_API_KEY (and langchain-openai) a real model calls them; without, one of LangChain's own that says what it is
given to say.
"""

import os
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import BaseTool
from memoryhub_client import MemoryHub
from memoryhub_client.langchain import memory_tools

SCRIPT = [
    AIMessage("", tool_calls=[{"id": "1", "name": "save", "args": {"key": "seat", "value": "A window seat."}}]),
    AIMessage("", tool_calls=[{"id": "2", "name": "recall", "args": {"query": "Which seat?"}}]),
    AIMessage("You like a window seat."),
]


def model_with(tools: Sequence[BaseTool]) -> Any:
    if "OPENAI_API_KEY" not in os.environ:
        return GenericFakeChatModel(messages=iter(SCRIPT))
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-5-mini")).bind_tools(tools)


with MemoryHub(os.environ["HUB"], os.environ["TOKEN"]) as hub:
    # Of the dialect "scoped", in which memories are a person's own. An agent of LangGraph takes the list as it is.
    tools = memory_tools(hub.with_context(user="mira"), dialect="scoped", only=["save", "recall"])
    model, named = model_with(tools), {tool.name: tool for tool in tools}
    conversation: list[AnyMessage] = [HumanMessage("I like a window seat. Save that as seat; then say which I like.")]
    while True:
        said = model.invoke(conversation)
        conversation.append(said)
        if not said.tool_calls:
            break
        # A tool's message has text for the model as its content, and the whole answer as its artifact.
        conversation += [named[call["name"]].invoke(call) for call in said.tool_calls]

for message in conversation:
    print(message.type, message.content or message.tool_calls)  # type: ignore[union-attr]
