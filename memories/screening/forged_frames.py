"""Finds lines that look like the frame around a text: who speaks, where a prompt's sections begin and end."""

import re
from collections.abc import Iterator

from memories.screening.findings import Finding, FindingGroup

FORGED_FRAME, SPEAKER_LINE = "a forged delimiter or role", "a line of a speaker"
_SPEAKERS = ("assistant", "human")  # who speak in archived conversations, too
# In lowercase. Each begins with what it is known by; a role counts at the beginning of a line.
_MARK = re.compile(
    r"<(?:\|?/?(?:im_start|im_end|system|assistant|endoftext|start_header_id|end_header_id|eot_id"
    r"|begin_of_text|user|end_of_turn"
    r"|start_of_turn|tool_call|tool_response|instructions?|prompt|sys)\|?>|</?sys>>"
    r"|system[ _-]?(?:mode|prompt|override)>)"
    r"|\[(?:/?inst\]|(?:system|developer|assistant|admin)(?: message| prompt| note)?\]"
    r"|the rest is cut to fit\]|cls\])"
    r"|\$system\b"
)
_ROLES = (
    "system",
    "assistant",
    "human",
    "developer",
    "team core memory",
    "pinned memory",
    "recent team memory",
    "relevant memory",
    "begin",
    "end ",
)
_ROLE = re.compile(
    r"(?:system|assistant|human|developer)[*_]{0,3}[ ]?(?:prompt|message)?[ ]?:[*_ \t]*[^\s:]"
    r"|team core memory|(?:pinned|recent team|relevant) memory[ \t]*(?=\n|$)"
    r"|(?:end|begin)(?: of)? (?:system|user|developer) (?:prompt|message|instructions)"
)
MARKUP_REACH = 16  # characters before a role that may stand between it and the beginning of its line


def find_forged_frames(lower: str) -> Iterator[Finding]:
    for match in _MARK.finditer(lower):
        yield Finding(*match.span(), FindingGroup.INJECTION, FORGED_FRAME)
    for role in _ROLES:
        yield from _find_role(lower, role)


def _find_role(lower: str, role: str) -> Iterator[Finding]:
    position = lower.find(role)
    while position >= 0:
        match = _ROLE.match(lower, position)
        if match and _begins_line(lower, match):
            kind = SPEAKER_LINE if role in _SPEAKERS else FORGED_FRAME
            yield Finding(*match.span(), FindingGroup.INJECTION, kind)
        position = lower.find(role, position + len(role))


def _begins_line(lower: str, match: re.Match[str]) -> bool:
    """Tell whether only markup stands before the match in its line. The headings of our own prompts need some."""
    before = lower[max(0, match.start() - MARKUP_REACH) : match.start()]
    line = before.rpartition("\n")[2]
    if line.strip("-=#*_~`> \t") or (len(before) == MARKUP_REACH and line == before):
        return False
    return bool(line.strip()) or not match[0].endswith("memory")
