"""Finds characters that nobody sees and models read: text in tags and variation selectors, reordered words."""

import re
from collections.abc import Iterator

from memories.screening.findings import Finding, FindingGroup

# A few zero-width spaces come with any copied page, and one variation selector with most emoji.
_HIDDEN = re.compile(
    r"\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f"  # the flag of a region
    r"|(?P<tags>[\U000e0001\U000e0020-\U000e007e]{2,}+\U000e007f?)"
    r"|(?P<selectors>[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}+)"
    r"|(?P<order>[\u202d\u202e]|[\u2066-\u2068](?=[^\u2069\n]{0,200}(?:\n|$)))"
    r"|(?P<zero>[\u200b-\u200d\u2060-\u2064\ufeff\u180e]{4,}+"
    r"|(?:[A-Za-z]{1,8}+[\u200b-\u200d\u2060-\u2064\ufeff]){3,}+)"
)
_ANY = re.compile("[\u200b-\u200d\u202d\u202e\u2060-\u2068\ufeff\u180e\ufe00-\ufe0f\U000e0000-\U000e01ef]")
_KINDS = {
    "tags": "text in invisible tags",
    "selectors": "data in variation selectors",
    "order": "reversed reading order",
    "zero": "invisible characters",
}


def find_hidden_characters(text: str) -> Iterator[Finding]:
    if _ANY.search(text):
        for match in _HIDDEN.finditer(text):
            if match.lastgroup:
                yield Finding(*match.span(), FindingGroup.INJECTION, _KINDS[match.lastgroup])
