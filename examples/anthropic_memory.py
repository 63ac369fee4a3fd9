"""Claude's memory tool over the team's files: pip install "./clients/python[anthropic]"

If ANTHROPIC_API_KEY is set, Claude uses the tool. Otherwise a stand-in makes the calls that Claude would make.
"""

import stand_in
from anthropic import Anthropic
from memoryhub_client import MemoryHub
from memoryhub_client.anthropic import MemoryTool

CALLS = [
    ("memory", {"command": "view", "path": "/memories"}),
    ("memory", {"command": "create", "path": "/memories/trip.md", "file_text": "Mira travels to Kiel on Friday.\n"}),
    ("memory", {"command": "view", "path": "/memories/trip.md"}),
]

with (
    stand_in.anthropic(CALLS) as (reached, model),
    Anthropic(**reached) as claude,
    MemoryHub() as hub,
):
    runner = claude.beta.messages.tool_runner(
        model=model,
        max_tokens=2048,
        betas=["context-management-2025-06-27"],
        tools=[MemoryTool(hub)],
        messages=[{"role": "user", "content": "I travel to Kiel on Friday. Note that in your memory."}],
    )
    for message in runner:
        print(message.content[-1])
    # Everyone else on the team sees the same file, with its versions.
    print([file.path for file in hub.files()])
