"""Tests of the number of statements of each endpoint, authentication included: none takes more when there is more to
show."""

from itertools import takewhile
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import operations
from memories.embedding import active_model
from memories.recall import recall
from memories.tools import DIALECTS
from teams.models import Verb
from tests import factories
from tests.belongings import Belongings, belongings, call, pair_up, propose_append
from tests.cast import Member
from tests.doors import headers
from tests.test_api_schema import ENDPOINTS
from tests.test_api_strangers import REFUSED, TOOLS

pytestmark = pytest.mark.django_db

# Savepoints count, too: in a test each transaction is one.
STATEMENTS = {
    "get me": 1,
    "post recall": 9,
    "post recall/why-not": 6,
    "get recalls": 5,
    "get memories": 2,
    "post memories": 10,
    "post memories/batch": 5,
    "get memories/<uuid:memory_id>": 2,
    "patch memories/<uuid:memory_id>": 11,
    "delete memories/<uuid:memory_id>": 11,
    "post memories/<uuid:memory_id>/append": 12,
    "post memories/<uuid:memory_id>/pin": 9,
    "post memories/<uuid:memory_id>/tags": 10,
    "post memories/<uuid:memory_id>/expire": 9,
    "post memories/<uuid:memory_id>/move": 13,
    "post memories/<uuid:memory_id>/purge": 5,
    "post memories/<uuid:memory_id>/verify": 8,
    "post memories/<uuid:memory_id>/restore": 12,
    "post memories/<uuid:memory_id>/supersede": 25,
    "post memories/<uuid:memory_id>/reinstate": 9,
    "get memories/<uuid:memory_id>/feedback": 4,
    "post memories/<uuid:memory_id>/feedback": 9,
    "delete memories/<uuid:memory_id>/feedback": 10,
    "get memories/<uuid:memory_id>/history": 3,
    "post memories/<uuid:memory_id>/revert": 13,
    "get memories/<uuid:memory_id>/associations": 3,
    "post memories/<uuid:memory_id>/associations": 8,
    "delete memories/<uuid:memory_id>/associations/<uuid:target_id>": 7,
    "get memories/<uuid:memory_id>/assets": 3,
    "post memories/<uuid:memory_id>/assets": 5,
    "get memories/<uuid:memory_id>/assets/<uuid:asset_id>": 2,
    "delete memories/<uuid:memory_id>/assets/<uuid:asset_id>": 6,
    "get memories/<uuid:memory_id>/sources": 3,
    "post memories/<uuid:memory_id>/sources": 5,
    "delete memories/<uuid:memory_id>/sources/<uuid:source_id>": 6,
    "get keys/<path:key>": 2,
    "put keys/<path:key>": 10,
    "delete keys/<path:key>": 12,
    "get files": 2,
    "get files/<path:path>": 2,
    "post files/<path:path>": 9,
    "put files/<path:path>": 9,
    "patch files/<path:path>": 8,
    "delete files/<path:path>": 7,
    "get file-history/<path:path>": 3,
    "post file-history/<path:path>": 8,
    "get export": 253,
    "get context": 2,
    "get proposals": 2,
    "get proposals/<uuid:proposal_id>": 2,
    "delete proposals/<uuid:proposal_id>": 5,
    "get anchors": 2,
    "post anchors/report": 4,
    "get pairs": 2,
    "get pairs/<uuid:pair_id>": 2,
    "post pairs/<uuid:pair_id>/settle": 38,
    "post pairs/<uuid:pair_id>/reopen": 6,
    "get timeline/<path:key>": 2,
    "put sessions/<path:name>": 14,
    "get sessions/<path:name>": 2,
    "post sessions/<path:name>/archive": 29,
    "post sessions/<path:name>/extract": 22,
    "get tools": 1,
    "post tools/kv/memory": 8,
    "post tools/group/save_memory": 8,
    "post tools/group/recall_memories": 8,
    "post tools/group/forget_memory": 12,
    "post tools/group/list_memories": 2,
    "post tools/scoped/save": 11,
    "post tools/scoped/recall": 9,
    "post tools/scoped/list": 2,
    "post tools/scoped/get": 5,
    "post tools/scoped/delete": 13,
    "post tools/team/save_memory": 10,
    "post tools/team/search_memory": 9,
    "post tools/graph/memory_save": 11,
    "post tools/graph/memory_recall": 8,
    "post tools/graph/memory_delete": 12,
    "post tools/files/view": 3,
    "post tools/files/create": 11,
    "post tools/files/str_replace": 10,
    "post tools/files/insert": 10,
    "post tools/files/delete": 10,
    "post tools/files/rename": 12,
    "post tools/hub/<str:name>": 10,
}
HUB = "post tools/hub/<str:name>"


class Known(Member):
    """A member with one token, which was used just before."""

    def token(self, *verbs: Verb) -> str:
        if not hasattr(self, "kept"):
            object.__setattr__(self, "kept", super().token(*verbs))
        return str(self.kept)


@pytest.fixture
def member() -> Known:
    known = Known("bot", factories.agent())
    call(headers(known), "get me", ENDPOINTS["get me"], {})
    return known


def much(member: Known, own: Belongings) -> None:
    """Make five more of everything that can be listed."""
    actor = member.actor()
    for number in range(5):
        recall(actor=actor, query="Quite another thing")
        text = f"Number {number} is quite another thing."
        other = operations.save_memory(actor=actor, draft=operations.Draft(content=text))
        operations.associate(actor=actor, origin_id=own.memory.pk, target_id=other.pk)
        operations.attach_file(actor=actor, memory_id=own.memory.pk, file=ContentFile(b"x"), name=f"{number}.txt")
        operations.add_citation(actor=actor, memory_id=own.memory.pk, quote=text)
        operations.update_memory(actor=actor, memory_id=own.memory.pk, summary=text)
        propose_append(actor, own.memory, text)
        pair_up(own.memory, other)
        operations.files.write_file(actor=actor, path=f"more/{number}.md", content=text)
        operations.files.write_file(actor=actor, path=own.file.path, content=text)


def use_tools_before(member: Known, endpoint: str) -> None:
    """Call the tools that come before, so that this tool's example finds what it is about."""
    dialect, name = endpoint.removeprefix(TOOLS).split("/")
    order = sorted(DIALECTS[dialect], key=lambda tool: tool.destroys)
    for tool in takewhile(lambda tool: tool.name != name, order):
        used = f"{TOOLS}{dialect}/{tool.name}"
        assert call(headers(member), used, ENDPOINTS[used], {}).status_code == 200


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("amount", ["little", "much"])
def test_each_endpoint_takes_its_number_of_statements(member: Known, endpoint: str, amount: str) -> None:
    own = belongings(member.actor(), "own", "The pager is in the left drawer.")
    if amount == "much":
        much(member, own)
    if endpoint.endswith("/restore"):
        operations.forget_memory(actor=member.actor(), memory_id=own.memory.pk)
    if endpoint.endswith("/reinstate"):
        by = own.link.target_id
        operations.supersede_memory(actor=member.actor(), memory_id=own.memory.pk, by=by)
    filters = ("project_id", "person_id", "session_id")
    names: dict[str, Any] = {name: value for name, value in own.places.items() if name not in filters}
    if endpoint.endswith("/verify"):  # which an agent cannot do for what it wrote
        colleague = factories.actor(factories.agent(member.agent.team, "colleague"))
        names["memory_id"] = str(factories.memory(colleague).pk)
    if endpoint == "get recalls":
        recall(actor=member.actor(), query="Where is the pager?")
    if endpoint == HUB:
        names = {"name": "memory_recall"}  # the others' statements are those of their endpoints
    elif endpoint.startswith(TOOLS):
        use_tools_before(member, endpoint)
        names = {}
    if endpoint == HUB or "recall" in endpoint or "search" in endpoint:
        call(headers(member), endpoint, ENDPOINTS[endpoint], names)  # which learns the words
    active_model.invalidate_active_models()
    active_model.get_active_models()  # which is known for a while
    with CaptureQueriesContext(connection) as statements:
        response = call(headers(member), endpoint, ENDPOINTS[endpoint], names)
        b"".join(response)
    assert response.status_code < 300 or response.status_code == REFUSED.get(endpoint), response.content
    assert len(statements) == STATEMENTS[endpoint], statements.captured_queries
