"""Language detection: which of the languages that Postgres has dictionaries for a text is written in.

The script decides where one language uses it. Otherwise the commonest words of each language are looked for, and
letters that few languages have. The time grows with the length of what is read, which is bounded.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memories.text import common_words
from memoryhub.languages import ENGLISH, LANGUAGES, SIMPLE

SIBLINGS = frozenset({"danish", "norwegian"})  # so alike that either serves
SAMPLE = 1_200  # characters of a text that tell its language
ENOUGH, ENOUGH_WITHOUT_ENGLISH, ENOUGH_IN_A_QUERY = 2.0, 1.0, 0.9  # evidence that a text is not English
ENGLISH_WORD = 0.5  # evidence for English that is more than words which many languages have
LEAD = 1.25  # times the evidence for the next language
FOREIGN_LETTERS = 0.1  # the share of a text's letters that no English text has
PERSIAN_LETTERS = 0.025  # the share of letters that Arabic has not, in a text of Persian, Urdu or Kurdish

SCRIPTS = re.compile(
    "(?P<latin>[a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]+)|(?P<cyrillic>[\u0400-\u052f]+)"
    "|(?P<greek>[\u0370-\u03ff\u1f00-\u1fff]+)|(?P<arabic>[\u0600-\u06ff\u0750-\u077f]+)"
    "|(?P<devanagari>[\u0900-\u097f]+)|(?P<hebrew>[\u0590-\u05ff]+)|(?P<armenian>[\u0530-\u058f]+)"
    "|(?P<tamil>[\u0b80-\u0bff]+)"
    "|(?P<unspaced>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+)"
    "|(?P<other>[^\\W\\d_]+)"
)
WORD = re.compile(r"[^\s\d!-&(-/:-@\[-`{-~\u00a0-\u00bf\u0964\u2010-\u2015\u201c-\u206f]+")
NOT_ARABIC = re.compile("[پچژگکیےٹڈڑںہۀێڕ]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much each word and each letter speaks for languages of one script."""

    words: Mapping[str, Sequence[tuple[str, float]]]
    letters: Mapping[str, Sequence[tuple[str, float]]]

    def weigh(self, text: str) -> dict[str, float]:
        """Return the evidence for each language: its words and letters in the text, each counted once."""
        found: dict[str, float] = defaultdict(float)
        for word in set(WORD.findall(text.lower().replace("\u2019", "'"))):
            for language, weight in self.words.get(word, ()):
                found[language] += weight
        if not text.isascii():
            for letter in self.letters.keys() & set(text):
                for language, weight in self.letters[letter]:
                    found[language] += weight
        return found


def _collect_evidence(words: Mapping[str, str], letters: Mapping[str, Mapping[str, float]]) -> Evidence:
    languages: dict[str, list[str]] = defaultdict(list)
    for language, listed in words.items():
        for word in set(listed.split()):
            languages[word].append(language)
    of_letters: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for language, weights in letters.items():
        for letter, weight in weights.items():
            of_letters[letter].append((language, weight))
    shared = {word: [(language, 1 / len(names)) for language in names] for word, names in languages.items()}
    return Evidence(shared, of_letters)


LATIN = _collect_evidence(common_words.LATIN, common_words.LATIN_LETTERS)
SHARED_SCRIPTS = {  # with the language that most of what is written in them is in
    "cyrillic": (_collect_evidence(common_words.CYRILLIC, common_words.CYRILLIC_LETTERS), "russian"),
    "devanagari": (_collect_evidence(common_words.DEVANAGARI, {}), "hindi"),
    "hebrew": (_collect_evidence(common_words.HEBREW, {}), SIMPLE),
}


def detect_language(text: str) -> str:
    """Return the text's language, SIMPLE if it is one without dictionaries, or an empty string if it could be any."""
    sample = text[:SAMPLE]
    script = "latin" if sample.isascii() else _find_script(sample)
    if script == "latin":
        return _choose_latin(LATIN.weigh(sample))
    if script in SHARED_SCRIPTS:
        evidence, usual = SHARED_SCRIPTS[script]
        return _name_language(_rank(evidence.weigh(sample))[0][0] or usual)
    if script == "arabic":
        return SIMPLE if len(NOT_ARABIC.findall(sample)) > 1 + PERSIAN_LETTERS * len(sample) else "arabic"
    if script == "unspaced":  # its own characters are read in another way; words among them are mostly English
        return ENGLISH
    return _name_language(script) if script else ""


def choose_language(text: str, *, fallback: str = "") -> str:
    """Return the language to read a text in: its own, else the fallback. Without one, plain letters are taken for
    English."""
    return detect_language(text) or fallback or (SIMPLE if _has_foreign_letters(text[:SAMPLE]) else ENGLISH)


def language_of_change(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the language to write with these values: that of a new text. One that could be in any language keeps the
    language that the text before it had."""
    text = values.get("content")
    language = detect_language(text) if isinstance(text, str) else ""
    return {"language": language} if language else {}


def order_languages(query: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the languages that are searched, beginning with that of the query, if it is one of them."""
    if len(languages) < 2:
        return languages
    own = _guess_language(query[:SAMPLE], languages)
    return (own, *(language for language in languages if language != own)) if own else languages


@cache
def list_common_words(language: str) -> frozenset[str]:
    """Return the commonest words of the language, which tell nothing about a text. Postgres' own lists are longer, but
    some languages have none."""
    tables = (common_words.LATIN, common_words.CYRILLIC, common_words.DEVANAGARI, common_words.HEBREW)
    return frozenset(word for table in (*tables, common_words.ALONE) for word in table.get(language, "").split())


def _guess_language(query: str, languages: tuple[str, ...]) -> str:
    detected = detect_language(query)
    if detected in languages:
        return detected
    evidence = {name: weight for name, weight in LATIN.weigh(query).items() if name in languages}
    best, weight = _rank(evidence)[0]
    return best if weight >= ENOUGH_IN_A_QUERY else ""


def _choose_latin(evidence: Mapping[str, float]) -> str:
    """Return the language that the evidence is clearly for; English needs less than the others."""
    (best, weight), (rival, next_weight) = _rank(evidence)[:2]
    if best == ENGLISH:
        return ENGLISH
    maybe_english = evidence.get(ENGLISH, 0.0) >= ENGLISH_WORD or best not in LANGUAGES
    enough = ENOUGH if maybe_english else ENOUGH_WITHOUT_ENGLISH
    if weight < enough or (weight < next_weight * LEAD and not {best, rival} <= SIBLINGS):
        return ""
    return _name_language(best)


def _rank(evidence: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the languages, that with the most evidence first, and two of no name after them."""
    return [*sorted(evidence.items(), key=lambda item: -item[1]), ("", 0.0), ("", 0.0)]


def _name_language(name: str) -> str:
    return name if name in LANGUAGES else SIMPLE


def _find_script(sample: str) -> str:
    """Return the script of most letters; an empty string if there are none."""
    letters: dict[str, int] = defaultdict(int)
    for run in SCRIPTS.finditer(sample):
        letters[run.lastgroup or ""] += len(run[0])
    return max(letters, key=lambda script: letters[script], default="")


def _has_foreign_letters(sample: str) -> bool:
    if sample.isascii():
        return False
    letters = [letter for letter in sample if letter.isalpha()]
    return sum(not letter.isascii() for letter in letters) > FOREIGN_LETTERS * len(letters)
