"""The loop between a model and its tools, for whatever speaks OpenAI's API: the model calls, the hub answers, until the
model has said what it wanted to say.

    Chat(partial(client.chat.completions.create, model="…"), Toolbox(hub)).run(messages).text

The first argument is called with `messages` (or `input`) and `tools`, and answers in objects of OpenAI's SDK or in JSON
as it came; no SDK is needed here.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, ClassVar

from memoryhub_client.errors import MemoryHubError
from memoryhub_client.shapes import JSON
from memoryhub_client.toolbox import AsyncToolbox, NoSuchCall, Tool, Toolbox, read

ROUNDS = 20  # of calls and answers; a model that wants more goes in circles

Function = Callable[..., Any]
Own = Sequence[tuple[JSON, Function]]  # tools of your own: the definition of each, and what it does


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    conversation: list[Any]  # all that was said; ready to be gone on with


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that the model wants to have made."""

    id: str
    name: str
    arguments: str


class Endless(MemoryHubError):
    """`conversation` is how far it came."""

    def __init__(self, conversation: list[Any]) -> None:
        super().__init__(f"The model still calls tools after {ROUNDS} rounds.")
        self.conversation = conversation


class ChatStyle:
    """`/chat/completions`."""

    said_as = "messages"

    def definition(self, tool: Tool) -> JSON:
        return {"type": "function", "function": tool.definition}

    def name(self, definition: JSON) -> str:
        return str(definition["function"]["name"])

    def said(self, response: Any) -> list[JSON]:
        return [_plain(_plain(response)["choices"][0]["message"])]

    def wanted(self, said: Sequence[JSON]) -> Iterator[Wanted]:
        for call in said[-1].get("tool_calls") or ():
            yield Wanted(call["id"], call["function"]["name"], call["function"]["arguments"])

    def answered(self, call: Wanted, text: str) -> JSON:
        return {"role": "tool", "tool_call_id": call.id, "content": text}

    def text(self, said: Sequence[JSON]) -> str:
        return said[-1].get("content") or ""


class ResponsesStyle:
    """`/responses`."""

    said_as = "input"

    def definition(self, tool: Tool) -> JSON:
        return {"type": "function", **tool.definition, "strict": False}

    def name(self, definition: JSON) -> str:
        return str(definition["name"])

    def said(self, response: Any) -> list[JSON]:
        return [_plain(item) for item in _plain(response)["output"]]

    def wanted(self, said: Sequence[JSON]) -> Iterator[Wanted]:
        for item in said:
            if item["type"] == "function_call":
                yield Wanted(item["call_id"], item["name"], item["arguments"])

    def answered(self, call: Wanted, text: str) -> JSON:
        return {"type": "function_call_output", "call_id": call.id, "output": text}

    def text(self, said: Sequence[JSON]) -> str:
        parts = [part for item in said if item["type"] == "message" for part in item["content"]]
        return "".join(part.get("text", "") for part in parts)


Style = ChatStyle | ResponsesStyle
Step = JSON | Wanted  # what to ask the model with, or a call to make
Plan = Generator[Step, Any, Answer]


class _Loop:
    style: ClassVar[Style]

    def __init__(self, create: Function, own: Own) -> None:
        self.create, self.own = create, {self.style.name(definition): act for definition, act in own}
        self._told = [definition for definition, _ in own]

    def plan(self, conversation: Sequence[Any], tools: Iterable[Tool]) -> Plan:
        """Calls of one round are made in the order in which the model wants them."""
        kept, offered = list(conversation), [*map(self.style.definition, tools), *self._told]
        for _ in range(ROUNDS):
            said = self.style.said((yield {self.style.said_as: kept, "tools": offered}))
            kept += said
            calls = list(self.style.wanted(said))
            if not calls:
                return Answer(self.style.text(said), kept)
            for call in calls:
                kept.append(self.style.answered(call, (yield call)))
        raise Endless(kept)


class _PlainLoop(_Loop):
    def __init__(self, create: Function, box: Toolbox, *, own: Own = ()) -> None:
        super().__init__(create, own)
        self.box = box

    def run(self, conversation: Sequence[Any]) -> Answer:
        plan = self.plan(conversation, self.box.tools().values())
        step = next(plan)
        while True:
            answered = self._done(step) if isinstance(step, Wanted) else self.create(**step)
            try:
                step = plan.send(answered)
            except StopIteration as done:
                answer: Answer = done.value
                return answer

    def _done(self, call: Wanted) -> str:
        if call.name not in self.own:
            return self.box.answer(call.name, call.arguments)
        try:
            return str(self.own[call.name](**read(call.arguments)))
        except NoSuchCall as refusal:
            return str(refusal)


class _AsyncLoop(_Loop):
    """The same for asynchronous code. Functions of your own may be of either kind."""

    def __init__(self, create: Function, box: AsyncToolbox, *, own: Own = ()) -> None:
        super().__init__(create, own)
        self.box = box

    async def run(self, conversation: Sequence[Any]) -> Answer:
        plan = self.plan(conversation, (await self.box.tools()).values())
        step = next(plan)
        while True:
            answered = await (self._done(step) if isinstance(step, Wanted) else self.create(**step))
            try:
                step = plan.send(answered)
            except StopIteration as done:
                answer: Answer = done.value
                return answer

    async def _done(self, call: Wanted) -> str:
        if call.name not in self.own:
            return await self.box.answer(call.name, call.arguments)
        try:
            done = self.own[call.name](**read(call.arguments))
            return str(await done if isawaitable(done) else done)
        except NoSuchCall as refusal:
            return str(refusal)


class Chat(_PlainLoop):
    style = ChatStyle()


class AsyncChat(_AsyncLoop):
    style = ChatStyle()


class Responses(_PlainLoop):
    style = ResponsesStyle()


class AsyncResponses(_AsyncLoop):
    style = ResponsesStyle()


def _plain(said: Any) -> JSON:
    """Objects of the SDK as JSON, without what they leave out: not every server takes a null."""
    dumped = said.model_dump(mode="json", exclude_none=True) if hasattr(said, "model_dump") else dict(said)
    found: JSON = dumped
    return found
