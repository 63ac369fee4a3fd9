"""Forms that cannot be taken come back with what was typed, to those who typed it, and have no effect."""

from collections.abc import Callable
from html import escape, unescape

import pytest
from django.http import HttpResponse
from django.test import Client

from memories.models import Memory
from teams.models import Role
from tests import factories

pytestmark = pytest.mark.django_db

OURS = {"Origin": "http://testserver"}
BROWSERS_WORD = {"Sec-Fetch-Site": "same-origin"}
ELSEWHERE: tuple[dict[str, str], ...] = (
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": "http://testserver.elsewhere.example"},
    {"Origin": "https://testserver"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://testserver"},
    {},
)
TEXT = "Typed with care.\r\n\r\n</textarea><script>window.pwned=1</script> \"quoted\" & 'so'"


@pytest.fixture
def at() -> str:
    team = factories.team(factories.organization("harbour"), "pilots")
    factories.member(team, Role.EDITOR, "mira")
    return "/t/harbour/pilots/memories/new/"


def browser(*, user: str = "") -> Client:
    client = Client(enforce_csrf_checks=True)
    if user:
        assert client.login(username=user, password="correct horse battery")
    return client


def anonymous(at: str, headers: dict[str, str], **more: str) -> HttpResponse:
    """The answer to somebody whose session has ended, and whose token is good still."""
    client = Client()
    return client.post(at, {"content": TEXT, "type": "fact", **more}, headers=headers)  # type: ignore[return-value]


def post_outdated_form(at: str, headers: dict[str, str], **more: str) -> HttpResponse:
    """The answer to somebody who has logged in anew since the page was made."""
    sent = {"content": TEXT, "type": "fact", "csrfmiddlewaretoken": "x" * 64, **more}
    return browser(user="mira").post(at, sent, headers=headers)  # type: ignore[return-value]


Refused = Callable[..., HttpResponse]
both = pytest.mark.parametrize("refused", [anonymous, post_outdated_form])


@both
@pytest.mark.parametrize("headers", [OURS, BROWSERS_WORD], ids=["origin", "sec-fetch-site"])
def test_what_was_typed_comes_back_escaped(at: str, refused: Refused, headers: dict[str, str]) -> None:
    answer = refused(at, headers, next="/t/harbour/pilots/")
    page = answer.content.decode()
    assert answer.status_code == 403
    assert f"\n{escape(TEXT)}</textarea>" in page
    assert '<input type="hidden" name="type" value="fact">' in page
    assert f'<form method="post" action="{at}"' in page
    assert "pwned=1</script>" not in page
    assert answer["X-Frame-Options"] == "DENY"
    assert not Memory.objects.exists()


@pytest.mark.parametrize("headers", ELSEWHERE, ids=str)
def test_what_another_site_sent_is_not_shown(at: str, headers: dict[str, str]) -> None:
    page = post_outdated_form(at, headers).content.decode()
    assert "Typed with care" not in page
    assert f'action="{at}"' not in page
    answer = anonymous(at, headers)
    assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={at}")
    assert not Memory.objects.exists()


def test_it_is_saved_when_it_is_sent_again(at: str) -> None:
    client = browser(user="mira")
    sent = {"content": "Typed with care.", "type": "fact", "category": "general", "importance": "0.5"}
    page = client.post(at, sent, headers=OURS).content.decode()
    assert "Send it again as mira" in page
    token = page.split('name="csrfmiddlewaretoken" value="')[-1].split('"')[0]
    assert client.post(at, sent | {"csrfmiddlewaretoken": token}, headers=OURS).status_code == 302
    assert Memory.objects.get().content == "Typed with care."


def test_passwords_are_never_repeated(at: str) -> None:
    sent = {"username": "mira", "password": "correct horse battery", "new_password1": "correct horse battery"}
    for path in ("/login/", "/account/password/", "/join/x/", "/account/sessions/"):
        for client in (browser(), browser(user="mira")):
            answer = client.post(path, sent, headers=OURS)
            assert answer.status_code == 403, path
            assert "correct horse" not in answer.content.decode(), path


def test_scripts_get_a_token_but_not_their_own_text(at: str) -> None:
    answer = post_outdated_form(at, OURS | {"HX-Request": "true"})
    page = answer.content.decode()
    assert 'data-rescue="token"' in page
    assert 'name="csrfmiddlewaretoken"' in page
    assert 'data-name="mira"' in page
    assert "Typed with care" not in page
    assert 'data-rescue="session"' in anonymous(at, OURS | {"HX-Request": "true"}).content.decode()


def test_reading_leads_to_the_log_in_as_ever(client: Client, at: str) -> None:
    answer = client.get(f"{at}?key=a%20b", headers=OURS)
    assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={at}%3Fkey%3Da%2520b")


def test_it_is_as_large_as_what_was_sent(at: str) -> None:
    """Escaped, the worst of characters is six times itself."""
    size = 200_000
    page = post_outdated_form(at, OURS, content='"' * size).content.decode()
    assert unescape(page).count('"' * size) == 1
    assert len(page) < 6 * size + 20_000
