"""The weights of a ranking: how much each kind of evidence counts."""

# Words and meaning have a share of 1 together; the rest is added to them.
EVEN_SHARE = 0.5  # weight of each, where there is only one of the two
LEAD = 0.3  # for a memory that begins with an asked word
TIE = 0.01  # for importance and pins, which decide between memories that are otherwise as good
IDENTIFIER_ALONE = 10.0  # for a memory that contains an identifier which is all that was asked
IDENTIFIER_IN_SENTENCE = 0.05  # for one that contains an identifier asked for among other words
FULL_WORDS = 2.0  # words count double what a row with all of them once would get, so that half of them already tell
RECIPROCAL = 60  # the constant of reciprocal rank fusion
