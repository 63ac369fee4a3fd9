"""Template filters for the text of memories: `{% load texts %}`."""

import re
from collections.abc import Iterable, Sequence

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from memories.models import Memory
from memories.prompts import context
from memories.recall.snippets import Snippet
from memories.rules.trust import label_trust
from memories.text.diff import DiffPart, shorten_diff_parts
from memories.text.diff import diff_texts as changes
from memories.text.markdown import render_markdown, strip_markdown

register = template.Library()
MARKDOWN_SIGNS = re.compile(r"`+|\*\*|^#+ ", re.MULTILINE)


@register.filter("markdown")
def markdown_filter(text: str, below: int = 2) -> SafeString:
    """Render Markdown as HTML, with its headings below the level `below`."""
    return render_markdown(text, below=below)


@register.filter
def excerpt(text: str, longest: int) -> str:
    """Return the beginning of a text for a list, without Markdown syntax."""
    return Truncator(strip_markdown(text[: 4 * longest])).chars(longest)


@register.filter
def token_count(text: str) -> int:
    """Estimate how many tokens a model makes of the text."""
    return context.estimate_tokens(text)


@register.filter
def trust_label(memory: Memory) -> str:
    """Return what readers are told about a text that should not be taken at its word."""
    return label_trust(memory.provenance, verified=memory.verified_at is not None)


@register.filter
def highlight(snippet: Snippet) -> SafeString:
    """Render a snippet with the words of the query marked, and without Markdown syntax around the others."""
    parts, place = [], 0
    for left, right in snippet.marks:
        parts.append((MARKDOWN_SIGNS.sub("", snippet.text[place:left]), snippet.text[left:right]))
        place = right
    body = format_html_join("", "{}<mark>{}</mark>", parts)
    return format_html("{}{}", body, MARKDOWN_SIGNS.sub("", snippet.text[place:]))


@register.filter
def exactly(text: str) -> SafeString:
    """Render the text byte for byte: browsers would treat a carriage return as a line end."""
    return mark_safe(conditional_escape(text).replace("\r", "&#13;"))  # noqa: S308 (it is escaped)


@register.filter
def diff_html(old: str, new: str) -> SafeString:
    """Render the difference between two texts with `ins` and `del`, which screen readers announce."""
    return render_diff(changes(old, new))


@register.filter
def shorten_diff(parts: Sequence[DiffPart]) -> list[DiffPart]:
    """Keep only a few unchanged lines around each change."""
    return shorten_diff_parts(parts)


DIFF_ELEMENTS = {
    "same": "{}",
    "added": "<ins>{}</ins>",
    "removed": "<del>{}</del>",
    "skipped": '<span class="skipped">{} unchanged lines</span>',
}


@register.filter
def render_diff(parts: Iterable[DiffPart]) -> SafeString:
    return format_html_join("", "{}", ((format_html(DIFF_ELEMENTS[part.kind], part.text),) for part in parts))
