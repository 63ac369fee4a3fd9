"""Checks that text can be stored: Postgres would fail on some of what callers may send."""

import re
import unicodedata

ELLIPSIS = "…"
CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")  # control characters, line and paragraph separators
# As in the SQL function memory_has_many_marks.
MARK = (
    r"[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0730-\u074a\u07eb-\u07f3\u0816-\u082d"
    r"\u0859-\u085b\u0898-\u08ff\u0951-\u0954\u0e38-\u0e4b\u0eb8-\u0ecb\u0f18-\u0f87\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    r"\u302a-\u302f\u3099\u309a\ufe20-\ufe2f]"
)
MOST_MARKS = 30
MANY_MARKS = re.compile(f"{MARK}{{{MOST_MARKS + 1}}}")


def compose_text(text: str) -> str:
    """Return the text in Unicode's composed form. Letters with dozens of marks stay as they are: to bring n marks into
    order takes n² steps."""
    return text if text.isascii() or MANY_MARKS.search(text) else unicodedata.normalize("NFC", text)


def normalize_text(text: str) -> str:
    """Return the text in Unicode's composed form, without surrounding space."""
    return compose_text(text).strip()


def text_problem(text: str, *, longest: int) -> str:
    """Return a sentence about what is wrong with the text, or an empty one."""
    if "\0" in text:
        return "NUL characters cannot be stored."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "This is not valid Unicode: it contains half of a surrogate pair."
    if len(text) > longest:
        return f"At most {longest:,} characters; these are {len(text):,}."
    return ""


def line_problem(text: str, *, longest: int) -> str:
    """Return a sentence about what is wrong with text on one line, or an empty one."""
    if problem := text_problem(text, longest=longest):
        return problem
    if CONTROL.search(text):
        return "Line breaks and control characters are not allowed here."
    return ""


def cut_text(text: str, *, longest: int) -> str:
    """Return the text, or its beginning with an ellipsis if it is longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}{ELLIPSIS}"
