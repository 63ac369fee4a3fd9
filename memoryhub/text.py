"""Checks that text can be stored: Postgres would fail on some of what callers may send."""

import re
import unicodedata

ELLIPSIS = "…"
CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")  # control characters, line and paragraph separators


def normalize_text(text: str) -> str:
    """Return the text in Unicode's composed form, without surrounding space."""
    return unicodedata.normalize("NFC", text).strip()


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
