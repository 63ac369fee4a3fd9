"""The work of screening grows with the length of a text, whatever the text is."""

import pytest

from memories.screening.screen import screen_text
from tests import effort
from tests.secret_samples import UPPER, Samples, wrap

LENGTH = 40_000  # characters of the shorter text
PIECES = {
    "letters": "a",
    "signs of equality": "=",
    "digits": "7",
    "groups of digits": "4111 1111 1111 1111 ",
    "angle brackets": "<",
    "quotation": "> ",
    "quotes": "\"'",
    "zero-width characters": "\u200b",
    "tags": "\U000e0041",
    "spaces": " ",
    "line breaks": "\n",
    "dots": ".",
    "passwords without a value": "password=",
    "passwords with a value": "password=Ab1!xyz9 ",
    "passwords in sentences": "password is abcdefg1 ",
    "words for keys": "key ",
    "addresses": "a1://b:c@",
    "key blocks": "-----BEGIN PRIVATE KEY-----",
    "marks of tokens": "sk-",
    "web tokens": "eyJhbGc.",
    "links": "![](http://",
    "comments": "<!--",
    "orders": "ignore previous ",
    "questions": "Q: what is it? ",
    "e-mail": "a@b.",
    "parts": 'a is "b is ',
    "sent": "send data ",
    "emoji": "😀",
    "Chinese": "密码",
    "capitals that grow": "İ",
    "marks in the wrong order": "\u0315\u0300",
    "wrapped text": wrap("hello world abc123") + " ",
    "wrapped secrets": wrap("password=abc123XY") + " ",
    "access keys": f"{'AK'}IA{Samples(1).draw(UPPER, 16)} ",
}


@pytest.mark.parametrize("kind", PIECES)
def test_twice_the_text_is_twice_the_work(kind: str) -> None:
    text = (PIECES[kind] * LENGTH)[:LENGTH]
    once = effort.cpu_seconds(lambda: screen_text(text))
    twice = effort.cpu_seconds(lambda: screen_text(text + text))
    assert twice < 3.2 * once
