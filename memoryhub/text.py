"""Text that can be stored: what every door may be sent and Postgres would choke on, said in a sentence."""

import unicodedata

BREAKS = ("Cc", "Zl", "Zp")  # control characters, line and paragraph separators


def tidy(text: str) -> str:
    """One way to write what reads the same, without the space around it."""
    return unicodedata.normalize("NFC", text).strip()


def flaw(text: str, *, longest: int) -> str:
    """What is wrong with the text, or nothing."""
    if "\0" in text:
        return "NUL characters cannot be stored."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "This is not valid Unicode: it holds half of a surrogate pair."
    if len(text) > longest:
        return f"At most {longest:,} characters; these are {len(text):,}."
    return ""


def line_flaw(text: str, *, longest: int) -> str:
    """The same for text on one line."""
    if found := flaw(text, longest=longest):
        return found
    if any(unicodedata.category(character) in BREAKS for character in text):
        return "Line breaks and control characters are not allowed here."
    return ""
