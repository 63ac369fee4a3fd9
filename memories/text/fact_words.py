"""English words that the comparison of texts looks for."""


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DATE_WORDS = _split_words(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays jan feb mar apr "
    "jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun today tomorrow yesterday"
)
NUMBER_WORDS = _split_words(
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred "
    "thousand million once twice daily weekly monthly yearly hourly nightly quarterly"
)
NEGATIONS = _split_words(
    "not no never none nobody nothing without cannot neither nor don't doesn't didn't isn't aren't wasn't weren't "
    "won't can't couldn't shouldn't wouldn't mustn't hasn't haven't hadn't"
)
SMALL = _split_words(
    "a an the and or of to in on at by for from with as is are was were be been being has have had do does did it its "
    "this that these those there their our we you i he she they his her my your will would can could should shall may "
    "might must now currently still also already just only so then than which who whom whose where when while if into "
    "onto about per via up out all each every any some both very too more most"
)
COPULAS = _split_words("is are was were be been has have had will must should can may uses use runs run")
PREPOSITIONS = _split_words("of to in on at by for from with into onto about per via before after")
INDEFINITE = _split_words("a an some someone somebody two three four several many few people there one")
# Words of which a text has one where the other has its opposite.
OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in _split_words(
        "enabled/disabled enable/disable on/off open/closed opens/closes opened/closed allowed/forbidden "
        "allowed/prohibited required/optional public/private always/never before/after increase/decrease "
        "increases/decreases increased/decreased up/down start/stop starts/stops started/stopped accept/reject "
        "accepts/rejects accepted/rejected true/false yes/no internal/external manual/automatic manually/automatically "
        "synchronous/asynchronous supported/unsupported stable/unstable must/may paid/free"
    )
)
