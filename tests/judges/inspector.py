"""The MCP Inspector's command line lists and calls every tool, resource and prompt of a hub, and each dialect's tools,
in either era of the protocol: `make inspector`."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.judges import node
from tests.stories import DAYS, Calls, hub_day

INSPECTOR_PACKAGE = "@modelcontextprotocol/inspector@2.12.0"
ERAS = ("legacy", "modern")  # with a handshake, and without


@dataclass(frozen=True)
class Inspector:
    command: list[str]
    address: str
    token: str
    environment: Mapping[str, str]

    def ask(self, method: str, *options: str) -> Any:
        said = ["--cli", "--server-url", self.address, "--transport", "http", "--method", method, *options]
        said += ["--header", f"Authorization: Bearer {self.token}", "--format", "json", "--quiet"]
        environment = os.environ | self.environment
        done = subprocess.run([*self.command, *said], env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{self.address} {method} {' '.join(options)}: {done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        return answer.get("result", answer)

    def live(self, day: Calls, *options: str) -> set[str]:
        """Make the calls of that day, all of which must succeed, and return the names of the tools."""
        called, answer = set(), None
        while True:
            try:
                name, arguments = next(day) if answer is None else day.send(answer)
            except StopIteration:
                return called
            said = ["--tool-name", name, "--tool-args-json", json.dumps(arguments), *options]
            result = self.ask("tools/call", *said)
            if result.get("isError"):
                sys.exit(f"{name} was refused: {result}")
            answer = result["structuredContent"]
            called.add(name)


def main() -> None:
    command = node.command(INSPECTOR_PACKAGE, "mcp-inspector")
    for era in ERAS:
        with node.start_judged_hub() as (hub, token):
            apart = {"MCP_CATALOG_PATH": str(hub.folder / "mcp.json"), "no_proxy": "127.0.0.1"}
            address, options = f"http://127.0.0.1:{hub.port}/mcp", ("--protocol-era", era)
            print(era, all_of_the_hub(Inspector(command, address, token, apart), options), flush=True)
            for dialect, day in DAYS.items():
                there = Inspector(command, f"{address}/{dialect}", token, apart)
                print(era, dialect, f"{tools(there, day(), options)} tools", flush=True)


def all_of_the_hub(hub: Inspector, options: tuple[str, ...]) -> str:
    called = tools(hub, hub_day(), options)
    resources = [row["uri"] for row in hub.ask("resources/list", *options)["resources"]]
    team = resources[0].split("/")[2]
    for uri in (*resources, f"memory://{team}/berth-7"):
        (content,) = hub.ask("resources/read", "--uri", uri, *options)["contents"]
        assert content["text"], uri
    templates = hub.ask("resources/templates/list", *options)["resourceTemplates"]
    prompts = [row["name"] for row in hub.ask("prompts/list", *options)["prompts"]]
    for name in prompts:
        made = hub.ask("prompts/get", "--prompt-name", name, "--prompt-args", "query=berths", "budget=500", *options)
        assert "Berth 7" in made["messages"][0]["content"]["text"]
    return f"{called} tools, {len(resources)} resources, {len(templates)} templates, {len(prompts)} prompts"


def tools(server: Inspector, day: Calls, options: tuple[str, ...]) -> int:
    """Call all tools and return their number. Their schemas must be ones that every client accepts."""
    listed = {tool["name"] for tool in server.ask("tools/list", "--strict", *options)["tools"]}
    called = server.live(day, *options)
    assert called == listed, called ^ listed
    return len(listed)


if __name__ == "__main__":
    main()
