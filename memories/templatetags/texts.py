"""What memories say, as templates show it: `{% load texts %}`."""

import re
from collections.abc import Iterable

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from memories import context
from memories.diffs import Part, shortened
from memories.diffs import diff as changes
from memories.markdown import plain, rendered
from memories.recall.snippets import Snippet

register = template.Library()
SIGNS = re.compile(r"`+|\*\*|^#+ ", re.MULTILINE)


@register.filter
def markdown(text: str, below: int = 2) -> SafeString:
    """With headings that fit below one of that level."""
    return rendered(text, below=below)


@register.filter
def line(text: str, longest: int) -> str:
    """What a list shows of it: its beginning, without the signs of markdown."""
    return Truncator(plain(text[: 4 * longest])).chars(longest)


@register.filter
def tokens(text: str) -> int:
    """About how many a model makes of it."""
    return context.tokens(text)


@register.filter
def marked(snippet: Snippet) -> SafeString:
    """A snippet with the words that were asked for marked, and without the signs of markdown around others."""
    parts, place = [], 0
    for left, right in snippet.marks:
        parts.append((SIGNS.sub("", snippet.text[place:left]), snippet.text[left:right]))
        place = right
    body = format_html_join("", "{}<mark>{}</mark>", parts)
    return format_html("{}{}", body, SIGNS.sub("", snippet.text[place:]))


@register.filter
def exactly(text: str) -> SafeString:
    """Byte for byte: a browser would take a carriage return for the end of a line."""
    return mark_safe(conditional_escape(text).replace("\r", "&#13;"))  # noqa: S308 (it is escaped)


@register.filter
def diff(old: str, new: str) -> SafeString:
    """What came and went, for eyes and screen readers."""
    return changed(changes(old, new))


@register.filter
def brief_diff(old: str, new: str) -> SafeString:
    """The same with only a few lines of what stayed."""
    return changed(shortened(changes(old, new)))


ELEMENTS = {
    "same": "{}",
    "added": "<ins>{}</ins>",
    "removed": "<del>{}</del>",
    "skipped": '<span class="skipped">{} lines as before</span>',
}


@register.filter
def changed(parts: Iterable[Part]) -> SafeString:
    return format_html_join("", "{}", ((format_html(ELEMENTS[part.kind], part.text),) for part in parts))
