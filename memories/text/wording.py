"""The wording of a text: its words, whatever their capitals and the spaces and signs between them."""

from functools import lru_cache

COMPARED_TEXT = 1_200  # characters of a text that are compared, from its beginning
SIGNS = ".,;:!?\"'()[]*_`"
# Signs are spaces; and Python and Postgres make different small letters of these.
ONE_FORM = str.maketrans(dict.fromkeys(SIGNS, " ") | {"İ": "i", "Σ": "σ", "ς": "σ"})


@lru_cache(maxsize=64)
def normalize_wording(text: str) -> str:
    """Return the text in small letters, with one space in place of spaces and signs. The SQL function `memory_wording`
    returns the same."""
    return " ".join(text.translate(ONE_FORM).lower().split())


def measure_overlap(first: str, second: str) -> float:
    """Return the share of three letters in a row that two texts have in common: 1.0 if they have the same wording."""
    mine, theirs = _list_trigrams(first[:COMPARED_TEXT]), _list_trigrams(second[:COMPARED_TEXT])
    return len(mine & theirs) / len(mine | theirs) if mine or theirs else 0.0


@lru_cache(maxsize=256)
def _list_trigrams(text: str) -> frozenset[str]:
    wording = f" {normalize_wording(text)} "
    return frozenset(map("".join, zip(wording, wording[1:], wording[2:], strict=False)))
