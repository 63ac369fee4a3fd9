"""The languages that Postgres has dictionaries for, by the names of their configurations."""

ENGLISH, SIMPLE = "english", "simple"  # simple: words as they are written
LANGUAGES = (  # from Postgres 15 on
    *("arabic", "armenian", "basque", "catalan", "danish", "dutch", ENGLISH, "finnish", "french", "german", "greek"),
    *("hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese"),
    *("romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish"),
)
LANGUAGE_LENGTH = 16  # characters of a name
LANGUAGE_CHOICES = [*((name, name.capitalize()) for name in LANGUAGES), (SIMPLE, "Another (words as they are written)")]
