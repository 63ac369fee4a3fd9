"""Markdown rendering: the text of memories and files is shown as HTML, and nothing in it runs or loads anything."""

import re
from itertools import accumulate

import cmarkgfm
import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

MAX_RENDERED_LENGTH = 200_000  # characters; the rest of a longer text is left out, for rendering takes its time
MAX_NESTING_PER_LINE = (
    20  # quotations and lists that begin on one line; the cleaner's work grows with the square of them
)
MAX_BLANK_LINES = 20  # lines in a row, each of which every open list is asked about
MAX_EMPTY_CELLS = 10_000  # empty table cells, which cmark adds to short rows
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
# What makes the work grow faster than the text.
DEEP_NESTING = re.compile(rf"^(?:[ \t]*(?:>|(?:[-+*]|\d{{1,9}}[.)])[ \t])){{{MAX_NESTING_PER_LINE + 1}}}", re.MULTILINE)
BLANK_LINES = re.compile(rf"\n(?:[ \t]*+\n){{{MAX_BLANK_LINES},}}")
BLANK_LINE = re.compile(r"\n[ \t>]*+\n")
TABLE_COLUMNS = re.compile(r"^[ \t\v\f>]*+[|:-][ \t\v\f|:-]*+$", re.MULTILINE)  # the line below a table's head
# As cmark writes them; what people write in HTML themselves, it leaves out.
HTML_IMAGE = re.compile(r'<img src="[^"]*" alt="([^"]*)"[^>]*>')
HTML_CHECKBOX = re.compile(r'<input type="checkbox"( checked="")? disabled="" />')
# What a line of a list does without: fences, the signs of headings and quotations; and of the rest only the words.
BLOCK_SIGNS = re.compile(r"^[ \t]*(?:`{3,}.*|#{1,6} +|> ?)", re.MULTILINE)
INLINE_MARKUP = re.compile(r"\*\*(?! )([^*\n]+)(?<! )\*\*|`([^`\n]+)`|\[([^\[\]\n]+)\]\([^()\s]*\)")
HTML_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)


def render_markdown(text: str, *, below: int = 2) -> SafeString:
    """Return the text as HTML whose headings fit below one of level `below`. No page loads anything from another
    server: a picture is replaced by its description. A text that would take much longer to render than others of its
    length is shown as it was written."""
    text = _with_few_blank_lines(text[:MAX_RENDERED_LENGTH])
    if DEEP_NESTING.search(text) or _count_empty_cells(text) > MAX_EMPTY_CELLS:
        return format_html("<pre>{}</pre>", text)
    html = cmarkgfm.github_flavored_markdown_to_html(text)
    html = HTML_CHECKBOX.sub(lambda box: "☑" if box[1] else "☐", HTML_IMAGE.sub(r"<em>\1</em>", html))
    return mark_safe(CLEANER.clean(_fit_headings(html, below=below)))  # noqa: S308 (only what the cleaner allows is left)


def _with_few_blank_lines(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return BLANK_LINES.sub("\n" * MAX_BLANK_LINES, text)


def _count_empty_cells(text: str) -> int:
    """Return about how many cells cmark would add to the tables of the text."""
    return sum(map(_count_empty_cells_in_block, BLANK_LINE.split(text))) if "|" in text else 0


def _count_empty_cells_in_block(block: str) -> int:
    columns = max((row[0].count("|") for row in TABLE_COLUMNS.finditer(block)), default=0)
    return max(0, columns * block.count("\n") - block.count("|"))


def strip_markdown(text: str) -> str:
    """Return the words alone, on one line."""
    words = INLINE_MARKUP.sub(lambda found: found[1] or found[2] or found[3], BLOCK_SIGNS.sub("", text))
    return " ".join(words.split())


def _fit_headings(html: str, *, below: int) -> str:
    """Change the levels of headings so that none is skipped, as screen readers need."""
    asked = [int(heading[1]) + below for heading in HTML_HEADING.finditer(html)]
    levels = accumulate(asked, lambda above, level: min(level, above + 1, 6), initial=below)
    next(levels)
    return HTML_HEADING.sub(lambda heading: f"<h{(level := next(levels))}>{heading[2]}</h{level}>", html)
