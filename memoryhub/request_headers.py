"""Headers of requests, checked before anything parses them: some parsers take the square of a header's length, and fail
on parameters that make no sense."""

from typing import Any

from django.utils.http import parse_header_parameters

from memoryhub.errors import Invalid

MAX_PARAMETERS_LENGTH = 1_000  # characters of a header whose parameters are parsed
HEADERS_WITH_PARAMETERS = {"CONTENT_TYPE": "Content-Type", "HTTP_ACCEPT": "Accept"}


def check_headers(environ: dict[str, Any]) -> None:
    """Refuse headers that cannot be parsed, and remove them: what answers the refusal would parse them again."""
    _remove_odd_cookies(environ)
    refused = {}
    for key, name in HEADERS_WITH_PARAMETERS.items():
        if problem := _parameters_problem(environ.get(key, "")):
            refused[name] = problem
            del environ[key]
    if refused:
        raise Invalid(refused)


def _remove_odd_cookies(environ: dict[str, Any]) -> None:
    """Remove cookies with a backslash. None of ours has one, and Python before 3.11.10 and 3.12.6 takes the square of
    their number to read them (CVE-2024-7592)."""
    if "\\" in (cookies := environ.get("HTTP_COOKIE", "")):
        environ["HTTP_COOKIE"] = ";".join(cookie for cookie in cookies.split(";") if "\\" not in cookie)


def _parameters_problem(header: str) -> str | None:
    if len(header) > MAX_PARAMETERS_LENGTH:
        return f"At most {MAX_PARAMETERS_LENGTH:,} characters."
    try:
        for part in header.split(",") if "*" in header and ";" in header else ():
            parse_header_parameters(part)
    except ValueError:
        return "This header cannot be read."
    return None
