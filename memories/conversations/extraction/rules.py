"""The built-in extractor: finds sentences that say themselves that they are meant to last. It would rather miss one."""

import re
from collections.abc import Iterator, Sequence

from memories.conversations.extraction import Extraction, Proposal
from memories.conversations.transcript import Message

MIN_SENTENCE_LENGTH, MAX_SENTENCE_LENGTH = 8, 500  # characters of a sentence
FENCED = re.compile(r"^(```|~~~).*?(^\1|\Z)", re.MULTILINE | re.DOTALL)
QUOTATION = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[^\sa-z])|[。！？]|\n+")
BULLET_PATTERN = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(?!\[)")
# Possessive: no sentence that is looked for begins with one of these, so that none has to be given back.
OPENING = r"(?:(?:ok|okay|so|and|also|but|please|yes|right|well|then|hey|hi|btw|by the way)[,:]?\s++)*+"

# A label and what it stands for, in some languages: it means the same wherever it begins a line.
LABEL_WORDS = {
    "decision": "decision|decided|entscheidung|décision|decisión|decisão|decisione|beslut|決定|决定",
    "lesson": "lesson|lesson learned|lessons learned|lehre|leçon|lección|教訓|教训",
    "todo": "todo|to-do|to do|action item|next step|aufgabe|à faire|tarea|タスク|待办",
    "event": "deadline|due date|due|frist|échéance|fecha límite|締め切り|締切|截止日期",
    "goal": "goal|objective|ziel|objectif|objetivo|目標|目标",
    "preference": "preference|vorliebe|préférence|preferencia",
    "fact": "remember|note to self|for the record|fyi|nota bene|merke|覚えておいて|记住",
}
LABEL_PATTERNS = [
    (kind, re.compile(rf"(?:{words})\s*[:：]\s*(?P<text>.+)", re.IGNORECASE)) for kind, words in LABEL_WORDS.items()
]
CHECKBOX = re.compile(r"\s*[-*+]\s+\[ \]\s+(?P<text>.+)")


WE_HAVE = r"(?:(?:today|yesterday|finally|together|after .{1,60}),? )?we(?:['’]ve| have)?(?: all| finally| now| just)?"
I_WOULD = r"i(?:['’]d| would)?(?: really| strongly| much| generally| usually| always)?"
OUR = r"(?:the|our|my|\w+['’]s)"
FORGET = r"(?:don['’]t|do not|never) forget"
MINE = r"my (?:job|role|title|pronouns|time ?zone|native language|birthday|e-?mail(?: address)?)"

# The proposed text is the group `text`, or else the whole sentence.
SENTENCES = {
    "todo": rf"(?:{FORGET}|remember) to (?P<text>.+)",
    "fact": rf"(?:(?:always )?(?:remember|note|bear in mind|keep in mind)|{FORGET})(?: that|[,:])\s+(?P<text>.+)",
    "decision": rf"{WE_HAVE} (?:decided|agreed|settled|chose|chosen)\b.+"
    r"|we(?:['’]ll go| will go|['’]re going| are going) with .+"
    rf"|{OUR} decision is .+",
    "lesson": r"(?:we|i)(?:['’]ve| have)? (?:learned|learnt)(?: that|[,:]) .+",
    "event": rf"{OUR} (?:\w+ ){{0,3}}(?:deadline|due date)\b.* (?:is|was|moved|moves|changed)\b.+"
    rf"|{OUR} .{{1,80}} (?:is|are) due (?:on|by|in|at|before)\b.+",
    "goal": rf"{OUR} (?:\w+ )?(?:goal|objective|target) is .+",
}
# These speak of the speaker, who must be named to be known later.
FIRST_PERSON = {
    "identity": r"my name is .+|call me .+|i am called .+"
    r"|i (?:work (?:as|at|for|in)|live in|am based in|come from) .+"
    rf"|{MINE} (?:is|are) .+",
    "preference": rf"{I_WOULD} (?:prefer|rather) .+"
    r"|my (?:preference|preferred .{1,40}|favou?rite .{1,40}) (?:is|are) .+"
    r"|(?:from now on|in future|in the future|going forward),? .+",
}
SENTENCE_PATTERNS = [
    (kind, re.compile(rf"{OPENING}(?:{pattern})", re.IGNORECASE), pattern in FIRST_PERSON.values())
    for kind, pattern in (*SENTENCES.items(), *FIRST_PERSON.items())
]
# Any of them. Most sentences match none: one expression says so in a third of the time that all take one by one.
ANY_SENTENCE = re.compile(
    rf"{OPENING}(?:{'|'.join([*SENTENCES.values(), *FIRST_PERSON.values()])})".replace("(?P<text>", "(?:"),
    re.IGNORECASE,
)


class Rules:
    def proposals(self, messages: Sequence[Message]) -> Extraction:
        return Extraction(tuple(found for message in messages for found in _propose_from_message(message)), by="rules")


def _propose_from_message(message: Message) -> Iterator[Proposal]:
    for sentence in _sentences(message.content):
        if (
            MIN_SENTENCE_LENGTH <= len(sentence) <= MAX_SENTENCE_LENGTH
            and not sentence.endswith(("?", "？"))
            and (found := _propose_from_sentence(sentence, message))
        ):
            yield found


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences and list items of a text, but not what it only cites: code and quotations."""
    for part in SENTENCE_END.split(QUOTATION.sub("", FENCED.sub("", text))):
        if part and part.strip():
            yield BULLET_PATTERN.sub("", part).strip()


def _propose_from_sentence(sentence: str, message: Message) -> Proposal | None:
    if box := CHECKBOX.fullmatch(sentence):
        return _make_proposal("todo", box["text"], sentence, message)
    plain = sentence.strip("*_ ").replace("**", "")
    if ":" in plain or "：" in plain:
        for kind, pattern in LABEL_PATTERNS:
            if found := pattern.fullmatch(plain):
                return _make_proposal(kind, found["text"], sentence, message)
    if not ANY_SENTENCE.fullmatch(plain):
        return None
    for kind, pattern, first_person in SENTENCE_PATTERNS:
        if found := pattern.fullmatch(plain):
            text = found.groupdict().get("text") or plain
            return _make_proposal(kind, text, sentence, message, speaker=message.speaker if first_person else "")
    return None


def _make_proposal(kind: str, text: str, sentence: str, message: Message, *, speaker: str = "") -> Proposal | None:
    content = text.strip(" \t*_")
    if len(content) < MIN_SENTENCE_LENGTH:
        return None
    content = content[0].upper() + content[1:]
    whose = f"{speaker}: " if speaker else ""
    return Proposal(content=whose + content, type=kind, message_id=message.id, quote=sentence)
