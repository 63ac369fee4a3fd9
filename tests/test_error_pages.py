"""Tests of what a caller is told when we fail, or cannot make sense of a request."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from memoryhub import urls


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("SECRET")


urlpatterns = [path("api/broken", broken), path("broken", broken), path("", include(urls.urlpatterns))]
handler400, handler500 = urls.handler400, urls.handler500


@override_settings(ROOT_URLCONF="tests.test_error_pages")
def test_a_fault_is_a_problem_document_to_programs_and_a_page_to_people() -> None:
    client = Client(raise_request_exception=False)
    problem = client.get("/api/broken")
    assert (problem.status_code, problem["Content-Type"]) == (500, "application/problem+json")
    assert problem.json() == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "Something went wrong here, and was logged. Trying again may not help.",
        "code": "internal",
    }
    page = client.get("/broken")
    assert (page.status_code, page["Content-Type"].partition(";")[0]) == (500, "text/html")


@pytest.mark.parametrize(("address", "kind"), [("/api/v1/me", "application/problem+json"), ("/login/", "text/html")])
def test_so_is_what_cannot_be_read(address: str, kind: str) -> None:
    refused = Client().get(address, headers={"Host": "elsewhere.example"})
    assert (refused.status_code, refused["Content-Type"].partition(";")[0]) == (400, kind)


@pytest.mark.parametrize("charset", ["utf-16", "utf-32", "latin-1"])
def test_a_form_in_another_encoding_is_refused_on_a_page(charset: str) -> None:
    """The request has the token that forms need, so that only the form cannot be read."""
    client, secret = Client(enforce_csrf_checks=True), "a" * 32
    client.cookies["csrftoken"] = secret
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    refused = client.generic("POST", "/logout/", b"x=1", content_type=kind, headers={"X-CSRFToken": secret})
    assert (refused.status_code, refused["Content-Type"].partition(";")[0]) == (400, "text/html")
