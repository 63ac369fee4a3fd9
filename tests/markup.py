"""Helpers that read a page's content from its markup."""

import re
from html import unescape
from typing import Any


def undo_of(page: Any) -> str:
    """Return the address of the undo in the page's toast."""
    return unescape(re.findall(r'class="toast success">.*?action="([^"]*)"', page.text, re.DOTALL)[-1])


def says(page: Any) -> str:
    """Return the text of a page without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())
