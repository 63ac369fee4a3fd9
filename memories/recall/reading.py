"""What a query asks for, as the index knows it: its words with their lexemes, and its identifiers."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryhub.prepared import prepared_cursor

REMEMBERED = 50_000  # tokens
LONG = 100  # characters of a token that is not worth remembering
CODE = re.compile(r"[_/\\@#+:~$%&*|<>=!-]|[0-9][^0-9]|[^0-9][0-9]|\.\w")  # what makes a token more than a word

# What the functions behind the search column make of each token: words with their lexemes, the pairs of writing without
# spaces, then identifiers. Plain words need none of that but their dictionary.
READ_PLAIN = """
SELECT token, token AS word, ts_lexize('pg_catalog.english_stem', token) AS found
FROM unnest(%(plain)s::text[]) AS token
"""
READ = f"""
{READ_PLAIN}
UNION ALL
SELECT token, lower(word), array(SELECT lexeme FROM unnest(memory_words(word)))
FROM unnest(%(tokens)s::text[]) AS token, regexp_split_to_table(memory_plain(token), '\\s+') AS word
UNION ALL
SELECT token, substr(pair, 2), ARRAY[pair] FROM unnest(%(tokens)s::text[]) AS token, unnest(memory_pairs(token)) AS pair
UNION ALL
SELECT token, NULL, memory_identifiers(token) FROM unnest(%(tokens)s::text[]) AS token
"""

PLAIN = re.compile(r"[a-z]{1,100}")
LITERAL_LENGTH = 1_000  # of a query that may stand in a memory as it is
LITERAL_TOKENS = 4  # of one that is neither quoted nor made of identifiers
PROSE = re.compile(r"[a-z]+( [a-z]+)+")  # of which the words are enough
AROUND = "\"'`*_“”„‚‘’«»‹›「」『』【】（）()[]{}<>?!.,;:…？！。、 "


@dataclass(frozen=True, slots=True)
class Token:
    words: tuple[tuple[str, tuple[str, ...]], ...]  # each word with its lexemes; a stop word has none
    identifiers: tuple[str, ...]

    @property
    def lexemes(self) -> Iterator[tuple[str, str]]:
        """All that it asks for, with the word that does; identifiers without one."""
        for word, lexemes in self.words:
            for lexeme in lexemes:
                yield word, lexeme
        for identifier in self.identifiers:
            yield "", identifier


_known: dict[str, Token] = {}


def known(query: str) -> tuple[dict[str, Token | None], list[str]]:
    """The query's different tokens in their order, as far as this process has read them; and the others."""
    asked = {token: _known.get(token) for token in map(_simplest, query.split())}
    return asked, [token for token, read in asked.items() if read is None]


def _simplest(token: str) -> str:
    """A plain word without what stands around it, as the index has it; any other token as it is."""
    if PLAIN.fullmatch(token):
        return token
    bare = token.lstrip("([{<\"'`").rstrip(".,;:!?)]}>\"'`").lower()
    return bare if PLAIN.fullmatch(bare) else token


def bound(unknown: Sequence[str]) -> dict[str, list[str]]:
    """The parameters that the statement above names."""
    plain = [token for token in unknown if PLAIN.fullmatch(token)]
    return {"plain": plain, "tokens": [token for token in unknown if not PLAIN.fullmatch(token)]}


def learnt(unknown: Sequence[str], rows: Iterable[tuple[str, str | None, list[str]]]) -> dict[str, Token]:
    """What the statement above says of these tokens. It is remembered, for it never changes."""
    words: dict[str, list[tuple[str, tuple[str, ...]]]] = {token: [] for token in unknown}
    identifiers: dict[str, tuple[str, ...]] = {}
    for token, word, found in rows:
        if word is None:
            identifiers[token] = tuple(name for name in found if is_code(name))
        else:
            words[token].append((word, tuple(found)))
    read = {token: Token(tuple(words[token]), identifiers.get(token, ())) for token in unknown}
    if len(_known) > REMEMBERED:
        _known.clear()
    _known.update({token: read[token] for token in unknown if len(token) < LONG})
    return read


def read(query: str) -> list[Token]:
    """The query's tokens, whether this process has read them before or not."""
    tokens, unknown = known(query)
    if unknown:
        with prepared_cursor() as cursor:
            cursor.execute(READ, bound(unknown))
            tokens |= learnt(unknown, cursor.fetchall())
    return [token for token in tokens.values() if token]


def normal(query: str) -> str:
    """The query in the form of Unicode that the index knows."""
    return unicodedata.normalize("NFC", query)


def literal(query: str, *, likely: bool) -> tuple[str, ...]:
    """The query as it may stand in a memory, with and without the signs around it; nothing for a sentence."""
    whole = query.strip()
    quoted = len(whole) > 2 and whole[0] in '"“„«「' and whole[-1] in '"”“»」'
    short = len(whole.split()) <= LITERAL_TOKENS and not PROSE.fullmatch(whole)
    if len(whole) > LITERAL_LENGTH or not (likely or quoted or short):
        return ()
    bare = whole.strip(AROUND)
    return tuple(dict.fromkeys((bare, whole))) if any(map(str.isalnum, bare)) else (whole,)


def is_code(identifier: str) -> bool:
    """Whether it is asked for just so, or is writing without spaces; others count as words already."""
    return bool(CODE.search(identifier[1:])) or not identifier.isascii()
