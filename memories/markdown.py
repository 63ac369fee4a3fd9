"""Markdown as it is shown: what memories and files say is rendered, and nothing of it runs or loads anything."""

import re
from itertools import accumulate

import cmarkgfm
import nh3
from django.utils.safestring import SafeString, mark_safe

LONGEST = 200_000  # characters; the rest of a longer text is left out, for rendering takes its time
CLEANER = nh3.Cleaner(
    tags={
        *"h1 h2 h3 h4 h5 h6 p br hr ul ol li blockquote pre code".split(),  # noqa: SIM905 (a line to read)
        *"a em strong del table thead tbody tr th td".split(),  # noqa: SIM905
    },
    # Nothing for all of them: a block of code would have its language, which is no language of people.
    attributes={"*": set(), "a": {"href", "title"}, "th": {"align"}, "td": {"align"}, "ol": {"start"}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)
# As cmark writes them; what people write in HTML themselves, it leaves out.
IMAGE = re.compile(r'<img src="[^"]*" alt="([^"]*)"[^>]*>')
BOX = re.compile(r'<input type="checkbox"( checked="")? disabled="" />')
# What a line of a list does without: fences, the signs of headings and quotations; and of the rest only the words.
SIGNS = re.compile(r"^[ \t]*(?:`{3,}.*|#{1,6} +|> ?)", re.MULTILINE)
WORDS = re.compile(r"\*\*(?! )([^*\n]+)(?<! )\*\*|`([^`\n]+)`|\[([^\[\]\n]+)\]\([^()\s]*\)")
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)


def rendered(text: str, *, below: int = 2) -> SafeString:
    """As HTML whose headings fit below one of that level. No page asks another server for anything: of a picture its
    description stays."""
    html = cmarkgfm.github_flavored_markdown_to_html(text[:LONGEST])
    html = BOX.sub(lambda box: "☑" if box[1] else "☐", IMAGE.sub(r"<em>\1</em>", html))
    return mark_safe(CLEANER.clean(_fitted(html, below=below)))  # noqa: S308 (only what the cleaner allows is left)


def plain(text: str) -> str:
    """The words alone, on one line."""
    words = WORDS.sub(lambda found: found[1] or found[2] or found[3], SIGNS.sub("", text))
    return " ".join(words.split())


def _fitted(html: str, *, below: int) -> str:
    """Headings that never skip a level, as screen readers need them."""
    asked = [int(heading[1]) + below for heading in HEADING.finditer(html)]
    levels = accumulate(asked, lambda above, level: min(level, above + 1, 6), initial=below)
    next(levels)
    return HEADING.sub(lambda heading: f"<h{(level := next(levels))}>{heading[2]}</h{level}>", html)
