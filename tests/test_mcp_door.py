"""The MCP door as HTTP: who may come in, which revision is spoken, and how what is wrong is told."""

from typing import Any

import pytest
from django.conf import settings as configured
from django.test import Client
from pytest_django import Settings

from memories.models import Memory
from memories.tools import DIALECTS
from teams import operations as registry
from tests.mcp_caller import HANDSHAKE, MODERN, Messenger

pytestmark = pytest.mark.django_db
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CAPABILITIES = {"io.modelcontextprotocol/clientCapabilities": {}}
VERSION = "io.modelcontextprotocol/protocolVersion"


def initialize(version: object = "2025-11-25") -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}


def code_of(response: Any) -> tuple[int, int]:
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("version", HANDSHAKE)
def test_every_revision_with_a_handshake_is_agreed_to(messenger: Messenger, version: str) -> None:
    result = messenger.send(initialize(version), MCP_Protocol_Version=version).json()["result"]
    assert (result["protocolVersion"], result["serverInfo"]["name"]) == (version, "memoryhub")
    assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions"}
    assert "memory_recall" in result["instructions"]


@pytest.mark.parametrize("version", [MODERN, "1999-01-01", "2031-01-01"])
def test_another_revision_is_answered_with_the_last_that_has_a_handshake(messenger: Messenger, version: str) -> None:
    assert messenger.send(initialize(version)).json()["result"]["protocolVersion"] == "2025-11-25"


def test_a_modern_client_discovers_all_revisions(messenger: Messenger) -> None:
    messenger.revision = MODERN
    result = messenger.result("server/discover")
    assert result["supportedVersions"] == [MODERN, *reversed(HANDSHAKE)]
    assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "memoryhub"


def test_only_modern_results_say_that_they_are_complete(messenger: Messenger) -> None:
    assert set(messenger.result("tools/list")) == {"tools"}
    messenger.revision = MODERN
    assert set(messenger.result("tools/list")) == {"tools", "resultType", "_meta", "ttlMs", "cacheScope"}


@pytest.mark.parametrize(
    ("revision", "method"), [(MODERN, "ping"), (MODERN, "initialize"), ("2025-11-25", "server/discover")]
)
def test_a_method_of_another_revision_is_not_there(messenger: Messenger, revision: str, method: str) -> None:
    messenger.revision = revision
    response = messenger.ask(method)
    assert code_of(response) == (404 if revision == MODERN else 200, -32601)


@pytest.mark.parametrize("method", ["logging/setLevel", "resources/subscribe", "subscriptions/listen", "nothing"])
def test_what_is_not_offered_is_not_there(messenger: Messenger, method: str) -> None:
    assert messenger.error(method)["code"] == -32601


@pytest.mark.parametrize("header", ["1999-01-01", "latest", "2025-06-18, 2025-06-18"])
def test_an_unknown_revision_is_told_which_there_are(messenger: Messenger, header: str) -> None:
    response = messenger.send(PING, MCP_Protocol_Version=header)
    assert code_of(response) == (400, -32022)
    assert response.json()["error"]["data"] == {"supported": [MODERN, *reversed(HANDSHAKE)], "requested": header}
    assert messenger.send(INITIALIZED, MCP_Protocol_Version=header).status_code == 400


@pytest.mark.parametrize(
    ("headers", "meta", "code"),
    [
        ({}, {VERSION: MODERN, **CAPABILITIES}, -32020),
        ({"Mcp_Method": "tools/call"}, {VERSION: MODERN, **CAPABILITIES}, -32020),
        ({"Mcp_Method": "tools/list", "MCP_Protocol_Version": "2031-01-01"}, {VERSION: MODERN, **CAPABILITIES}, -32020),
        ({"Mcp_Method": "tools/list"}, {VERSION: MODERN}, -32602),
        ({"Mcp_Method": "tools/list"}, CAPABILITIES, -32602),
        ({"Mcp_Method": "tools/list"}, "text", -32602),
        ({"Mcp_Method": "tools/list"}, {VERSION: ["2026-07-28"], **CAPABILITIES}, -32020),
    ],
)
def test_a_modern_request_agrees_with_its_headers(messenger: Messenger, headers: Any, meta: Any, code: int) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    response = messenger.send(body, **({"MCP_Protocol_Version": MODERN} | headers))
    assert (code_of(response), response.json()["id"]) == ((400, code), 1)


@pytest.mark.parametrize(
    ("header", "code"),
    [("whoami", None), ("=?base64?d2hvYW1p?=", None), ("=?base64?!!?=", -32020), ("memory_list", -32020), ("", -32020)],
)
def test_the_name_in_the_header_is_the_bodys(messenger: Messenger, header: str, code: int | None) -> None:
    meta = {VERSION: MODERN, **CAPABILITIES}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "_meta": meta}}
    response = messenger.send(body, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name=header)
    assert response.json().get("error", {}).get("code") == code


def test_without_a_header_the_body_tells_the_era(messenger: Messenger) -> None:
    headers = {"Authorization": f"Bearer {messenger.token}"}
    modern = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {VERSION: MODERN, **CAPABILITIES}}}
    for body, status in ((PING, 200), (initialize(), 200), (modern, 400)):
        assert Client().post("/mcp", body, content_type="application/json", headers=headers).status_code == status


@pytest.mark.parametrize("revision", [*HANDSHAKE, MODERN])
def test_notifications_get_no_answer(messenger: Messenger, revision: str) -> None:
    response = messenger.send(INITIALIZED, MCP_Protocol_Version=revision)
    assert (response.status_code, response.content) == (202, b"")


def test_a_response_that_nobody_asked_for_is_taken_from_older_clients_alone(messenger: Messenger) -> None:
    response = {"jsonrpc": "2.0", "id": 7, "result": {}}
    assert messenger.send(response).status_code == 202
    assert code_of(messenger.send(response, MCP_Protocol_Version=MODERN)) == (400, -32600)


@pytest.mark.parametrize(
    ("body", "code", "identity"),
    [
        (b" ", -32700, None),
        (b"{", -32700, None),
        (b'{"a": NaN}', -32700, None),
        (b"[" * 5_000, -32700, None),
        (b'"\xff"', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/list"}', -32600, None),
        (b"7", -32600, None),
        ({"id": 1, "method": "ping"}, -32600, 1),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600, 1),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": "x", "method": 7}, -32600, "x"),
        ({"jsonrpc": "2.0", "id": "x"}, -32600, "x"),
    ],
)
def test_what_is_no_message_is_a_bad_request(messenger: Messenger, body: Any, code: int, identity: Any) -> None:
    response = messenger.send(body)
    assert (code_of(response), response.json()["id"]) == ((400, code), identity)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("ping", [1]),
        ("initialize", {}),
        ("initialize", {"protocolVersion": 7}),
        ("tools/list", {"cursor": "2"}),
        ("tools/list", {"cursor": 2}),
        ("tools/call", {}),
        ("tools/call", {"name": ["whoami"]}),
        ("tools/call", {"name": "nothing"}),
        ("tools/call", {"name": "whoami", "arguments": []}),
        ("resources/list", {"cursor": "made up"}),
        ("resources/read", {}),
        ("prompts/get", {"name": "nothing"}),
        ("prompts/get", {"name": "team_context", "arguments": {"budget": "much"}}),
        ("prompts/get", {"name": "team_context", "arguments": {"budget": 7}}),
        ("prompts/get", {"name": "team_context", "arguments": {"colour": "red"}}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "nothing"}, "argument": {}}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": ["a"]}, "argument": {}}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "team_context"}, "argument": {"name": 1}}),
    ],
)
def test_what_a_method_cannot_take_is_told(messenger: Messenger, method: str, params: Any) -> None:
    response = messenger.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    found = -32002 if method == "resources/read" and params else -32602
    assert code_of(response) == (200, found)
    assert response.json()["error"]["message"]


def test_batches_are_of_one_revision_alone(messenger: Messenger) -> None:
    batch = [PING, INITIALIZED, {"jsonrpc": "2.0", "id": 2, "method": "nothing"}, 7, initialize()]
    for revision in (*HANDSHAKE, MODERN):
        response = messenger.send(batch, MCP_Protocol_Version=revision)
        assert response.status_code == (200 if revision == "2025-03-26" else 400), revision
    answers = messenger.send(batch, MCP_Protocol_Version="2025-03-26").json()
    assert [(answer["id"], answer.get("error", {}).get("code")) for answer in answers] == [
        (1, None), (2, -32601), (None, -32600), ("hello", -32600),
    ]  # fmt: skip


@pytest.mark.parametrize(("batch", "status"), [([], 400), ([PING] * 11, 400), ([INITIALIZED] * 3, 202)])
def test_a_batch_has_an_end(messenger: Messenger, batch: list[Any], status: int) -> None:
    assert messenger.send(batch, MCP_Protocol_Version="2025-03-26").status_code == status


@pytest.mark.parametrize("method", ["get", "delete", "put", "options", "head"])
def test_messages_come_by_post(messenger: Messenger, method: str) -> None:
    response = getattr(Client(), method)("/mcp", headers=messenger.headers)
    assert (response.status_code, response["Allow"]) == (405, "POST")


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer mh_nothing"}, {"Authorization": "Basic eDp5"}])
def test_without_a_token_there_is_nothing(header: dict[str, str]) -> None:
    response = Client().post("/mcp", PING, content_type="application/json", headers=header)
    assert (response.status_code, response["WWW-Authenticate"]) == (401, 'Bearer realm="memoryhub"')
    assert response.json()["error"]["message"]


def test_a_token_may_call_as_often_as_by_rest(messenger: Messenger, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 2
    responses = [messenger.send(PING) for _ in range(5)]
    assert [response.status_code for response in responses][-1] == 429
    assert int(responses[-1]["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://testserver", 200),
        ("http://testserver:3000", 403),
        ("http://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
        ("https://app.trusted.example", 200),
        ("http://app.trusted.example", 403),
    ],
)
def test_pages_of_other_sites_are_refused(messenger: Messenger, settings: Settings, origin: str, status: int) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.trusted.example"]
    assert messenger.send(PING, Origin=origin).status_code == status


def test_a_name_that_is_not_ours_is_refused(messenger: Messenger) -> None:
    assert messenger.send(PING, Host="evil.example").status_code == 400


@pytest.mark.parametrize(
    ("accept", "status"), [("*/*", 200), ("application/json, text/event-stream", 200), ("text/event-stream", 406)]
)
def test_answers_are_json(messenger: Messenger, accept: str, status: int) -> None:
    assert messenger.send(PING, Accept=accept).status_code == status


def test_bodies_are_json_and_not_too_large(messenger: Messenger) -> None:
    plain = Client().post("/mcp", b"{}", content_type="text/plain", headers=messenger.headers)
    assert plain.status_code == 415
    assert messenger.send(b" " * (configured.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)).status_code == 413


def test_a_dialect_has_just_its_own_tools(messenger: Messenger) -> None:
    for dialect, every in DIALECTS.items():
        messenger.place = f"/mcp/{dialect}"
        assert [tool["name"] for tool in messenger.result("tools/list")["tools"]] == [tool.name for tool in every]
        assert messenger.error("resources/list")["code"] == -32601
        assert set(messenger.send(initialize()).json()["result"]["capabilities"]) == {"tools"}


def test_a_dialect_that_is_not_there_is_told(messenger: Messenger) -> None:
    messenger.place = "/mcp/klingon"
    assert (messenger.send(PING).status_code, "there are kv" in messenger.send(PING).json()["error"]["message"]) == (
        404,
        True,
    )


def test_the_context_comes_by_header_by_meta_or_by_argument(messenger: Messenger) -> None:
    messenger.context = {"user": "mira"}
    for handle in ("mira", "noor", "ola"):
        registry.ensure_person(organization_id=messenger.agent.organization_id, handle=handle)
    people = [
        messenger.call("whoami"),
        messenger.result("tools/call", name="whoami", _meta={"memoryhub/context": {"user": "noor"}})[
            "structuredContent"
        ],
        messenger.call("whoami", context={"user": "ola"}),
    ]
    assert len({person["person_id"] for person in people}) == 3
    messenger.call("memory_save", content="Noor likes tea.", scope="global", context={"user": "noor"})
    assert str(Memory.objects.get().person_id) == people[1]["person_id"]


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ({"project": "nothing"}, "There is no project 'nothing'"),
        ({"colour": "red"}, "colour: There is no such field."),
        ({"user": 7}, "user: This must be text."),
        ("mira", "context: This must be a JSON object."),
    ],
)
def test_a_context_that_cannot_be_is_told_to_the_model(messenger: Messenger, context: Any, sentence: str) -> None:
    assert sentence in messenger.refusal("whoami", context=context)


def test_a_modern_notification_without_its_header_is_refused(messenger: Messenger) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN}
    said = {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"_meta": meta}}
    response = messenger.send(said, MCP_Protocol_Version="")
    assert code_of(response) == (400, -32022)
