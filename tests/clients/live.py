"""A hub that runs, for tests of what only a real connection shows; each test has a team of its own in it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.hub import Hub, hub

TEAMS = 80  # more than there are tests that want one


@dataclass
class Live:
    hub: Hub
    tokens: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.hub.port}"

    def token(self) -> str:
        """Of an agent that is alone in its team."""
        return self.tokens.pop()


@contextmanager
def live_hub() -> Iterator[Live]:
    with hub() as made:
        made.start()
        folder = made.folder / "teams"
        folder.mkdir()
        for number in range(TEAMS):
            (folder / f"team-{number}.md").write_text(f"# team-{number}\n\nMembers: agent-{number}\n")
        printed = made.manage("import_org", str(folder), "--organization", "live", "--tokens")
        yield Live(made, re.findall(r"^\S+ (mh_\S+)$", printed, re.MULTILINE))
