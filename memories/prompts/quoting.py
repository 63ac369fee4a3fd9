"""Quoting of other people's words inside a frame of ours: they read as they were written, and cannot pass for the
frame."""

import re
import unicodedata

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # whatever some reader takes for the end of a line
INVISIBLE_CHARACTERS = re.compile(
    r"[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
# Signs that look like one of ASCII, beyond those that Unicode says are the same.
_LIKE = {
    "-": "‐‑‒–—―⁃⁻₋−˗־᐀᠆⸚〜〰゠ー一ㅡ─━┄┅┈┉╌╍╴╶╸╺╼╾═⎯⏤➖﹘﹏ˉ¯‾",
    "#": "♯⌗",
    "<": "‹〈⟨《«❮❰",
    ">": "›〉⟩》»❯❱",
    "|": "│┃∣ǀ❘",
    "[": "【〔⟦",
    "]": "】〕⟧",
    ":": "∶ː꞉",
}
_LOOK_ALIKES = {ord(like): sign for sign, all_like in _LIKE.items() for like in all_like}
_LOOK_ALIKES |= {ord("⸺"): "--", ord("⸻"): "---"}  # as long as two and three dashes
_LOOKED_AT = 200  # characters of a line; no line of a frame is longer

SPELLED_BREAK = r"[nr]|u[0-9a-f]{4}"  # how a break is written after a backslash
SLASHES = r"(?<!\\)\\++"  # all that stand together, looked at once however many they are
_BREAK_OR_LIKE_IT = re.compile(rf"{SLASHES}(?={SPELLED_BREAK}|[{LINE_BREAKS}])|[{LINE_BREAKS}]")
_WRITTEN_BREAK = re.compile(rf"({SLASHES})({SPELLED_BREAK})")


def escape_line_breaks(text: str) -> str:
    r"""Return the text with its breaks written as \n, \r or \u2028. Backslashes are doubled only where they would read
    as such a break, so that `unescape_line_breaks` gives back every text, and most stay as they are."""
    return _BREAK_OR_LIKE_IT.sub(lambda found: _escape_break(found[0]), text)


def _escape_break(characters: str) -> str:
    if characters[0] == "\\":
        return characters * 2
    return {"\n": r"\n", "\r": r"\r"}.get(characters) or f"\\u{ord(characters):04x}"


def unescape_line_breaks(line: str) -> str:
    return _WRITTEN_BREAK.sub(lambda found: _unescape_break(len(found[1]), found[2]), line)


def _unescape_break(slashes: int, spelt: str) -> str:
    if slashes % 2 == 0:
        return "\\" * (slashes // 2) + spelt
    return "\\" * (slashes // 2) + ({"n": "\n", "r": "\r"}.get(spelt) or chr(int(spelt[1:], 16)))


class Frame:
    """Lines that mean something to a reader, as patterns of how they begin in plain ASCII. A line of a text that looks
    like one of them gets a backslash in front, as in markdown; if it has a backslash already, it gets one more."""

    def __init__(self, *lines: str) -> None:
        self._alike = re.compile("|".join(lines), re.IGNORECASE)

    def escape(self, text: str) -> str:
        lines = _LINES.split(text)
        alike = {line for line in set(lines) if self._is_alike(line)}  # once each: a text may be nothing but breaks
        return "".join([f"\\{line}" if line in alike else line for line in lines])

    def unescape(self, text: str) -> str:
        """Return the text as it was before `escape`."""
        return "".join(line[1:] if line[:1] == "\\" and self._is_alike(line) else line for line in _LINES.split(text))

    def _is_alike(self, line: str) -> bool:
        return bool(self._alike.match(_fold(line)))


_LINES = re.compile(rf"([{LINE_BREAKS}])")


def _fold(line: str) -> str:
    """Return the beginning of the line as a reader sees it, in the plainest characters: without leading backslashes and
    invisible characters, with single spaces, and letters without their marks."""
    line = line.lstrip("\\")
    if line.isascii():
        return " ".join(line.split(None, _LOOKED_AT))[:_LOOKED_AT]
    seen = " ".join(INVISIBLE_CHARACTERS.sub("", line).split())[:_LOOKED_AT].translate(_LOOK_ALIKES)
    plain = unicodedata.normalize("NFKD", seen).translate(_LOOK_ALIKES)
    return " ".join("".join(sign for sign in plain if not unicodedata.combining(sign)).split())


_AFTER_BREAK = re.compile(rf"(\r\n|[{LINE_BREAKS}])")
_QUOTED_BREAK = re.compile(rf"(\r\n|[{LINE_BREAKS}])> ")


def quote_lines(text: str) -> str:
    """Return the text as a markdown quotation: each line begins with `> `."""
    return "> " + _AFTER_BREAK.sub(r"\1> ", text)


def unquote_lines(text: str) -> str:
    """Return the text as it was before `quote_lines`."""
    return _QUOTED_BREAK.sub(r"\1", text.removeprefix("> "))
