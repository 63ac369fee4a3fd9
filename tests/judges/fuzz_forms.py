"""Thousands of garbage forms for every page of a running hub, none of which may make it fail: `make fuzz-forms`.

As the demo's owner sends them, with the token that forms need, to every address of the URL maps; what addresses can
name is found on the pages themselves. `--seed` and `--only` send one again."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.cookies import SimpleCookie
from random import Random
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

import django
from django.urls import URLPattern, URLResolver

from tests.hub import hub
from tests.judges.garbage import ODD_TEXTS, Line, Shot, arguments, header_text, send_garbage

FUZZ_TEAM = "/t/tidewater/engineering/"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FIELD_NAMES = re.compile(r'name="([\w-]+)"')
PATHS = re.compile(rf'{FUZZ_TEAM}(?:files|conversations)/([^"?#]+)"')
PATH_PLACES = re.compile(r"<(?:(\w+):)?(\w+)>")
BOUNDARY = "----garbage"
LOOKED_AT = (
    *("", "memories/", "memories/new/", "memories/?forgotten=yes", "memories/batches/", "core/", "recall/?query=main"),
    *("activity/", "activity/recalls/", "activity/questions/", "files/", "file/new/", "file/upload/", "file/deleted/"),
    *("conversations/", "agents/", "agents/new/", "projects/", "projects/new/", "members/", "members/invite/", "tree/"),
)
FIELD_WORDS = (
    "a word",
    "1",
    "true",
    "pin",
    "forget",
    "tag",
    "team",
    "owner",
    "decision",
    "core",
    "2099-01-01T00:00",
    "notes/a.md",
)


def addresses() -> list[str]:
    """Return every page's address as the URL maps have it, but for the admin's and what programs call."""
    import memoryhub.urls

    return [found for found in _addresses(memoryhub.urls.urlpatterns, "/") if not _is_for_programs(found)]


def _addresses(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
    for pattern in patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield address
        else:
            yield from _addresses(pattern.url_patterns, address)


def _is_for_programs(address: str) -> bool:
    return address.startswith(("/api/", "/mcp", "/admin/", "/^api", "/metrics", "/healthz", "/readyz"))


@dataclass
class KnownIds:
    """The ids, paths and field names that addresses and forms can name."""

    uuids: list[str] = field(default_factory=lambda: [str(UUID(int=7))])
    paths: list[str] = field(default_factory=lambda: ["notes/a.md"])
    names: list[str] = field(default_factory=lambda: ["content"])

    def learn(self, page: str) -> None:
        for known, pattern in ((self.uuids, UUIDS), (self.paths, PATHS), (self.names, FIELD_NAMES)):
            known += [found for found in dict.fromkeys(pattern.findall(page)) if found not in known]


@dataclass(frozen=True)
class FormFuzz:
    seed: int
    known: KnownIds
    places: list[str]
    headers: Mapping[str, str] = field(default_factory=dict)
    team: Mapping[str, str] = field(default_factory=lambda: {"organization": "tidewater", "team": "engineering"})

    @cached_property
    def makers(self) -> list[Any]:
        return [self._build_urlencoded, self._build_urlencoded, self._multipart, self._broken_multipart, self._other]

    def shots(self, requests: int) -> Iterator[Shot]:
        for number in range(1, requests + 1):
            chance = Random(f"{self.seed} {number}")
            method = chance.choice((*["POST"] * 7, *SAFE_METHODS[:2], "PUT", "DELETE", "OPTIONS", "PATCH"))
            path = self._address(self.places[number % len(self.places)], chance)
            if chance.random() < (0.8 if method in SAFE_METHODS else 0.2):
                path += "?" + urlencode(self._fields(chance), errors="replace")[:8_000]
            kind, body = ("", b"") if method in SAFE_METHODS else chance.choice(self.makers)(chance)
            headers = {**self.headers, **({"Content-Type": kind} if kind else {}), **self._odd_headers(chance)}
            yield Shot(number, method, path, headers, body)

    def _address(self, address: str, chance: Random) -> str:
        return PATH_PLACES.sub(lambda found: self._part(found[1] or "str", found[2], chance), address)

    def _part(self, kind: str, name: str, chance: Random) -> str:
        if name in self.team:
            return (
                self.team[name] if chance.random() < 0.97 else quote(chance.choice(ODD_TEXTS)[:300], errors="replace")
            )
        if kind == "uuid":
            return chance.choice(self.known.uuids)
        if kind == "int":
            return chance.choice(("0", "1", "2", "7", "99999999999999999999"))
        known = chance.choice((*self.known.paths, *self.known.names, "owner", "editor"))
        odd = quote(chance.choice(ODD_TEXTS)[:300], safe="/", errors="replace") or "x"
        return quote(known) if chance.random() < 0.7 else odd

    def _value(self, chance: Random) -> str:
        if chance.random() < 0.5:
            return chance.choice(ODD_TEXTS)
        return chance.choice((*FIELD_WORDS, *self.known.uuids, *self.known.paths, *self.known.names))

    def _fields(self, chance: Random) -> list[tuple[str, str]]:
        """Return random fields: most are named like a field of some page, some come twice, some have made-up names."""
        names = chance.choices(self.known.names, k=chance.randrange(12))
        if chance.random() < 0.3:
            names += [*names[:2], chance.choice(ODD_TEXTS)[:200]]
        if chance.random() < 0.02:
            names += [f"f{number}" for number in range(1_200)]
        return [(name, self._value(chance)) for name in names]

    def _build_urlencoded(self, chance: Random) -> tuple[str, bytes]:
        kind = chance.choice(("", "", "", "; charset=utf-8", "; charset=utf-16", "; charset=nothing", "; charset=\0"))
        text = urlencode(self._fields(chance), errors="replace")
        odd = chance.choice(("", "", "", "", "&%", "&=%ff%fe", "&a=%00", "&" * 50, ";x", "%"))
        return f"application/x-www-form-urlencoded{header_text(kind)}", (text + odd).encode()

    def _multipart(self, chance: Random) -> tuple[str, bytes]:
        parts = []
        for name, value in self._fields(chance):
            file = f'; filename="{header_text(chance.choice(ODD_TEXTS))[:200]}"' if chance.random() < 0.4 else ""
            kind = "Content-Type: text/markdown\r\n" if file else ""
            head = f'Content-Disposition: form-data; name="{header_text(name)}"{file}\r\n{kind}\r\n'
            parts.append(head.encode("latin-1", "replace") + value.encode(errors="surrogatepass"))
        body = b"".join(b"--" + BOUNDARY.encode() + b"\r\n" + part + b"\r\n" for part in parts)
        return f"multipart/form-data; boundary={BOUNDARY}", body + f"--{BOUNDARY}--\r\n".encode()

    def _broken_multipart(self, chance: Random) -> tuple[str, bytes]:
        kind, body = self._multipart(chance)
        cut = body[: chance.randrange(len(body))]
        kinds = ("multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'x' * 300}")
        transfers = body.replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: base64\r\n\r\n")
        return chance.choice(
            ((kind, cut), (chance.choice(kinds), body), (kind, transfers), (kind, body.replace(b"\r", b"")))
        )

    def _other(self, chance: Random) -> tuple[str, bytes]:
        kinds = ("application/json", "text/plain", "application/octet-stream", "x/y", "")
        said = dict(self._fields(chance))
        return chance.choice(kinds), json.dumps(said).encode()

    def _odd_headers(self, chance: Random) -> dict[str, str]:
        """Return odd values of the headers that htmx sends, and of others."""
        if chance.random() < 0.6:
            return {}
        names = ("HX-Request", "HX-Target", "HX-Current-URL", "HX-Trigger-Name", "Referer", "Accept", "If-None-Match")
        names += ("If-Modified-Since", "Range", "Accept-Language", "Origin", "X-Forwarded-For", "X-Request-Id")
        return {chance.choice(names): header_text(chance.choice(("true", *ODD_TEXTS)))}


class Owner(Line):
    """The demo's owner: logs in again whenever something logged them out."""

    def __init__(self, port: int, password: str) -> None:
        super().__init__(port)
        self.password, self.cookies = password, dict[str, str]()
        self.log_in()

    def log_in(self) -> None:
        self.cookies = {}
        self.visit("/login/")
        body = urlencode({"username": "demo", "password": self.password}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        status, headers, _ = self.ask(Shot(0, "POST", "/login/", self.headers | kind, body))
        assert status == 302, status
        self.keep(headers)

    def visit(self, path: str) -> str:
        status, headers, answer = self.ask(Shot(0, "GET", path, self.headers))
        assert status == 200, (path, status)
        self.keep(headers)
        return answer.decode()

    def keep(self, headers: Any) -> None:
        for line in headers.get_all("Set-Cookie") or ():
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value

    @property
    def headers(self) -> dict[str, str]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items() if value)
        return {"Cookie": cookie, "X-CSRFToken": self.cookies.get("csrftoken", "")}

    def send(self, shot: Shot) -> tuple[int, bytes]:
        said = Shot(shot.number, shot.method, shot.path, {**self.headers, **shot.headers}, shot.body)
        status, headers, answer = self.ask(said)
        gone = any('sessionid=""' in line or "sessionid=;" in line for line in headers.get_all("Set-Cookie") or ())
        if gone or headers.get("Location", "").startswith("/login/"):
            self.log_in()
        return status, answer


def main() -> None:
    said = arguments(__doc__ or "", requests=4_500)
    os.environ |= {"LOGIN_TRIES": "1000000"}  # a good part of the forms are wrong passwords
    with hub(new=True) as made:
        made.start("--no-worker", "--demo")
        (password,) = re.findall(r"password +(\S+)", (made.folder / "serve.log").read_text())
        os.environ |= {"MEMORYHUB_DATA": str(made.folder), "DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
        django.setup()
        owner, known = Owner(made.port, password), KnownIds()
        for place in LOOKED_AT:
            known.learn(owner.visit(FUZZ_TEAM + place))
        send_garbage(FormFuzz(said.seed, known, addresses()).shots(said.requests), owner.send, said=said)


if __name__ == "__main__":
    main()
