"""Features of instructions to a model, each with its weight.

A text becomes a line of letters, one for the part that each word plays in a sentence. Most features are expressions
over that line. The weights were fitted by logistic regression on public collections of attacks and of ordinary texts,
and rounded.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, repeat
from operator import eq

from memories.screening.folding import fold_text
from memories.screening.forged_frames import FORGED_FRAME, SPEAKER_LINE, find_forged_frames
from memories.screening.hidden_characters import find_hidden_characters
from memories.screening.injection_words import END, LETTER_OF, index_phrases
from memories.screening.leaking_links import find_leaking_links

SHORT, MANY_QUESTIONS = 90, 400  # words of a text that may be nothing but a task, or questions
BEFORE_SECRET, AFTER_SECRET = 60, 30  # characters around a word for a secret in which it is asked for
MAX_SECRET_WORDS = 20
MIN_REPEATED = 5  # words after the same word

_WORD, _ASCII_WORD = re.compile(r"[^\W_]+|[.!;:\n。！；?？¿]"), re.compile(r"[a-z0-9]+|[.!;:\n?]")
_SPEAKER = re.compile(r"\s*(?!q:)[\w.'-]{1,30}(?: [\w.'-]{1,30})?: ", re.IGNORECASE)
_DOCUMENT_TASK = re.compile(
    r"\b(?:given|based on|summari[sz]e|translate|of|from|on) (?:this|the following|these) [a-z ]{0,40}: ?['\"<{\[]"
)
_COMMENT = re.compile(r"<!--[^>]{20,}|<caption\b[^>]{0,10}>?[^<]{20,}")
_BITS = re.compile(r"[01][01][01][01][01][01][01][01]?(?:[ ,]+[01]{7,8}){3}")
_MORSE = re.compile(r"[.-]{1,6}(?: / | )(?=\.-|-\.|\.\.\.)(?:[.-]{1,6}(?: / | )){7}")
_ESCAPES = re.compile(r"\\x[0-9a-f]{2}(?:\\x[0-9a-f]{2}){7}|%[0-9a-f]{2}(?:%[0-9a-f]{2}){11}")
_PARTS = re.compile(r"\bpart 1\b.{0,200}\bpart 2\b|\ba ?(?:=|is) ?[\"'].{0,200}\bb ?(?:=|is) ?[\"']", re.DOTALL)


_MANY_ENDS = re.compile(r"\|{2,}+")


def _find_word(folded: str, word: str) -> Iterator[int]:
    position = folded.find(word)
    while position >= 0:
        yield position
        position = folded.find(word, position + len(word))


class Reading:
    """A text as the features read it."""

    def __init__(self, text: str) -> None:
        self.text, self.folded = text, fold_text(text)
        self.words = (_ASCII_WORD if self.folded.isascii() else _WORD).findall(self.folded)
        self.different_words = set(self.words)
        self.line = _MANY_ENDS.sub(END, END + "".join(map(LETTER_OF.get, self.words, repeat("_"))))
        self.speaks_of_answers = "R" in self.line or "Z" in self.line
        self.has_speaker = _SPEAKER.match(text) is not None  # a line of a conversation

    @cached_property
    def frames(self) -> set[str]:
        return {finding.kind for finding in find_forged_frames(self.folded)}

    def is_alone(self, most_words: int) -> bool:
        return len(self.words) <= most_words and not self.has_speaker

    def asks_for_secrets(self) -> bool:
        """Tell whether a word for a secret has an order before it. Only the first of many such words are looked at."""
        if self.folded.isascii() and not self.has_word(_ASCII_SECRET_WORDS):
            return False
        places = chain.from_iterable(_find_word(self.folded, word) for word in _SECRET_WORDS)
        return any(
            any(map(self.is_order, _SECRET.finditer(self.folded, max(0, place - BEFORE_SECRET), place + AFTER_SECRET)))
            for place in islice(places, MAX_SECRET_WORDS)
        )

    def is_order(self, match: re.Match[str]) -> bool:
        """Tell whether the match begins a word, and is not forbidden by the word before."""
        before = self.folded[max(0, match.start() - 8) : match.start()]
        return not before[-1:].isalnum() and not before.endswith(("never ", "not ", "n't "))

    def count_repeated_words(self) -> int:
        if sum(map(eq, self.words[::2], self.words[1::2])) < MIN_REPEATED // 2:
            return 0
        words = list(filter(str.isalnum, self.words))  # without the signs between them
        return sum(map(eq, words, words[1:]))

    def has_word(self, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.different_words)

    def has_any(self, words: Sequence[str]) -> bool:
        return any(word in self.folded for word in words)

    def has_codes(self) -> bool:
        return (
            bool(_BITS.search(self.folded))
            or (".-" in self.folded and bool(_MORSE.search(self.folded)))
            or ("\\x" in self.folded or ("%" in self.folded and bool(_ESCAPES.search(self.folded))))
            or (self.has_word(_CODE_WORDS) and self.has_any(_CODES))
        )

    def count_phrases(self, group: str) -> int:
        index = _PHRASES[group]
        keys = index.keys() & self.different_words
        phrases = chain.from_iterable(index.get(key, ()) for key in ("", *keys))
        return sum(phrase in self.folded for phrase in phrases)


_PHRASES = index_phrases()

_OVERRIDE = re.compile(r"O[^|?]{0,3}[PY][^|?]{0,3}[IR]|O[^|?]{0,2}I")
_SET_ASIDE = re.compile(r"O[^|?]?P|[|?]O_[^|?]{0,2}\|?[CHT]")
_ADDRESS = re.compile(r"Y[WN]|Y_?[WN]?A|YB|[AB]Y")
_COMMAND_PLAY = re.compile(r"[|?][^|?]{0,3}A[^|?]{0,3}[BMY]")
_OWN_ANSWER = re.compile(r"Y[^|?]?R")
_STEER = re.compile(
    r"[|?][_W]?[CY]{0,2}[VTPR][^|?]{0,12}YR|[|?]XYR|^\|_?[VT].{1,80}YR|[|?]_?[CY]{0,2}[VT][^|?]{0,4}Z"
    r"|[|?]_YR|[|?]R[^|?]{0,4}V"
)
_SECRET = re.compile(
    r"(?:share|tell me|give me|reveal|disclose|confirm|provide|show me|what is|what's|what would|where is"
    r"|i need|send me|state|write(?: an? \w+,?(?: about| with)?)?|print|display|tell you|qual (?:è|é|e)"
    r"|cu[aá]l es|quel est|wie lautet|was ist|ποιος είναι)"
    r" (?:\w+ me )?(?:your|the|his|her|\w+'s|la|el|le|das|o|a|tu|su|sua|mir|me)(?: \w+){0,2}? "
    r"?(?:pass(?:word|code|phrase)\w*|secret key|confidential string|access code|contrase[nñ]a|senha"
    r"|passwort|mot de passe|clave|credentials)"
    r"|(?:your|ihr|dein|tua|tu|sua|votre|ton) (?:\w+ )?(?:password|passcode|passwort|kennwort|senha"
    r"|contrase[nñ]a|mot de passe)\b"
    r"|パスワード(?:は|を)|비밀번호|密码是|密碼是|पासवर्ड क्या|बैंक बैलेंस|print your (?:database|configuration"
    r"|source)|your system prompt|your initial (?:prompt|instructions)"
)
_PERSONAL = re.compile(
    r"(?:users?(?:'s)?|'s) (?:\w+ ){0,2}?(?:e-?mail address|birth ?(?:date|year|day)"
    r"|initials|city of residence"
    r"|bank (?:balance|account)|salary|phone number|home address|credit card|social security)\b"
    r"|where (?:is|does|did) (?:the user|[a-z]+ [a-z]+) (?:\w+ )?(?:live|living|reside)\b"
    r"|list of users\b|users in your database\b"
)
_QUESTIONS = re.compile(r"(?:[|?]*(?:_{0,3}[HC]|_{0,8}H)[^|?EF]{0,15}\?)+")
_TASK = re.compile(
    r"\|(?:(?:_{0,6}K_{0,3}|_{0,5}\|)?[CY]{0,2}_?T(?:[^|?EF]{0,8}K|G)[^|?E]*[|?]?|_?J[^|?EF]{1,11}[|?]?)"
)
_ASKS_READER = re.compile(r"[^EF]*C_?Y[^|?EF]*\?[^EF]*")
_LAST_QUESTION = re.compile(r"[|?][^|?EF]*\?[|_]{0,2}$")
_UNANSWERED = re.compile(r"\bq: (?:(?!\ba: ).){0,400}$", re.DOTALL)

_PRETEXT = re.compile(
    r"i(?:'m| am) (?:actually |now )?(?:your|an?|the|not)(?: \w+)? (?:developers?|accountant|officer"
    r"|president|boss|admin\w*|doctor"
    r"|lawyer|engineer|programmer|manager|owner|ceo|authority)\b|as (?:your"
    r"|an?)(?: \w+)? (?:boss|expert|scientist|authority"
    r"|developer|ai developed|administrator|manager)\b|i(?:'ll| will) (?:give|pay|donate|tip"
    r"|reward)\b|i'm not \w+, i'm\b"
)
_WORDS_FOR_SECRETS = """password passwords passcode passcodes passphrase passphrases passwort key string code senha
    contrasena clave credentials kennwort mot print system initial"""
_ASCII_SECRET_WORDS = frozenset(_WORDS_FOR_SECRETS.split())
# Words of which one must be in the text for an expression to match: looking them up is cheaper than searching.
_PRETENDERS = """developer developers accountant officer president boss doctor lawyer engineer programmer manager
    owner ceo authority expert scientist admin administrator administrators developed give pay donate tip reward m"""
_PRETEXT_WORDS = frozenset(_PRETENDERS.split())
_CODES = (
    "decode this",
    "decode the following",
    "what it says: '",
    "in pig latin",
    "in leetspeak",
    "in morse code",
    "in rot13",
)
_SECRET_WORDS = (
    "passw",
    "passc",
    "passp",
    "mot de passe",
    "secret key",
    "confidential string",
    "access code",
    "contraseña",
    "contrasena",
    "senha",
    "clave",
    "credentials",
    "kennwort",
    "パスワード",
    "비밀번호",
    "密码",
    "密碼",
    "पासवर्ड",
    "बैंक",
    "print your",
    "your system prompt",
    "your initial",
)
_WORDS_FOR_DATA = """email mail birth birthdate birthyear birthday initials residence bank salary phone address card
    security users live living reside"""
_PERSONAL_WORDS = frozenset(_WORDS_FOR_DATA.split())
_PART_WORDS, _DOCUMENT_WORDS, _CODE_WORDS = (
    frozenset({"b", "part"}),
    frozenset({"this", "these", "following"}),
    frozenset({"decode", "says", "latin", "leetspeak", "morse", "rot13"}),
)
_QUOTES = (": '", ': "', ": <", ": {", ": [", ":'", ':"', ":<")

# The weight of each feature, and how often it is in a stretch of text.
FEATURES: dict[str, tuple[float, Callable[[Reading], float]]] = {
    "sets instructions aside": (4.0, lambda read: bool(_OVERRIDE.search(read.line))),
    "sets what was said aside": (2.9, lambda read: bool(_SET_ASIDE.search(read.line))),
    "speaks to the reader": (1.0, lambda read: min(3, len(_ADDRESS.findall(read.line)))),
    "has the reader play a part": (0.8, lambda read: bool(_COMMAND_PLAY.search(read.line))),
    "phrases of an override": (2.4, lambda read: min(2, read.count_phrases("override"))),
    "phrases of no bounds": (1.3, lambda read: min(2, read.count_phrases("unbound"))),
    "words of no bounds": (1.2, lambda read: min(3, read.line.count("U"))),
    "speaks of models": (0.7, lambda read: min(2, read.line.count("M"))),
    "your answer": (2.5, lambda read: bool(_OWN_ANSWER.search(read.line))),
    "steers the answer": (4.5, lambda read: read.speaks_of_answers and bool(_STEER.search(read.line))),
    "asks for secrets": (4.5, lambda read: read.asks_for_secrets()),
    "asks for personal data": (
        2.9,
        lambda read: read.has_word(_PERSONAL_WORDS) and bool(_PERSONAL.search(read.folded)),
    ),
    "pretext": (
        2.4,
        lambda read: min(
            2,
            read.count_phrases("pretext")
            + (read.has_word(_PRETEXT_WORDS) and any(map(read.is_order, _PRETEXT.finditer(read.folded)))),
        ),
    ),
    "nothing but questions": (
        2.8,
        lambda read: read.is_alone(MANY_QUESTIONS) and bool(_QUESTIONS.fullmatch(read.line)),
    ),
    "nothing but a task": (4.5, lambda read: read.is_alone(SHORT) and bool(_TASK.fullmatch(read.line))),
    "asks the reader": (1.2, lambda read: read.is_alone(MANY_QUESTIONS) and bool(_ASKS_READER.fullmatch(read.line))),
    "ends with a question": (2.2, lambda read: not read.has_speaker and bool(_LAST_QUESTION.search(read.line[-60:]))),
    "a task on an enclosed document": (
        4.5,
        lambda read: (
            read.has_word(_DOCUMENT_WORDS) and read.has_any(_QUOTES) and bool(_DOCUMENT_TASK.search(read.folded))
        ),
    ),
    "words in a comment": (1.4, lambda read: "<" in read.folded and bool(_COMMENT.search(read.folded))),
    "encoded text": (3.6, lambda read: read.has_codes()),
    "text in parts": (4.5, lambda read: read.has_word(_PART_WORDS) and bool(_PARTS.search(read.folded))),
    "an unanswered question": (4.0, lambda read: "a: " in read.folded and bool(_UNANSWERED.search(read.folded[-500:]))),
    "repetition": (1.6, lambda read: read.count_repeated_words() >= MIN_REPEATED),
    FORGED_FRAME: (3.2, lambda read: FORGED_FRAME in read.frames),
    SPEAKER_LINE: (1.2, lambda read: SPEAKER_LINE in read.frames),
    "hidden characters": (3.5, lambda read: any(find_hidden_characters(read.text))),
    "a way to carry data out": (3.8, lambda read: any(find_leaking_links(read.folded))),
}
