"""The hub's tools in LangChain: pip install "./clients/python[langchain]"

If OPENAI_API_KEY is set (and langchain-openai installed), a real model calls them. Otherwise LangChain's fake chat
model follows a script.
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


with MemoryHub() as hub:
    # The tools of the dialect "scoped", where memories belong to a person. A LangGraph agent takes this list as it is.
    tools = memory_tools(hub.with_context(user="mira"), dialect="scoped", only=["save", "recall"])
    model, tools_by_name = model_with(tools), {tool.name: tool for tool in tools}
    conversation: list[AnyMessage] = [HumanMessage("I like a window seat. Save that as seat; then say which I like.")]
    while True:
        reply = model.invoke(conversation)
        conversation.append(reply)
        if not reply.tool_calls:
            break
        # A tool message holds text for the model as its content, and the full result as its artifact.
        conversation += [tools_by_name[call["name"]].invoke(call) for call in reply.tool_calls]

for message in conversation:
    print(message.type, message.content or message.tool_calls)  # type: ignore[union-attr]
