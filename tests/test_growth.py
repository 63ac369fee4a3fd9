"""Tests that a call takes the same number of statements, however much it finds or is given."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories import operations
from memories.embedding import active_model
from memories.mcp.servers import HUB
from memories.recall import Mode
from tests import factories
from tests.belongings import belongings
from tests.doors import headers, messenger
from tests.test_api_queries import Known, much

pytestmark = pytest.mark.django_db
FEW, MANY = 2, 20


@pytest.fixture
def member() -> Known:
    return Known("bot", factories.agent())


def rest(member: Known, method: str, path: str, body: object = None) -> Any:
    client: Any = getattr(Client(), method)
    response = client(f"/api/v1/{path}", body, content_type="application/json", headers=headers(member))
    assert response.status_code < 300, response.content
    return response.json()


def statements(act: Callable[[], Any]) -> tuple[int, int]:
    """Return the number of statements of a call and the length of its answer. The first call may take more, to learn
    the words or who is asking."""
    active_model.invalidate_active_models()
    active_model.get_active_models()
    with CaptureQueriesContext(connection) as captured:
        answer = act()
    return len(captured), len(str(answer))


def test_what_is_found_costs_no_statements(member: Known) -> None:
    agent = messenger(member)
    asked: dict[str, Callable[[], Any]] = {
        f"recall {mode}": lambda mode=mode: rest(  # type: ignore[misc]
            member, "post", "recall", {"query": "pager drawer", "mode": mode, "type": "fact", "limit": 50}
        )
        for mode in Mode
    }
    explained = {"query": "pager drawer", "limit": 50, "explain": True, "snippets": True}
    asked |= {
        "recall explained": lambda: rest(member, "post", "recall", explained),
        "context": lambda: rest(member, "get", "context?query=pager&budget=20000"),
        "group": lambda: rest(member, "post", "tools/group/recall_memories", {"query": "pager", "limit": 50}),
        "scoped": lambda: rest(member, "post", "tools/scoped/recall", {"query": "pager", "limit": 50}),
        "scoped list": lambda: rest(member, "post", "tools/scoped/list", {"limit": 50}),
        "team": lambda: rest(member, "post", "tools/team/search_memory", {"query": "pager", "limit": 50}),
        "graph": lambda: rest(member, "post", "tools/graph/memory_recall", {"query": "pager", "max_results": 50}),
        "mcp recall": lambda: agent.call("memory_recall", query="pager drawer", limit=50),
        "mcp list": lambda: agent.call("memory_list", limit=200),
        "mcp context": lambda: agent.call("memory_context", query="pager", budget=20_000),
    }
    took: dict[str, list[tuple[int, int]]] = {name: [] for name in asked}
    saved = 0
    for amount in (FEW, MANY):
        for number in range(saved, amount):
            factories.memory(member.actor(), f"The pager of shift {number} is in drawer {number}.")
        saved = amount
        for name, ask in asked.items():
            ask()
            took[name].append(statements(ask))
    assert {name: many[0] for name, (_, many) in took.items()} == {name: few[0] for name, (few, _) in took.items()}
    assert all(many[1] > 3 * few[1] for few, many in took.values()), took


@pytest.mark.parametrize("tool", [tool.name for tool in HUB.tools.values() if tool.reads])
def test_however_much_there_is_a_tool_that_reads_takes_as_many_statements(member: Known, tool: str) -> None:
    agent, own = messenger(member), belongings(member.actor(), "own", "The pager is in the left drawer.")
    known = {"memory_id": str(own.memory.pk), "path": own.file.path, "query": "pager", "limit": 50}
    said = {name: value for name, value in known.items() if name in HUB.tools[tool].parameters["properties"]}
    if "key" in HUB.tools[tool].parameters.get("required", ()):
        said["key"] = own.memory.key
    took = []
    for fill in (lambda: None, lambda: much(member, own)):
        fill()
        agent.call(tool, **said)
        took.append(statements(lambda: agent.call(tool, **said)))
    (few, short), (many, long) = took
    assert few == many
    assert long > short or tool in ONE


ONE = ("whoami", "memory_why_not", "memory_get", "memory_timeline", "file_read")  # those that tell of one thing


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("kv/memory", {"command": "search", "query": "another"}),
        ("group/list_memories", {}),
        ("files/view", {"path": "/memories"}),
    ],
)
def test_however_much_there_is_a_dialect_takes_as_many_statements(
    member: Known, tool: str, said: dict[str, object]
) -> None:
    own, took = belongings(member.actor(), "own", "Quite another thing."), []
    for fill in (lambda: None, lambda: much(member, own)):
        fill()
        rest(member, "post", f"tools/{tool}", said)
        took.append(statements(lambda: rest(member, "post", f"tools/{tool}", said)))
    assert took[0][0] == took[1][0]
    assert took[0][1] < took[1][1]


def test_what_is_given_costs_no_statements(member: Known) -> None:
    targets = [factories.memory(member.actor(), f"Shift {number} has a pager.") for number in range(MANY)]

    def batch(amount: int, **said: object) -> Any:
        drafts = [{"content": f"{amount} {said}: drawer {n}", "key": f"{amount}-{n}"} for n in range(amount)]
        return rest(member, "post", "memories/batch", {"memories": drafts, **said})

    def linked(amount: int) -> Any:
        links = [{"target_id": str(target.pk)} for target in targets[:amount]]
        return rest(member, "post", "tools/graph/memory_save", {"content": f"{amount} links", "associations": links})

    def folder(amount: int) -> str:
        for number in range(amount):
            operations.files.write_file(actor=member.actor(), path=f"of-{amount}/{number}.md", content="x")
        return f"/memories/of-{amount}"

    def moved(amount: int) -> Any:
        said = {"old_path": f"/memories/of-{amount}", "new_path": f"/memories/moved-{amount}"}
        return rest(member, "post", "tools/files/rename", said)

    def deleted(amount: int) -> Any:
        return rest(member, "post", "tools/files/delete", {"path": f"/memories/moved-{amount}"})

    rest(member, "get", "me")
    acts: tuple[Callable[[int], Any], ...] = (batch, lambda n: batch(n, each=True), linked, moved, deleted)
    for amount in (FEW, MANY):
        folder(amount)
    for act in acts:
        few, many = (statements(lambda amount=amount, act=act: act(amount))[0] for amount in (FEW, MANY))  # type: ignore[misc]
        assert few == many
