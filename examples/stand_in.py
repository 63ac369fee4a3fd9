"""A stand-in for a model, so that every example runs without an API key. It makes the tool calls of a script one
after another, then repeats the last tool result. It serves the parts of OpenAI's and Anthropic's HTTP APIs that this
takes."""

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
    """Yield the arguments for OpenAI's client and a model's name: a real one if there is a key, else the stand-in."""
    if os.environ.get("OPENAI_API_KEY"):
        yield {}, os.environ.get("OPENAI_MODEL", "gpt-5-mini")
    else:
        with serve(script) as address:
            yield {"base_url": f"{address}/v1", "api_key": "none"}, "stand-in"


@contextmanager
def anthropic(script: Sequence[Call]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the same for Anthropic's client."""
    if os.environ.get("ANTHROPIC_API_KEY"):
        yield {}, os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-4-5")
    else:
        with serve(script) as address:
            yield {"base_url": address, "api_key": "none"}, "stand-in"


@contextmanager
def serve(script: Sequence[Call]) -> Iterator[str]:
    """Serve the stand-in and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps(NAMES | ENDPOINTS[self.path](script, body)).encode()
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


def chat(script: Sequence[Call], body: dict[str, Any]) -> dict[str, Any]:
    results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if len(results) < len(script):
        name, arguments = script[len(results)]
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": f"call_{len(results)}", "type": "function", "function": function}]
    else:
        message["content"] = repeat_last(results)
    reason = "tool_calls" if message["content"] is None else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}


def responses(script: Sequence[Call], body: dict[str, Any]) -> dict[str, Any]:
    results = [item["output"] for item in body["input"] if item.get("type") == "function_call_output"]
    item: dict[str, Any]
    if len(results) < len(script):
        name, arguments = script[len(results)]
        item = {"type": "function_call", "id": f"fc_{len(results)}", "call_id": f"call_{len(results)}", "name": name}
        item |= {"arguments": json.dumps(arguments), "status": "completed"}
    else:
        text = {"type": "output_text", "text": repeat_last(results), "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    rest = {"status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": body.get("tools", [])}
    return {"id": "resp_1", "object": "response", "output": [item], **rest}


def messages(script: Sequence[Call], body: dict[str, Any]) -> dict[str, Any]:
    contents = [message["content"] for message in body["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    results = [block["content"] for block in blocks if block["type"] == "tool_result"]
    answered = [int(block["tool_use_id"].removeprefix("toolu_")) for block in blocks if block["type"] == "tool_result"]
    number = max(answered, default=-1) + 1  # the SDK may send the latest messages alone
    content: dict[str, Any]
    if number < len(script):
        name, arguments = script[number]
        content = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
    else:
        content = {"type": "text", "text": repeat_last(results)}
    reason = "tool_use" if content["type"] == "tool_use" else "end_turn"
    rest = {"stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0}}
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": [content], **rest}


def repeat_last(results: Sequence[Any]) -> str:
    """Return the last tool result, which is text or a list of text blocks."""
    last = results[-1] if results else "nothing"
    return f"I was told: {last if isinstance(last, str) else ''.join(block['text'] for block in last)}"


ENDPOINTS = {
    "/v1/chat/completions": chat,
    "/v1/responses": responses,
    "/v1/messages": messages,
    "/v1/messages?beta=true": messages,
}
