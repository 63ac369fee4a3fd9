"""Links, attachments and sources through the REST door."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from memories.models import Asset, Association, Source
from teams.models import Verb
from tests import factories
from tests.caller import Caller

pytestmark = pytest.mark.django_db
LAST = '\u00e9\u20ac "quoted"; x.html'


@pytest.fixture
def path(caller: Caller) -> str:
    return f"memories/{caller.save('Berth 7 is closed.')['id']}"


def upload(caller: Caller, path: str, *, headers: dict[str, str] | None = None, **form: Any) -> Any:
    return Client().post(f"/api/v1/{path}/assets", form, headers=caller.headers | (headers or {}))


def file(content: bytes = b"<script>alert(1)</script>", name: str = "x.html", kind: str = "text/html") -> Any:
    return SimpleUploadedFile(name, content, content_type=kind)


# Links


def test_a_link_is_drawn_weighed_again_and_taken_away(caller: Caller, path: str) -> None:
    other = caller.save("The crane is broken.")["id"]
    drawn = caller("POST", f"{path}/associations", {"target_id": other, "relation": "caused_by", "weight": 0.8})
    assert (drawn.status_code, drawn.json()["weight"]) == (201, 0.8), drawn.content
    again = caller("POST", f"{path}/associations", {"target_id": other, "relation": "caused_by", "weight": 0.3})
    assert (again.status_code, again.json()["id"], again.json()["weight"]) == (200, drawn.json()["id"], 0.3)
    for end in (path, f"memories/{other}"):
        (link,) = caller("GET", f"{end}/associations").json()["associations"]
        assert (link["target_id"], link["relation"]) == (other, "caused_by")
    assert caller("DELETE", f"{path}/associations/{other}").status_code == 404
    assert caller("DELETE", f"{path}/associations/{other}?relation=caused_by").status_code == 204
    assert not Association.objects.exists()


def test_a_link_to_what_one_may_not_see_is_not_there(caller: Caller, path: str) -> None:
    private = caller.save("Mine alone.", scope="agent")["id"]
    caller("POST", f"{path}/associations", {"target_id": private})
    mate = Caller(factories.agent(caller.agent.team))
    assert mate("GET", f"{path}/associations").json() == {"associations": [], "next": None}
    assert len(caller("GET", f"{path}/associations").json()["associations"]) == 1


def test_links_come_in_pages(caller: Caller, path: str) -> None:
    for n in range(5):
        caller("POST", f"{path}/associations", {"target_id": caller.save(f"Quite another thing {n}.")["id"]})
    first = caller("GET", f"{path}/associations?limit=3").json()
    rest = caller("GET", f"{path}/associations?limit=3&cursor={first['next']}").json()
    ids = [row["id"] for row in first["associations"] + rest["associations"]]
    assert (len(ids), len(set(ids)), rest["next"]) == (5, 5, None)


def test_odd_links_are_refused_by_the_api(caller: Caller, path: str) -> None:
    itself = path.removeprefix("memories/")
    for body in ({}, {"target_id": "x"}, {"target_id": itself}, {"target_id": itself, "weight": 2}):
        assert caller("POST", f"{path}/associations", body).status_code == 400
    assert caller("DELETE", f"{path}/associations/{itself}?relation=likes").status_code == 400


# Attachments


def test_a_file_comes_back_as_it_was_and_runs_nowhere(caller: Caller, path: str) -> None:
    sent = upload(caller, path, file=file(), name=LAST)
    asset = sent.json()
    assert (sent.status_code, asset["name"], asset["size"], asset["content_type"]) == (201, LAST, 25, "text/html")
    response = caller("GET", f"{path}/assets/{asset['id']}", Accept="image/png")
    assert b"".join(response.streaming_content) == b"<script>alert(1)</script>"
    assert response["Content-Type"] == "text/html"
    assert response["Content-Disposition"].startswith("attachment; filename*=utf-8''")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert caller("GET", f"{path}/assets/{asset['id']}", If_None_Match=f'"{asset["sha256"]}"').status_code == 304
    assert caller("GET", f"{path}/assets").json() == {"assets": [asset], "next": None}


def test_an_attachment_is_taken_away_with_its_bytes(caller: Caller, path: str, settings: Settings) -> None:
    asset = upload(caller, path, file=file()).json()
    other = caller.save("Another.")["id"]
    assert caller("DELETE", f"memories/{other}/assets/{asset['id']}").status_code == 404
    assert caller("DELETE", f"{path}/assets/{asset['id']}").status_code == 204
    assert caller("GET", f"{path}/assets/{asset['id']}").status_code == 404
    assert not Asset.objects.exists()


@pytest.mark.parametrize(
    ("form", "field"),
    [({}, "file"), ({"file": "text"}, "file"), ({"file": file(), "colour": "red"}, "colour")],
)
def test_odd_uploads_are_refused(caller: Caller, path: str, form: dict[str, Any], field: str) -> None:
    refused = upload(caller, path, **form)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert not Asset.objects.exists()


def test_an_upload_that_is_too_large_or_no_form_is_refused(caller: Caller, path: str, settings: Settings) -> None:
    settings.ASSET_MAX_BYTES = 10
    for content in (b"x" * 11, b"x" * 100_000):
        refused = upload(caller, path, file=file(content))
        assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert caller("POST", f"{path}/assets", {"file": "x"}).status_code == 415
    broken = Client().post(f"/api/v1/{path}/assets", b"x", content_type="multipart/form-data", headers=caller.headers)
    assert (broken.status_code, broken["Content-Type"]) == (400, "application/problem+json")


def test_an_upload_may_be_repeated(caller: Caller, path: str) -> None:
    headers = {"Idempotency-Key": "k"}
    first, second = (upload(caller, path, file=file(), headers=headers) for _ in range(2))
    assert (first.status_code, first.content) == (201, second.content)
    assert Asset.objects.count() == 1
    other = upload(caller, path, file=file(b"other"), headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


# Sources


def test_a_source_is_noted_and_taken_away(caller: Caller, path: str) -> None:
    said = {"session": "s-1", "message_id": "m-1", "url": "https://example.org/1", "quote": "It is closed."}
    noted = caller("POST", f"{path}/sources", said)
    source = noted.json()
    assert (noted.status_code, source["quote"], bool(source["session_id"])) == (201, "It is closed.", True)
    assert caller("GET", f"{path}/sources").json() == {"sources": [source], "next": None}
    other = caller.save("Another.")["id"]
    assert caller("DELETE", f"memories/{other}/sources/{source['id']}").status_code == 404
    assert caller("DELETE", f"{path}/sources/{source['id']}").status_code == 204
    assert not Source.objects.exists()


def test_a_source_names_the_session_that_is_known(caller: Caller, path: str) -> None:
    session = caller("PUT", "sessions/s-1", {}).json()["id"]
    assert caller("POST", f"{path}/sources", {"session": " s-1 "}).json()["session_id"] == session


def test_odd_sources_are_refused(caller: Caller, path: str) -> None:
    for body, field in [
        ({}, "source"),
        ({"session": " "}, "source"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"quote": 1}, "quote"),
    ]:
        refused = caller("POST", f"{path}/sources", body)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


def test_a_token_that_only_reads_hangs_nothing_on(caller: Caller, path: str) -> None:
    reader = caller.with_verbs(Verb.READ)
    other = caller.save("The crane is broken.")["id"]
    assert reader("POST", f"{path}/associations", {"target_id": other}).status_code == 403
    assert reader("POST", f"{path}/sources", {"quote": "x"}).status_code == 403
    assert upload(reader, path, file=file()).status_code == 403
