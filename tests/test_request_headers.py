"""Tests of headers that were made to be dear to parse, or to fail: nobody needs a token to send them."""

import http.client
from collections.abc import Iterator
from http.cookies import SimpleCookie
from io import BytesIO

import pytest
from django.core.handlers.wsgi import WSGIRequest

from memoryhub.errors import Invalid
from memoryhub.request_headers import MAX_PARAMETERS_LENGTH, check_headers
from tests.effort import cpu_seconds
from tests.hub import Hub, hub

UNREADABLE = ["text/plain; a*=bogus''b", "text/plain; a*=undefined''b", "text/plain; a*=b\0''b"]
PATHS = ["/login/", "/healthz", "/api/v1/me", "/mcp"]


@pytest.fixture(scope="module")
def found() -> Iterator[Hub]:
    with hub() as made:
        made.start()
        yield made


def ask(found: Hub, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=20)
    try:
        connection.request(method, path, b"{}" if method == "POST" else None, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", ["Content-Type", "Accept"])
def test_a_header_that_cannot_be_read_is_refused(found: Hub, path: str, method: str, name: str) -> None:
    for value, sentence in [(UNREADABLE[0], "cannot be read"), ("a/b" + ";" * 100_000, "At most 1,000 characters")]:
        status, body = ask(found, path, method, **{name: value})
        assert (status, f"{name}: " in body.decode(), sentence in body.decode()) == (400, True, True)


def test_cookies_of_others_are_passed_over(found: Hub) -> None:
    cookies = r'theirs="' + r"\\" * 20_000 + '"; side=narrow'
    assert ask(found, "/login/", Cookie=cookies)[0] == 200


@pytest.mark.parametrize("value", UNREADABLE)
def test_parameters_in_an_unknown_encoding_are_refused_and_removed(value: str) -> None:
    environ = {"CONTENT_TYPE": value, "HTTP_ACCEPT": f"*/*, {value}"}
    with pytest.raises(Invalid) as refused:
        check_headers(environ)
    assert (list(refused.value.fields), environ) == (["Content-Type", "Accept"], {})


@pytest.mark.parametrize(
    "value", ["", "*/*", "application/json, text/*;q=0.8, */*;q=0.1", "text/plain; a*=utf-8''%e2%82%ac", "x;" * 500]
)
def test_other_headers_stay_as_they_are(value: str) -> None:
    environ = {"CONTENT_TYPE": value, "HTTP_ACCEPT": value, "HTTP_COOKIE": 'a=1; b="2"'}
    check_headers(environ)
    assert environ == {"CONTENT_TYPE": value, "HTTP_ACCEPT": value, "HTTP_COOKIE": 'a=1; b="2"'}
    assert len(value) <= MAX_PARAMETERS_LENGTH


def test_only_cookies_with_a_backslash_are_removed() -> None:
    environ = {"HTTP_COOKIE": r'sessionid=abc; theirs="a\054b"; csrftoken=def'}
    check_headers(environ)
    assert SimpleCookie(environ["HTTP_COOKIE"]).keys() == {"sessionid", "csrftoken"}


def test_cookies_take_time_in_proportion_to_their_length() -> None:
    def read(pairs: int) -> None:
        environ = {"REQUEST_METHOD": "GET", "wsgi.input": BytesIO(), "HTTP_COOKIE": 'a="' + r"\\" * pairs + '"'}
        check_headers(environ)
        assert WSGIRequest(environ).COOKIES == {}

    assert cpu_seconds(lambda: read(80_000)) < 4 * cpu_seconds(lambda: read(40_000))
