"""Finds links that carry data away: pictures that load by themselves with data in their address, and orders to send."""

import re
from collections.abc import Iterator

from memories.screening.findings import Finding, FindingGroup

# In lowercase. The address of a link is taken whole, then looked at.
_PICTURE = re.compile(r"!\[[^\]\n]{0,200}+\]\([ ]?((?:https?:)?//[^\s)]{1,500}+|data:text/html)")
_LINK = re.compile(
    r"(?<!!)\[[^\[\]\n]{0,200}+\]\([ ]?((?:https?:)?//[^\s)]{1,500}+|javascript:|vbscript:|data:text/html)"
)
_TAG = re.compile(
    r"<(?:img|iframe|script|link|form)\b[^<>]{0,400}?(?:src|href|action)[ ]?=[ ]?[\"']?((?:https?:)?//[^>\s]{1,300}+)"
)
_BLANK = re.compile(
    r"[?&/#=](?:\w{0,30}=)?(?:\{|%7b|\$\{|<[a-z_ -]+>|\[[a-z_ -]+\]|[\"'] ?\+)|^(?:javascript|vbscript|data):"
)
_PARAMETER = re.compile(
    r"[?&](?:data|d|q|secret|token|key|payload|leak|exfil\w*|content|context|history|prompt"
    r"|conversation|memor\w+|password|summary|info)="
)
_SEND = re.compile(
    r"(?:send|post|forward|upload|exfiltrate|submit|transmit|leak|report|email|append|attach|curl"
    r"|copy)\b[^.\n]{0,80}?"
    r"\b(?:contents?|conversation|history|secrets?|keys?|tokens?|passwords?|credentials?|prompt"
    r"|memor(?:y|ies)|context"
    r"|everything|employees?|transcript|messages?|env(?:ironment)?|data)\b[^.\n]{0,60}?"
    r"\b(?:to|at|via)\b[^\n]{0,40}?(?:https?://|www\.|[\w-]{1,60}@[\w-]{1,60}\.[a-z])"
)
_SENT_TO = ("http", "www.", "@")


def find_leaking_links(lower: str) -> Iterator[Finding]:
    if "](" in lower:
        yield from _find_links(_PICTURE, lower, (_BLANK, _PARAMETER))
        yield from _find_links(_LINK, lower, (_BLANK,))
    if "<" in lower:
        yield from _find_links(_TAG, lower, (_BLANK,))
    if any(mark in lower for mark in _SENT_TO):
        for match in _SEND.finditer(lower):
            yield Finding(*match.span(), FindingGroup.INJECTION, "an order to send data away")


def _find_links(link: re.Pattern[str], lower: str, carrying: tuple[re.Pattern[str], ...]) -> Iterator[Finding]:
    for match in link.finditer(lower):
        if any(expression.search(match[1]) for expression in carrying):
            yield Finding(*match.span(), FindingGroup.INJECTION, "a link that carries data away")
