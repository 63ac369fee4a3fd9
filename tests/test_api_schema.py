"""The OpenAPI document: valid, complete, and true in its examples."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command
from django.test import Client

from memories.api import people_urls, urls
from memories.api.openapi import Published
from memories.contract import inputs
from memoryhub.validation import validate_input

METHODS = ("get", "post", "put", "patch", "delete")


def endpoints(patterns: Sequence[Any]) -> Iterator[tuple[str, Published]]:
    for pattern in patterns:
        view = pattern.callback.cls
        for method in METHODS:
            if hasattr(view, method):
                yield f"{method} {pattern.pattern}", getattr(view, method).published


ENDPOINTS = dict(endpoints(urls.urlpatterns))
OF_PEOPLE = {f"people's {name}": said for name, said in endpoints(people_urls.urlpatterns)}  # who have no tokens


def test_the_document_is_valid_and_nothing_in_it_was_guessed(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))
    assert (tmp_path / "schema.yaml").stat().st_size > 10_000


@pytest.mark.parametrize("name", ENDPOINTS | OF_PEOPLE)
def test_every_endpoint_has_examples_that_are_true(name: str) -> None:
    said = (ENDPOINTS | OF_PEOPLE)[name]
    if said.body not in (None, inputs.UPLOAD):
        assert said.example is not None
        validate_input(said.body, said.example)
        jsonschema.validate(said.example, said.body)
    if said.response is not None:
        assert said.answer is not None
        jsonschema.validate(said.answer, said.response)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return Client().get("/api/schema/").json()  # type: ignore[no-any-return]


def test_the_document_is_served_without_a_token_and_has_every_endpoint(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    assert sum(len(operations) for operations in document["paths"].values()) == len(ENDPOINTS | OF_PEOPLE)
    assert {"Memory", "Problem", "Receipt"} <= set(document["components"]["schemas"])


def test_every_operation_shows_what_it_is_called_with_and_what_it_answers(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            places = [parameter for parameter in operation["parameters"] if parameter["in"] == "path"]
            assert all("example" in place for place in places), (method, path)
            good = [answer for code, answer in operation["responses"].items() if code in ("200", "201", "204")]
            shown = [media for answer in good for media in answer.get("content", {}).values()]
            assert all("examples" in media for media in shown), (method, path)
            assert shown or places, (method, path)


def test_generators_find_readable_names_and_one_answer_for_each_status(document: dict[str, Any]) -> None:
    """Operations are called by verbs, each answer is one type, and what has a default may be left out."""
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert {"saveMemory", "getMemory", "listMemories", "recall", "whyNot", "callKvMemory"} <= set(names)
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name) for name in names)
    answers = [answer for operation in operations for answer in operation["responses"].values()]
    given = [media["schema"] for answer in answers for media in answer.get("content", {}).values()]
    assert not [schema for schema in given if {"anyOf", "oneOf", "allOf"} & set(schema)]
    for schema in document["components"]["schemas"].values():
        assert not [name for name, inner in schema.get("properties", {}).items() if "default" in inner]
    assert document["components"]["schemas"]["WrittenMemory"]["required"] == ["id", "key", "version", "status"]


def test_shared_enums_are_named_once(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert {"Type", "Scope", "Status", "Provenance", "Relation", "Mode", "Dedupe", "Change", "Verb"} <= set(schemas)
    properties = [schema.get("properties", {}) for schema in schemas.values()]
    assert '"enum"' not in json.dumps(properties)
    shared = {tuple(schema["enum"]) for schema in schemas.values() if "enum" in schema}
    inline = json.dumps(document["paths"])
    assert not [choices for choices in shared if f'"enum": {json.dumps(list(choices))}' in inline]


def test_headers_of_answers_are_published(document: dict[str, Any]) -> None:
    for path in document["paths"].values():
        for operation in path.values():
            answers = operation["responses"]
            assert "Retry-After" in answers["429"]["headers"]
            assert "Location" in answers.get("201", {"headers": "Location"})["headers"]
    assert "ETag" in document["paths"]["/api/v1/memories/{memory_id}"]["get"]["responses"]["304"]["headers"]


def test_refusals_are_problem_documents_there_too(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert operation["security"] == [{"session" if path.startswith("/api/v1/teams/") else "token": []}]
            refusals = {code: answer for code, answer in operation["responses"].items() if code >= "400"}
            assert {"400", "401", "403", "404", "429"} <= set(refusals)
            assert {tuple(answer["content"]) for answer in refusals.values()} == {("application/problem+json",)}


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = Client().get("/api/docs/", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "swagger-ui" in page.content.decode()
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page.content.decode())
