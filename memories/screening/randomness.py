"""Tells a value that a machine drew at random from a word, a name in code, and a placeholder in an example."""

import re
from itertools import pairwise
from operator import sub

# The pairs of letters that are most common in English and four other languages, and in names in code. Two of three
# pairs of neighbours in words and names are among these, and one of eight in random letters and digits.
_PAIRS = """
    or er te on re es en in me st se at th de an nt le to em mo he ti it as ct ro co et ge ed ac rt ne ie io ri ng
    nd al el ry ve am is ss ch tr no ar ea li ra ns po ta ec fo im id fi rs ur mp pa ca om ts ex ue ke ce la ma ef
    ha si un ou ll il di pe ow ag na ot od us be tu fr sa ad ol lo da pl pr ut so qu hi ls ic nc xt op ho sc rn
"""
COMMON_PAIRS = frozenset(map(tuple, _PAIRS.split()))
WORDLIKE = 0.41  # the share of common pairs above which a value reads as words
STEPS = frozenset((-1, 0, 1))
STEADY = 0.78  # the share of characters beside the one before them above which a value is a sequence, as abc123 is

_PLACEHOLDER = re.compile(  # in lowercase
    r"example|sample|placeholder|change_?-?me|replace|redacted|removed|dummy|xxxx|\*\*\*|\.\.\.|…|0000000|your|my[-_]"
    r"|insert|secret_?here|foobar|deadbeef|todo|fixme|<|>|\$\{|\{\{|%\(|\$\(|^\$[a-z_]+$|^%\w+%$|^@|__\w+__"
)
_DEFAULTS = """
    123456 12345678 admin authorization basic bearer bytes changeit default demo disabled elastic empty enabled
    encrypted false guest guest123 hidden int key localhost mariadb masked minio minioadmin missing mongo mongodb
    mypassword mysql nil no none null optional p@ssw0rd pa$$word pass passw0rd passwd password password1
    password123 postgres pw pwd qwerty rabbitmq redis required root sa secret str string test test123 testing text
    token true undefined unknown unset user username value varchar yes
"""
DEFAULTS = frozenset(_DEFAULTS.split())  # values that no installation should have, and that examples do


def is_placeholder(value: str) -> bool:
    """Tell whether the value stands for another one, as in documentation and in configuration that names a variable."""
    lower = value.lower()
    return lower in DEFAULTS or _PLACEHOLDER.search(lower) is not None or len(set(value)) < min(5, len(value) / 2)


def is_sequence(value: str) -> bool:
    """Tell whether the value counts or repeats its characters."""
    signs = value.encode()
    return sum(map(_is_step, map(sub, signs[1:], signs))) > STEADY * (len(signs) - 1)


def is_wordlike(value: str) -> bool:
    """Tell whether the value reads as words. Digits and signs in it count against that."""
    return sum(map(_is_common, pairwise(value.lower()))) > WORDLIKE * (len(value) - 1)


_is_step, _is_common = STEPS.__contains__, COMMON_PAIRS.__contains__
