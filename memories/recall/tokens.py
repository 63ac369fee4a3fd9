"""Tokens of a query, as the index knows them: its words with their lexemes, and its identifiers."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memories.text.language import list_common_words
from memoryhub.languages import ENGLISH, LANGUAGES
from memoryhub.prepared_statements import prepared_cursor

REMEMBERED = 50_000  # tokens
LONG = 100  # characters of a token that is not worth remembering
CODE = re.compile(r"[_/\\@#+:~$%&*|<>=!-]|[0-9][^0-9]|[^0-9][0-9]|\.\w")  # what makes a token more than a word
UNSPACED = re.compile(  # as in the function memory_grams
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
Reading = tuple[str, str]  # a language, and a token that is read in it; no language: what is the same in all of them

# What the functions behind the search column make of each token: words with their lexemes, pieces of writing without
# spaces, then identifiers. Words need none of that but their dictionary; for those of plain letters there is a shorter
# way to it. Tokens are told by kind and place: a long one, repeated with each of its words and pieces, would come back
# thousands of times. A word that memory_accented_words reads in two ways has its dictionary's way first.
READ_PLAIN = """
SELECT 'plain' AS kind, place, token AS word, ts_lexize(dictionary, token) AS found
FROM unnest(%(plain)s::text[], %(dictionaries)s::regdictionary[]) WITH ORDINALITY AS asked (token, dictionary, place)
"""
LEXEMES = (
    "array(SELECT lexeme FROM unnest(memory_words({word}, language)) AS read (lexeme, positions) ORDER BY positions)"
)
TOKENS = "unnest(%(tokens)s::text[], %(languages)s::text[]) WITH ORDINALITY AS asked (token, language, place)"
WHOLE = "unnest(%(whole)s::text[]) WITH ORDINALITY AS asked (token, place)"
READ = f"""
{READ_PLAIN}
UNION ALL
SELECT 'words', place, token, {LEXEMES.format(word="token")}
FROM unnest(%(words)s::text[], %(word_languages)s::text[]) WITH ORDINALITY AS asked (token, language, place)
UNION ALL
SELECT 'tokens', place, lower(word), {LEXEMES.format(word="word")}
FROM {TOKENS}, regexp_split_to_table(memory_plain(token), '\\s+') AS word
UNION ALL
SELECT 'whole', place, substr(gram, 2), ARRAY[gram] FROM {WHOLE}, unnest(memory_grams(token)) AS gram
UNION ALL
SELECT 'whole', place, NULL, memory_identifiers(token) FROM {WHOLE}
"""

TOKEN = re.compile(r"\S+")
PLAIN = re.compile(r"[a-z]{1,100}")
READ_AS_ENGLISH = ("hindi", "russian")  # words of plain letters in these
LITERAL_LENGTH = 1_000  # longest query that is looked for letter by letter
MOST_TOKENS = 400  # different ones that are read of a longer query, from its beginning
MOST_SIGNS = 2_000  # characters of those that are not plain words
LITERAL_TOKENS = 4  # the same in tokens, if it is neither quoted nor made of identifiers
LITERAL_LETTERS = 12  # the same in letters, for writing without spaces
OPENING, CLOSING = "([{<\"'`“„«‹‘¿¡", ".,;:!?)]}>\"'`”“»›’…"
TURKISH_SMALL_LETTERS = str.maketrans("Iİ", "ıi")
MOST_READINGS = 2_000  # readings of one query's tokens in several languages
UNSPACED_RUN = re.compile(f"{UNSPACED.pattern}+")
SOUNDS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff]"
)  # scripts that memory_grams reads in threes
SYMBOL = re.compile(
    "[\u00a6-\u00a9\u00ac\u00ae-\u00b3\u00b5-\u00b7\u00b9\u00bc-\u00be\u00d7\u00f7\u2020-\u2022\u2030-\u2038"
    "\u2060-\u2bff\u3004\u3012\u3013\u3020\U00010000-\U0001ffff\ue000-\uf8ff\ufe0f]"
)
AROUND = "\"'`*_“”„‚‘’«»‹›「」『』【】（）()[]{}<>?!.,;:…？！。、 "


@dataclass(frozen=True, slots=True)
class Token:
    words: tuple[tuple[str, tuple[str, ...]], ...]  # each word with its lexemes; a stop word has none
    identifiers: tuple[str, ...] = ()
    common: frozenset[str] = frozenset()  # words that are stop words in one of the languages that were read
    spare: tuple[str, ...] = ()  # lexemes of words as they are without accents, by which others may have written them

    @property
    def lexemes(self) -> Iterator[tuple[str, str]]:
        """Yield every lexeme that the token asks for, with its word; identifiers have none."""
        for word, lexemes in self.words:
            for lexeme in lexemes:
                yield word, lexeme
        for identifier in self.identifiers:
            yield "", identifier


_known: dict[Reading, Token] = {}


def forget_tokens() -> None:
    """Read every token anew."""
    _known.clear()


def list_readings(query: str, languages: Sequence[str] = (ENGLISH,)) -> dict[str, list[Reading]]:
    """Return the query's distinct tokens in their order, and how each of them is read."""
    lower = _lower_turkish if "turkish" in languages else str.lower
    tokens = dict.fromkeys(_simplify(token, lower) for token in query.split())
    languages = languages[: max(2, MOST_READINGS // max(len(tokens), 1))]
    return {token: _list_readings_of(token, languages) for token in tokens}


def _list_readings_of(token: str, languages: Sequence[str]) -> list[Reading]:
    return [*((language, token) for language in languages), *([] if is_word(token) else [("", token)])]


def find_unknown(readings: Iterable[Sequence[Reading]]) -> list[Reading]:
    """Return the readings that this process has not made before."""
    return [reading for readings_of_token in readings for reading in readings_of_token if reading not in _known]


def list_known_lexemes(readings: Iterable[Sequence[Reading]]) -> list[str]:
    """Return the lexemes of all readings that this process has made before."""
    known = (_known.get(reading) for readings_of_token in readings for reading in readings_of_token)
    return list({lexeme for token in known if token for _, lexeme in token.lexemes})


def is_word(token: str) -> bool:
    """Return whether the token is one word in small letters, of a script with spaces between words."""
    if token.isascii():
        return bool(PLAIN.fullmatch(token))
    if len(token) > LONG or token != token.lower() or UNSPACED.search(token):
        return False
    return all(letter.isalpha() or unicodedata.category(letter)[0] == "M" for letter in token)


def _simplify(token: str, lower: Callable[[str], str]) -> str:
    """Return a word without the punctuation around it, as the index has it; any other token as it is."""
    if PLAIN.fullmatch(token):
        return token
    bare = lower(token.lstrip(OPENING).rstrip(CLOSING))
    return bare if is_word(bare) else token


def _lower_turkish(token: str) -> str:
    return token.translate(TURKISH_SMALL_LETTERS).lower()


def bound(unknown: Sequence[Reading]) -> dict[str, list[str]]:
    """Return the parameters of the statement above."""
    plain = [(language, token) for language, token in unknown if _is_plain(language, token)]
    words = [(language, token) for language, token in unknown if is_word(token) and not _is_plain(language, token)]
    tokens = [(language, token) for language, token in unknown if language and not is_word(token)]
    return {
        "plain": [token for _, token in plain],
        "dictionaries": [_name_dictionary(language) for language, _ in plain],
        "words": [token for _, token in words],
        "word_languages": [language for language, _ in words],
        "tokens": [token for _, token in tokens],
        "languages": [language for language, _ in tokens],
        "whole": [token for language, token in unknown if not language],
    }


def _is_plain(language: str, token: str) -> bool:
    return language in LANGUAGES and bool(PLAIN.fullmatch(token))


def _name_dictionary(language: str) -> str:
    """Return the dictionary that Postgres reads words of plain letters with, in texts of this language."""
    return f"pg_catalog.{ENGLISH if language in READ_AS_ENGLISH else language}_stem"


def remember(
    unknown: Sequence[Reading], rows: Iterable[tuple[str, int, str | None, list[str]]]
) -> dict[Reading, Token]:
    """Return the readings built from the rows of the statement above. They are cached, as they never change."""
    asked = bound(unknown)
    places: dict[str, list[Reading]] = {
        "plain": [reading for reading in unknown if _is_plain(*reading)],
        "words": list(zip(asked["word_languages"], asked["words"], strict=True)),
        "tokens": list(zip(asked["languages"], asked["tokens"], strict=True)),
        "whole": [("", token) for token in asked["whole"]],
    }
    words: dict[Reading, list[tuple[str, tuple[str, ...]]]] = {reading: [] for reading in unknown}
    identifiers: dict[Reading, tuple[str, ...]] = {}
    for kind, place, word, found in rows:
        reading = places[kind][place - 1]
        if word is None:
            identifiers[reading] = tuple(name for name in found if is_code(name))
        else:
            words[reading].append((word, tuple(found)))
    read = {reading: Token(tuple(words[reading]), identifiers.get(reading, ())) for reading in unknown}
    if len(_known) > REMEMBERED:
        _known.clear()
    _known.update({reading: token for reading, token in read.items() if len(reading[1]) < LONG})
    return read


def merge_readings(readings: Mapping[str, Sequence[Reading]], read: Mapping[Reading, Token]) -> list[Token]:
    """Return each token as all of its readings together have it."""
    return [
        _merge([(reading, read.get(reading) or _known.get(reading)) for reading in readings[token]])
        for token in readings
    ]


def _merge(parts: Sequence[tuple[Reading, Token | None]]) -> Token:
    """Return what a token is in all languages. A stop word of the first one, which is the query's own, stays one."""
    if len(parts) == 1 and parts[0][1] and parts[0][0][0] == ENGLISH:
        return parts[0][1]
    words: dict[str, dict[str, None]] = {}
    identifiers: tuple[str, ...] = ()
    common, spare = set[str](), list[str]()
    first = parts[0][0][0]
    for (language, _), token in parts:
        identifiers += token.identifiers if token else ()
        for word, lexemes in token.words if token else ():
            if not language or language == first or words.get(word):
                words.setdefault(word, {}).update(dict.fromkeys(lexemes))
                spare += lexemes[1:] if language else ()
            if language and (not lexemes or word in list_common_words(language)):
                common.add(word)
    read = tuple((word, tuple(found)) for word, found in words.items())
    return Token(read, identifiers, frozenset(common), tuple(spare))


def read_tokens(query: str, languages: Sequence[str] = (ENGLISH,)) -> list[Token]:
    """Return the query's tokens, whether this process has read them before or not."""
    readings = list_readings(query, languages)
    read: dict[Reading, Token] = {}
    if unknown := find_unknown(readings.values()):
        with prepared_cursor() as cursor:
            cursor.execute(READ, bound(unknown))
            read = remember(unknown, cursor.fetchall())
    return merge_readings(readings, read)


def limit_query(query: str) -> str:
    """Return the beginning of a long query that is read. The cost depends on the number of tokens, and on the number of
    characters in tokens that are not plain words, because writing without spaces is searched by its pairs of
    characters."""
    if len(query) <= LITERAL_LENGTH:
        return query
    seen: set[str] = set()
    signs = MOST_SIGNS
    for found in TOKEN.finditer(query):
        token = _simplify(found[0][:MOST_SIGNS], str.lower)
        if token in seen:
            continue
        if len(seen) == MOST_TOKENS:
            return query[: found.start()]
        seen.add(token)
        if not is_word(token):
            if len(found[0]) > signs:
                return query[: found.start() + signs]
            signs -= len(found[0])
    return query


def literal(query: str, *, likely: bool) -> tuple[str, ...]:
    """Return the query as it may occur in a memory, with and without the signs around it; nothing for a sentence."""
    whole = query.strip()
    quoted = len(whole) > 2 and whole[0] in '"“„«「' and whole[-1] in '"”“»」'
    short = len(whole.split()) <= LITERAL_TOKENS and len(UNSPACED.findall(whole)) <= LITERAL_LETTERS
    short = short and not is_prose(whole)
    if len(whole) > LITERAL_LENGTH or not (likely or quoted or short):
        return ()
    bare = whole.strip(AROUND)
    return tuple(dict.fromkeys((bare, whole))) if any(map(str.isalnum, bare)) else (whole,)


def is_prose(text: str) -> bool:
    """Return whether the text is nothing but words in small letters, which are enough to find it."""
    words = text.split(" ")
    return len(words) > 1 and all(map(is_word, words))


def is_code(identifier: str) -> bool:
    """Return whether the identifier is searched for exactly: it is more than words and marks around them."""
    return bool(CODE.search(identifier[1:])) or has_symbols(identifier)


def has_symbols(identifier: str) -> bool:
    """Return whether the identifier has characters beyond ASCII that are no letters, such as arrows or emoji."""
    return not identifier.isascii() and bool(SYMBOL.search(identifier))


def is_shorter_than_pieces(literal: str) -> bool:
    """Return whether the text is too little of writing without spaces for the index to know it as a part of more."""
    runs = UNSPACED_RUN.findall(literal)
    return bool(runs) and all(len(run) < (3 if SOUNDS.match(run) else 2) for run in runs)
