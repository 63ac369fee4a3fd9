"""A model that needs no key, so that every example runs: it makes the tool calls of a script, one after another, and
then repeats what it was told last. It is served over HTTP and speaks as much of OpenAI's and Anthropic's API."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Call = tuple[str, dict[str, Any]]  # a tool's name and its arguments
NAMES = {"model": "stand-in", "created": 0, "created_at": 0}


@contextmanager
def openai(script: Sequence[Call]) -> Iterator[tuple[dict[str, Any], str]]:
    """What OpenAI's client is made with, and a model's name: OpenAI's own if there is a key, else the stand-in."""
    if os.environ.get("OPENAI_API_KEY"):
        yield {}, os.environ.get("OPENAI_MODEL", "gpt-5-mini")
    else:
        with served(script) as address:
            yield {"base_url": f"{address}/v1", "api_key": "none"}, "stand-in"


@contextmanager
def anthropic(script: Sequence[Call]) -> Iterator[tuple[dict[str, Any], str]]:
    """The same for Anthropic's."""
    if os.environ.get("ANTHROPIC_API_KEY"):
        yield {}, os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-4-5")
    else:
        with served(script) as address:
            yield {"base_url": address, "api_key": "none"}, "stand-in"


@contextmanager
def served(script: Sequence[Call]) -> Iterator[str]:
    """The address of such a model."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps(NAMES | SPOKEN[self.path](script, asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def chat(script: Sequence[Call], asked: dict[str, Any]) -> dict[str, Any]:
    told = [message["content"] for message in asked["messages"] if message["role"] == "tool"]
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if len(told) < len(script):
        name, arguments = script[len(told)]
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": f"call_{len(told)}", "type": "function", "function": function}]
    else:
        message["content"] = repeated(told)
    reason = "tool_calls" if message["content"] is None else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}


def responses(script: Sequence[Call], asked: dict[str, Any]) -> dict[str, Any]:
    told = [item["output"] for item in asked["input"] if item.get("type") == "function_call_output"]
    item: dict[str, Any]
    if len(told) < len(script):
        name, arguments = script[len(told)]
        item = {"type": "function_call", "id": f"fc_{len(told)}", "call_id": f"call_{len(told)}", "name": name}
        item |= {"arguments": json.dumps(arguments), "status": "completed"}
    else:
        text = {"type": "output_text", "text": repeated(told), "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    rest = {"status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": asked.get("tools", [])}
    return {"id": "resp_1", "object": "response", "output": [item], **rest}


def messages(script: Sequence[Call], asked: dict[str, Any]) -> dict[str, Any]:
    blocks = [block for said in asked["messages"] if isinstance(said["content"], list) for block in said["content"]]
    told = [block["content"] for block in blocks if block["type"] == "tool_result"]
    answered = [int(block["tool_use_id"].removeprefix("toolu_")) for block in blocks if block["type"] == "tool_result"]
    number = max(answered, default=-1) + 1  # the SDK may send the latest messages alone
    content: dict[str, Any]
    if number < len(script):
        name, arguments = script[number]
        content = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
    else:
        content = {"type": "text", "text": repeated(told)}
    reason = "tool_use" if content["type"] == "tool_use" else "end_turn"
    rest = {"stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0}}
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": [content], **rest}


def repeated(told: Sequence[Any]) -> str:
    """A tool's answer is text, or blocks of it."""
    last = told[-1] if told else "nothing"
    return f"I was told: {last if isinstance(last, str) else ''.join(block['text'] for block in last)}"


SPOKEN = {
    "/v1/chat/completions": chat,
    "/v1/responses": responses,
    "/v1/messages": messages,
    "/v1/messages?beta=true": messages,
}
