"""What tells apart two texts that are nearly the same: numbers, names and negations."""

import re

DISTINGUISHING_WORDS = re.compile(
    r"\b\w*\d\w*(?:[.:/-]\w+)*|(?<=\s)[A-Z]\w*|\b(?:not?|never|none|without|cannot|\w+n['’]t)\b"
)


def differs_in_facts(text: str, *, than: str) -> bool:
    """Return whether two similar texts differ in a number, a name or a negation, which vectors hardly tell apart: the
    5th of June and the 9th, for example."""
    return set(DISTINGUISHING_WORDS.findall(text)) != set(DISTINGUISHING_WORDS.findall(than))
