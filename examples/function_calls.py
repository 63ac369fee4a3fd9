"""A plain function-calling loop for any server with an OpenAI-compatible API: pip install ./clients/python openai

The model calls tools and the hub answers, until the model gives its final answer. `Responses` does the same for the
Responses API; `AsyncChat` and `AsyncResponses` are for asynchronous code. You can add tools of your own.
"""

from functools import partial

import stand_in
from memoryhub_client import MemoryHub
from memoryhub_client.function_calls import Chat
from memoryhub_client.toolbox import Toolbox
from openai import OpenAI

CALLS = [
    ("save_memory", {"key": "tide", "content": "High tide in Husum is at six."}),
    ("recall_memories", {"query": "When is high tide?"}),
    ("harbour_of", {"town": "Husum"}),
]
HARBOUR_OF = {
    "type": "function",
    "function": {
        "name": "harbour_of",
        "description": "The harbour of a town.",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]},
    },
}
QUESTION = "High tide in Husum is at six. Save that under the key tide, recall it, and tell me which harbour to go to."


def harbour_of(town: str) -> str:
    return f"The inner harbour of {town}."


with (
    stand_in.openai(CALLS) as (reached, model),
    OpenAI(**reached) as client,
    MemoryHub() as hub,
):
    tools = Toolbox(hub, dialect="group", only=["save_memory", "recall_memories"])
    create = partial(client.chat.completions.create, model=model)
    answer = Chat(create, tools, own=[(HARBOUR_OF, harbour_of)]).run([{"role": "user", "content": QUESTION}])

for message in answer.conversation:
    print(message["role"], message.get("content") or [call["function"] for call in message.get("tool_calls", ())])
