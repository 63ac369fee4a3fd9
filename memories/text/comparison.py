"""Comparison of two texts about the same thing: do they say the same, or something that cannot both hold?

It works by words alone, without a model. Two texts contradict each other if nearly all of their words agree, and a
number, a date, a version, a name, a path or a closing word stands in one where another stands in the other; or if one
denies what the other says. A difference in the subject of a sentence makes it a sentence about something else.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from memories.text.fact_words import (
    COPULAS,
    DATE_WORDS,
    INDEFINITE,
    NEGATIONS,
    NUMBER_WORDS,
    OPPOSITES,
    PREPOSITIONS,
    SMALL,
)
from memories.text.wording import COMPARED_TEXT, measure_overlap, normalize_wording

MOST_SENTENCES = 8  # sentences of each text that are compared
LONGEST_REPLACEMENT = 8  # words of a name or a value
SHARED_WORDS = 0.32  # share of the shorter sentence's words that the other must have
SHARED_BEFORE_VALUE = 4  # words in front of a closing word without which it proves nothing
WORDS_AFTER_VALUE = 2  # like the noun of which it is a kind
SAME_WORDS = 0.66  # share of all words that two texts with the same meaning have in common
SAME_LETTERS, SAME_WORDS_BESIDE = (
    0.65,
    0.5,
)  # of three letters in a row, which other forms of a word share; and of words
SAME_BUT_ONE = 0.85  # of the words of both, if one word stands in place of another

TOKEN = re.compile(r"(?:~?/|v(?=\d))?\w+(?:[.,:/@’'+\\-]+\w+)*%?")
SENTENCE_BOUNDARY = re.compile(r"(?<=[^\W_]{2}[.!?;])\s+(?=[^\Wa-z])|\n+|(?<=[。！？])")
ASSIGNMENT = re.compile("[:=]")
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
VERSION = re.compile(r"v\d+(?:\.\w+)*|\d+(?:\.\d+){2,}(?:-\w+)?", re.IGNORECASE)
FILE_ENDINGS = "py|js|ts|md|toml|json|ya?ml|sh|txt|go|rs|sql|html|css|conf|ini|env"
PATH = re.compile(rf"~?/|\w:\\|[\w.-]+[/\\][\w.-]+|https?:|[\w-]+\.(?:{FILE_ENDINGS})$")
ISO_DATE = re.compile(r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
FACTS = frozenset({"number", "date", "version", "path", "name"})
WORD_ENDINGS = ("ing", "ed", "es", "s", "ly", "'s", "’s", "d")


@dataclass(frozen=True, slots=True)
class Difference:
    """The words that stand in one text where the other has others; one of the two may be empty for a negation."""

    kind: str  # number, date, version, path, name, negation, opposite or value
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Comparison:
    same: bool = False  # they say the same
    differences: tuple[Difference, ...] = ()  # differences in which they contradict each other

    @property
    def contradicts(self) -> bool:
        return bool(self.differences)


UNRELATED = Comparison()


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence, as it is compared."""

    text: str
    stem: str
    kind: str  # number, date, version, path, name, negation, small or plain
    assigned: bool = False  # a colon or an equals sign stands in front of it


@dataclass(frozen=True, slots=True)
class Sentence:
    words: Sequence[Word]
    stems: frozenset[str]  # stems of words that are neither small nor negations
    denials: int


def compare_texts(first: str, second: str) -> Comparison:
    """Return whether two texts say the same or contradict each other. Linear in the texts, of which the beginning is
    read."""
    if normalize_wording(first) == normalize_wording(second):
        return Comparison(same=True)
    ones, others = split_sentences(first), split_sentences(second)
    differences: list[Difference] = []
    for one in ones:
        for other in others:
            if found := find_differences(one, other):
                differences.extend(found)
                break
    if differences:
        return Comparison(differences=tuple(differences))
    return Comparison(same=_say_the_same(ones, others) and _share_most(first, second, ones, others))


@lru_cache(maxsize=256)
def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the first sentences of a text."""
    parts = [part for part in SENTENCE_BOUNDARY.split(text[:COMPARED_TEXT]) if part and not part.isspace()]
    return tuple(_read_sentence(part) for part in parts[:MOST_SENTENCES])


def _read_sentence(text: str) -> Sentence:
    words = list(_read_words(text))
    kinds = {word.kind for word in words}
    if {"number", "date"} <= kinds:
        _join_dates(words)
    stems = frozenset([word.stem for word in words if word.kind not in ("small", "negation")])
    return Sentence(tuple(words), stems, sum(word.kind == "negation" for word in words) if "negation" in kinds else 0)


def _read_words(text: str) -> Iterator[Word]:
    if not ASSIGNMENT.search(text):  # as in most sentences
        for place, token in enumerate(TOKEN.findall(text)):
            yield _read_word(token, not place, False)
        return
    before = 0  # the place at which the token before ended
    for place, found in enumerate(TOKEN.finditer(text)):
        yield _read_word(found[0], not place, bool(ASSIGNMENT.search(text, before, found.start())))
        before = found.end()


def _join_dates(words: list[Word]) -> None:
    """Let a number beside a date be a part of it: `5 June`, `June 5`."""
    for place, (word, following) in enumerate(pairwise(words)):
        if {word.kind, following.kind} == {"number", "date"}:
            words[place] = replace(word, kind="date")
            words[place + 1] = replace(following, kind="date")


@lru_cache(maxsize=8_192)  # most words are common ones
def _read_word(text: str, first: bool, assigned: bool) -> Word:
    small = text.casefold().replace("’", "'")
    if small in NEGATIONS or small.endswith("n't"):
        return Word(text, small, "negation")
    if kind := _find_kind(text, small, first=first):
        return Word(text, small.removesuffix("'s"), kind, assigned)
    if small in SMALL:
        return Word(text, small, "small", assigned)
    return Word(text, _cut_ending(small), "plain", assigned)


def _find_kind(text: str, small: str, *, first: bool) -> str:
    if not text.isalpha() and (kind := _find_kind_of_signs(text)):
        return kind
    if small in DATE_WORDS and (text[0].isupper() or small.endswith("day")):
        return "date"
    if small in NUMBER_WORDS:
        return "number"
    if text[0].isupper() and small not in SMALL and not first:
        return "name"
    return ""


def _find_kind_of_signs(text: str) -> str:
    """Return the kind of a word that is more than letters."""
    if PATH.match(text):
        return "path"
    if VERSION.fullmatch(text):
        return "version"
    if ISO_DATE.fullmatch(text):
        return "date"
    return "number" if any(map(str.isdigit, text)) else ""


def _cut_ending(word: str) -> str:
    for ending in WORD_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if word[-2:-1] == word[-1:] else word  # `running`


def find_differences(one: Sentence, other: Sentence) -> tuple[Difference, ...]:
    """Return in which a sentence contradicts another one about the same thing."""
    if numbers := _compare_unspaced(one, other):
        return numbers
    shared = one.stems & other.stems
    if not shared or len(shared) < SHARED_WORDS * min(len(one.stems), len(other.stems)):
        return ()
    if correction := _find_correction(one, other) or _find_correction(other, one, turned=True):
        return correction
    mine, theirs = _subtract_words(one, other), _subtract_words(other, one)
    if not mine or not theirs:
        return _find_denial(one, other, mine, theirs, shared)
    return _find_replacement(one, other, mine, theirs, shared)


def _compare_unspaced(one: Sentence, other: Sentence) -> tuple[Difference, ...]:
    """Return the numbers in which two sentences differ, in writing without spaces."""
    if len(one.words) != len(other.words) or len(one.words) > LONGEST_REPLACEMENT:
        return ()
    texts = _join_texts(one.words), _join_texts(other.words)
    if texts[0] == texts[1] or not UNSPACED.search(texts[0]) or DIGITS.sub("0", texts[0]) != DIGITS.sub("0", texts[1]):
        return ()
    mine, theirs = (" ".join(DIGITS.findall(text)) for text in texts)
    return (Difference("number", mine, theirs),)


def _subtract_words(one: Sentence, other: Sentence) -> list[Word]:
    """Return the words of a sentence that the other one has not, or not as often."""
    left = Counter(word.stem for word in other.words)
    words = []
    for word in one.words:
        left[word.stem] -= 1
        if left[word.stem] < 0 and word.kind not in ("small", "negation"):
            words.append(word)
    return words


def _find_correction(one: Sentence, other: Sentence, *, turned: bool = False) -> tuple[Difference, ...]:
    """Return what a sentence puts in place of something that the other one says: `27 %, not 41 %`."""
    if not one.denials:
        return ()
    for before, denied in pairwise(one.words):
        if before.stem == "not" and denied.kind in FACTS and denied.stem in other.stems:
            instead = [word for word in one.words if word.kind == denied.kind and word.stem not in other.stems]
            if instead:
                pair = instead[0].text, denied.text
                return (Difference(denied.kind, *(reversed(pair) if turned else pair)),)
    return ()


def _find_denial(
    one: Sentence, other: Sentence, mine: Sequence[Word], theirs: Sequence[Word], shared: Iterable[str]
) -> tuple[Difference, ...]:
    """Return the negation that one of two sentences has."""
    if bool(one.denials) == bool(other.denials) or len(mine) + len(theirs) > 0.34 * len(set(shared)):
        return ()
    deny = [next((word.text for word in sentence.words if word.kind == "negation"), "") for sentence in (one, other)]
    return (Difference("negation", deny[0], deny[1]),)


def _find_replacement(
    one: Sentence, other: Sentence, mine: Sequence[Word], theirs: Sequence[Word], shared: Iterable[str]
) -> tuple[Difference, ...]:
    """Return what stands in one sentence where the other has something else."""
    if bool(one.denials) != bool(other.denials):
        return ()
    if role := _find_new_holder(one, other):
        return role
    if not _begins_alike(one, other):
        return ()
    kinds = {word.kind for word in mine} & {word.kind for word in theirs}
    plain = [[word for word in words if word.kind == "plain"] for words in (mine, theirs)]
    if all(plain):
        return _find_value(one, other)
    factual = kinds - {"plain"}
    if not factual:
        return _find_value(one, other)
    if "name" in factual and _find_region(one, other) is None:
        return ()
    found = []
    for kind in sorted(factual):
        pair = [_join_texts(word for word in words if word.kind == kind) for words in (mine, theirs)]
        found.append(Difference(kind, pair[0], pair[1]))
    return tuple(found)


def _begins_alike(one: Sentence, other: Sentence) -> bool:
    """Return whether both sentences are about the same: their subjects have nothing that the other has not."""
    return all(
        word.stem in theirs.stems or word.kind in ("small", "negation")
        for mine, theirs in ((one, other), (other, one))
        for word in _find_subject(mine)
    )


def _find_subject(sentence: Sentence) -> Sequence[Word]:
    """Return the words in front of the first verb that can be told; or else the first words."""
    words = sentence.words
    subject = list(takewhile(lambda word: word.text not in COPULAS and not word.assigned, words))
    if len(subject) < len(words):
        return subject
    number = next((place for place, word in enumerate(words[:3]) if word.kind == "number"), 0)  # `User 17 prefers …`
    return words[: max(1, number + 1, len(words) // 2 - 1)]


def _find_new_holder(one: Sentence, other: Sentence) -> tuple[Difference, ...]:
    """Return who is the one and only something in each sentence: `Ann is the owner of billing`."""
    (mine, role), (theirs, other_role) = _read_role(one), _read_role(other)
    if not role or role != other_role or {word.stem for word in mine} & {word.stem for word in theirs}:
        return ()
    return (Difference("name", _join_texts(mine), _join_texts(theirs)),)


def _read_role(sentence: Sentence) -> tuple[Sequence[Word], tuple[str, ...]]:
    """Return who has a role, and the role."""
    words = sentence.words
    for place in range(1, min(len(words) - 2, LONGEST_REPLACEMENT)):
        if words[place].text == "is" and words[place + 1].text in ("the", "our", "my"):
            role = tuple(word.stem for word in words[place + 2 :] if word.kind != "small")
            return (words[:place], role) if len(role) > 1 and words[0].text[0].isupper() else ((), ())
    return (), ()


def _join_texts(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)


def _find_region(one: Sentence, other: Sentence) -> tuple[Sequence[Word], Sequence[Word], int] | None:
    """Return the one run of words in which two sentences differ, and how many stand in front of it; None if there are
    more such runs, or if it is long."""
    mine, theirs = one.words, other.words
    start = _count_common(mine, theirs)
    end = _count_common(mine[start:][::-1], theirs[start:][::-1])
    ours, others = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
    if max(len(ours), len(others)) > LONGEST_REPLACEMENT or any(
        _begins_with_preposition(run) for run in (ours, others)
    ):
        return None
    if start and mine[start - 1].stem == "with":  # one may be with many
        return None
    return ours, others, start


def _begins_with_preposition(words: Sequence[Word]) -> bool:
    """Return whether the words are another kind of detail, like `in Oslo` beside `by hand`."""
    return bool(words) and words[0].stem in PREPOSITIONS


def _count_common(mine: Sequence[Word], theirs: Sequence[Word]) -> int:
    common = 0
    for one, other in zip(mine, theirs, strict=False):
        if one.stem != other.stem:
            break
        common += 1
    return common


def _find_value(one: Sentence, other: Sentence) -> tuple[Difference, ...]:
    """Return the closing words in which two otherwise equal sentences about something definite differ."""
    region = _find_region(one, other)
    if region is None or not one.words:
        return ()
    mine, theirs, before = region
    pair = _join_texts(mine), _join_texts(theirs)
    if frozenset(map(str.casefold, pair)) in OPPOSITES:
        return (Difference("opposite", *pair),)
    closing = before + len(mine) + WORDS_AFTER_VALUE >= len(one.words)
    definite = one.words[0].text.casefold() not in INDEFINITE and other.words[0].text.casefold() not in INDEFINITE
    long_enough = before >= SHARED_BEFORE_VALUE and before >= len(mine) and before >= len(theirs)
    if closing and definite and long_enough and mine and theirs:
        return (Difference("value", *pair),)
    return ()


def _say_the_same(ones: Sequence[Sentence], others: Sequence[Sentence]) -> bool:
    """Return whether nothing that is a fact stands in one text alone. One of them may name more than the other, but not
    each something else."""
    if _list_facts(ones) != _list_facts(others):
        return False
    mine, theirs = _list_stems(ones), _list_stems(others)
    return _list_names(ones) <= theirs or _list_names(others) <= mine


def _share_most(first: str, second: str, ones: Sequence[Sentence], others: Sequence[Sentence]) -> bool:
    """Return whether two texts have most words in common, or words that are written alike."""
    mine, theirs = _list_stems(ones), _list_stems(others)
    share = len(mine & theirs) / max(1, len(mine | theirs))
    if len(mine - theirs) == len(theirs - mine) == 1 and share < SAME_BUT_ONE:
        return False
    return share >= SAME_WORDS or (share >= SAME_WORDS_BESIDE and measure_overlap(first, second) >= SAME_LETTERS)


def _list_facts(sentences: Sequence[Sentence]) -> set[str]:
    """Return the numbers, dates, versions, paths and negations."""
    return {word.stem for one in sentences for word in one.words if word.kind not in ("small", "plain", "name")}


def _list_names(sentences: Sequence[Sentence]) -> set[str]:
    return {word.stem for sentence in sentences for word in sentence.words if word.kind == "name"}


def _list_stems(sentences: Sequence[Sentence]) -> frozenset[str]:
    return frozenset[str]().union(*(sentence.stems for sentence in sentences))
