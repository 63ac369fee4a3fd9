"""Ways in which an agent could get a text that its team's policy holds into the recall or the context of others: for
each write at least one, or the reason why there is none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memories import operations
from memories.models import Memory, Pair, PairKind, Scope
from teams.actor import Actor
from teams.models import Agent, Team
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import Messenger
from tests.tools import call_tool_api

SECRET = "The vault code is quokka."
HOLD_ALL = {"rules": [{"who": ["agent"], "then": "propose"}]}
SESSION = {"session": "chat/1"}
HELD_SENTENCE = [{"role": "user", "content": f"We decided: {SECRET}"}, {"role": "assistant", "content": "Noted."}]


@dataclass(frozen=True)
class Scene:
    """An agent under a policy, with memories from before it."""

    scribe: Agent
    reader: Agent
    shared: Memory  # a person's, with the key `pump`
    former: Memory  # says by now something else than its first version
    gone: Memory  # forgotten
    private: Memory  # the scribe's alone
    replaced: Memory  # does not hold any more
    pair: Pair  # of two memories of the scribe's
    settled: Pair  # by the scribe, who has forgotten one of the two

    @property
    def rest(self) -> Caller:
        return Caller(self.scribe, context=SESSION)

    @property
    def mcp(self) -> Messenger:
        return Messenger(self.scribe, context=SESSION)

    def set_policy(self, policy: Mapping[str, Any]) -> None:
        Team.objects.filter(pk=self.scribe.team_id).update(policy=policy)

    def actor(self, agent: Agent) -> Actor:
        return factories.actor(Agent.objects.select_related("team__organization").get(pk=agent.pk))


def build_scene() -> Scene:
    team = factories.team()
    scribe, reader = factories.agent(team, "scribe"), factories.agent(team, "reader")
    writer = factories.actor(scribe)
    former = factories.memory(writer, SECRET, key="former")
    operations.update_memory(actor=writer, memory_id=former.pk, content="The vault is closed.")
    gone = factories.memory(writer, SECRET, key="gone")
    operations.forget_memory(actor=writer, memory_id=gone.pk)
    replaced, gate = factories.memory(writer, SECRET), factories.memory(writer, "The gate is green.")
    operations.supersede_memory(actor=writer, memory_id=replaced.pk, by=gate.pk)
    settled = _pair_up(gate, factories.memory(writer, SECRET))
    settlement = operations.Settlement(decision="keep", keep=gate.pk)
    operations.settle_pair(actor=writer, pair_id=settled.pk, settlement=settlement)
    made = Scene(
        scribe=scribe,
        reader=reader,
        shared=factories.memory(factories.owner_actor(team), "The pump runs by day.", key="pump"),
        former=former,
        gone=gone,
        private=factories.memory(writer, SECRET, scope=Scope.AGENT),
        replaced=replaced,
        pair=_pair_up(gate, factories.memory(writer, "The gate is painted green.")),
        settled=settled,
    )
    made.set_policy(HOLD_ALL)
    return made


def _pair_up(older: Memory, newer: Memory) -> Pair:
    values = {"audience": older.audience, "kind": PairKind.NEAR_DUPLICATE, "fingerprint": "x"}
    ends = {"organization_id": older.organization_id, "older_id": older.pk, "newer_id": newer.pk}
    return Pair.objects.get_or_create(**ends, defaults=values)[0]


Way = Callable[[Scene], Any]
NAMED_ROWS = ("shared", "former", "gone", "private", "replaced", "pair", "settled")


def rest(method: str, path: str, body: Any = None) -> Way:
    """Return a call of an endpoint. `{shared}` and the like in the path are ids."""

    def act(scene: Scene) -> Any:
        ids = {name: getattr(scene, name).pk for name in NAMED_ROWS}
        filled = body(scene) if callable(body) else body
        response = scene.rest(method, path.format(**ids), filled)
        assert response.status_code < 500
        return response.json()

    return act


def mcp(tool: str, arguments: Callable[[Scene], dict[str, Any]] | dict[str, Any]) -> Way:
    def act(scene: Scene) -> Any:
        said = arguments(scene) if callable(arguments) else arguments
        return scene.mcp.result("tools/call", name=tool, arguments=said)

    return act


def dialect(place: str, **arguments: Any) -> Way:
    return lambda scene: call_tool_api(scene.rest.token, place, arguments)[1]


def of(name: str, **more: Any) -> Callable[[Scene], dict[str, Any]]:
    return lambda scene: {"memory_id": str(getattr(scene, name).pk), **more}


def link_from_new(scene: Scene) -> Any:
    """Save a memory and let it replace another one by a link."""
    saved = scene.rest("POST", "memories", {"content": SECRET}).json()
    body = {"target_id": str(scene.shared.pk), "relation": "updates", "supersede": True}
    return scene.rest("POST", f"memories/{saved['id']}/associations", body).json()


def merge_secret(scene: Scene) -> dict[str, Any]:
    return {"pair_id": str(scene.pair.pk), "decision": "merge", "content": SECRET}


def supersede_by_new(scene: Scene) -> Any:
    saved = scene.rest("POST", "memories", {"content": SECRET}).json()
    return scene.rest("POST", f"memories/{scene.shared.pk}/supersede", {"by": saved["id"]}).json()


def link_by_mcp(scene: Scene) -> Any:
    saved = scene.rest("POST", "memories", {"content": SECRET}).json()
    ends = {"memory_id": saved["id"], "target_id": str(scene.shared.pk)}
    return mcp("memory_link", ends | {"relation": "updates", "supersede": True})(scene)


def supersede_by_mcp(scene: Scene) -> Any:
    saved = scene.rest("POST", "memories", {"content": SECRET}).json()
    return mcp("memory_supersede", of("shared", by=saved["id"]))(scene)


def supersede_by_graph(scene: Scene) -> Any:
    link = {"target_id": str(scene.shared.pk), "relation_type": "updates", "supersede": True}
    return dialect("graph/memory_save", content=SECRET, associations=[link])(scene)


def kv_by_id(scene: Scene) -> Any:
    return dialect("kv/memory", command="update", key=str(scene.shared.pk), content=SECRET)(scene)


VAULT_NOTE = {"content": SECRET, "key": "vault"}
OF_MEMORY = "memories/<uuid:memory_id>"
# By the names of `tests.writing.WRITES`, of endpoints and of tools, with a remark where there are several.
WAYS: dict[str, Way] = {
    "post memories": rest("POST", "memories", VAULT_NOTE),
    "post memories: pinned": rest("POST", "memories", VAULT_NOTE | {"pinned": True, "importance": 1.0}),
    "post memories: core": rest("POST", "memories", {"content": SECRET, "key": "core"}),
    "post memories: at a version": rest("POST", "memories", {"content": SECRET, "key": "pump", "version": 1}),
    "post memories: beside": rest("POST", "memories", {"content": SECRET, "key": "pump", "dedupe": "create"}),
    "post memories/batch": rest("POST", "memories/batch", {"memories": [VAULT_NOTE, {"content": SECRET}]}),
    "post memories/batch: each": rest(
        "POST", "memories/batch", {"memories": [VAULT_NOTE, {"content": SECRET}], "each": True}
    ),
    "put keys/<path:key>": rest("PUT", "keys/vault", {"content": SECRET}),
    "put keys/<path:key>: known": rest("PUT", "keys/pump", {"content": SECRET}),
    "delete keys/<path:key>": rest("DELETE", "keys/pump?reason=quokka", None),
    f"patch {OF_MEMORY}": rest("PATCH", "memories/{shared}", {"content": SECRET}),
    f"patch {OF_MEMORY}: summary": rest("PATCH", "memories/{shared}", {"summary": SECRET}),
    f"delete {OF_MEMORY}": rest("DELETE", "memories/{shared}?reason=quokka", None),
    f"post {OF_MEMORY}/append": rest("POST", "memories/{shared}/append", {"text": SECRET}),
    f"post {OF_MEMORY}/tags": rest("POST", "memories/{shared}/tags", {"add": ["quokka"]}),
    f"post {OF_MEMORY}/restore": rest("POST", "memories/{gone}/restore", {}),
    f"post {OF_MEMORY}/revert": rest("POST", "memories/{former}/revert", {"to_version": 1}),
    f"post {OF_MEMORY}/reinstate": rest("POST", "memories/{replaced}/reinstate", {}),
    f"post {OF_MEMORY}/move": rest("POST", "memories/{private}/move", {"scope": "team"}),
    f"post {OF_MEMORY}/associations that replaces": link_from_new,
    f"post {OF_MEMORY}/supersede": supersede_by_new,
    f"post {OF_MEMORY}/supersede: by private": rest(
        "POST", "memories/{shared}/supersede", lambda scene: {"by": str(scene.private.pk)}
    ),
    "post pairs/<uuid:pair_id>/settle": rest("POST", "pairs/{pair}/settle", {"decision": "merge", "content": SECRET}),
    "post pairs/<uuid:pair_id>/reopen": rest("POST", "pairs/{settled}/reopen", {}),
    "post sessions/<path:name>/archive": rest(
        "POST", "sessions/chat/1/archive", {"messages": HELD_SENTENCE, "summary": SECRET}
    ),
    "post sessions/<path:name>/extract": rest("POST", "sessions/chat/1/extract", {"messages": HELD_SENTENCE}),
    "memory_save": mcp("memory_save", VAULT_NOTE),
    "memory_save_many": mcp("memory_save_many", {"memories": [VAULT_NOTE]}),
    "memory_update": mcp("memory_update", of("shared", content=SECRET)),
    "memory_append": mcp("memory_append", of("shared", text=SECRET)),
    "memory_tag": mcp("memory_tag", of("shared", add=["quokka"])),
    "memory_forget": mcp("memory_forget", of("shared", reason=SECRET)),
    "memory_forget by key": mcp("memory_forget", {"key": "pump", "reason": SECRET}),
    "memory_restore": mcp("memory_restore", of("gone")),
    "memory_revert": mcp("memory_revert", of("former", to_version=1)),
    "memory_reinstate": mcp("memory_reinstate", of("replaced")),
    "memory_link that replaces": link_by_mcp,
    "memory_supersede": supersede_by_mcp,
    "pair_settle": mcp("pair_settle", merge_secret),
    "session_archive": mcp("session_archive", {"messages": HELD_SENTENCE, "context": SESSION}),
    "session_extract": mcp("session_extract", {"messages": HELD_SENTENCE, "context": SESSION}),
    "kv/memory create": dialect("kv/memory", command="create", key="vault", content=SECRET),
    "kv/memory update": dialect("kv/memory", command="update", key="pump", content=SECRET),
    "kv/memory append": dialect("kv/memory", command="update", key="pump", content=SECRET, mode="append"),
    "kv/memory by id": kv_by_id,
    "group/save_memory": dialect("group/save_memory", key="vault", content=SECRET),
    "group/save_memory: again": dialect("group/save_memory", key="pump", content=SECRET),
    "scoped/save": dialect("scoped/save", key="vault", value=SECRET, scope="agent"),
    "team/save_memory": dialect("team/save_memory", type="fact", content=SECRET),
    "graph/memory_save": dialect("graph/memory_save", content=SECRET),
    "graph/memory_save that replaces": supersede_by_graph,
}

_NO_TEXT = "It has no words."
_BESIDE = "It stands beside a memory: neither recall nor a context reads it, and screening refuses what it would hold."
_FILE = "Files are no memories: neither recall nor a context reads them, and screening refuses what it would hold."
_HIDES = "It only takes a text away."
NO_WAYS: dict[str, str] = {
    **dict.fromkeys([f"post {OF_MEMORY}/pin", f"post {OF_MEMORY}/expire", f"post {OF_MEMORY}/verify"], _NO_TEXT),
    **dict.fromkeys(["memory_pin", "memory_expire", "memory_verify"], _NO_TEXT),
    **dict.fromkeys([f"post {OF_MEMORY}/associations", f"post {OF_MEMORY}/associations as target"], _NO_TEXT),
    **dict.fromkeys(["memory_link", "memory_link as target", "memory_unlink"], _NO_TEXT),
    f"delete {OF_MEMORY}/associations/<uuid:target_id>": _NO_TEXT,
    **dict.fromkeys([f"post {OF_MEMORY}/feedback", "memory_feedback"], "Its reason is read by those who review."),
    **dict.fromkeys([f"delete {OF_MEMORY}/feedback", "memory_feedback that withdraws"], _NO_TEXT),
    **dict.fromkeys([f"post {OF_MEMORY}/assets", f"post {OF_MEMORY}/sources", "memory_cite"], _BESIDE),
    **dict.fromkeys(
        [f"delete {OF_MEMORY}/assets/<uuid:asset_id>", f"delete {OF_MEMORY}/sources/<uuid:source_id>"], _HIDES
    ),
    f"post {OF_MEMORY}/purge": "Only owners may.",
    "post anchors/report": "It has hashes and no words.",
    **dict.fromkeys(["delete proposals/<uuid:proposal_id>", "proposal_withdraw"], _HIDES),
    **dict.fromkeys(["group/forget_memory", "group/forget_memory by id", "graph/memory_delete"], _HIDES),
    **dict.fromkeys(["scoped/delete", "scoped/delete by key"], _HIDES),
    **dict.fromkeys([f"{verb} files/<path:path>" for verb in ("post", "put", "patch", "delete")], _FILE),
    "post file-history/<path:path>": _FILE,
    **dict.fromkeys([f"files/{verb}" for verb in ("create", "str_replace", "insert", "delete", "rename")], _FILE),
    "files/rename of a folder": _FILE,
    **dict.fromkeys([f"file_{verb}" for verb in ("write", "append", "rename", "delete", "revert")], _FILE),
}
FILE_WAYS: dict[str, Way] = {  # which others may read as files
    "put files/<path:path>": rest("PUT", "files/vault.md", {"content": SECRET}),
    "files/create": dialect("files/create", path="/memories/vault.md", file_text=SECRET),
}
