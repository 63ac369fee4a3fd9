"""Other people's words inside a frame of ours: they read as they were written, and cannot pass for the frame."""

import re

BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # whatever some reader takes for the end of a line
UNSEEN = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff"
)
SPACE = rf"(?:[^\S{BREAKS}]|[{UNSEEN}])*+"  # and whatever else a reader sees nothing of

SPELT = r"[nr]|u[0-9a-f]{4}"  # how a break is written after a backslash
SLASHES = r"(?<!\\)\\++"  # all that stand together, looked at once however many they are
_BREAK_OR_LIKE_IT = re.compile(rf"{SLASHES}(?={SPELT}|[{BREAKS}])|[{BREAKS}]")
_WRITTEN_BREAK = re.compile(rf"({SLASHES})({SPELT})")


def on_one_line(text: str) -> str:
    r"""The text with its breaks written as \n, \r or \u2028. Backslashes are doubled only where they would read as
    such a break, so that `unfolded` gives back every text, and most stay as they are."""
    return _BREAK_OR_LIKE_IT.sub(lambda found: _folded(found[0]), text)


def _folded(found: str) -> str:
    if found[0] == "\\":
        return found * 2
    return {"\n": r"\n", "\r": r"\r"}.get(found) or f"\\u{ord(found):04x}"


def unfolded(line: str) -> str:
    return _WRITTEN_BREAK.sub(lambda found: _break(len(found[1]), found[2]), line)


def _break(slashes: int, spelt: str) -> str:
    if slashes % 2 == 0:
        return "\\" * (slashes // 2) + spelt
    return "\\" * (slashes // 2) + ({"n": "\n", "r": "\r"}.get(spelt) or chr(int(spelt[1:], 16)))


class Frame:
    """Lines that mean something to a reader. Where a text has one like them, it begins with a backslash, as in
    markdown; a line that has the backslash already gets one more."""

    def __init__(self, *lines: str) -> None:
        begins = rf"(?:\A|(?<=[{BREAKS}]))"
        alike = rf"\\*(?:{'|'.join(lines)})"
        self._alike = re.compile(rf"{begins}(?={alike})", re.IGNORECASE)
        self._marked = re.compile(rf"{begins}\\(?={alike})", re.IGNORECASE)

    def kept_out(self, text: str) -> str:
        return self._alike.sub(r"\\", text)

    def let_in(self, text: str) -> str:
        """The text as it was before `kept_out`."""
        return self._marked.sub("", text)


_AFTER_BREAK = re.compile(rf"(\r\n|[{BREAKS}])")
_QUOTED_BREAK = re.compile(rf"(\r\n|[{BREAKS}])> ")


def quoted(text: str) -> str:
    """As markdown's quotation: each line behind a sign that no line of the text can do without."""
    return "> " + _AFTER_BREAK.sub(r"\1> ", text)


def unquoted(text: str) -> str:
    """The text as it was before `quoted`."""
    return _QUOTED_BREAK.sub(r"\1", text.removeprefix("> "))
