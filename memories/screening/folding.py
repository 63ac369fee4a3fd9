"""Folded text, in which tricks of writing are undone before words are looked for."""

import re
import string
import unicodedata

from memoryhub.text import MARK, MOST_MARKS

_LOWERED = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# Letters of other alphabets that look like Latin ones, as they stand inside Latin words.
_LOOK_ALIKES = str.maketrans(
    "абвгеікмнорстухѕјԁɡոսɑʏαβεικνορτυχωѵһ",
    "a6bгеiкmhopctyxsjdgnuayabeikvoptuxwvh".replace("г", "r").replace("е", "e").replace("к", "k"),
)
_TYPOGRAPHY = (
    ("—", "-"),
    ("–", "-"),
    ("’", "'"),
    ("‘", "'"),
    ("“", '"'),
    ("”", '"'),
    ("…", "..."),
    ("•", "*"),
    ("→", "->"),
)
_MIXED_WORD = re.compile("[a-z][Ͱ-ӿ]|[Ͱ-ӿ][a-z]")
# Latin letters, and signs that no word is made of: punctuation, currencies, arrows, lines.
_ONLY_LATIN = re.compile("[\x00-\u024f\u2010-\u2044\u20a0-\u20cf\u2190-\u22ff\u2500-\u257f]*+")
_MORE_MARKS = re.compile(f"({MARK}{{{MOST_MARKS}}}){MARK}+")
_UNSEEN = re.compile("[\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+")


def lower_in_place(text: str) -> str:
    """Return the text in lowercase with each character at its place, so that positions are the same in both."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWERED)  # some letters become two


def fold_text(text: str) -> str:
    """Return the text as a reader takes it: lowercase, without invisible characters, in plain letters."""
    if not text.isascii():
        for sign, plain in _TYPOGRAPHY:  # all that is not ASCII in most English texts
            text = text.replace(sign, plain)
    if not text.isascii() and _ONLY_LATIN.fullmatch(text):
        text = strip_accents(text)
    return text.lower() if text.isascii() else _fold_alphabets(text)


def strip_accents(text: str) -> str:
    """Return the text in ASCII: letters without their accents, and no other sign that is not in it."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def _fold_alphabets(text: str) -> str:
    text = _MORE_MARKS.sub(r"\1", text)  # which NFKC puts into order in n² steps
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    text = _UNSEEN.sub("", text).lower()
    return text.translate(_LOOK_ALIKES) if _MIXED_WORD.search(text) else text
