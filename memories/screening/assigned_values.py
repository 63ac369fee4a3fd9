"""Finds secrets by the word that they are assigned to, if the value is worth anything: `password = …`, `"apiKey": "…"`,
`the token is …`, passwords in addresses and connection strings."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memories.screening.findings import Finding, FindingGroup
from memories.screening.randomness import DEFAULTS, is_placeholder, is_sequence, is_wordlike

MIN_PASSWORD, MIN_KEY, MIN_LETTERS = 6, 16, 24  # characters of a password, of a key, of one without digits
MIN_DISTINCT = 7  # different characters of a key
MAX_VALUE = 512  # characters of a value that are looked at
JUDGED = 64  # characters of these that decide
MAX_NAME = 64  # characters of a name before and after its telling part
LONGEST_SUBJECT = 12  # characters of a word that names a secret
MANY_VALUES = 100  # secrets of a text, after which a value counts by its name and length: more would take too long
FORWARDS = 100  # characters after a word such as "password" in which a sentence tells it

_VALUE = re.compile(rf"""[^\s"'`,;&<>|]{{1,{MAX_VALUE}}}+(?:[&,;][^\s"'`,;&<>|=]{{1,{MAX_VALUE}}}+(?!=)){{0,3}}""")
_QUOTED_VALUE = {quote: re.compile(rf"[^\s{quote}]{{1,{MAX_VALUE}}}+(?={quote})") for quote in "\"'`"}
# The expressions below read lowercase text.
_ASSIGNMENT = re.compile(
    r"(?:pass|pwd|pw\b|secret|token|key|cred|auth|pat\b|bearer|dsn|salt|seed|sas\b|signature|cookie"
    r"|jwt|otp|contrase|senha"
    rf"|parol)[\w.-]{{0,{MAX_NAME}}}+(?:[ ](?:for|of|to|on)[ ](?:[\w.-]{{1,30}}+[ ]?){{1,4}}?(?=[:=])"
    rf"|[ ][a-z]{{1,12}}+(?=[:=]))?"
    r"""["'`\])*]{0,3}+[ \t]{0,4}+(?::=|=>|[=:]=?|->|→|[|>])[ \t*]{0,4}+(?:\\?["'`(]){0,3}+(?:(?:bearer"""
    r"""|basic|token)[ ]++)?"""
)
_OPTION = re.compile(r"""--(?:[a-z]+-){0,3}(?:(pass(?:word|wd)?)|token|secret|(?:api|access|secret)-?key)[ =]["']?""")
_USER_OPTION = re.compile(r"""-(?:u|-user)[ =]?["']?[\w.@-]{1,64}+:""")
_STATEMENT = re.compile(
    r"""(?:is|was|to|are|by|with|and|password|pass|bearer|basic|/)[ ]{1,2}["'`(*]{0,3}"""
    r"""(?=[^\s\d"'`,;&<>|]{0,40}\d|[^\s"'`,;&<>|!@#$%^&?+~]{0,40}[!@#$%^&?+~])"""
)
_PASSWORD_SUBJECTS = ("pass", "pwd", "pin", "login", "log in", "log-in", "identified", "credential")
_KEY_SUBJECTS = ("key", "secret", "token", "bearer", "basic")
_SUBJECT_END = re.compile(r"(?:(?<=pass)(?:word|code|phrase|wd))?s?(?!\w)")
_KEY_PREFIXES = tuple(
    f"{word}{gap}"
    for word in ("api", "access", "secret", "private", "auth", "signing", "encryption", "license", "account", "service")
    for gap in ("", " ", "_", "-")
)
_ADDRESS = re.compile(r"""://([^\s/:@"'<>]{0,128}+):([^\s/@"'<>]{4,256}+)@[\w\[.-]""")

_PASSWORD_NAME = re.compile(r"pass(?:w(?:or)?d|phrase|code|wd)?\d?$|pwd$|pw$|contrase|passwort|senha|parol")
_KEY_NAME = re.compile(
    r"(?:key|token|secrets?|credentials?|creds|auth|pat|bearer|authorization|dsn|salt|seed|signature"
    r"|sas|cookie|jwt|otp)\d?$"
    r"|api_?key|access_?token|auth_?token|secret_?key|private_?key|account_?key|shared_?access|secret_?access"
)
_HARMLESS_NAME = re.compile(
    r"public|pub_?key|(?:primary|foreign|cache|partition|sort|idempotency|dedup\w*|object|storage"
    r"|routing|lookup|row|map"
    r"|dict|hash|registry|config|translation|i18n|group|order|unique|composite|index|column|json"
    r"|feature|metric|tracking"
    r"|page|next|continuation|cancellation|csrf|xsrf|cursor|host|machine|memory|entry)[_.-]?(?:key|token)"
    r"|keyboard|monkey|turkey|author(?!iz)|passage|passenger|tokens$|(?:^|[_.-])(?:id|name|hash|path"
    r"|file|url|uri|type|length"
    r"|size|ttl|count|field|policy|arn|version|format|prefix|hint)$|fingerprint|sha\d|md5|commit|etag|digest|checksum"
)
_HEX = re.compile(r"[0-9a-fA-F-]+")
_LETTER, _DIGIT, _DIGIT_OR_SIGN = re.compile(r"[^\W\d_]"), re.compile(r"\d"), re.compile(r"[\d!@#$%^&*?+~]")
_CODE = re.compile(
    r"[a-z+]+://|[A-Z]+(?:_[A-Z]+)+$|[a-z]+(?:_[a-z]+)+$|[A-Za-z_][\w.]*(?:\(|\[|->|::)"
    r"|(?:[A-Za-z_]+\.)+[A-Za-z_]+$|/[\w./-]+$|https?:|\.{1,2}/|[{\[(]"
    r"|[\w./-]+\.(?:py|js|ts|go|rs|java|md|json|ya?ml|toml|txt|pem|key|env|sh|html)$"
)


def find_assigned_values(text: str, lower: str) -> Iterator[Finding]:
    """Yield the secrets that are assigned. `lower` is the text in lowercase, with each character at its place."""
    yield from _find_address_passwords(text)
    yield from _find_assignments(text, lower)
    if "--" in text or " -u" in text:
        yield from _find_options(text, lower)
    yield from _find_statements(text, lower)


def _find_assignments(text: str, lower: str) -> Iterator[Finding]:
    done = judged = 0
    for match in _ASSIGNMENT.finditer(lower):
        start, end = match.span()
        if start < done or not (value := _match_value(text, end)):
            continue
        name = text[_find_name_start(lower, start) : start] + _NAME.match(text, start)[0]  # type: ignore[index]
        if not value[0].startswith(_ADDRESS_MARKS):
            done = value.end()
        if kind := _judge_assignment(name, value[0], strict=judged < MANY_VALUES):
            judged += 1
            yield _build_finding(value, kind)


_NAME = re.compile(rf"[\w.-]{{0,{2 * MAX_NAME}}}")
_ADDRESS_MARKS = ("http:", "https:", "//", "/")  # an address may have an assignment of its own inside


def _find_name_start(lower: str, position: int) -> int:
    first = max(0, position - MAX_NAME)
    while position > first and (lower[position - 1].isalnum() or lower[position - 1] in "_-."):
        position -= 1
    return position


def _find_options(text: str, lower: str) -> Iterator[Finding]:
    for expression in (_OPTION, _USER_OPTION):
        for match in expression.finditer(lower):
            value, password = _match_value(text, match.end()), expression is _USER_OPTION or bool(match[1])
            if value and (is_password if password else is_key)(_trim(value[0])):
                yield _build_finding(value, "password" if password else "key or token")


def _find_statements(text: str, lower: str) -> Iterator[Finding]:
    """Yield the values that sentences name: the last subject before each says what it is."""
    if not any(stem in lower for stem in _PASSWORD_SUBJECTS + _KEY_SUBJECTS):
        return
    statements = list(_STATEMENT.finditer(lower))
    if not statements:
        return
    subjects = [*_list_subjects(lower, _PASSWORD_SUBJECTS, True), *_list_subjects(lower, _KEY_SUBJECTS, False)]
    subjects.sort()
    for match in statements:
        number = bisect_right(subjects, (match.end(), True)) - 1
        if number < 0 or subjects[number][0] < match.start() - FORWARDS:
            continue
        password, value = subjects[number][1], _match_value(text, match.end())
        if value and _judge_statement(_trim(value[0]).rstrip("!?"), password=password):
            yield _build_finding(value, "password" if password else "key or token")


def _list_subjects(lower: str, stems: Sequence[str], password: bool) -> Iterator[tuple[int, bool]]:
    """Yield where the words begin that may name a secret."""
    for stem in stems:
        position = lower.find(stem)
        while position >= 0:
            before = lower[max(0, position - LONGEST_SUBJECT) : position]
            begins = before.endswith(_KEY_PREFIXES) if stem == "key" else not before[-1:].isalnum()
            if begins and _SUBJECT_END.match(lower, position + len(stem)):
                yield position, password
            position = lower.find(stem, position + len(stem))


def _match_value(text: str, position: int) -> re.Match[str] | None:
    quoted = _QUOTED_VALUE.get(text[position - 1])
    return (quoted and quoted.match(text, position)) or _VALUE.match(text, position)


def _build_finding(value: re.Match[str], kind: str) -> Finding:
    start = value.start()
    return Finding(start, start + len(_trim(value[0])), FindingGroup.SECRET, kind)


def _trim(value: str) -> str:
    """Return the value without the end of the sentence around it."""
    return value.rstrip(".,:;)]}*\\")


def _judge_assignment(written: str, value: str, *, strict: bool) -> str:
    """Return the kind of secret that the value is, or nothing."""
    value = _trim(value[:JUDGED])
    match _classify_name(written.lower().rstrip(".-_")):
        case "password" if not strict:
            return "password" if len(value) >= MIN_PASSWORD else ""
        case "key" if not strict:
            return "key or token" if len(value) >= MIN_KEY else ""
        case "password":
            in_settings = written.isupper() and len(value) >= 8 and value.isalnum() and not is_placeholder(value)
            return "password" if in_settings or is_password(value) else ""
        case "key":
            return "key or token" if is_key(value) else ""
    return ""


@lru_cache(maxsize=1_000)
def _classify_name(name: str) -> str:
    """Return `password` or `key` if something of that name may be secret."""
    if _HARMLESS_NAME.search(name):
        return ""
    if _PASSWORD_NAME.search(name):
        return "password"
    return "key" if _KEY_NAME.search(name) else ""


def _judge_statement(value: str, *, password: bool) -> bool:
    return is_password(value) and has_mixture(value) if password else is_key(value)


def is_password(value: str) -> bool:
    """Tell whether the value is worth something as a password: not a word, not the name of a variable."""
    if len(value) < MIN_PASSWORD or _CODE.match(value) or is_placeholder(value) or is_sequence(value):
        return False
    return has_mixture(value) or (len(value) >= 2 * MIN_PASSWORD and not is_wordlike(value) and " " not in value)


def has_mixture(value: str) -> bool:
    """Tell whether letters are mixed with digits or signs, as people do it in passwords."""
    return _LETTER.search(value) is not None and _DIGIT_OR_SIGN.search(value) is not None


def is_key(value: str) -> bool:
    """Tell whether the value is long and random as keys are."""
    if len(value) < MIN_KEY or len(set(value)) < MIN_DISTINCT or _CODE.match(value):
        return False
    if is_placeholder(value) or is_sequence(value):
        return False
    if _HEX.fullmatch(value):
        return not value.isdigit()
    return not is_wordlike(value) and (_DIGIT.search(value) is not None or len(value) >= MIN_LETTERS)


def _find_address_passwords(text: str) -> Iterator[Finding]:
    """Yield the passwords in addresses such as `postgres://name:password@host`."""
    if "@" in text:
        for match in _ADDRESS.finditer(text):
            if _is_address_password(match[1], match[2]):
                yield Finding(*match.span(2), FindingGroup.SECRET, "password in an address")


def _is_address_password(user: str, password: str) -> bool:
    return not (password.lower() in DEFAULTS or password == user or is_placeholder(password))
