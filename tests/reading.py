"""What a page says, read off its markup."""

import re
from html import unescape
from typing import Any


def undo_of(page: Any) -> str:
    """Where the toast's undo leads."""
    return unescape(re.findall(r'class="toast success">.*?action="([^"]*)"', page.text, re.DOTALL)[-1])


def says(page: Any) -> str:
    """What the page says, without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())
