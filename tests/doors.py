"""Every way to read a memory or a file. A new door adds a function and one line below, and inherits every case of
visibility."""

from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from django.core.files.base import ContentFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from memories.mcp.resources import KEY
from memories.models import Asset, Association, GoldenQuestion, Memory, Pair, RecallLog, Source, TeamFile
from memories.prompts.context import build_context
from memories.recall import Mode, recall
from memoryhub.ids import uuid7
from teams.models import Token, Verb
from tests import factories
from tests.belongings import pair_up, propose_append
from tests.cast import AGENTS, EVERYBODY, Member
from tests.mcp_caller import Messenger
from tests.tools import call_tool_api

Door = Callable[[Member, Memory], bool]
FileDoor = Callable[[Member, TeamFile], bool]
BY_ID = ("memory_get", "memory_history", "memory_links", "memory_sources")


def queryset(member: Member, memory: Memory) -> bool:
    return Memory.objects.visible_to(member.actor()).filter(pk=memory.pk).exists()


def api_by_id(member: Member, memory: Memory) -> bool:
    """Read the memory itself and everything that is read by its id: all must agree."""
    said = headers(member)
    paths = ["", "/history", "/associations", "/assets", "/sources"]
    statuses = {Client().get(f"/api/v1/memories/{memory.pk}{path}", headers=said).status_code for path in paths}
    assert statuses in ({200}, {404})
    return statuses == {200}


def api_asset(member: Member, memory: Memory) -> bool:
    """Read the bytes of an attachment of the memory."""
    values = {"name": "x.txt", "content_type": "text/plain", "size": 1, "sha256": "0" * 64, "agent": memory.agent}
    asset = Asset(organization_id=memory.organization_id, memory=memory, **values)
    asset.file.save("x.txt", ContentFile(b"x"))
    response = Client().get(f"/api/v1/memories/{memory.pk}/assets/{asset.pk}", headers=headers(member))
    assert (response.status_code, b"".join(response) == b"x") in ((200, True), (404, False))  # type: ignore[arg-type]
    return response.status_code == 200


def api_linked(member: Member, memory: Memory) -> bool:
    """Look for the memory among the links of the caller's own memory, by REST and by MCP: both must agree."""
    origin = factories.memory(member.actor(), "My own drawer.")
    if origin.organization_id == memory.organization_id:  # or the database would not hold it
        values = {"relation": "part_of", "weight": 1, "agent": memory.agent}
        Association.objects.create(
            organization_id=memory.organization_id,
            origin=origin,
            target=memory,
            created_at=memory.created_at,
            updated_at=memory.created_at,
            **values,
        )
    links = Client().get(f"/api/v1/memories/{origin.pk}/associations", headers=headers(member)).json()["associations"]
    told = messenger(member).call("memory_links", memory_id=str(origin.pk))["associations"]
    shown = [str(memory.pk) in {link["target_id"] for link in found} for found in (links, told)]
    assert shown[0] == shown[1]
    return shown[0]


def api_export(member: Member, memory: Memory) -> bool:
    """Look for the memory in an export by a read-only token: other tokens also export what they may restore."""
    response = Client().get("/api/v1/export", headers=headers(member, Verb.READ))
    with ZipFile(BytesIO(response.getvalue())) as archive:
        parts = b"".join(archive.read(name) for name in archive.namelist())
    return str(memory.pk).encode() in parts


def api_why_not(member: Member, memory: Memory) -> bool:
    """Ask why the memory was not recalled, by REST and by MCP: both must agree. Callers who may restore the memory
    are told that it is gone."""
    asked = {"memory_id": str(memory.pk), "query": "pager"}
    response = Client().post("/api/v1/recall/why-not", asked, content_type="application/json", headers=headers(member))
    result = messenger(member).result("tools/call", name="memory_why_not", arguments=asked)
    assert (response.status_code, "isError" in result) in ((200, False), (404, True))
    return response.status_code == 200 and not response.json()["reason"].startswith(("It was forgotten", "It expired"))


def api_lists(member: Member, memory: Memory) -> bool:
    """Look in every list that it belongs to: all must agree."""
    said, word = headers(member), memory.content.split()[1]
    asked = ["", f"text={word}", f"type={memory.type}", "order=importance", "order=updated_at", f"scope={memory.scope}"]
    pages = [Client().get(f"/api/v1/memories?limit=200&{question}", headers=said).json() for question in asked]
    shown = {str(memory.pk) in {row["id"] for row in page["memories"]} for page in pages}
    assert len(shown) == 1
    return shown == {True}


def api_key(member: Member, memory: Memory) -> bool:
    """Give the memory a key and read it by that key."""
    Memory.objects.filter(pk=memory.pk).update(key=f"key of {memory.pk}", owns_key=True)
    path = f"/api/v1/keys/key of {memory.pk}?scope={memory.scope}"
    response = Client().get(path, headers=headers(member))
    assert response.status_code in (200, 404), response.content
    return response.status_code == 200


def recalls_memory(member: Member, memory: Memory, query: str, mode: Mode) -> bool:
    hits = recall(actor=member.actor(), query=query, mode=mode, limit=50).hits
    return memory.pk in {hit.memory.pk for hit in hits}


def recall_hybrid(member: Member, memory: Memory) -> bool:
    return recalls_memory(member, memory, memory.content, Mode.HYBRID)


def recall_keyword(member: Member, memory: Memory) -> bool:
    return recalls_memory(member, memory, memory.content, Mode.KEYWORD)


def recall_semantic(member: Member, memory: Memory) -> bool:
    return recalls_memory(member, memory, memory.content, Mode.SEMANTIC)


def recall_recent(member: Member, memory: Memory) -> bool:
    return recalls_memory(member, memory, "", Mode.RECENT)


def recall_important(member: Member, memory: Memory) -> bool:
    return recalls_memory(member, memory, "", Mode.IMPORTANT)


def recall_substring(member: Member, memory: Memory) -> bool:
    return recalls_memory(member, memory, memory.content[1:12], Mode.KEYWORD)


def api_recall(member: Member, memory: Memory) -> bool:
    """Recall the memory in every mode: all must agree."""
    said, shown = headers(member), set()
    for mode in Mode:
        body = {"query": memory.content, "limit": 50, "mode": mode, "type": memory.type, "explain": True}
        response = Client().post("/api/v1/recall", body, content_type="application/json", headers=said)
        assert response.status_code == 200, response.content
        shown.add(str(memory.pk) in {row["id"] for row in response.json()["memories"]})
    assert len(shown) == 1
    return shown == {True}


def api_past(member: Member, memory: Memory) -> bool:
    """Look for the memory at a moment, in what held and in what the hub knew: every door must say the same."""
    said, moment, shown = headers(member), timezone.now().isoformat(), set()
    for at in ({"as_of": moment}, {"known_at": moment}, {"as_of": moment, "known_at": moment}):
        body = {"query": memory.content, "limit": 50, **at}
        found = Client().post("/api/v1/recall", body, content_type="application/json", headers=said).json()
        newest = Client().post(
            "/api/v1/recall", {**body, "mode": "recent"}, content_type="application/json", headers=said
        )
        listed = Client().get("/api/v1/memories", {"limit": 200, "type": memory.type, **at}, headers=said).json()
        told = messenger(member).call("memory_list", limit=200, **at)
        rows = (found, newest.json(), listed, told)
        shown |= {str(memory.pk) in {row["id"] for row in page["memories"]} for page in rows}
        asked = {"query": memory.content, "budget": 100_000, **at}
        shown.add(memory.content in Client().get("/api/v1/context", asked, headers=said).json()["text"])
    assert len(shown) == 1
    return shown == {True}


def api_timeline(member: Member, memory: Memory) -> bool:
    """Give the memory a key and read what that key has said, now and as it was known, by REST and by MCP."""
    Memory.objects.filter(pk=memory.pk).update(key=f"key of {memory.pk}", owns_key=True)
    path, moment = f"/api/v1/timeline/key of {memory.pk}", timezone.now().isoformat()
    asked: list[dict[str, str]] = [{"scope": memory.scope}, {"scope": memory.scope, "known_at": moment}]
    statuses = {Client().get(path, params, headers=headers(member)).status_code for params in asked}
    for params in asked:
        said = {"name": "memory_timeline", "arguments": {"key": f"key of {memory.pk}", **params}}
        statuses |= {404 if "isError" in messenger(member).result("tools/call", **said) else 200}
    assert statuses in ({200}, {404})
    return statuses == {200}


def pair_with_twin(memory: Memory) -> Pair:
    """Pair the memory with another one of its audience, which everybody sees who may read that."""
    twin = Memory.objects.get(pk=memory.pk)
    twin.pk, twin.key, twin.owns_key, twin.content = uuid7(), "", False, "Its twin."
    twin.forgotten_at = twin.expires_at = twin.review_by = None
    twin.save(force_insert=True)
    return pair_up(memory, twin)


def make_anchor(memory: Memory, **values: Any) -> Source:
    place = {"repository": "acme/berths", "file_path": "a.toml", "sha256": "0" * 64, "state": "unchecked", **values}
    return Source.objects.create(organization_id=memory.organization_id, memory=memory, agent=memory.agent, **place)


def api_anchors(member: Member, memory: Memory) -> bool:
    """Look for an anchor of the memory among those that the caller could check."""
    source = make_anchor(memory)
    answers = [
        Client().get("/api/v1/anchors", params, headers=headers(member)).json()["anchors"]
        for params in ({}, {"repository": "acme/berths"})
    ]
    shown = {str(source.pk) in {row["id"] for row in rows} for rows in answers}
    assert len(shown) == 1
    return shown == {True}


def api_pairs(member: Member, memory: Memory) -> bool:
    """Look for a pair with the memory by its id and in lists, by REST and by MCP: all must agree."""
    pair, said = pair_with_twin(memory), headers(member)
    listed = Client().get("/api/v1/pairs", {"memory_id": memory.pk}, headers=said).json()["pairs"]
    told = messenger(member).call("pair_list", memory_id=str(memory.pk))["pairs"]
    shown = {str(pair.pk) in {row["id"] for row in rows} for rows in (listed, told)}
    shown.add(Client().get(f"/api/v1/pairs/{pair.pk}", headers=said).status_code == 200)
    assert len(shown) == 1
    return shown == {True}


def api_recalls(member: Member, memory: Memory) -> bool:
    """Look for the memory in the log of the caller's own recalls, as if it had been found once."""
    actor = member.actor()
    RecallLog.objects.create(
        organization_id=actor.organization_id,
        team_id=actor.team_id,
        audience=actor.person_id or actor.project_id or actor.team_id,
        workspace_id=actor.workspace_id,
        agent_id=actor.agent_id,
        mode=Mode.RECENT,
        memory_ids=[memory.pk],
        versions=[1],
        total_found=1,
    )
    response = Client().get("/api/v1/recalls?limit=1", headers=headers(member))
    ((given,),) = [row["memories"] for row in response.json()["recalls"]]
    assert (given["text"] == memory.content) == (given["presence"] == "here")
    assert given["text"] in (memory.content, None)
    return given["presence"] == "here"


def context_blocks(member: Member, memory: Memory) -> bool:
    made = build_context(actor=member.actor(), query=memory.content, budget=100_000)
    return memory.content in made.text


def api_context(member: Member, memory: Memory) -> bool:
    """Look for the memory in the context: in the blocks of every call, or in the one that answers a question."""
    asked = {"query": memory.content, "budget": 100_000}
    response = Client().get("/api/v1/context", asked, headers=headers(member))
    assert response.status_code == 200, response.content
    shown = {pk for section in response.json()["sections"] for pk in section["memory_ids"]}
    assert (memory.content in response.json()["text"]) == (str(memory.pk) in shown)
    return str(memory.pk) in shown


def headers(member: Member, *verbs: Verb) -> dict[str, str]:
    context = member.context
    said = {"project": context.project, "user": context.user, "workspace": context.workspace}
    named = {f"X-Memory-{name.title()}": value for name, value in said.items() if value}
    return {"Authorization": f"Bearer {member.token(*verbs)}", **named}


def tool(member: Member, place: str, **arguments: object) -> Any:
    context = {name: getattr(member.context, name) for name in ("project", "user", "workspace")}
    status, answer = call_tool_api(member.token(), place, arguments, **context)
    assert status in (200, 404), answer
    return answer


def kv_view(member: Member, memory: Memory) -> bool:
    found: bool = tool(member, "kv/memory", command="view", key=str(memory.pk)).get("content") == memory.content
    return found


def kv_search(member: Member, memory: Memory) -> bool:
    entries = tool(member, "kv/memory", command="search", query=memory.content)["entries"]
    return str(memory.pk) in {entry["key"] for entry in entries}


def group_recall(member: Member, memory: Memory) -> bool:
    memories = tool(member, "group/recall_memories", query=memory.content, limit=50)["memories"]
    return str(memory.pk) in {row["key"] for row in memories}


def group_list(member: Member, memory: Memory) -> bool:
    return str(memory.pk) in {row["key"] for row in tool(member, "group/list_memories")["memories"]}


def team_search(member: Member, memory: Memory) -> bool:
    memories = tool(member, "team/search_memory", query=memory.content, limit=50)["memories"]
    return str(memory.pk) in {row["id"] for row in memories}


def scoped_get(member: Member, memory: Memory) -> bool:
    return "value" in tool(member, "scoped/get", id=str(memory.pk))


def scoped_get_by_key(member: Member, memory: Memory) -> bool:
    Memory.objects.filter(pk=memory.pk).update(key=f"key of {memory.pk}", owns_key=True)
    return "value" in tool(member, "scoped/get", key=f"key of {memory.pk}", scope=memory.scope)


def scoped_recall(member: Member, memory: Memory) -> bool:
    memories = tool(member, "scoped/recall", query=memory.content, limit=50)["memories"]
    return str(memory.pk) in {row["id"] for row in memories}


def scoped_list(member: Member, memory: Memory) -> bool:
    return str(memory.pk) in {row["id"] for row in tool(member, "scoped/list", limit=50)["memories"]}


def graph_recall(member: Member, memory: Memory) -> bool:
    memories = tool(member, "graph/memory_recall", query=memory.content, max_results=50)["memories"]
    return str(memory.pk) in {row["id"] for row in memories}


def graph_recent(member: Member, memory: Memory) -> bool:
    memories = tool(member, "graph/memory_recall", mode="recent", max_results=50)["memories"]
    return str(memory.pk) in {row["id"] for row in memories}


def mcp(member: Member, memory: Memory) -> bool:
    """Read the memory over MCP by id, in lists, by recall and in the prompt: all must agree."""
    agent, wanted = messenger(member), str(memory.pk)
    by_id = {"isError" not in agent.result("tools/call", name=name, arguments={"memory_id": wanted}) for name in BY_ID}
    lists = [
        agent.call("memory_list", limit=200)["memories"],
        agent.call("memory_recall", query=memory.content, limit=50)["memories"],
    ]
    asked: dict[str, Any] = {"query": memory.content, "budget": 9_000}
    prompt = agent.result("prompts/get", name="team_context", arguments={name: str(asked[name]) for name in asked})
    shown = by_id | {wanted in {row["id"] for row in rows} for rows in lists}
    shown.add(memory.content in agent.call("memory_context", **asked)["text"])
    assert shown == {memory.content in prompt["messages"][0]["content"]["text"]}
    return shown == {True}


def mcp_key(member: Member, memory: Memory) -> bool:
    """Give the memory a key and read it by that key."""
    Memory.objects.filter(pk=memory.pk).update(key=f"key of {memory.pk}", owns_key=True)
    said = {"key": f"key of {memory.pk}", "scope": memory.scope}
    return "isError" not in messenger(member).result("tools/call", name="memory_get", arguments=said)


def mcp_dialect(member: Member, memory: Memory) -> bool:
    """Read the memory through the MCP server of one dialect."""
    said = {"name": "get", "arguments": {"id": str(memory.pk)}}
    return "isError" not in messenger(member, place="/mcp/scoped").result("tools/call", **said)


def mcp_resource(member: Member, memory: Memory) -> bool:
    """Give the memory a key and read it as a resource by that key and its team's name."""
    Memory.objects.filter(pk=memory.pk).update(key=str(memory.pk), owns_key=True)
    response = messenger(member).ask("resources/read", uri=f"memory://{memory.team.slug}/{memory.pk}").json()
    assert response.get("error", {}).get("code") in (None, -32002)
    return "result" in response


def mcp_completed(member: Member, memory: Memory) -> bool:
    """Give the memory a key and complete the beginning of that key."""
    Memory.objects.filter(pk=memory.pk).update(key=f"key of {memory.pk}", owns_key=True)
    asked = {"ref": {"type": "ref/resource", "uri": KEY}, "argument": {"name": "key", "value": "key of"}}
    found = messenger(member).result("completion/complete", **asked)
    return f"key of {memory.pk}" in found["completion"]["values"]


def mcp_file(member: Member, file: TeamFile) -> bool:
    """Read the file by tools, as a resource and in the lists: all must agree."""
    agent, uri = messenger(member), f"memory://{file.team.slug}/files/{file.path}"
    read = agent.result("tools/call", name="file_read", arguments={"path": file.path})
    past = agent.result("tools/call", name="file_history", arguments={"path": file.path})
    shown = {"isError" not in read, "isError" not in past, "result" in agent.ask("resources/read", uri=uri).json()}
    shown.add(file.path in {row["path"] for row in agent.call("file_list")["files"]})
    shown.add(uri in {row["uri"] for row in agent.result("resources/list")["resources"]})
    assert len(shown) == 1
    return shown == {True}


def messenger(member: Member, *verbs: Verb, place: str = "/mcp") -> Messenger:
    assert member.agent
    context = {name: getattr(member.context, name) for name in ("project", "user", "workspace")}
    return Messenger(member.agent, verbs or tuple(Verb), place, context=context)


def file_queryset(member: Member, file: TeamFile) -> bool:
    return TeamFile.objects.visible_to(member.actor()).filter(pk=file.pk).exists()


def api_file(member: Member, file: TeamFile) -> bool:
    """Read the file itself, an old version and its history: all must agree."""
    said = headers(member)
    paths = [f"files/{file.path}", f"files/{file.path}?version=1", f"file-history/{file.path}"]
    statuses = {Client().get(f"/api/v1/{path}", headers=said).status_code for path in paths}
    assert statuses in ({200}, {404})
    return statuses == {200}


def api_file_lists(member: Member, file: TeamFile) -> bool:
    """Look in every list that it belongs to: all must agree."""
    said, word = headers(member), file.content.split()[1]
    asked = ["", f"prefix={file.path[:3]}", f"text={word}"]
    pages = [Client().get(f"/api/v1/files?{question}", headers=said).json() for question in asked]
    shown = {str(file.pk) in {row["id"] for row in page["files"]} for page in pages}
    assert len(shown) == 1
    return shown == {True}


def files_view(member: Member, file: TeamFile) -> bool:
    """Read the file, and the directory that names it: both must agree."""
    read = file.content in tool(member, "files/view", path=f"/memories/{file.path}").get("content", "")
    assert read == (file.path in tool(member, "files/view", path="/memories")["content"])
    return read


def mirrors_file(member: Member, file: TeamFile) -> bool:
    assert member.agent
    team = member.agent.team
    with TemporaryDirectory() as folder:
        said = ["--org", team.organization.slug, "--team", team.slug, "--workspace", member.context.workspace]
        call_command("sync_files", "--dir", folder, *said, stdout=StringIO())
        return Path(folder, file.path).exists()


ALL: dict[Door, tuple[str, ...]] = {
    queryset: EVERYBODY,
    recall_hybrid: EVERYBODY,
    recall_keyword: EVERYBODY,
    recall_semantic: EVERYBODY,
    recall_recent: EVERYBODY,
    recall_important: EVERYBODY,
    recall_substring: EVERYBODY,
    api_recall: AGENTS,
    api_by_id: AGENTS,
    api_lists: AGENTS,
    api_asset: AGENTS,
    api_linked: AGENTS,
    api_why_not: AGENTS,
    api_key: AGENTS,
    context_blocks: EVERYBODY,
    api_context: AGENTS,
    api_past: AGENTS,
    api_timeline: AGENTS,
    api_anchors: AGENTS,
    api_pairs: AGENTS,
    api_recalls: AGENTS,
    scoped_get: AGENTS,
    scoped_recall: AGENTS,
    scoped_list: AGENTS,
    graph_recall: AGENTS,
    graph_recent: AGENTS,
    mcp: AGENTS,
    mcp_key: AGENTS,
    mcp_dialect: AGENTS,
}

# Doors to what the caller's own context holds: not to the teams above.
OF_THE_CONTEXT: tuple[Door, ...] = (scoped_get_by_key,)

# Doors to nothing but what the caller's own team shares.
OF_THE_TEAM: tuple[Door, ...] = (kv_view, kv_search, group_recall, group_list, team_search, mcp_resource, mcp_completed)


def review_queue(member: Member, memory: Memory) -> bool:
    """Look for the memory in the inbox of a person, as due, as one of a pair, by its anchor and as what a proposal
    would change: on the page, by REST and in the counts, which must all agree."""
    assert member.user
    pair_with_twin(memory)
    Memory.objects.filter(pk=memory.pk).update(review_by=timezone.now())
    assert memory.agent
    propose_append(factories.actor(memory.agent, workspace="blue"), memory, "And in the right one.")
    make_anchor(memory, state="gone", failed_at=timezone.now())
    team = member.user.memberships.get().team.slug
    browser = Client()
    browser.force_login(member.user)
    browser.post(f"/t/acme/{team}/workspace/", {"workspace": "blue"})
    queue = browser.get(f"/api/v1/teams/acme/{team}/review?limit=50").json()
    kinds = {item["kind"] for item in queue["items"] if str(memory.pk) in str(item)}
    assert kinds in (set(), {"proposals", "duplicates", "anchors", "due"})
    assert {kind for kind, number in queue["counts"].items() if number} >= kinds
    assert bool(kinds) == (memory.content in browser.get(f"/t/acme/{team}/review/?kind=due").text)
    return bool(kinds)


# Doors of people to what waits for those who may change it.
OF_THE_INBOX: tuple[Door, ...] = (review_queue,)

FILES: dict[FileDoor, tuple[str, ...]] = {
    file_queryset: EVERYBODY,
    api_file: AGENTS,
    api_file_lists: AGENTS,
    files_view: AGENTS,
    mirrors_file: AGENTS,
    mcp_file: AGENTS,
}


# Where a team's people read what its agents asked. Each says whether a question is told there.


def asked_in_ledger(client: Client, query: str) -> bool:
    return query in client.get("/t/acme/ops/activity/recalls/").content.decode()


def asked_in_questions(client: Client, query: str) -> bool:
    return query in client.get("/t/acme/ops/activity/questions/").content.decode()


def asked_in_insights(client: Client, query: str) -> bool:
    """Look for the question among the golden questions, after it was made one in its context."""
    log = RecallLog.objects.get()
    if log.audience:
        memory = factories.memory(factories.actor(log.agent, workspace="blue"), "The zebra is striped.")
        GoldenQuestion.objects.create(
            organization_id=log.organization_id,
            team_id=log.team_id,
            audience=log.audience,
            workspace_id=log.workspace_id,
            query=log.query,
            memory=memory,
            agent_id=log.agent_id,
        )
    told = client.get("/api/v1/teams/acme/ops/golden-questions").content.decode()
    page = client.get("/t/acme/ops/insights/").content.decode()
    assert (query in told) == (query in page)
    return query in page


def asked_by_token(client: Client, query: str) -> bool:
    """Look for the question on the pages of all tokens, which are for owners."""
    pages = [client.get(f"/t/acme/ops/activity/tokens/{pk}/") for pk in Token.objects.values_list("pk", flat=True)]
    return any(query in page.content.decode() for page in pages)


def asked_in_archive(client: Client, query: str) -> bool:
    """Look for the question in the archive that owners export."""
    response = client.get("/t/acme/ops/export/archive.zip")
    if response.status_code != 200:
        return False
    with ZipFile(BytesIO(response.getvalue())) as archive:
        return query in "".join(archive.read(name).decode(errors="replace") for name in archive.namelist())


QueryDoor = Callable[[Client, str], bool]
QUERIES: dict[QueryDoor, tuple[str, ...]] = {
    asked_in_ledger: ("viewer", "editor", "owner", "mira"),
    asked_in_questions: ("viewer", "editor", "owner", "mira"),
    asked_in_insights: ("viewer", "editor", "owner", "mira"),
    asked_by_token: ("owner",),
    asked_in_archive: ("owner",),
}
