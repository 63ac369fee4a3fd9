"""The tool-call loop for any OpenAI-compatible API: the model calls tools, the hub answers, until the model replies
with text.

    Chat(partial(client.chat.completions.create, model="…"), Toolbox(hub)).run(messages).text

The first argument is called with `messages` (or `input`) and `tools`, and returns objects of OpenAI's SDK or plain
JSON; no SDK is needed here.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, ClassVar

from memoryhub_client.errors import MemoryHubError
from memoryhub_client.shapes import JSON
from memoryhub_client.toolbox import AsyncToolbox, NoSuchCall, Tool, Toolbox, parse_arguments

ROUNDS = 20  # of calls and answers; a model that needs more is stuck in a loop

Function = Callable[..., Any]
Own = Sequence[tuple[JSON, Function]]  # tools of your own: the definition and the function of each


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    conversation: list[Any]  # all messages, ready to be continued


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call requested by the model."""

    id: str
    name: str
    arguments: str


class TooManyRounds(MemoryHubError):
    """Raised when a model keeps calling tools; `conversation` holds the messages so far."""

    def __init__(self, conversation: list[Any]) -> None:
        super().__init__(f"The model still calls tools after {ROUNDS} rounds.")
        self.conversation = conversation


class ChatStyle:
    """Speaks `/chat/completions`."""

    messages_key = "messages"

    def definition(self, tool: Tool) -> JSON:
        return {"type": "function", "function": tool.definition}

    def name(self, definition: JSON) -> str:
        return str(definition["function"]["name"])

    def read_messages(self, response: Any) -> list[JSON]:
        return [_to_json(_to_json(response)["choices"][0]["message"])]

    def read_tool_calls(self, messages: Sequence[JSON]) -> Iterator[ToolCall]:
        for call in messages[-1].get("tool_calls") or ():
            yield ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])

    def build_tool_result(self, call: ToolCall, text: str) -> JSON:
        return {"role": "tool", "tool_call_id": call.id, "content": text}

    def read_text(self, messages: Sequence[JSON]) -> str:
        return messages[-1].get("content") or ""


class ResponsesStyle:
    """Speaks `/responses`."""

    messages_key = "input"

    def definition(self, tool: Tool) -> JSON:
        return {"type": "function", **tool.definition, "strict": False}

    def name(self, definition: JSON) -> str:
        return str(definition["name"])

    def read_messages(self, response: Any) -> list[JSON]:
        return [_to_json(item) for item in _to_json(response)["output"]]

    def read_tool_calls(self, messages: Sequence[JSON]) -> Iterator[ToolCall]:
        for item in messages:
            if item["type"] == "function_call":
                yield ToolCall(item["call_id"], item["name"], item["arguments"])

    def build_tool_result(self, call: ToolCall, text: str) -> JSON:
        return {"type": "function_call_output", "call_id": call.id, "output": text}

    def read_text(self, messages: Sequence[JSON]) -> str:
        parts = [part for item in messages if item["type"] == "message" for part in item["content"]]
        return "".join(part.get("text", "") for part in parts)


Style = ChatStyle | ResponsesStyle
Step = JSON | ToolCall  # a request to the model, or a tool call to make
LoopPlan = Generator[Step, Any, Answer]


class _Loop:
    style: ClassVar[Style]

    def __init__(self, create: Function, own: Own) -> None:
        self.create, self.own = create, {self.style.name(definition): act for definition, act in own}
        self._own_definitions = [definition for definition, _ in own]

    def plan(self, conversation: Sequence[Any], tools: Iterable[Tool]) -> LoopPlan:
        """Yield model requests and tool calls, the calls of one round in the order the model made them."""
        history, offered = list(conversation), [*map(self.style.definition, tools), *self._own_definitions]
        for _ in range(ROUNDS):
            messages = self.style.read_messages((yield {self.style.messages_key: history, "tools": offered}))
            history += messages
            calls = list(self.style.read_tool_calls(messages))
            if not calls:
                return Answer(self.style.read_text(messages), history)
            for call in calls:
                history.append(self.style.build_tool_result(call, (yield call)))
        raise TooManyRounds(history)


class _PlainLoop(_Loop):
    def __init__(self, create: Function, box: Toolbox, *, own: Own = ()) -> None:
        super().__init__(create, own)
        self.box = box

    def run(self, conversation: Sequence[Any]) -> Answer:
        plan = self.plan(conversation, self.box.tools().values())
        step = next(plan)
        while True:
            answered = self._run_tool(step) if isinstance(step, ToolCall) else self.create(**step)
            try:
                step = plan.send(answered)
            except StopIteration as done:
                answer: Answer = done.value
                return answer

    def _run_tool(self, call: ToolCall) -> str:
        if call.name not in self.own:
            return self.box.answer(call.name, call.arguments)
        try:
            return str(self.own[call.name](**parse_arguments(call.arguments)))
        except NoSuchCall as refusal:
            return str(refusal)


class _AsyncLoop(_Loop):
    """Runs the loop asynchronously. Your own functions may be of either kind."""

    def __init__(self, create: Function, box: AsyncToolbox, *, own: Own = ()) -> None:
        super().__init__(create, own)
        self.box = box

    async def run(self, conversation: Sequence[Any]) -> Answer:
        plan = self.plan(conversation, (await self.box.tools()).values())
        step = next(plan)
        while True:
            answered = await (self._run_tool(step) if isinstance(step, ToolCall) else self.create(**step))
            try:
                step = plan.send(answered)
            except StopIteration as done:
                answer: Answer = done.value
                return answer

    async def _run_tool(self, call: ToolCall) -> str:
        if call.name not in self.own:
            return await self.box.answer(call.name, call.arguments)
        try:
            result = self.own[call.name](**parse_arguments(call.arguments))
            return str(await result if isawaitable(result) else result)
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


def _to_json(value: Any) -> JSON:
    """Convert SDK objects to JSON without nulls, which not every server accepts."""
    dumped = value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else dict(value)
    result: JSON = dumped
    return result
